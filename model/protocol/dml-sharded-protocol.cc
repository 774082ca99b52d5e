/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sharded-protocol.h"

#include "dml-collective-plan.h"
#include "dml-plan-edges.h"
#include "dml-shard-planner.h"

#include "ns3/boolean.h"
#include "ns3/dml-grouped-collective.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ShardedProtocol);

const std::vector<std::string> ShardedProtocol::PREFETCHES{"pre", "post", "none"};

namespace
{

/// An update is of the worker's shard only.
void
ShortenUpdates(const Profile& profile, uint32_t shards, StepPlan& plan)
{
    for (std::size_t i = 0; i < plan.seconds.size(); ++i)
    {
        const PlannedOp& op = plan.ops[i % plan.ops.size()];
        if (op.dispatch == Dispatch::DEVICE &&
            profile.graph.Get(op.profileOp).kind == OpKind::UPDATE)
        {
            plan.seconds[i] /= shards;
        }
    }
}

} // namespace

TypeId
ShardedProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::ShardedProtocol")
            .SetParent<CollectiveProtocol>()
            .SetGroupName("Dml")
            .AddConstructor<ShardedProtocol>()
            .AddAttribute("Stage",
                          "What is sharded: 1: the state of the optimizer, 2: gradients too, 3: "
                          "parameters too.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&ShardedProtocol::m_stage),
                          MakeUintegerChecker<uint32_t>(1, 3))
            .AddAttribute("ReshardAfterForward",
                          "With stage 3: whether a unit's parameters are freed after its forward "
                          "propagation, and gathered again before its back-propagation.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ShardedProtocol::m_reshard),
                          MakeBooleanChecker())
            .AddAttribute("BackwardPrefetch",
                          "With stage 3: when the next unit's parameters are gathered for "
                          "back-propagation: pre, post or none.",
                          StringValue("pre"),
                          MakeStringAccessor(&ShardedProtocol::m_prefetch),
                          MakeStringChecker())
            .AddAttribute("Limit",
                          "With stage 3: most units that are gathered at a time; 0: any number.",
                          UintegerValue(GatherRules::DEFAULT_LIMIT),
                          MakeUintegerAccessor(&ShardedProtocol::m_limit),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Hybrid",
                          "Whether shards are of the workers of one rack, or of one host where "
                          "workers share these, else of all workers.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ShardedProtocol::m_hybrid),
                          MakeBooleanChecker());
    return tid;
}

StepPlan
ShardedProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    const auto prefetch = std::find(PREFETCHES.begin(), PREFETCHES.end(), m_prefetch);
    if (prefetch == PREFETCHES.end())
    {
        throw InputError("backward prefetch: found '" + m_prefetch +
                         "'; accepted: pre, post, none");
    }
    StepPlan plan = StartPlan(profile);
    const auto workers = ListRanks(setting);
    const CollectivePlaces places = CollectivePlaces{setting.racks, setting.tree}.OfRanks(workers);
    CollectiveRanks ranks{workers, static_cast<uint32_t>(setting.racks.size())};
    if (m_hybrid)
    {
        ranks.groups = places.racks;
    }
    const CollectiveGroups groups = MakeCollectiveGroups(ranks.groups, workers.size());
    ShardOptions options;
    options.gathers = {m_stage,
                       m_reshard,
                       static_cast<BackwardPrefetch>(prefetch - PREFETCHES.begin()),
                       m_limit};
    options.shards = groups.CountMembers(CollectiveScope::GROUP);
    options.hybrid = groups.members.size() > 1;
    options.collectives = WorkerResources::COLLECTIVES;
    options.devices = WorkerResources::DEVICES;
    options.across = plan.resources.size();
    if (options.hybrid)
    {
        plan.resources.push_back({ResourceKind::COLLECTIVE, SELF, {}, 1, 1});
    }
    ShardPlanner planner(options, profile, plan);
    planner.AddOps();
    SetPlanEdges(plan, planner.ListEdges());
    SetPlanSeconds(plan, profile);
    ShortenUpdates(profile, options.shards, plan);
    plan.collectives = planner.ListCollectives();
    const Ptr<const CollectiveAlgorithm> algorithm = ChooseAlgorithm();
    AddCollectives(options.hybrid ? *algorithm : *algorithm->Place(places), ranks, {}, plan);
    return plan;
}

} // namespace ns3::dml
