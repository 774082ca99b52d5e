/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-fixture.h"
#include "dml-order-rule.h"

#include "ns3/dml-transfer-order.h"
#include "ns3/dml-transfer-properties.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Names = std::vector<std::string>;

/// Names of the pulled tensors in the order of a rule.
Names
OrderOf(const ProfileBuilder& builder, const TransferOrderOptions& options)
{
    const Profile profile = builder.Build();
    Names names;
    for (const OpIndex op : MakeTransferOrder(profile, options))
    {
        names.push_back(profile.tensors[profile.graph.Get(op).tensor].name);
    }
    return names;
}

Names
OrderOf(const ProfileBuilder& builder, const std::string& rule)
{
    return OrderOf(builder, Rule(rule));
}

/// How long a step takes when its pulls come in an order (fair-share, one worker, no windows).
double
Makespan(const ProfileBuilder& builder, const Names& order)
{
    FairShareCase test(builder);
    test.run.policy.SetTypeId("ns3::dml::OrderedPolicy");
    for (const auto& tensor : order)
    {
        test.facts.ranks.emplace("pull/" + tensor, test.facts.ranks.size());
    }
    test.Run();
    return test.recorder.steps.at(0).end;
}

/// What an explicit order of a, b and c, of which c waits for a, is told.
std::string
ExplicitError(const Names& tensors)
{
    const auto builder = ProfileBuilder()
                             .Pull("a", 1)
                             .Pull("b", 1)
                             .Compute("op", {1}, {"pull/a"})
                             .Pull("c", 1, {"op"});
    auto options = Rule("explicit");
    options.tensors = tensors;
    try
    {
        OrderOf(builder, options);
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

/// TicTac, Fig. 1(a): op1 waits for recv1; op2 for op1 and recv2. Each takes a second.
ProfileBuilder
ToyGraph(const std::string& listedFirst, const std::string& listedSecond)
{
    return ProfileBuilder()
        .Pull(listedFirst, 100)
        .Pull(listedSecond, 100)
        .Compute("op1", {1}, {"pull/recv1"})
        .Compute("op2", {1}, {"op1", "pull/recv2"});
}

/// TicTac, Fig. 4(a): A and B with one op each. A takes 1 s and its op 3 s, B 2 s and its op 1 s.
ProfileBuilder
Case1()
{
    return ProfileBuilder()
        .Pull("b", 200)
        .Pull("a", 100)
        .Compute("opA", {3}, {"pull/a"})
        .Compute("opB", {1}, {"pull/b"});
}

/// TicTac, Fig. 4(b): A and B let the first op go, C the second, D the third. Listed the other way.
ProfileBuilder
Case2()
{
    return ProfileBuilder()
        .Pull("d", 100)
        .Pull("c", 100)
        .Pull("b", 300)
        .Pull("a", 200)
        .Compute("op1", {1}, {"pull/a", "pull/b"})
        .Compute("op2", {1}, {"op1", "pull/c"})
        .Compute("op3", {1}, {"op2", "pull/d"});
}

} // namespace

// op1 needs recv1 alone: P(recv1) = 1, P(recv2) = 0, and op2 makes M+ = 100 + 100 for both. TAC:
// min(P2, M1) = 0 < min(P1, M2) = 1, recv1 first, although it is listed last. TIC sees M+ = 2 and
// 2, and keeps the listing order. Good order: 1 s recv1, 1 s recv2 while op1 runs, 1 s op2 = 3 s;
// bad order: 2 s of transfers, then op1 and op2 = 4 s.
TEST(TransferOrder, ToyGraphOfFigure1)
{
    const auto graph = ToyGraph("recv2", "recv1");
    EXPECT_EQ(OrderOf(graph, "tac"), (Names{"recv1", "recv2"}));
    EXPECT_EQ(OrderOf(graph, "tic"), (Names{"recv2", "recv1"}));
    EXPECT_EQ(OrderOf(ToyGraph("recv1", "recv2"), "tic"), (Names{"recv1", "recv2"}));
    EXPECT_NEAR(Makespan(graph, {"recv1", "recv2"}), 3, 1e-9);
    EXPECT_NEAR(Makespan(graph, {"recv2", "recv1"}), 4, 1e-9);
}

// A hides min(P_A, M_B) = min(3, 2) = 2 s, B hides min(P_B, M_A) = min(1, 1) = 1 s: A goes first.
// A, B: 1 + max(3, 2) + 1 = 5 s; B, A: 2 + max(1, 1) + 3 = 6 s (the formulas above equation 6).
TEST(TransferOrder, Case1OfFigure4)
{
    EXPECT_EQ(OrderOf(Case1(), "tac"), (Names{"a", "b"}));
    EXPECT_NEAR(Makespan(Case1(), {"a", "b"}), 5, 1e-9);
    EXPECT_NEAR(Makespan(Case1(), {"b", "a"}), 6, 1e-9);
}

// All P are 0, so M+ decides: A and B 200 + 300 bytes, C 600, D 700. B is listed before A and
// equal. Then A alone opens op1 (P_A = 1 against 0 of C and D), then C, then D.
TEST(TransferOrder, Case2OfFigure4)
{
    const Profile profile = Case2().Build();
    const TransferDependencies dependencies(profile);
    const auto order = MakeTacOrder(profile, dependencies, 100);
    ASSERT_EQ(order.size(), 4u);
    const uint32_t pulls[] = {2, 3, 1, 0}; // b, a, c, d
    const double loads[] = {0, 1, 1, 1};
    // after B, A's next op with another pull is op2: 200 + 100; after A, C's is op3: 100 + 100
    const uint64_t impending[] = {500, 300, 200, TransferProperties::INFINITE_COST};
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(order[i].pull, pulls[i]) << i;
        EXPECT_DOUBLE_EQ(order[i].load, loads[i]) << i;
        EXPECT_EQ(order[i].impending, impending[i]) << i;
    }
}

