/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-graph.h"

#include "ns3/dml-error.h"

#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

void
CheckPlan(const StepPlan& plan)
{
    if (!plan.collectives.empty() || plan.overlaps)
    {
        throw InputError(std::string("a step with ") +
                         (plan.overlaps ? "the next one beside it" : "collectives") +
                         " cannot be replayed as a graph of one worker");
    }
    for (const auto& resource : plan.resources)
    {
        if (resource.slots != 1)
        {
            throw InputError("a resource with " + std::to_string(resource.slots) +
                             " slots cannot be replayed: a device serves one op at a time");
        }
    }
}

} // namespace

TimedGraph
MakeStepGraph(
    const StepPlan& plan,
    uint32_t sample,
    const std::function<double(const PlannedResource& channel, uint64_t bytes)>& transferSeconds)
{
    CheckPlan(plan);
    std::vector<uint32_t> devices;
    std::vector<double> seconds;
    GlobalGraph::Dependencies dependencies;
    uint32_t joins = 0;
    for (OpIndex i = 0; i < plan.ops.size(); ++i)
    {
        const auto& op = plan.ops[i];
        const bool joining = op.dispatch == Dispatch::JOIN;
        const auto& resource = plan.resources[joining ? 0 : op.resource];
        devices.push_back(joining ? plan.resources.size() + joins++ : op.resource);
        seconds.push_back(!joining && resource.kind == ResourceKind::CHANNEL
                              ? transferSeconds(resource, op.bytes)
                              : plan.GetSeconds(sample, i));
        for (uint32_t at = op.firstDependent; at < op.endDependent; ++at)
        {
            dependencies.emplace_back(i, plan.dependents[at]);
        }
    }
    return {{std::move(devices), std::move(dependencies)}, std::move(seconds)};
}

} // namespace ns3::dml
