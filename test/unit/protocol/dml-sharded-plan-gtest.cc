/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-sharded-protocol.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Names = std::vector<std::string>;

/// a and b propagate forward, the loss is computed, and they propagate back.
ProfileBuilder
MakeTwoLayers()
{
    ProfileBuilder builder;
    builder.Pull("a", 4000).Pull("b", 6000);
    builder.Forward("forward/a", {1}, {"pull/a"});
    builder.Forward("forward/b", {1}, {"forward/a", "pull/b"});
    builder.Backward("backward/loss", {1}, {"forward/b"});
    builder.Backward("backward/b", {1}, {"backward/loss"});
    builder.Backward("backward/relu", {1}, {"backward/b"});
    builder.Backward("backward/a", {1}, {"backward/relu"});
    builder.Push("b", 6000, {"backward/b"}).Push("a", 4000, {"backward/a"});
    builder.Update("a", 8).Update("b", 12);
    return builder;
}

Ptr<ShardedProtocol>
MakeSharded(uint32_t stage)
{
    const auto protocol = CreateObject<ShardedProtocol>();
    protocol->SetAttribute("Stage", UintegerValue(stage));
    return protocol;
}

StepPlan
PlanSharded(const Ptr<ShardedProtocol>& protocol,
            const ProfileBuilder& builder,
            const std::vector<uint32_t>& racks = {0, 0})
{
    return protocol->MakePlan(builder.Build(), {{}, 0, {}, false, racks});
}

/// @return the collectives in their order
Names
ListCollectiveNames(const StepPlan& plan)
{
    Names names;
    for (const auto& collective : plan.collectives)
    {
        names.push_back(plan.names[collective.op]);
    }
    return names;
}

OpIndex
FindPlanned(const StepPlan& plan, const std::string& name)
{
    return std::find(plan.names.begin(), plan.names.end(), name) - plan.names.begin();
}

/// @return names of what waits for an op
std::set<std::string>
ListWaiting(const StepPlan& plan, const std::string& name)
{
    std::set<std::string> names;
    const PlannedOp& op = plan.ops[FindPlanned(plan, name)];
    for (uint32_t i = op.firstDependent; i < op.endDependent; ++i)
    {
        names.insert(plan.names[plan.dependents[i]]);
    }
    return names;
}