// M+ with costs of 1: A and B 2, C 3, D 4.
TEST(TransferOrder, TicOfFigure4)
{
    EXPECT_EQ(OrderOf(Case2(), "tic"), (Names{"b", "a", "c", "d"}));
    const auto order = MakeTicOrder(TransferDependencies(Case2().Build()));
    EXPECT_EQ(order[0].impending, 2u);
    EXPECT_EQ(order[2].impending, 3u);
    EXPECT_EQ(order[3].impending, 4u);
}

// Neither A nor B shares an op: M+ is infinite, they come behind C and D, which share one.
TEST(TransferOrder, InfiniteImpendingCostComesLastInTic)
{
    const auto graph = ProfileBuilder()
                           .Pull("a", 1)
                           .Pull("b", 1)
                           .Pull("c", 1)
                           .Pull("d", 1)
                           .Compute("opA", {1}, {"pull/a"})
                           .Compute("op", {1}, {"pull/c", "pull/d"});
    EXPECT_EQ(OrderOf(graph, "tic"), (Names{"c", "d", "a", "b"}));
}

// The comparison is not transitive: A before B (case 1 above); B before C (no overlap either way,
// M+ of 250 against 300); C before A (no overlap, M+ of 300 against infinity). What comes first is
// then a matter of the listing, and must be what the documented scan says:
// A, B, C, W: A; not B; C before A; W before C (250 < 300).
// C, W, A, B: C; W before C; A before W (min(P_A, M_W) = 0.5 > 0); not B.
// A, C, B, W: A; C before A; B before C; not W (min(P_B, M_W) = 0.5 > 0).
TEST(TransferOrder, TheScanDecidesWhereTheComparisonIsCyclic)
{
    const auto first = [](const Names& listing) {
        ProfileBuilder builder;
        for (const auto& tensor : listing)
        {
            builder.Pull(tensor,
                         tensor == "a"   ? 100
                         : tensor == "b" ? 200
                         : tensor == "c" ? 0
                         : tensor == "w" ? 50
                                         : 300);
        }
        builder.Compute("opA", {3}, {"pull/a"})
            .Compute("opB", {1}, {"pull/b"})
            .Compute("opBW", {0}, {"pull/b", "pull/w"})
            .Compute("opCY", {0}, {"pull/c", "pull/y"});
        return OrderOf(builder, "tac").front();
    };
    EXPECT_EQ(first({"a", "b", "c", "w", "y"}), "w");
    EXPECT_EQ(first({"c", "w", "a", "b", "y"}), "a");
    EXPECT_EQ(first({"a", "c", "b", "w", "y"}), "b");
}

// The oracle is the shortest measured step: opA takes 0.5 s at best, opB 1 s. Each pull takes 2 s:
// A hides 0.5 s of B, B hides 1 s of A. By means (2 s and 1 s) or first steps A would go first.
TEST(TransferOrder, ComputeCountsWithItsShortestStep)
{
    const auto graph = ProfileBuilder()
                           .Pull("a", 200)
                           .Pull("b", 200)
                           .Compute("opA", {3.5, 0.5, 2}, {"pull/a"})
                           .Compute("opB", {1, 1, 1}, {"pull/b"});
    EXPECT_EQ(OrderOf(graph, "tac"), (Names{"b", "a"}));
}

