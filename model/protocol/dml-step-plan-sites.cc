/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plan-edges.h"
#include "dml-step-plan.h"

#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return whether the op goes from one site to another
bool
IsTransfer(const PlannedOp& op)
{
    return op.dispatch == Dispatch::SEND || op.dispatch == Dispatch::RECEIVE;
}

/// What @p op of a whole plan is to @p site.
Dispatch
DispatchAt(const StepPlan& whole, const PlannedOp& op, const Peer& site)
{
    const auto& resource = whole.resources[op.resource];
    if (!IsTransfer(op))
    {
        return resource.at == site ? op.dispatch : Dispatch::ELSEWHERE;
    }
    if (resource.at == site)
    {
        return Dispatch::SEND;
    }
    return resource.to == site ? Dispatch::RECEIVE : Dispatch::ELSEWHERE;
}

/// Where the completion of @p op is known.
Peer
CompletionSite(const StepPlan& whole, const PlannedOp& op)
{
    const auto& resource = whole.resources[op.resource];
    const bool whereSent = op.dispatch == Dispatch::SEND && op.counterpart != NO_INDEX;
    return !IsTransfer(op) || whereSent ? resource.at : resource.to;
}

std::string
SiteName(const Peer& site)
{
    return site == SELF ? "the worker" : "parameter server " + std::to_string(site.index);
}

/// @throws InputError if nothing tells the site of an op that it need not wait any more
void
CheckCarried(const StepPlan& whole, const PlanEdges::Edge& edge)
{
    const auto& [before, after] = edge;
    const Peer known = CompletionSite(whole, whole.ops[before]);
    if (DispatchAt(whole, whole.ops[after], known) == Dispatch::ELSEWHERE)
    {
        throw InputError("op '" + whole.names[after] + "' waits for '" + whole.names[before] +
                         "', which completes on " + SiteName(known) +
                         ", and no transfer carries that: the packet engine cannot run it; "
                         "accepted: dependencies between sites that go through a pull or push");
    }
}

/**
 * When a receiver asks for a tensor of the next step where steps overlap: a worker, once it has
 * sent the tensor's gradient; a server, once it has the gradient of the step before, and the worker
 * has begun the step.
 */
void
TieRequests(StepPlan& plan, PlanEdges& edges)
{
    std::map<TensorIndex, OpIndex> pushes;
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        PlannedOp& planned = plan.ops[op];
        if (!plan.resources[planned.resource].IsSending())
        {
            continue;
        }
        pushes[planned.tensor] = op;
        if (planned.dispatch == Dispatch::RECEIVE)
        {
            planned.begins = true;
            edges.toNext.emplace_back(op, op);
        }
    }
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        PlannedOp& planned = plan.ops[op];
        const auto push = pushes.find(planned.tensor);
        if (plan.resources[planned.resource].IsReceiving() && push != pushes.end() &&
            planned.dispatch == Dispatch::RECEIVE)
        {
            edges.toNext.emplace_back(push->second, op);
        }
        if (planned.dispatch == Dispatch::SEND)
        {
            planned.begins = false; // the request is all it waits for
        }
    }
}

} // namespace

StepPlan
RestrictStepPlan(const StepPlan& whole, const Peer& site)
{
    StepPlan plan = whole;
    for (OpIndex i = 0; i < plan.ops.size(); ++i)
    {
        PlannedOp& op = plan.ops[i];
        if (IsTransfer(op) && op.counterpart == NO_INDEX)
        {
            op.counterpart = i; // the other endpoint's plan has it at the same place
        }
        op.dispatch = DispatchAt(whole, op, site);
        // a sender serves what has been asked for
        op.dependencies = op.dispatch == Dispatch::SEND ? 1 : 0;
    }
    PlanEdges edges;
    const PlanEdges all = GetPlanEdges(whole);
    for (const auto& edge : all.inStep)
    {
        CheckCarried(whole, edge);
        if (CompletionSite(whole, whole.ops[edge.first]) == site)
        {
            edges.inStep.push_back(edge);
        }
    }
    for (const auto& edge : all.toNext)
    {
        if (CompletionSite(whole, whole.ops[edge.first]) == site)
        {
            edges.toNext.push_back(edge);
        }
    }
    if (plan.overlaps)
    {
        TieRequests(plan, edges);
    }
    SetPlanEdges(plan, std::move(edges));
    return plan;
}

} // namespace ns3::dml
