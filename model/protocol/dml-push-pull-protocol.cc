/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-push-pull-protocol.h"

#include "dml-plan-edges.h"

#include <map>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(PushPullProtocol);

namespace
{

/// The ops of one tensor, NO_INDEX where it has none.
struct TensorOps
{
    OpIndex pull{NO_INDEX};   //!< its pull
    OpIndex push{NO_INDEX};   //!< its push
    OpIndex update{NO_INDEX}; //!< its update
};

const PlannedResource&
ResourceOf(const StepPlan& plan, OpIndex op)
{
    return plan.resources[plan.ops[op].resource];
}

bool
IsWorkerCompute(const StepPlan& plan, OpIndex op)
{
    const PlannedResource& resource = ResourceOf(plan, op);
    return resource.kind == ResourceKind::DEVICE && resource.at == SELF && !plan.ops[op].parse;
}

std::map<TensorIndex, TensorOps>
FindTensorOps(const StepPlan& plan)
{
    std::map<TensorIndex, TensorOps> tensors;
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        const PlannedOp& planned = plan.ops[op];
        if (planned.tensor == NO_INDEX || planned.parse || IsWorkerCompute(plan, op))
        {
            continue;
        }
        TensorOps& ops = tensors[planned.tensor];
        (ResourceOf(plan, op).IsReceiving() ? ops.pull
         : ResourceOf(plan, op).IsSending() ? ops.push
                                            : ops.update) = op;
    }
    return tensors;
}

/// By op: whether it depends on one of these ops, directly or not.
std::vector<bool>
FindDependentsOf(const StepPlan& plan, std::vector<OpIndex> open)
{
    std::vector<bool> found(plan.ops.size(), false);
    while (!open.empty())
    {
        const PlannedOp& op = plan.ops[open.back()];
        open.pop_back();
        for (uint32_t i = op.firstDependent; i < op.endDependent; ++i)
        {
            const OpIndex next = plan.dependents[i];
            if (!found[next])
            {
                found[next] = true;
                open.push_back(next);
            }
        }
    }
    return found;
}

/// By op: whether it depends on a compute op of the worker.
std::vector<bool>
FindComputed(const StepPlan& plan)
{
    std::vector<OpIndex> compute;
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        if (IsWorkerCompute(plan, op))
        {
            compute.push_back(op);
        }
    }
    return FindDependentsOf(plan, std::move(compute));
}

[[noreturn]] void
Refuse(const StepPlan& plan, OpIndex op, const std::string& found, const std::string& accepted)
{
    throw InputError("op '" + plan.names[op] + "' " + found +
                     ": the push-pull protocol cannot run it; accepted: " + accepted);
}

void
CheckTensor(const StepPlan& plan, const TensorOps& ops, const std::vector<bool>& computed)
{
    if (ops.push == NO_INDEX)
    {
        if (ops.update != NO_INDEX)
        {
            Refuse(plan, ops.update, "updates a tensor that is not pushed", "updates after a push");
        }
        return;
    }
    if (ops.pull == NO_INDEX)
    {
        Refuse(plan, ops.push, "pushes a tensor that is not pulled", "tensors that are pulled too");
    }
    const auto behindPull = FindDependentsOf(plan, {ops.pull});
    if (!behindPull[ops.push] || !computed[ops.push])
    {
        Refuse(plan,
               ops.push,
               "does not depend on its tensor's pull and a compute op",
               "gradients that are computed from the tensors pulled");
    }
    if (ops.update == NO_INDEX || !FindDependentsOf(plan, {ops.push})[ops.update])
    {
        Refuse(plan, ops.push, "has no update that waits for it", "one update for each push");
    }
}

} // namespace

StepPlan
MakePushPullPlan(const StepPlan& whole)
{
    StepPlan plan = whole;
    plan.overlaps = true;
    PlanEdges edges = GetPlanEdges(whole);
    const auto computed = FindComputed(whole);
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        PlannedOp& planned = plan.ops[op];
        const PlannedResource& resource = ResourceOf(plan, op);
        const bool ofWorker = resource.kind != ResourceKind::CHANNEL && resource.at == SELF;
        planned.gates = resource.IsReceiving() || ofWorker;
        // a worker computes in the order of steps
        planned.begins = planned.dependencies == 0 || (IsWorkerCompute(plan, op) && !computed[op]);
        planned.dependencies = 0;
    }
    for (const auto& [tensor, ops] : FindTensorOps(whole))
    {
        CheckTensor(whole, ops, computed);
        if (ops.push != NO_INDEX)
        {
            edges.toNext.emplace_back(ops.update, ops.pull);
            plan.ops[ops.update].joint = true;
            plan.ops[ops.pull].begins = false;
        }
        else if (ops.pull != NO_INDEX)
        {
            plan.ops[ops.pull].begins = true; // nothing else keeps it behind that of the last step
        }
    }
    SetPlanEdges(plan, std::move(edges));
    return plan;
}

TypeId
PushPullProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::PushPullProtocol")
                            .SetParent<Protocol>()
                            .SetGroupName("Dml")
                            .AddConstructor<PushPullProtocol>();
    return tid;
}

StepPlan
PushPullProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    return MakePushPullPlan(
        MakeStepPlan(profile, setting.placement, setting.servers, setting.overhead));
}

} // namespace ns3::dml