// A feeds two ops of 0.6 s and one that waits for one of these: P_A = 0.6 + 0.6 + 0.6, more than
// the 1 s of B's op.
TEST(TransferOrder, AllDependentsCount)
{
    const auto graph = ProfileBuilder()
                           .Pull("b", 200)
                           .Pull("a", 200)
                           .Compute("opB", {1}, {"pull/b"})
                           .Compute("a1", {0.6}, {"pull/a"})
                           .Compute("a2", {0.6}, {"pull/a"})
                           .Compute("a3", {0.6}, {"a1"});
    const Profile profile = graph.Build();
    const auto order = MakeTacOrder(profile, TransferDependencies(profile), 100);
    EXPECT_EQ(order.front().pull, 1u);
    EXPECT_DOUBLE_EQ(order.front().load, 1.8);
}

// Pushes and updates are no compute of the worker: 9 s of update behind A count nothing, and no op
// of the worker waits for A and B together. But what waits for the update waits for A.
TEST(TransferOrder, PushesAndUpdatesAreOnTheWayButCostNothing)
{
    const auto graph = ProfileBuilder()
                           .Pull("a", 200)
                           .Pull("b", 200)
                           .Push("a", 0, {"pull/a", "pull/b"})
                           .Update("a", 9)
                           .Compute("after", {2}, {"update/a"})
                           .Pull("c", 200)
                           .Compute("opC", {1}, {"pull/c"});
    const Profile profile = graph.Build();
    const TransferDependencies dependencies(profile);
    const TransferProperties properties(dependencies, {200, 200, 200});
    EXPECT_EQ(properties.GetLoad(0), 0);
    EXPECT_EQ(properties.GetLoad(2), 1);
    EXPECT_EQ(properties.GetImpendingCost(0), 400u); // by "after"
    EXPECT_EQ(properties.GetImpendingCost(2), TransferProperties::INFINITE_COST);
    const auto silent =
        ProfileBuilder().Pull("a", 1).Pull("b", 1).Push("a", 0, {"pull/a", "pull/b"});
    const Profile silentProfile = silent.Build();
    EXPECT_TRUE(TransferDependencies(silentProfile).GetGroups().empty());
}

TEST(TransferOrder, ZeroTimesAndSizesKeepTheListing)
{
    const auto graph = ProfileBuilder()
                           .Pull("a", 0)
                           .Pull("b", 0)
                           .Pull("unused", 0)
                           .Compute("op", {0}, {"pull/a", "pull/b"});
    for (const auto* rule : {"tic", "tac", "forward"})
    {
        EXPECT_EQ(OrderOf(graph, rule), (Names{"a", "b", "unused"})) << rule;
    }
}

TEST(TransferOrder, NoPullsNoOrder)
{
    const auto graph = ProfileBuilder().Compute("op", {1}).Push("a", 10, {"op"});
    for (const auto* rule : {"forward", "tic", "tac", "reverse", "random", "explicit"})
    {
        EXPECT_TRUE(OrderOf(graph, rule).empty()) << rule;
    }
}

// Listed as unused, c, b, a; first used by first (a), second (c) and third (b);
// a push is no use.
TEST(TransferOrder, ForwardFollowsTheComputeOps)
{
    const auto graph = ProfileBuilder()
                           .Pull("unused", 1)
                           .Pull("c", 1)
                           .Pull("b", 1)
                           .Pull("a", 1)
                           .Push("b", 0, {"pull/b"})
                           .Compute("first", {1}, {"pull/a"})
                           .Compute("second", {1}, {"first", "pull/c"})
                           .Compute("third", {1}, {"second", "pull/b", "pull/a"});
    EXPECT_EQ(OrderOf(graph, "forward"), (Names{"a", "c", "b", "unused"}));
}

TEST(TransferOrder, ReverseIsTicFromItsEnd)
{
    EXPECT_EQ(OrderOf(Case2(), "reverse"), (Names{"d", "c", "a", "b"}));
}

