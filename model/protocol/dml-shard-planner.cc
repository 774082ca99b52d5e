/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shard-planner.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

ShardPlanner::ShardPlanner(const ShardOptions& options, const Profile& profile, StepPlan& plan)
    : m_options(options),
      m_profile(profile),
      m_plan(plan),
      m_units(ListShardUnits(profile)),
      m_planned(profile.graph.GetSize(), NO_INDEX),
      m_reduces(m_units.size(), NO_INDEX),
      m_across(m_units.size(), NO_INDEX)
{
    if (options.gathers.stage == 3)
    {
        FindUsesOfUnits(profile, m_units);
    }
    m_gathers = ListShardGathers(options.gathers, profile, m_units);
    m_gatherOps.resize(m_gathers.size(), NO_INDEX);
}

void
ShardPlanner::AddOps()
{
    for (OpIndex i = 0; i < m_planned.size(); ++i)
    {
        const Op& op = m_profile.graph.Get(i);
        if (op.kind == OpKind::PULL)
        {
            continue; // gathers take its place
        }
        if (op.kind == OpKind::PUSH)
        {
            m_planned[i] = Add(MakeCollective(i, op.tensor, m_options.collectives),
                               "reduce-scatter/" + m_profile.tensors[op.tensor].name);
            continue;
        }
        PlannedOp planned;
        planned.profileOp = i;
        planned.tensor = op.tensor;
        planned.dispatch = Dispatch::DEVICE;
        planned.resource = m_options.devices + (op.kind == OpKind::UPDATE ? 0 : op.device);
        m_planned[i] = Add(planned, op.name);
    }
    for (uint32_t unit = 0; unit < m_units.size(); ++unit)
    {
        const ShardUnit& own = m_units[unit];
        if (own.push == NO_INDEX)
        {
            continue;
        }
        m_reduces[unit] = m_planned[own.push];
        if (m_options.hybrid)
        {
            PlannedOp across = MakeCollective(own.push, own.tensor, m_options.across);
            across.bytes = (across.bytes + m_options.shards - 1) / m_options.shards;
            m_across[unit] = Add(across, "all-reduce/" + m_profile.tensors[own.tensor].name);
        }
    }
    for (std::size_t i = 0; i < m_gathers.size(); ++i)
    {
        const ShardUnit& own = m_units[m_gathers[i].unit];
        const std::string kind = m_options.gathers.stage < 3 ? "all-gather/"
                                 : m_gathers[i].backward     ? "all-gather/backward/"
                                                             : "all-gather/forward/";
        m_gatherOps[i] = Add(MakeCollective(own.pull == NO_INDEX ? own.push : own.pull,
                                            own.tensor,
                                            m_options.collectives),
                             kind + m_profile.tensors[own.tensor].name);
    }
    PlannedOp join;
    join.dispatch = Dispatch::JOIN;
    m_reduced = Add(join, "all gradients reduced");
    if (m_options.gathers.stage < 3)
    {
        m_updated = Add(join, "all shards updated");
    }
}

PlanEdges
ShardPlanner::ListEdges() const
{
    PlanEdges edges;
    for (OpIndex i = 0; i < m_planned.size(); ++i)
    {
        if (m_planned[i] == NO_INDEX)
        {
            continue;
        }
        AddProfileEdges(m_profile, m_planned, i, m_planned[i], edges);
        if (m_profile.graph.Get(i).kind == OpKind::UPDATE)
        {
            edges.inStep.emplace_back(m_reduced, m_planned[i]);
        }
    }
    for (uint32_t unit = 0; unit < m_units.size(); ++unit)
    {
        if (m_reduces[unit] == NO_INDEX)
        {
            continue;
        }
        if (m_options.hybrid)
        {
            edges.inStep.emplace_back(m_reduces[unit], m_across[unit]);
        }
        edges.inStep.emplace_back(m_options.hybrid ? m_across[unit] : m_reduces[unit], m_reduced);
    }
    for (std::size_t i = 0; i < m_gathers.size(); ++i)
    {
        const ShardGather& gather = m_gathers[i];
        for (const OpIndex use : gather.uses)
        {
            edges.inStep.emplace_back(m_gatherOps[i], m_planned[use]);
        }
        for (const OpIndex before : gather.awaits)
        {
            edges.inStep.emplace_back(m_planned[before], m_gatherOps[i]);
        }
        if (gather.needed != NO_INDEX)
        {
            AddProfileEdges(m_profile, m_planned, gather.needed, m_gatherOps[i], edges);
        }
    }
    if (m_options.gathers.stage < 3)
    {
        AddUpdatedEdges(edges);
    }
    return edges;
}

/// Stages 1 and 2: gathers wait until the worker has updated all its shards.
void
ShardPlanner::AddUpdatedEdges(PlanEdges& edges) const
{
    edges.inStep.emplace_back(m_reduced, m_updated);
    for (OpIndex i = 0; i < m_planned.size(); ++i)
    {
        if (m_profile.graph.Get(i).kind == OpKind::UPDATE)
        {
            edges.inStep.emplace_back(m_planned[i], m_updated);
        }
    }
    for (const OpIndex gather : m_gatherOps)
    {
        edges.inStep.emplace_back(m_updated, gather);
    }
}

std::vector<PlannedCollective>
ShardPlanner::ListCollectives() const
{
    std::vector<std::pair<uint32_t, PlannedCollective>> issued;
    const auto add =
        [&issued](uint32_t when, OpIndex op, CollectiveOperation operation, CollectiveScope scope) {
            PlannedCollective collective;
            collective.op = op;
            collective.operation = operation;
            collective.scope = scope;
            issued.emplace_back(when, std::move(collective));
        };
    const CollectiveScope within = m_options.hybrid ? CollectiveScope::GROUP : CollectiveScope::ALL;
    for (std::size_t i = 0; i < m_gathers.size(); ++i) // before what is scattered in the same gap
    {
        add(m_gathers[i].issued, m_gatherOps[i], CollectiveOperation::ALL_GATHER, within);
    }
    for (uint32_t unit = 0; unit < m_units.size(); ++unit)
    {
        const uint32_t when = GapAfter(m_units[unit].generated);
        if (m_reduces[unit] != NO_INDEX)
        {
            add(when, m_reduces[unit], CollectiveOperation::REDUCE_SCATTER, within);
        }
        if (m_across[unit] != NO_INDEX)
        {
            add(when, m_across[unit], CollectiveOperation::ALL_REDUCE, CollectiveScope::ACROSS);
        }
    }
    std::stable_sort(issued.begin(), issued.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::vector<PlannedCollective> collectives;
    for (auto& [when, collective] : issued)
    {
        collectives.push_back(std::move(collective));
    }
    return collectives;
}

OpIndex
ShardPlanner::Add(const PlannedOp& op, const std::string& name)
{
    m_plan.ops.push_back(op);
    m_plan.names.push_back(name);
    return m_plan.ops.size() - 1;
}

PlannedOp
ShardPlanner::MakeCollective(OpIndex profileOp, TensorIndex tensor, uint32_t resource) const
{
    PlannedOp planned;
    planned.profileOp = profileOp;
    planned.tensor = tensor;
    planned.dispatch = Dispatch::COLLECTIVE;
    planned.resource = resource;
    planned.bytes = m_profile.tensors[tensor].bytes;
    return planned;
}

} // namespace ns3::dml
