/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-plan.h"

#include "dml-plan-edges.h"

#include "ns3/dml-grouped-collective.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ns3::dml
{

namespace
{

/// How collectives of a kind are done.
struct ChosenAlgorithm
{
    Ptr<const CollectiveAlgorithm> algorithm; //!< of all, of a group, or of one of each group
    CollectiveOperation operation;            //!< what it does
    CollectiveScope scope;                    //!< who takes part

    bool operator==(const ChosenAlgorithm& other) const
    {
        return algorithm == other.algorithm && operation == other.operation && scope == other.scope;
    }
};

/// @return the resources of a list of channels, which are added
std::vector<uint32_t>
AddChannels(StepPlan& plan, const std::vector<std::vector<uint32_t>>& peers, bool sends)
{
    std::vector<uint32_t> resources;
    for (const auto& list : peers)
    {
        resources.push_back(plan.resources.size());
        const Peer peer = Peer::Listed(plan.resources.size(), list);
        plan.resources.push_back(sends ? PlannedResource{ResourceKind::CHANNEL, SELF, peer, 0, 1}
                                       : PlannedResource{ResourceKind::CHANNEL, peer, SELF, 0, 1});
    }
    return resources;
}

/// Channels of workers, or of aggregators, for all collectives of a plan.
void
ConnectCollectives(const CollectivePeers& peers, bool aggregators, StepPlan& plan)
{
    const auto send = AddChannels(plan, peers.ByChannel(peers.send, aggregators), true);
    const auto receive = AddChannels(plan, peers.ByChannel(peers.receive, aggregators), false);
    for (auto& collective : plan.collectives)
    {
        collective.sendChannels = send;
        collective.receiveChannels = receive;
    }
}

/// @param plan of the workers, without channels @return what aggregators do
std::shared_ptr<const StepPlan>
MakeAggregation(const CollectivePeers& peers, const StepPlan& plan)
{
    auto aggregation = std::make_shared<StepPlan>(plan);
    for (auto& op : aggregation->ops)
    {
        op.gates = false;
        op.begins = false;
        op.dependencies = 0;
        if (op.dispatch != Dispatch::COLLECTIVE)
        {
            op.dispatch = Dispatch::ELSEWHERE;
        }
    }
    aggregation->overlaps = false;
    aggregation->reduction = 0; // a switch adds up at the rate of its ports
    SetPlanEdges(*aggregation, {});
    ConnectCollectives(peers, true, *aggregation);
    return aggregation;
}

} // namespace

void
AddCollectives(const CollectiveAlgorithm& algorithm,
               const CollectiveRanks& ranks,
               const std::vector<uint32_t>& order,
               StepPlan& plan)
{
    const CollectiveGroups groups = MakeCollectiveGroups(ranks.groups, ranks.workers.size());
    std::vector<ChosenAlgorithm> algorithms; // each once
    std::vector<std::size_t> chosen;         // by collective
    for (const auto& collective : plan.collectives)
    {
        const uint32_t members = groups.CountMembers(collective.scope);
        const ChosenAlgorithm one{
            algorithm.Choose(collective.operation, plan.ops[collective.op].bytes, members),
            collective.operation,
            collective.scope};
        const auto known = std::find(algorithms.begin(), algorithms.end(), one);
        chosen.push_back(known - algorithms.begin());
        if (known == algorithms.end())
        {
            algorithms.push_back(one);
        }
    }
    std::vector<Ptr<const CollectiveAlgorithm>> used;
    for (const auto& one : algorithms)
    {
        used.push_back(one.algorithm);
        if (one.scope != CollectiveScope::ALL)
        {
            used.back() = CreateObject<GroupedCollective>(one.algorithm, groups, one.scope);
        }
    }
    CollectivePeers peers = MakeCollectivePeers(used, ranks.workers, ranks.all);
    std::vector<std::shared_ptr<const CollectiveSchedule>> schedules;
    for (std::size_t i = 0; i < used.size(); ++i)
    {
        schedules.push_back(
            std::make_shared<CollectiveSchedule>(*used[i], peers, algorithms[i].operation));
        plan.moves = std::max(plan.moves, schedules.back()->GetMostMoves());
    }
    plan.ranks.assign(plan.ops.size(), NO_INDEX);
    std::map<OpIndex, uint32_t> before; // by op of the profile: collectives of the step
    for (std::size_t i = 0; i < plan.collectives.size(); ++i)
    {
        PlannedCollective& collective = plan.collectives[i];
        PlannedOp& op = plan.ops[collective.op];
        collective.schedule = schedules[chosen[i]];
        collective.firstPart = plan.moves * before[op.profileOp]++;
        op.counterpart = i;
        plan.ranks[collective.op] = order.empty() ? i : order[op.tensor];
    }
    plan.aggregators = peers.aggregators;
    if (plan.aggregators > 0)
    {
        plan.aggregation = MakeAggregation(peers, plan);
    }
    ConnectCollectives(peers, false, plan);
}

} // namespace ns3::dml
