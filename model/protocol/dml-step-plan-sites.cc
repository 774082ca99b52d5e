/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plan-edges.h"
#include "dml-step-plan.h"

#include <map>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Site of the node on which compute resource @p resource is.
Site
SiteOf(const PlannedResource& resource)
{
    switch (resource.kind)
    {
    case ResourceKind::SERVER:
        return {Site::Kind::SERVER, resource.index};
    case ResourceKind::PARSER:
        return resource.index == 0 ? Site{Site::Kind::WORKER, 0}
                                   : Site{Site::Kind::SERVER, resource.index - 1};
    default:
        return {Site::Kind::WORKER, 0};
    }
}

bool
operator==(const Site& a, const Site& b)
{
    return a.kind == b.kind && (a.kind != Site::Kind::SERVER || a.server == b.server);
}

Site
SenderOf(const PlannedResource& link)
{
    return link.kind == ResourceKind::DOWNLINK ? Site{Site::Kind::SERVER, link.index}
                                               : Site{Site::Kind::WORKER, 0};
}

Site
ReceiverOf(const PlannedResource& link)
{
    return link.kind == ResourceKind::UPLINK ? Site{Site::Kind::SERVER, link.index}
                                             : Site{Site::Kind::WORKER, 0};
}

/// What @p op of a whole plan is to @p site.
Dispatch
DispatchAt(const StepPlan& whole, const PlannedOp& op, const Site& site)
{
    const auto& resource = whole.resources[op.resource];
    if (op.dispatch == Dispatch::DEVICE)
    {
        return SiteOf(resource) == site ? Dispatch::DEVICE : Dispatch::ELSEWHERE;
    }
    if (SenderOf(resource) == site)
    {
        return Dispatch::SEND;
    }
    return ReceiverOf(resource) == site ? Dispatch::RECEIVE : Dispatch::ELSEWHERE;
}

/// Site at which the completion of @p op is known.
Site
CompletionSite(const StepPlan& whole, const PlannedOp& op)
{
    const auto& resource = whole.resources[op.resource];
    return op.dispatch == Dispatch::DEVICE ? SiteOf(resource) : ReceiverOf(resource);
}

std::string
SiteName(const Site& site)
{
    return site.kind == Site::Kind::WORKER ? "the worker"
                                           : "parameter server " + std::to_string(site.server);
}

/// @throws InputError if nothing tells the site of an op that it need not wait any more
void
CheckCarried(const StepPlan& whole, const PlanEdges::Edge& edge)
{
    const auto& [before, after] = edge;
    const Site known = CompletionSite(whole, whole.ops[before]);
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
        if (plan.resources[planned.resource].kind != ResourceKind::UPLINK)
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
        if (plan.resources[planned.resource].kind == ResourceKind::DOWNLINK &&
            push != pushes.end() && planned.dispatch == Dispatch::RECEIVE)
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
RestrictStepPlan(const StepPlan& whole, Site site)
{
    StepPlan plan = whole;
    plan.site = site.kind;
    for (auto& op : plan.ops)
    {
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

bool
IsAtSite(const PlannedResource& resource, const Site& site)
{
    return SiteOf(resource) == site;
}

} // namespace dml
} // namespace ns3
