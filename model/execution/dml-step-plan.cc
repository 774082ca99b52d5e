/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-plan.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

using Edge = std::pair<OpIndex, OpIndex>;

/// Fill counts, dependents and roots of @p plan from edges between its ops.
void
SetEdges(StepPlan& plan, std::vector<Edge> edges)
{
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    plan.dependents.clear();
    auto edge = edges.begin();
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        plan.ops[op].firstDependent = plan.dependents.size();
        for (; edge != edges.end() && edge->first == op; ++edge)
        {
            plan.dependents.push_back(edge->second);
            ++plan.ops[edge->second].dependencies;
        }
        plan.ops[op].endDependent = plan.dependents.size();
    }
    plan.roots.clear();
    plan.localOps = 0;
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        if (plan.ops[op].dispatch != Dispatch::ELSEWHERE)
        {
            ++plan.localOps;
            if (plan.ops[op].dependencies == 0)
            {
                plan.roots.push_back(op);
            }
        }
    }
}

/// Where the resources of each kind start in StepPlan::resources.
struct ResourceLayout
{
    uint32_t servers; //!< first compute resource of a server
    uint32_t devices; //!< first device
    uint32_t parsers; //!< first parser, if parsing is parallel
};

ResourceLayout
AddResources(StepPlan& plan, const Profile& profile, bool parsers)
{
    for (const auto kind : {ResourceKind::DOWNLINK, ResourceKind::UPLINK, ResourceKind::SERVER})
    {
        for (uint32_t server = 0; server < plan.servers; ++server)
        {
            plan.resources.push_back({kind, server, 1});
        }
    }
    const ResourceLayout layout{2 * plan.servers,
                                3 * plan.servers,
                                3 * plan.servers + plan.devices};
    for (uint32_t device = 0; device < plan.devices; ++device)
    {
        plan.resources.push_back({ResourceKind::DEVICE, device, profile.devices[device].slots});
    }
    for (uint32_t i = 0; parsers && i <= plan.servers; ++i)
    {
        plan.resources.push_back({ResourceKind::PARSER, i, 1});
    }
    return layout;
}

/// The parsing of a pull runs on the worker's first device, that of a push on the server.
uint32_t
ParseResource(const ResourceLayout& layout, OpKind kind, uint32_t server, bool parallel)
{
    if (parallel)
    {
        return layout.parsers + (kind == OpKind::PULL ? 0 : 1 + server);
    }
    return kind == OpKind::PULL ? layout.devices : layout.servers + server;
}

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

} // namespace

uint32_t
StepPlan::GetServer(OpIndex op) const
{
    return resources[ops[op].resource].index;
}

StepPlan
MakeStepPlan(const Profile& profile,
             const Placement& placement,
             uint32_t servers,
             const ParseOverhead& overhead)
{
    StepPlan plan;
    plan.servers = servers;
    plan.devices = profile.devices.size();
    const bool parse = !overhead.IsFree();
    const auto layout = AddResources(plan, profile, parse && overhead.parallel);

    std::vector<OpIndex> startOf; // op of the plan that starts an op of the profile
    std::vector<OpIndex> endOf;   // and the one whose end completes it
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        const uint32_t server = op.tensor == NO_INDEX ? 0 : placement[op.tensor];
        PlannedOp planned;
        planned.profileOp = i;
        planned.tensor = op.tensor;
        planned.dispatch = IsTransfer(op.kind) ? Dispatch::SEND : Dispatch::DEVICE;
        planned.bytes = IsTransfer(op.kind) ? profile.tensors[op.tensor].bytes : 0;
        planned.resource = op.kind == OpKind::PULL     ? plan.GetDownlink(server)
                           : op.kind == OpKind::PUSH   ? plan.GetUplink(server)
                           : op.kind == OpKind::UPDATE ? layout.servers + server
                                                       : layout.devices + op.device;
        startOf.push_back(plan.ops.size());
        plan.ops.push_back(planned);
        plan.names.push_back(op.name);
        if (parse && IsTransfer(op.kind))
        {
            planned.parse = true;
            planned.dispatch = Dispatch::DEVICE;
            planned.resource = ParseResource(layout, op.kind, server, overhead.parallel);
            plan.ops.push_back(planned);
            plan.names.push_back("parse of " + op.name);
        }
        endOf.push_back(plan.ops.size() - 1);
    }

    std::vector<Edge> edges;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        if (startOf[i] != endOf[i])
        {
            edges.emplace_back(startOf[i], endOf[i]);
        }
        for (const OpIndex before : profile.graph.GetDependencies(i))
        {
            edges.emplace_back(endOf[before], startOf[i]);
        }
    }
    SetEdges(plan, std::move(edges));

    const uint32_t samples = profile.GetSampleCount();
    plan.seconds.assign(samples * plan.ops.size(), 0.0);
    for (uint32_t sample = 0; sample < samples; ++sample)
    {
        double* row = plan.seconds.data() + sample * plan.ops.size();
        for (OpIndex op = 0; op < plan.ops.size(); ++op)
        {
            const auto& planned = plan.ops[op];
            if (planned.parse)
            {
                row[op] = overhead.alpha * planned.bytes + overhead.beta;
            }
            else if (planned.dispatch == Dispatch::DEVICE)
            {
                row[op] = profile.samples[planned.profileOp][sample];
            }
        }
    }
    return plan;
}

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
    std::vector<Edge> edges;
    for (OpIndex before = 0; before < whole.ops.size(); ++before)
    {
        const Site known = CompletionSite(whole, whole.ops[before]);
        for (uint32_t i = whole.ops[before].firstDependent; i < whole.ops[before].endDependent; ++i)
        {
            const OpIndex after = whole.dependents[i];
            if (DispatchAt(whole, whole.ops[after], known) == Dispatch::ELSEWHERE)
            {
                throw InputError("op '" + whole.names[after] + "' waits for '" +
                                 whole.names[before] + "', which completes on " +
                                 SiteName(known) +
                                 ", and no transfer carries that: the packet engine cannot run "
                                 "it; accepted: dependencies between sites that go through a pull "
                                 "or push");
            }
            if (known == site)
            {
                edges.emplace_back(before, after);
            }
        }
    }
    SetEdges(plan, std::move(edges));
    return plan;
}

bool
IsAtSite(const PlannedResource& resource, const Site& site)
{
    return SiteOf(resource) == site;
}

} // namespace dml
} // namespace ns3
