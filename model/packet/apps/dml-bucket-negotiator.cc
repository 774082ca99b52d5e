/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bucket-negotiator.h"

#include "ns3/dml-model-clock.h"

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
BucketNegotiator::Offer(uint32_t collective)
{
    m_gradients.push_back(collective);
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

} // namespace ns3::dml
