/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-work-shedding.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Share of a sample that is rounding.
constexpr double ROUNDING = 1e-9;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(WorkShedding);

TypeId
WorkShedding::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::WorkShedding")
            .SetParent<Object>()
            .SetGroupName("Dml")
            .AddConstructor<WorkShedding>()
            .AddAttribute("Checks",
                          "Checks per step: one each time that this part of it has been computed, "
                          "or when an op ends, whatever is rarer.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&WorkShedding::m_checks),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Lag",
                          "Share of a step by which a worker must be behind another one to give "
                          "up samples.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&WorkShedding::m_lag),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Share",
                          "Share of its samples that it gives up then, in whole samples and at "
                          "least one.",
                          DoubleValue(0.025),
                          MakeDoubleAccessor(&WorkShedding::m_share),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Latest",
                          "Share of its step beyond which a worker takes nothing on.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&WorkShedding::m_latest),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Cost",
                          "Seconds for which a check keeps a worker's device busy.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&WorkShedding::m_cost),
                          MakeDoubleChecker<double>(0));
    return tid;
}

WorkShedding::Worker&
WorkShedding::Get(uint32_t worker)
{
    if (worker >= m_workers.size())
    {
        m_workers.resize(worker + 1);
    }
    return m_workers[worker];
}

SampleMove
WorkShedding::Check(uint32_t worker, const SampleReport& report)
{
    Worker& self = Get(worker);
    self.present = true;
    self.progress = report.progress;
    self.position = report.step + report.progress;
    SampleMove move;
    std::swap(move.take, self.held);
    if (self.helper != NOBODY || report.left == 0)
    {
        return move;
    }
    self.helper = FindHelper(worker);
    if (self.helper != NOBODY)
    {
        m_workers[self.helper].reserved = true;
        const auto portion = static_cast<uint32_t>(std::floor(m_share * report.samples + ROUNDING));
        move.give = std::min(report.left, std::max(1U, portion));
    }
    return move;
}

uint32_t
WorkShedding::FindHelper(uint32_t worker) const
{
    uint32_t best = NOBODY;
    double ahead = m_workers[worker].position + m_lag;
    for (uint32_t i = 0; i < m_workers.size(); ++i)
    {
        const Worker& other = m_workers[i];
        const bool free = other.present && !other.reserved && other.held == 0;
        if (free && other.progress <= m_latest && other.position > ahead)
        {
            best = i;
            ahead = other.position;
        }
    }
    return best;
}

void
WorkShedding::Give(uint32_t worker, uint32_t samples)
{
    Worker& self = Get(worker);
    if (self.helper == NOBODY)
    {
        return;
    }
    Worker& helper = m_workers[self.helper];
    helper.reserved = false;
    // a helper that has died since does not get them, and who gave them up does them after all
    (helper.present ? helper : self).held += samples;
    self.helper = NOBODY;
}

void
WorkShedding::Leave(uint32_t worker)
{
    Worker& self = Get(worker);
    m_lost += self.held;
    if (self.helper != NOBODY)
    {
        m_workers[self.helper].reserved = false;
    }
    // whoever was asked to give up samples for it still has to answer
    const bool reserved = self.reserved;
    self = Worker();
    self.reserved = reserved;
}

uint64_t
WorkShedding::GetHeld() const
{
    uint64_t held = 0;
    for (const auto& worker : m_workers)
    {
        held += worker.held;
    }
    return held;
}

} // namespace ns3::dml
