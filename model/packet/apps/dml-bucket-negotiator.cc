/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bucket-negotiator.h"

#include "ns3/dml-model-clock.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

BucketNegotiator::BucketNegotiator(const StepPlan& plan, uint32_t steps, Callbacks callbacks)
    : m_plan(plan),
      m_callbacks(std::move(callbacks)),
      m_left(uint64_t{steps} * plan.collectives.size())
{
}

BucketNegotiator::~BucketNegotiator()
{
    Stop();
}

void
BucketNegotiator::Begin()
{
    if (m_left > 0)
    {
        BeginCycle();
    }
}

void
BucketNegotiator::BeginCycle()
{
    m_began = ModelClock::Now();
    m_answered = false;
    m_scheduled = false;
    m_callbacks.tell(m_cycle, std::exchange(m_gradients, {}));
}

void
BucketNegotiator::Answer(uint32_t cycle, const std::vector<uint32_t>& order)
{
    if (cycle != m_cycle)
    {
        return;
    }
    ++m_cycle;
    m_left -= order.size();
    m_answered = true;
    const auto buckets = MakeBuckets(m_plan, order);
    m_open += buckets.size();
    m_callbacks.start(buckets); // which may end within, and the worker's steps with them
    EndCycle();
}

void
BucketNegotiator::Reduced()
{
    --m_open;
    EndCycle();
}

void
BucketNegotiator::EndCycle()
{
    if (!m_answered || m_left == 0 || m_scheduled || (m_plan.negotiation->waits && m_open > 0))
    {
        return;
    }
    m_scheduled = true;
    const Time next = m_began + Seconds(m_plan.negotiation->cycle);
    m_next = ModelClock::Schedule(Max(next - ModelClock::Now(), Time(0)), [this] { BeginCycle(); });
}

void
BucketNegotiator::Stop()
{
    m_next.Cancel();
    m_left = 0;
}

BucketService::BucketService(const StepPlan& plan,
                             const ObjectFactory& policy,
                             uint32_t workers,
                             std::function<double()> now,
                             Answer answer)
    : m_coordinator(plan, policy, std::move(now)),
      m_answer(std::move(answer)),
      m_calls(workers),
      m_has(workers, std::vector<bool>(plan.collectives.size(), false)),
      m_holders(plan.collectives.size(), 0)
{
}

bool
BucketService::Tell(uint32_t worker,
                    int32_t call,
                    uint32_t cycle,
                    const std::vector<uint32_t>& gradients)
{
    std::vector<bool>& has = m_has[worker];
    const bool news = std::all_of(gradients.begin(), gradients.end(), [&has](uint32_t gradient) {
        return gradient < has.size() && !has[gradient];
    });
    if (cycle != m_cycle || m_calls[worker] || !news)
    {
        return false;
    }
    for (const uint32_t gradient : gradients)
    {
        has[gradient] = true;
        ++m_holders[gradient];
    }
    m_calls[worker] = call;
    if (++m_told == m_calls.size())
    {
        EndCycle();
    }
    return true;
}

void
BucketService::EndCycle()
{
    std::vector<uint32_t> complete;
    for (uint32_t gradient = 0; gradient < m_holders.size(); ++gradient)
    {
        if (m_holders[gradient] == m_calls.size())
        {
            complete.push_back(gradient);
            m_holders[gradient] = 0;
            for (auto& has : m_has)
            {
                has[gradient] = false;
            }
        }
    }
    m_coordinator.Add(complete);
    const auto order = m_coordinator.Agree();
    const uint32_t cycle = m_cycle++;
    m_told = 0;
    const auto calls = std::exchange(m_calls, std::vector<std::optional<int32_t>>(m_calls.size()));
    for (uint32_t worker = 0; worker < calls.size(); ++worker)
    {
        m_answer(worker, *calls[worker], cycle, order);
    }
}

} // namespace ns3::dml
