/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-end-list.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Two times further apart than this lie in different instants.
constexpr double TWO_INSTANTS = 2 / INSTANTS_PER_SECOND;

} // namespace

void
EndList::Add(FlowId flow, uint64_t order, double bytes, double rate, double now)
{
    const std::size_t place = m_flows.size();
    if (place == m_ends.size())
    {
        m_ends.resize(place + BLOCK, NEVER);
        m_blocks.push_back({0, true});
    }
    m_flows.push_back(flow);
    m_orders.push_back(order);
    m_progress.push_back({bytes, now, rate});
    m_ends[place] = m_progress.back().GetEnd();
    m_blocks[place / BLOCK].stale = true;
}

void
EndList::Remove(std::size_t place)
{
    const std::size_t last = m_flows.size() - 1;
    m_flows[place] = m_flows[last];
    m_orders[place] = m_orders[last];
    m_progress[place] = m_progress[last];
    m_ends[place] = m_ends[last];
    m_ends[last] = NEVER;
    m_blocks[place / BLOCK].stale = true;
    m_blocks[last / BLOCK].stale = true;
    m_flows.pop_back();
    m_orders.pop_back();
    m_progress.pop_back();
}

void
EndList::MoveOrigin(double seconds)
{
    for (std::size_t place = 0; place < m_flows.size(); ++place)
    {
        m_progress[place].since -= seconds;
        m_ends[place] -= seconds;
    }
    for (Block& block : m_blocks)
    {
        block.stale = true;
    }
}

void
EndList::Refresh(std::size_t block)
{
    // least ends of every fourth flow: processors find several minima at the same time
    constexpr std::size_t LANES = 4;
    double first[LANES] = {NEVER, NEVER, NEVER, NEVER};
    const double* ends = &m_ends[block * BLOCK];
    for (std::size_t i = 0; i < BLOCK; i += LANES)
    {
        for (std::size_t lane = 0; lane < LANES; ++lane)
        {
            first[lane] = std::min(first[lane], ends[i + lane]);
        }
    }
    m_blocks[block] = {*std::min_element(first, first + LANES), false};
}

FlowEnd
EndList::GetEndAt(std::size_t place) const
{
    FlowEnd end;
    if (m_ends[place] < NEVER)
    {
        end.time = m_ends[place];
        end.instant = InstantOf(end.time);
        end.order = m_orders[place];
        end.flow = m_flows[place];
    }
    return end;
}

FlowEnd
EndList::FindFirst()
{
    if (m_flows.size() <= 1)
    {
        return m_flows.empty() ? FlowEnd{} : GetEndAt(0);
    }
    double first = NEVER;
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
    {
        if (m_blocks[block].stale)
        {
            Refresh(block);
        }
        first = std::min(first, m_blocks[block].first);
    }
    FlowEnd next;
    if (std::isinf(first))
    {
        return next;
    }
    // of the others that end in the same instant one may go first
    const double last = first + TWO_INSTANTS;
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
    {
        if (m_blocks[block].first > last)
        {
            continue;
        }
        const std::size_t end = std::min((block + 1) * BLOCK, m_flows.size());
        for (std::size_t place = block * BLOCK; place < end; ++place)
        {
            if (m_ends[place] <= last)
            {
                next = std::min(next, GetEndAt(place));
            }
        }
    }
    return next;
}

} // namespace ns3::dml
