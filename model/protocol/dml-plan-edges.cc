/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plan-edges.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Edges in the order of ops, each once.
void
Sort(std::vector<PlanEdges::Edge>& edges)
{
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

/// Put the ops that wait for op @p before behind @p dependents. @return where they end
uint32_t
Append(const std::vector<PlanEdges::Edge>& edges,
       OpIndex before,
       std::size_t& next,
       std::vector<OpIndex>& dependents)
{
    for (; next < edges.size() && edges[next].first == before; ++next)
    {
        dependents.push_back(edges[next].second);
    }
    return dependents.size();
}

/// Say whose business an op is.
void
SetOwner(const StepPlan& plan, PlannedOp& op)
{
    const PlannedResource& resource = plan.resources[op.resource];
    const bool ofWorker = resource.kind == ResourceKind::CHANNEL || resource.at == SELF;
    op.own = op.dispatch != Dispatch::ELSEWHERE && ofWorker;
    op.computes = op.dispatch == Dispatch::DEVICE && op.tensor == NO_INDEX &&
                  resource.kind == ResourceKind::DEVICE && resource.at == SELF;
}

/// What waits for a collective waits for other workers: that is not a worker's own time.
void
DisownReduced(StepPlan& plan)
{
    std::vector<OpIndex> open;
    const auto disown = [&plan, &open](OpIndex op) {
        plan.ops[op].own = false;
        open.push_back(op);
    };
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        if (plan.ops[op].dispatch == Dispatch::COLLECTIVE)
        {
            disown(op);
        }
    }
    while (!open.empty())
    {
        const PlannedOp& op = plan.ops[open.back()];
        open.pop_back();
        for (uint32_t i = op.firstDependent; i < op.endDependent; ++i)
        {
            if (plan.ops[plan.dependents[i]].own)
            {
                disown(plan.dependents[i]);
            }
        }
    }
}

} // namespace

void
SetPlanEdges(StepPlan& plan, PlanEdges edges)
{
    Sort(edges.inStep);
    Sort(edges.toNext);
    plan.dependents.clear();
    plan.nextDependents.clear();
    std::size_t inStep = 0;
    std::size_t toNext = 0;
    for (OpIndex i = 0; i < plan.ops.size(); ++i)
    {
        PlannedOp& op = plan.ops[i];
        op.firstDependent = plan.dependents.size();
        op.endDependent = Append(edges.inStep, i, inStep, plan.dependents);
        op.firstNext = plan.nextDependents.size();
        op.endNext = Append(edges.toNext, i, toNext, plan.nextDependents);
        op.nextDependencies = 0;
    }
    for (const auto& [before, after] : edges.inStep)
    {
        ++plan.ops[after].dependencies;
    }
    for (const auto& [before, after] : edges.toNext)
    {
        ++plan.ops[after].nextDependencies;
    }
    plan.roots.clear();
    plan.localOps = 0;
    for (OpIndex i = 0; i < plan.ops.size(); ++i)
    {
        PlannedOp& op = plan.ops[i];
        SetOwner(plan, op);
        if (op.dispatch == Dispatch::ELSEWHERE)
        {
            continue;
        }
        ++plan.localOps;
        if (!plan.overlaps)
        {
            op.begins = op.dependencies == 0;
        }
        if (op.begins)
        {
            plan.roots.push_back(i);
        }
    }
    DisownReduced(plan);
}

void
AddProfileEdges(const Profile& profile,
                const std::vector<OpIndex>& planned,
                OpIndex op,
                OpIndex after,
                PlanEdges& edges)
{
    for (const OpIndex before : profile.graph.GetDependencies(op))
    {
        if (planned[before] == NO_INDEX)
        {
            AddProfileEdges(profile, planned, before, after, edges);
        }
        else
        {
            edges.inStep.emplace_back(planned[before], after);
        }
    }
}

PlanEdges
GetPlanEdges(const StepPlan& plan)
{
    PlanEdges edges;
    for (OpIndex before = 0; before < plan.ops.size(); ++before)
    {
        const PlannedOp& op = plan.ops[before];
        for (uint32_t i = op.firstDependent; i < op.endDependent; ++i)
        {
            edges.inStep.emplace_back(before, plan.dependents[i]);
        }
        for (uint32_t i = op.firstNext; i < op.endNext; ++i)
        {
            edges.toNext.emplace_back(before, plan.nextDependents[i]);
        }
    }
    return edges;
}

} // namespace ns3::dml
