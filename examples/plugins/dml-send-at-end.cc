/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A protocol of one's own: TensorFlow's, but gradients are sent only when the worker has computed
// all of them, as by frameworks that do not overlap. doc/extending.rst shows how a scenario chooses
// it.

#include "ns3/dml-plan-edges.h"
#include "ns3/dml-run-graph-protocol.h"

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class SendAtEnd : public RunGraphProtocol
{
  public:
    static TypeId GetTypeId();

    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;
};

NS_OBJECT_ENSURE_REGISTERED(SendAtEnd);

TypeId
SendAtEnd::GetTypeId()
{
    static TypeId tid =
        TypeId("example::SendAtEnd").SetParent<RunGraphProtocol>().AddConstructor<SendAtEnd>();
    return tid;
}

StepPlan
SendAtEnd::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    StepPlan plan = RunGraphProtocol::MakePlan(profile, setting);
    PlanEdges edges = GetPlanEdges(plan);
    for (OpIndex push = 0; push < plan.ops.size(); ++push)
    {
        const PlannedOp& op = plan.ops[push];
        if (op.dispatch != Dispatch::SEND || !plan.resources[op.resource].IsSending())
        {
            continue;
        }
        for (OpIndex compute = 0; compute < plan.ops.size(); ++compute)
        {
            if (profile.graph.Get(plan.ops[compute].profileOp).kind == OpKind::BACKWARD)
            {
                edges.inStep.emplace_back(compute, push);
            }
        }
    }
    for (auto& op : plan.ops)
    {
        op.dependencies = 0; // SetPlanEdges() counts the edges
    }
    SetPlanEdges(plan, edges);
    return plan;
}

} // namespace example