// M+ is 3 for late, a and last, so TIC from its end has last before a, for which it waits.
TEST(TransferOrder, APullComesAfterThoseThatItWaitsFor)
{
    const auto graph = ProfileBuilder()
                           .Pull("late", 1)
                           .Pull("b", 1)
                           .Pull("a", 1)
                           .Compute("opA", {1}, {"pull/a"})
                           .Pull("last", 1, {"opA"})
                           .Compute("op", {1}, {"pull/late", "pull/last"});
    for (const auto* rule : {"forward", "tic", "tac", "reverse", "random"})
    {
        const Names order = OrderOf(graph, rule);
        EXPECT_LT(std::find(order.begin(), order.end(), "a"),
                  std::find(order.begin(), order.end(), "last"))
            << rule;
        EXPECT_GT(Makespan(graph, order), 0) << rule; // the engine gets through
    }
    // RespectReadiness moves no more than it must
    const auto two =
        ProfileBuilder(graph).Pull("more", 1, {"opA"}).Build(); // late, b, a, last, more
    EXPECT_EQ(TransferDependencies(two).RespectReadiness({3, 4, 2, 0, 1}),
              (std::vector<uint32_t>{2, 3, 4, 0, 1}));
}

// Pull last is listed before pull a but waits for it. Both have P = 0 and M+ = 2, so the scan would
// keep the first.
TEST(TransferOrder, APullThatCannotStartIsNoCandidateOfTac)
{
    Profile profile = ProfileBuilder()
                          .Pull("last", 1)
                          .Pull("a", 1)
                          .Compute("opA", {0}, {"pull/a"})
                          .Compute("op", {1}, {"pull/last"})
                          .Build();
    profile.graph.AddDependency(2, 0);
    const auto order = MakeTacOrder(profile, TransferDependencies(profile), 1);
    ASSERT_EQ(order.size(), 2u);
    EXPECT_EQ(order[0].pull, 1u);
    EXPECT_EQ(order[0].impending, 2u);
    EXPECT_EQ(order[1].pull, 0u);
    EXPECT_EQ(order[1].load, 1);
}

// Of 40 seeds and the 24 orders of 4 pulls, far more than 12 different ones must come, and each
// pull must be first now and then: never among 40 has a probability of 0.75^40 = 1e-5.
TEST(TransferOrder, RandomDependsOnTheSeedAlone)
{
    std::set<Names> orders;
    std::set<std::string> first;
    for (uint32_t seed = 1; seed <= 40; ++seed)
    {
        auto options = Rule("random");
        options.seed = seed;
        const Names order = OrderOf(Case2(), options);
        EXPECT_EQ(OrderOf(Case2(), options), order);
        EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), 4u);
        orders.insert(order);
        first.insert(order.front());
    }
    EXPECT_GT(orders.size(), 12u);
    EXPECT_EQ(first.size(), 4u);
}

TEST(TransferOrder, ExplicitIsTakenAsItIs)
{
    auto options = Rule("explicit");
    options.tensors = {"c", "a", "d", "b"};
    EXPECT_EQ(OrderOf(Case2(), options), options.tensors);
}

TEST(TransferOrder, ExplicitNamesEveryPulledTensorOnce)
{
    const std::string accepted = "; accepted: each of the 3 pulled tensors once, those after which "
                                 "others are pulled first";
    const std::string where = "order of transfers: ";
    EXPECT_EQ(ExplicitError({"b", "a", "c"}), "");
    EXPECT_EQ(ExplicitError({"a", "b"}), where + "found no 'c'" + accepted);
    EXPECT_EQ(ExplicitError({"a", "b", "a", "c"}), where + "found 'a' twice" + accepted);
    EXPECT_EQ(ExplicitError({"a", "b", "x"}),
              where + "found 'x', which no op of the profile pulls" + accepted);
    EXPECT_EQ(ExplicitError({"b", "c", "a"}),
              where + "found 'c' before 'a', for which its pull waits" + accepted);
}

TEST(TransferOrder, MistakesAreNamed)
{
    const auto error = [](const TransferOrderOptions& options) -> std::string {
        try
        {
            OrderOf(Case1(), options);
        }
        catch (const InputError& mistake)
        {
            return mistake.what();
        }
        return "";
    };
    EXPECT_EQ(error(Rule("tick")),
              "unknown order of transfers 'tick'; accepted: forward, tic, tac, reverse, random, "
              "explicit");
    auto options = Rule("tac");
    options.bytesPerSecond = 0;
    EXPECT_EQ(error(options),
              "order of transfers: tac needs to know how fast a tensor is transferred; accepted: a "
              "rate above 0");
}
