/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plan-policies.h"

#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-ordered-policy.h"

namespace ns3::dml
{

std::vector<Ptr<TransferPolicy>>
MakePlanPolicies(const StepPlan& plan, const ObjectFactory& policy)
{
    std::vector<Ptr<TransferPolicy>> policies(plan.resources.size());
    for (const auto& collective : plan.collectives)
    {
        for (const uint32_t channel : collective.sendChannels)
        {
            if (!policies[channel])
            {
                policies[channel] = CreateObject<FifoPolicy>();
            }
        }
        auto& order = policies[plan.ops[collective.op].resource];
        if (!order && plan.negotiation)
        {
            order = CreateObject<FifoPolicy>(); // in the order that was agreed on
        }
        else if (!order)
        {
            order = CreateObject<OrderedPolicy>();
        }
    }
    for (const auto& op : plan.ops)
    {
        if (op.dispatch == Dispatch::SEND && !policies[op.resource])
        {
            policies[op.resource] = policy.Create<TransferPolicy>();
        }
    }
    return policies;
}

} // namespace ns3::dml