std::string
ErrorOfPlan(const ProfileBuilder& builder, uint32_t stage = 3)
{
    try
    {
        PlanSharded(MakeSharded(stage), builder);
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

/// A process issues the gather of what comes next before or after it propagates back, or when it is
/// needed.
TEST(ShardedPlan, CollectivesGoInTheOrderInWhichTheyAreIssued)
{
    const auto protocol = MakeSharded(3);
    const std::string fa = "all-gather/forward/a";
    const std::string fb = "all-gather/forward/b";
    const std::string ba = "all-gather/backward/a";
    const std::string bb = "all-gather/backward/b";
    const std::string ra = "reduce-scatter/a";
    const std::string rb = "reduce-scatter/b";
    EXPECT_EQ(ListCollectiveNames(PlanSharded(protocol, MakeTwoLayers())),
              (Names{fa, fb, bb, ba, rb, ra}));
    protocol->SetAttribute("BackwardPrefetch", StringValue("post"));
    EXPECT_EQ(ListCollectiveNames(PlanSharded(protocol, MakeTwoLayers())),
              (Names{fa, fb, bb, ba, rb, ra}))
        << "the same, but with a later start";
    protocol->SetAttribute("BackwardPrefetch", StringValue("none"));
    EXPECT_EQ(ListCollectiveNames(PlanSharded(protocol, MakeTwoLayers())),
              (Names{fa, fb, bb, rb, ba, ra}));
    protocol->SetAttribute("ReshardAfterForward", BooleanValue(false));
    EXPECT_EQ(ListCollectiveNames(PlanSharded(protocol, MakeTwoLayers())), (Names{fa, fb, rb, ra}));
    EXPECT_EQ(ListCollectiveNames(PlanSharded(MakeSharded(1), MakeTwoLayers())),
              (Names{rb, ra, "all-gather/a", "all-gather/b"}));
    protocol->SetAttribute("BackwardPrefetch", StringValue("before"));
    EXPECT_THROW(PlanSharded(protocol, MakeTwoLayers()), InputError);
}

/// The loss belongs to b, whose gradient is the first one; ReLU to a.
TEST(ShardedPlan, OpsWaitForTheUnitWhoseGradientComesNext)
{
    const auto protocol = MakeSharded(3);
    protocol->SetAttribute("Limit", UintegerValue(0));
    const StepPlan plan = PlanSharded(protocol, MakeTwoLayers());
    using Set = std::set<std::string>;
    EXPECT_EQ(ListWaiting(plan, "all-gather/forward/a"), Set{"forward/a"});
    EXPECT_EQ(ListWaiting(plan, "all-gather/forward/b"), Set{"forward/b"});
    EXPECT_EQ(ListWaiting(plan, "all-gather/backward/b"), (Set{"backward/loss", "backward/b"}));
    EXPECT_EQ(ListWaiting(plan, "all-gather/backward/a"), (Set{"backward/relu", "backward/a"}));
    EXPECT_EQ(ListWaiting(plan, "reduce-scatter/a"), (Set{"all gradients reduced", "update/a"}));
    EXPECT_EQ(ListWaiting(plan, "all gradients reduced"), (Set{"update/a", "update/b"}));
    // a is freed when it has been used, b when the loss begins to propagate back; both are wanted
    // again when that does
    EXPECT_EQ(ListWaiting(plan, "forward/a"), (Set{"forward/b", "all-gather/backward/a"}));
    EXPECT_EQ(ListWaiting(plan, "forward/b"),
              (Set{"backward/loss", "all-gather/backward/a", "all-gather/backward/b"}));
    protocol->SetAttribute("BackwardPrefetch", StringValue("post"));
    EXPECT_EQ(ListWaiting(PlanSharded(protocol, MakeTwoLayers()), "backward/b"),
              (Set{"backward/relu", "reduce-scatter/b", "all-gather/backward/a"}));
    protocol->SetAttribute("Limit", UintegerValue(1));
    EXPECT_EQ(ListWaiting(PlanSharded(protocol, MakeTwoLayers()), "forward/a"),
              (Set{"forward/b", "all-gather/forward/b", "all-gather/backward/a"}));
}

/// What is no op of either direction belongs to back-propagation if it follows some of it.
TEST(ShardedPlan, OtherWorkIsOfTheDirectionThatItFollows)
{
    ProfileBuilder builder;
    builder.Pull("t", 4).Compute("first", {1}, {"pull/t"}).Forward("forward", {1}, {"first"});
    builder.Backward("backward", {1}, {"forward"});
    builder.Compute("penalty", {1}, {"backward", "pull/t"}).Push("t", 4, {"penalty"});
    const StepPlan plan = PlanSharded(MakeSharded(3), builder);
    using Set = std::set<std::string>;
    EXPECT_EQ(ListWaiting(plan, "all-gather/forward/t"), Set{"first"});
    EXPECT_EQ(ListWaiting(plan, "all-gather/backward/t"), (Set{"backward", "penalty"}));
}

/// Updates are of shards; all of them end before parameters are gathered in stages 1 and 2.
TEST(ShardedPlan, UpdatesAreOfShards)
{
    for (const uint32_t stage : {1U, 2U, 3U})
    {
        const StepPlan plan = PlanSharded(MakeSharded(stage), MakeTwoLayers(), {0, 0, 0, 0});
        EXPECT_EQ(plan.GetSeconds(0, FindPlanned(plan, "update/a")), 2);
        EXPECT_EQ(plan.GetSeconds(0, FindPlanned(plan, "update/b")), 3);
        EXPECT_EQ(plan.GetSeconds(0, FindPlanned(plan, "forward/b")), 1);
    }
    const StepPlan plan = PlanSharded(MakeSharded(2), MakeTwoLayers());
    EXPECT_EQ(ListWaiting(plan, "update/a"), std::set<std::string>{"all shards updated"});
    EXPECT_EQ(ListWaiting(plan, "all shards updated"),
              (std::set<std::string>{"all-gather/a", "all-gather/b"}));
}

/// Two gathers are of the same pull: their messages are told apart by their parts.
TEST(ShardedPlan, MessagesOfAStepHaveNamesAndPartsOfTheirOwn)
{
    const StepPlan plan = PlanSharded(MakeSharded(3), MakeTwoLayers(), {0, 0, 0});
    std::set<std::pair<OpIndex, uint32_t>> parts;
    std::set<std::string> names;
    std::size_t sent = 0;
    for (uint32_t i = 0; i < plan.collectives.size(); ++i)
    {
        const auto& moves = plan.collectives[i].schedule->Get(0).moves;
        for (uint32_t move = 0; move < moves.size(); ++move)
        {
            if (moves[move].sends)
            {
                const OpIndex number = plan.GetMoveNumber(i, move);
                const PlannedTransfer transfer = plan.GetTransfer(number, 0);
                parts.emplace(plan.ops[transfer.op].profileOp, transfer.part);
                names.insert(plan.GetTransferName(number, 0));
                EXPECT_EQ(plan.FindSent(plan.GetTransferName(number, 0)), number);
                ++sent;
            }
        }
    }
    EXPECT_EQ(sent, 6 * 2U); // six collectives, two rounds
    EXPECT_EQ(parts.size(), sent);
    EXPECT_EQ(names.size(), sent);
    EXPECT_NEAR(plan.CountSentBytes(0), 3 * 10000 * 2 / 3.0, 6) << "1.5 times an all-reduce";
}

/// Hosts with workers 0 and 2, and 1 and 3: shards are halves, which two workers add up.
TEST(ShardedPlan, HybridShardsAreThoseOfAHost)
{
    const auto protocol = MakeSharded(3);
    protocol->SetAttribute("Hybrid", BooleanValue(true));
    const StepPlan plan = PlanSharded(protocol, MakeTwoLayers(), {7, 3, 7, 3});
    EXPECT_EQ(ListCollectiveNames(plan),
              (Names{"all-gather/forward/a",
                     "all-gather/forward/b",
                     "all-gather/backward/b",
                     "all-gather/backward/a",
                     "reduce-scatter/b",
                     "all-reduce/b",
                     "reduce-scatter/a",
                     "all-reduce/a"}));
    EXPECT_EQ(plan.GetSeconds(0, FindPlanned(plan, "update/a")), 4);
    EXPECT_EQ(plan.ops[FindPlanned(plan, "all-reduce/b")].bytes, 3000U);
    EXPECT_NE(plan.ops[FindPlanned(plan, "all-reduce/b")].resource,
              plan.ops[FindPlanned(plan, "reduce-scatter/b")].resource);
    EXPECT_EQ(ListWaiting(plan, "all-reduce/b"), std::set<std::string>{"all gradients reduced"});
    EXPECT_EQ(ListWaiting(plan, "reduce-scatter/b"),
              (std::set<std::string>{"all-reduce/b", "update/b"}));
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        std::map<uint32_t, uint64_t> sent; // by receiver
        for (uint32_t i = 0; i < plan.collectives.size(); ++i)
        {
            const auto& moves = plan.collectives[i].schedule->Get(worker).moves;
            for (uint32_t move = 0; move < moves.size(); ++move)
            {
                const auto transfer = plan.GetTransfer(plan.GetMoveNumber(i, move), worker);
                if (transfer.sends)
                {
                    sent[plan.resources[transfer.resource].to.Resolve(worker, 4).index] +=
                        transfer.bytes;
                }
            }
        }
        // within the host half of 10000 three times; between hosts 2 (1/2) of half of it
        EXPECT_EQ(sent, (std::map<uint32_t, uint64_t>{{worker ^ 2U, 15000}, {worker ^ 1U, 5000}}));
    }
    EXPECT_THROW(PlanSharded(protocol, MakeTwoLayers(), {0, 0, 1}), InputError);
    // one host: as without the attribute
    EXPECT_EQ(PlanSharded(protocol, MakeTwoLayers(), {0, 0}).collectives.size(), 6U);
}

/// A tensor without gradient is gathered, and never reduced; in stages 1 and 2 it does not change.
TEST(ShardedPlan, WhatIsNotTrainedIsGathered)
{
    ProfileBuilder builder;
    builder.Pull("a", 4).Pull("frozen", 8);
    builder.Forward("forward", {1}, {"pull/a", "pull/frozen"});
    builder.Backward("backward", {1}, {"forward", "pull/frozen"}).Push("a", 4, {"backward"});
    EXPECT_EQ(ListCollectiveNames(PlanSharded(MakeSharded(3), builder)),
              (Names{"all-gather/forward/a",
                     "all-gather/forward/frozen",
                     "all-gather/backward/frozen",
                     "all-gather/backward/a",
                     "reduce-scatter/a"}));
    EXPECT_EQ(ListCollectiveNames(PlanSharded(MakeSharded(2), builder)),
              (Names{"reduce-scatter/a", "all-gather/a"}));
}

TEST(ShardedPlan, ProfilesThatStage3CannotPlanAreRefused)
{
    ProfileBuilder together;
    together.Pull("t", 4).Compute("compute", {1}, {"pull/t"}).Push("t", 4, {"compute"});
    EXPECT_EQ(ErrorOfPlan(together),
              "op 'compute' generates the gradient of 't' and is not of kind backward: stage 3 "
              "cannot be planned; accepted: profiles whose gradients come from ops of kind "
              "backward, or stage 1 or 2");
    EXPECT_EQ(ErrorOfPlan(together, 2), "");

    ProfileBuilder pushed;
    pushed.Backward("backward", {1}).Push("t", 4, {"backward"});
    EXPECT_EQ(
        ErrorOfPlan(pushed),
        "op 'push/t' pushes a tensor that is not pulled: stage 3 cannot be planned; accepted: "
        "tensors that are pulled too, or stage 1 or 2");
    EXPECT_EQ(ErrorOfPlan(pushed, 1), "");

    ProfileBuilder late;
    late.Pull("a", 4).Pull("b", 4).Forward("forward/a", {1}, {"pull/a"});
    late.Backward("backward/a", {1}, {"forward/a"});
    late.Forward("forward/b", {1}, {"backward/a", "pull/b"});
    late.Push("a", 4, {"backward/a"});
    EXPECT_EQ(
        ErrorOfPlan(late),
        "op 'forward/b' uses parameters after 'backward/a' has begun to back-propagate: stage "
        "3 cannot be planned; accepted: profiles that back-propagate after forward "
        "propagation, or stage 1 or 2");
}
