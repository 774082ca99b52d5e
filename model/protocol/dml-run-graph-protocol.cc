/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-graph-protocol.h"

#include "ns3/dml-error.h"

#include <set>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RunGraphProtocol);

TypeId
RunGraphProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RunGraphProtocol")
                            .SetParent<Protocol>()
                            .SetGroupName("Dml")
                            .AddConstructor<RunGraphProtocol>();
    return tid;
}

StepPlan
RunGraphProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    const StepPlan plan =
        MakeStepPlan(profile, setting.placement, setting.servers, setting.overhead);
    return setting.joint ? MakeAggregatingPlan(plan) : plan;
}

StepPlan
MakeAggregatingPlan(const StepPlan& whole)
{
    StepPlan plan = whole;
    std::set<TensorIndex> updated;
    for (auto& op : plan.ops)
    {
        op.joint = op.dispatch == Dispatch::DEVICE && !op.parse &&
                   plan.resources[op.resource].IsServerDevice();
        if (op.joint)
        {
            updated.insert(op.tensor);
        }
    }
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        const PlannedOp& planned = plan.ops[op];
        if (plan.resources[planned.resource].IsSending() && updated.count(planned.tensor) == 0)
        {
            throw InputError(
                "op '" + plan.names[op] +
                "' has no update that waits for it: workers cannot be synchronised by it; "
                "accepted: one update for each push");
        }
    }
    return plan;
}

} // namespace ns3::dml
