/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-max-min-sharing.h"

#include "ns3/dml-instant.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

std::vector<double>
Capacities(uint32_t workers, uint32_t servers, double workerRate, double serverRate)
{
    std::vector<double> capacities(servers, serverRate);
    capacities.insert(capacities.end(), workers, workerRate);
    return capacities;
}

} // namespace

MaxMinSharing::MaxMinSharing(uint32_t workers,
                             uint32_t servers,
                             double workerRate,
                             double serverRate,
                             RunObserver* observer)
    : m_servers(servers),
      m_observer(observer),
      m_solver(Capacities(workers, servers, workerRate, serverRate)),
      m_load(servers)
{
}

void
MaxMinSharing::Advance(Half& half, double now)
{
    if (now > half.updated)
    {
        if (m_observer)
        {
            Report(half, half.updated, now);
        }
        for (auto& active : half.active)
        {
            active.remaining -= active.rate * (now - half.updated);
        }
    }
    half.updated = now;
}

void
MaxMinSharing::Share(Half& half)
{
    m_solver.Clear();
    for (const auto& active : half.active)
    {
        m_solver.AddFlow(active.flow.server, m_servers + active.flow.worker);
    }
    const auto& rates = m_solver.Solve();
    half.next = FlowEnd{};
    for (std::size_t i = 0; i < half.active.size(); ++i)
    {
        Active& active = half.active[i];
        active.rate = rates[i];
        FlowEnd end;
        end.time = half.updated + std::max(0.0, active.remaining) / active.rate;
        end.instant = InstantOf(end.time);
        end.order = active.order;
        end.flow = active.flow;
        half.next = std::min(half.next, end);
    }
}

void
MaxMinSharing::Start(const Flow& flow, double bytes, uint64_t order, double now)
{
    Half& half = m_halves[static_cast<std::size_t>(flow.direction)];
    Advance(half, now);
    half.active.push_back({flow, order, bytes});
    Share(half);
}

FlowEnd
MaxMinSharing::GetNextEnd() const
{
    return std::min(m_halves[0].next, m_halves[1].next);
}

void
MaxMinSharing::Finish()
{
    const FlowEnd next = GetNextEnd();
    Half& half = m_halves[static_cast<std::size_t>(next.flow.direction)];
    Advance(half, next.time);
    const auto done = std::find_if(half.active.begin(), half.active.end(), [&](const Active& a) {
        return a.order == next.order;
    });
    *done = half.active.back();
    half.active.pop_back();
    Share(half);
}

void
MaxMinSharing::Flush(double now)
{
    for (auto& half : m_halves)
    {
        Advance(half, now);
    }
}

void
MaxMinSharing::Report(const Half& half, double from, double to)
{
    std::fill(m_load.begin(), m_load.end(), 0.0);
    for (const auto& active : half.active)
    {
        m_load[active.flow.server] += active.rate;
    }
    const auto direction = static_cast<Direction>(&half - m_halves.data());
    for (uint32_t server = 0; server < m_servers; ++server)
    {
        if (m_load[server] > 0)
        {
            m_observer->LinkUsed({direction, server, from, to, m_load[server]});
        }
    }
}

} // namespace dml
} // namespace ns3
