/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bucket-negotiation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Share of a period by which rounding may put an offer behind the cycle that it is simultaneous
/// with.
constexpr double ROUNDING = 1e-6;

} // namespace

BucketNegotiation::BucketNegotiation(const StepPlan& plan,
                                     const ObjectFactory& policy,
                                     const std::vector<Worker>& workers,
                                     std::function<double()> now)
    : m_plan(plan),
      m_coordinator(plan, policy, now),
      m_now(std::move(now)),
      m_cycleTime(plan.negotiation->cycle),
      m_period(plan.negotiation->cycle),
      m_workers(workers),
      m_gradients(plan.collectives.size(),
                  {std::vector<double>(workers.size(), -1), static_cast<uint32_t>(workers.size())}),
      m_done(workers.size(), 0)
{
    for (const auto& worker : m_workers)
    {
        m_period = std::max(m_period, worker.call + worker.answer);
    }
    FindEnd();
}

void
BucketNegotiation::FindEnd()
{
    m_end = m_workers.front().start + m_workers.front().call;
    for (const auto& worker : m_workers)
    {
        m_end = std::max(m_end, worker.start + worker.call);
    }
}

double
BucketNegotiation::GetBegin(uint32_t worker, uint64_t cycle) const
{
    const auto& [start, call, answer] = m_workers[worker];
    const double free = start + cycle * m_cycleTime;
    return cycle == 0 ? start : std::max(free, m_end + answer + (cycle - 1) * m_period);
}

uint64_t
BucketNegotiation::CountPeriods(double period, double time)
{
    const double periods = time / period - ROUNDING;
    return periods > 0 ? static_cast<uint64_t>(std::ceil(periods)) : 0;
}

uint64_t
BucketNegotiation::FindCycle(uint32_t worker, double time) const
{
    const auto& [start, call, answer] = m_workers[worker];
    const uint64_t free = CountPeriods(m_cycleTime, time - start);
    // the later of two instants, as GetBegin() has it, comes with the smaller number
    const uint64_t answered = CountPeriods(m_period, time - m_end - answer) + 1;
    return std::min(free, answered);
}

uint64_t
BucketNegotiation::FindCycle(const Gradient& gradient)
{
    m_lookups += m_workers.size();
    uint64_t cycle = 0;
    for (std::size_t worker = 0; worker < m_workers.size(); ++worker)
    {
        cycle = std::max(cycle, FindCycle(worker, gradient.offers[worker]));
    }
    return cycle;
}

void
BucketNegotiation::FindEarliest()
{
    m_earliest = NEVER;
    for (const uint32_t collective : m_complete)
    {
        m_earliest = std::min(m_earliest, m_gradients[collective].cycle);
    }
}

void
BucketNegotiation::Offer(uint32_t worker, uint32_t collective)
{
    Gradient& gradient = m_gradients[collective];
    gradient.offers[worker] = m_now();
    if (--gradient.missing == 0)
    {
        m_complete.push_back(collective);
        gradient.cycle = FindCycle(gradient);
        m_earliest = std::min(m_earliest, gradient.cycle);
    }
}

std::optional<double>
BucketNegotiation::GetNext() const
{
    const bool more = m_coordinator.KeepsBack() && m_free >= 0;
    if (m_open > 0 || (m_complete.empty() && !more))
    {
        return {};
    }
    uint64_t cycle = more ? CountPeriods(m_period, m_free - m_end) : NEVER;
    cycle = std::max(m_first, std::min(cycle, m_earliest));
    return std::max(m_now(), m_end + cycle * m_period);
}

std::vector<Bucket>
BucketNegotiation::Agree()
{
    m_cycle = static_cast<uint64_t>(std::llround((m_now() - m_end) / m_period));
    const auto later =
        std::stable_partition(m_complete.begin(), m_complete.end(), [this](uint32_t collective) {
            return std::max(m_first, m_gradients[collective].cycle) <= m_cycle;
        });
    const std::vector<uint32_t> ready(m_complete.begin(), later);
    m_complete.erase(m_complete.begin(), later);
    FindEarliest();
    m_first = m_cycle + 1; // there is one agreement in a cycle
    for (const uint32_t collective : ready)
    {
        m_gradients[collective].missing = m_workers.size();
    }
    m_coordinator.Add(ready);
    auto buckets = MakeBuckets(m_plan, m_coordinator.Agree());
    m_free = m_coordinator.GetWakeUp();
    if (m_plan.negotiation->waits)
    {
        m_open = buckets.size() * m_workers.size();
    }
    return buckets;
}

void
BucketNegotiation::Reduced(uint32_t worker, const Bucket& bucket)
{
    if (worker == 0)
    {
        m_coordinator.Reduced(bucket);
        m_free = m_now();
    }
    m_done[worker] = m_now();
    if (m_open > 0 && --m_open == 0)
    {
        BeginAgain();
    }
}

void
BucketNegotiation::BeginAgain()
{
    for (std::size_t worker = 0; worker < m_workers.size(); ++worker)
    {
        m_workers[worker].start = std::max(GetBegin(worker, m_cycle) + m_cycleTime, m_done[worker]);
    }
    FindEnd();
    m_first = 0;
    for (const uint32_t collective : m_complete)
    {
        m_gradients[collective].cycle = FindCycle(m_gradients[collective]);
    }
    FindEarliest();
}

} // namespace ns3::dml
