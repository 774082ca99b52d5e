/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-hierarchical-all-reduce.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Workers in this order: racks 7, 3, 7, 3.
const std::vector<uint32_t> RACKS{7, 3, 7, 3};

StepPlan
MakePlan(const Ptr<AllReduceProtocol>& protocol, const std::vector<uint32_t>& members = {})
{
    ProfileBuilder builder;
    builder.Compute("compute", {1}).Push("t", 4000, {"compute"}).Update("t", 0);
    return protocol->MakePlan(builder.Build(), {{}, 0, {}, false, RACKS, members});
}

/// To whom each worker sends, in the order in which it first does so.
std::vector<std::vector<uint32_t>>
ListReceivers(const StepPlan& plan)
{
    std::vector<std::vector<uint32_t>> receivers(RACKS.size());
    const PlannedCollective& collective = plan.collectives.front();
    for (uint32_t worker = 0; worker < RACKS.size(); ++worker)
    {
        std::set<uint32_t> known;
        for (const auto& move : collective.schedule->Get(worker).moves)
        {
            const auto& resource = plan.resources[collective.sendChannels.at(move.channel)];
            const uint32_t peer = resource.to.Resolve(worker, RACKS.size()).index;
            if (move.sends && known.insert(peer).second)
            {
                receivers[worker].push_back(peer);
            }
        }
    }
    return receivers;
}

using Receivers = std::vector<std::vector<uint32_t>>;

} // namespace

/// Rack 3 has workers 1 and 3, rack 7 has 0 and 2: the ring 1, 3, 0, 2 goes from rack to rack twice
/// only.
TEST(AllReducePlan, RingEntersEachRackOnce)
{
    const StepPlan plan = MakePlan(CreateObject<AllReduceProtocol>());
    EXPECT_EQ(ListReceivers(plan), (Receivers{{2}, {3}, {1}, {0}}));
    EXPECT_EQ(plan.collectives.front().schedule->GetRank(0), 2U);
    EXPECT_EQ(plan.GetTransfer(plan.GetMoveNumber(0, 0), 0).bytes, 1000U);
}

TEST(AllReducePlan, RanksAreNumbersOfWorkersIfTheUserWantsThat)
{
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("SortByRack", BooleanValue(false));
    EXPECT_EQ(ListReceivers(MakePlan(protocol)), (Receivers{{1}, {2}, {3}, {0}}));
}

/// Ranks 0 and 1 are one group, 2 and 3 the other: workers 1 and 3, and 0 and 2.
TEST(AllReducePlan, GroupsAreRacks)
{
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Algorithm", PointerValue(CreateObject<HierarchicalAllReduce>()));
    // first within the rack, then the one in the same place of the other rack
    EXPECT_EQ(ListReceivers(MakePlan(protocol)), (Receivers{{2, 1}, {3, 0}, {0, 3}, {1, 2}}));

    protocol->SetAttribute("SortByRack", BooleanValue(false));
    EXPECT_EQ(ListReceivers(MakePlan(protocol)), (Receivers{{2, 1}, {3, 0}, {0, 3}, {1, 2}}));
}

/// Without worker 3 the ring is 1, 0, 2; chunks are of a third.
TEST(AllReducePlan, RingOfSomeLeavesOutTheOthers)
{
    const StepPlan plan = MakePlan(CreateObject<AllReduceProtocol>(), {0, 1, 2});
    for (const auto& resource : plan.resources)
    {
        if (resource.kind == ResourceKind::CHANNEL)
        {
            EXPECT_EQ(resource.GetPeer().Resolve(3, 4).index, 3U) << "nobody";
        }
    }
    EXPECT_EQ(plan.ListPeers(3, 4).size(), 0U);
    const auto peers = plan.ListPeers(0, 4);
    ASSERT_EQ(peers.size(), 2U);
    EXPECT_EQ(peers[0].index, 1U);
    EXPECT_EQ(peers[1].index, 2U);
    EXPECT_EQ(plan.collectives.front().schedule->GetRank(0), 1U);
    EXPECT_NEAR(plan.CountSentBytes(0), 4000 * 4 / 3.0, 2) << "thirds of 4000 are no whole numbers";
    EXPECT_EQ(MakePlan(CreateObject<AllReduceProtocol>(), {2}).CountSentBytes(2), 0U);
}

/// A size of groups counts more than racks do: one group of four is a ring.
TEST(AllReducePlan, SizeOfGroupsCountsMoreThanRacks)
{
    const auto algorithm = CreateObject<HierarchicalAllReduce>();
    algorithm->SetAttribute("GroupSize", UintegerValue(4));
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Algorithm", PointerValue(algorithm));
    EXPECT_EQ(ListReceivers(MakePlan(protocol)), (Receivers{{2}, {3}, {1}, {0}}));
}

// A fixed order of the tensors takes the place of that in which a step generates gradients.
TEST(AllReducePlan, StartsInTheOrderOfTheSetting)
{
    ProfileBuilder builder;
    builder.Compute("first", {1}).Compute("second", {1}, {"first"});
    builder.Push("a", 4, {"first"}).Push("b", 4, {"second"}).Update("a", 0).Update("b", 0);
    const auto protocol = CreateObject<AllReduceProtocol>();
    const auto ranks = [&](const std::vector<uint32_t>& order) {
        const StepPlan plan =
            protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}, {}, order});
        return std::pair(plan.ranks[plan.collectives[0].op], plan.ranks[plan.collectives[1].op]);
    };
    EXPECT_EQ(ranks({}), std::pair(0U, 1U));
    EXPECT_EQ(ranks({1, 0}), std::pair(1U, 0U));
}

// Without a barrier an update waits for its gradient only, and the next step's ops for the updates
// of what they pull; the step does not wait for collectives.
TEST(AllReducePlan, CrossesTheBarrier)
{
    ProfileBuilder builder;
    builder.Pull("a", 4).Pull("b", 4);
    builder.Compute("forward/a", {1}, {"pull/a"})
        .Compute("forward/b", {1}, {"forward/a", "pull/b"});
    builder.Push("b", 4, {"forward/b"}).Push("a", 4, {"forward/b"}).Update("a", 1).Update("b", 1);
    const auto protocol = CreateObject<AllReduceProtocol>();
    EXPECT_FALSE(protocol->StepsOverlap());
    protocol->SetAttribute("Barrier", BooleanValue(false));
    EXPECT_TRUE(protocol->StepsOverlap());
    const StepPlan plan = protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}});
    const auto find = [&](const std::string& name) -> const PlannedOp& {
        return plan.ops[std::find(plan.names.begin(), plan.names.end(), name) - plan.names.begin()];
    };
    EXPECT_TRUE(plan.overlaps);
    EXPECT_EQ(find("update/a").dependencies, 1U);
    EXPECT_EQ(find("forward/a").nextDependencies, 1U);
    EXPECT_EQ(find("forward/b").nextDependencies, 1U);
    EXPECT_TRUE(find("forward/a").begins);
    EXPECT_FALSE(find("forward/b").begins);
    EXPECT_TRUE(find("forward/b").gates);
    EXPECT_FALSE(find("update/a").gates);
    EXPECT_FALSE(find("push/a").gates);
}
