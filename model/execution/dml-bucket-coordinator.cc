/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bucket-coordinator.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A collective is not cut by flow control.
class NoWindows : public WindowView
{
  public:
    uint64_t GetWindow([[maybe_unused]] OpIndex transfer,
                       [[maybe_unused]] uint32_t turns) const override
    {
        return std::numeric_limits<uint64_t>::max();
    }
};

} // namespace

BucketCoordinator::BucketCoordinator(const StepPlan& plan,
                                     const ObjectFactory& policy,
                                     std::function<double()> now)
    : m_plan(plan),
      m_policy(policy.Create<TransferPolicy>()),
      m_now(std::move(now))
{
    std::vector<TransferInfo> collectives;
    for (const auto& collective : plan.collectives)
    {
        collectives.push_back(GetTransferInfo(plan, collective.op));
    }
    m_policy->Prepare(collectives, 0, *this);
}

void
BucketCoordinator::Add(std::vector<uint32_t> collectives)
{
    std::sort(collectives.begin(), collectives.end());
    for (const uint32_t collective : collectives)
    {
        const OpIndex op = m_plan.collectives[collective].op;
        m_policy->Add(op, m_plan.ops[op].bytes);
    }
}

std::vector<uint32_t>
BucketCoordinator::Agree()
{
    const NoWindows windows;
    std::vector<uint32_t> order;
    m_wakeUp = -1;
    for (const uint32_t collective : std::exchange(m_reduced, {}))
    {
        if (m_policy->WantsAcknowledgements()) // not before it knows what else there is
        {
            m_policy->Acknowledged(m_plan.collectives[collective].op);
        }
    }
    while (const Turn turn = m_policy->Next(windows))
    {
        if (m_policy->TurnEnded()) // its last one: some policies cut what they serve
        {
            order.push_back(m_plan.ops[turn.transfer].counterpart);
        }
    }
    return order;
}

void
BucketCoordinator::Reduced(const Bucket& bucket)
{
    m_reduced.insert(m_reduced.end(), bucket.begin(), bucket.end());
}

TransferInfo
GetTransferInfo(const StepPlan& plan, OpIndex op)
{
    return {op,
            plan.ops[op].bytes,
            plan.ranks.empty() ? NO_INDEX : plan.ranks[op],
            plan.generated.empty() ? -1 : plan.generated[op]};
}

std::vector<Bucket>
MakeBuckets(const StepPlan& plan, const std::vector<uint32_t>& order)
{
    std::vector<Bucket> buckets;
    uint64_t bytes = 0; // of the last one
    for (const uint32_t collective : order)
    {
        const uint64_t own = plan.ops[plan.collectives[collective].op].bytes;
        bytes += own;
        if (buckets.empty() || bytes > plan.negotiation->threshold)
        {
            buckets.emplace_back();
            bytes = own;
        }
        buckets.back().push_back(collective);
    }
    return buckets;
}

} // namespace ns3::dml
