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
      m_gradients(plan.collectives.size(),
                  {std::vector<double>(workers.size(), -1), static_cast<uint32_t>(workers.size())}),
      m_done(workers.size(), 0)
{
    const auto last =
        std::max_element(workers.begin(), workers.end(), [](const Worker& a, const Worker& b) {
            return a.start < b.start;
        });
    m_end = last->start;
    m_period = plan.negotiation->cycle;
    for (const auto& worker : workers)
    {
        m_answer.push_back(last->delay + worker.delay);
        m_period = std::max(m_period, m_answer.back());
    }
    for (std::size_t i = 0; i < workers.size(); ++i)
    {
        // who comes first waits for the last one, and begins its second cycle then
        m_phase.push_back(std::max(workers[i].start, m_end + m_answer[i] - m_period));
    }
}

uint64_t
BucketNegotiation::CountCycles(double phase, double time) const
{
    const double periods = (time - phase) / m_period - ROUNDING;
    return periods > m_first ? static_cast<uint64_t>(std::ceil(periods)) : m_first;
}

uint64_t
BucketNegotiation::FindCycle(const Gradient& gradient) const
{
    uint64_t cycle = 0;
    for (std::size_t worker = 0; worker < m_phase.size(); ++worker)
    {
        cycle = std::max(cycle, CountCycles(m_phase[worker], gradient.offers[worker]));
    }
    return cycle;
}

void
BucketNegotiation::Offer(uint32_t worker, uint32_t collective)
{
    Gradient& gradient = m_gradients[collective];
    gradient.offers[worker] = m_now();
    if (--gradient.missing == 0)
    {
        m_complete.push_back(collective);
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
    uint64_t cycle = more ? CountCycles(m_end, m_free) : FindCycle(m_gradients[m_complete.front()]);
    for (const uint32_t collective : m_complete)
    {
        cycle = std::min(cycle, FindCycle(m_gradients[collective]));
    }
    return std::max(m_now(), m_end + cycle * m_period);
}

std::vector<Bucket>
BucketNegotiation::Agree()
{
    m_cycle = static_cast<uint64_t>(std::llround((m_now() - m_end) / m_period));
    const auto later =
        std::stable_partition(m_complete.begin(), m_complete.end(), [this](uint32_t collective) {
            return FindCycle(m_gradients[collective]) <= m_cycle;
        });
    const std::vector<uint32_t> ready(m_complete.begin(), later);
    m_complete.erase(m_complete.begin(), later);
    m_first = m_cycle + 1; // there is one agreement in a cycle
    for (const uint32_t collective : ready)
    {
        m_gradients[collective].missing = m_phase.size();
    }
    m_coordinator.Add(ready);
    auto buckets = MakeBuckets(m_plan, m_coordinator.Agree());
    m_free = m_coordinator.GetWakeUp();
    if (m_plan.negotiation->waits)
    {
        m_open = buckets.size() * m_phase.size();
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
    for (std::size_t worker = 0; worker < m_phase.size(); ++worker)
    {
        m_phase[worker] = std::max(m_phase[worker] + (m_cycle + 1) * m_period, m_done[worker]);
    }
    m_end = *std::max_element(m_phase.begin(), m_phase.end());
    m_first = 0;
}

} // namespace ns3::dml
