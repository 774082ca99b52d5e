/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-path-search.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return messages of a ring in which an all-reduce of B bytes takes latency + B / 100
CollectiveMoves
MakeRing(uint32_t ranks, double latency)
{
    return {CollectiveAlgorithms().Create<CollectiveAlgorithm>({"ring", {}}), ranks, latency, 0.01};
}

/// @return a step of backward ops in a row, each with a gradient
FusionModel
MakeChain(uint32_t workers, const std::vector<std::pair<double, uint64_t>>& ops)
{
    FusionModel model;
    model.workers = workers;
    for (uint32_t i = 0; i < ops.size(); ++i)
    {
        const std::string name = std::to_string(i);
        model.ops.push_back({"b" + name,
                             JobOpKind::BACKWARD,
                             0,
                             std::vector<double>(workers, ops[i].first),
                             i > 0 ? std::vector<uint32_t>{i - 1} : std::vector<uint32_t>{},
                             0});
        model.tensors.push_back({"t" + name, ops[i].second, {i}, 0});
    }
    return model;
}

/// @return when the last gradient is reduced, by hand
double
GetEnd(const FusionModel& model, const std::vector<uint32_t>& groups, double latency)
{
    double end = 0;
    double ready = 0;
    uint32_t next = 0;
    for (const uint32_t behind : groups)
    {
        uint64_t bytes = 0;
        for (; next < behind; ++next)
        {
            ready += model.ops[next].seconds[0];
            bytes += model.tensors[next].bytes;
        }
        end = std::max(end, ready) + latency + 0.01 * bytes;
    }
    return end;
}

} // namespace

TEST(CollectiveMoves, TakeWhatWasMeasured)
{
    for (const uint32_t ranks : {2, 3, 8})
    {
        const CollectiveMoves ring = MakeRing(ranks, 0.6);
        EXPECT_NEAR(ring.Replay(0, 1), 0.6, 1e-9) << ranks;
        EXPECT_NEAR(ring.Replay(24 * 100, 1), 0.6 + 24, 1e-9) << ranks;
        // each link sends both parts of a message, one behind the other
        EXPECT_NEAR(ring.Replay(24 * 100, 2), 2 * 0.6 + 24, 0.6 + 1e-9) << ranks;
    }
    EXPECT_EQ(MakeRing(1, 0.6).Replay(100, 1), 0);
}

TEST(PathSearch, FusesTensorsOnlyWhereItPays)
{
    // the second gradient is ready 0.1 s after the first one, whose all-reduce takes 1.1 s
    const FusionModel model = MakeChain(2, {{1, 10}, {0.1, 10}});
    const CollectiveMoves ring = MakeRing(2, 1);
    const SearchOutcome found = SearchAlongPath(model, ring, {});
    EXPECT_EQ(found.plan.tensors, (std::vector<uint32_t>{2}));
    EXPECT_NEAR(found.before, 1 + 2 * 1.1, 1e-9);
    EXPECT_NEAR(found.seconds, 1.1 + 1 + 0.2, 1e-9);
    // it is ready when the first one has been reduced: waiting for it would be a loss
    const FusionModel late = MakeChain(2, {{1, 10}, {3, 10}});
    const SearchOutcome apart = SearchAlongPath(late, ring, {});
    EXPECT_EQ(apart.plan.tensors, (std::vector<uint32_t>{1, 2}));
    EXPECT_NEAR(apart.seconds, 1 + 3 + 1.1, 1e-9);
}

TEST(PathSearch, FusesOpsWhereSavingIsWorthTheWait)
{
    // Theorem 1: the first gradient takes 1.1 s, so that fusing its op must save as much
    for (const double saving : {0.5, 1.2})
    {
        FusionModel model = MakeChain(2, {{2, 10}, {2, 10}});
        model.ops[0].saving = saving;
        const SearchOutcome found = SearchAlongPath(model, MakeRing(2, 1), {});
        EXPECT_EQ(found.plan.ops.size(), saving > 1.1 ? 1 : 2) << saving;
    }
}

// A launch of 5 us is no part of an op that takes 1 us: of ops of 8, 1, 6 and 7 us, fusing saves at
// most 1, 1 and 5 us, and all four take 22 - 7 us.
TEST(FusionModel, NoSavingIsLongerThanTheOps)
{
    FusionModel model = MakeChain(2, {{8e-6, 10}, {1e-6, 10}, {6e-6, 10}, {7e-6, 10}});
    EXPECT_EQ(SetSavings("5us", 1, model),
              "--fused: 2 of 3 pairs of ops save less than 5us, as one of them takes no longer");
    const double savings[]{1e-6, 1e-6, 5e-6, 0};
    for (std::size_t op = 0; op < model.ops.size(); ++op)
    {
        EXPECT_NEAR(model.ops[op].saving, savings[op], 1e-15) << op;
    }
    EXPECT_NEAR(GetFusedSeconds(model, 0, 4, &GetMeanSeconds), 15e-6, 1e-15);
    EXPECT_EQ(SetSavings("500ns", 1, model), "");
}

// Measured pairs take 2 of 2 + 2 s and 1 of 2 + 2 s: three ops would take 1 s by their savings, but
// two of them take 2 s.
TEST(FusionModel, MoreOpsTakeNoLessThanTwo)
{
    FusionModel model = MakeChain(1, {{2, 10}, {2, 10}, {2, 10}});
    model.ops[0].saving = 2;
    model.ops[1].saving = 3;
    EXPECT_NEAR(GetFusedSeconds(model, 0, 3, &GetMeanSeconds), 2, 1e-12);
    EXPECT_NEAR(GetFusedSeconds(model, 1, 3, &GetMeanSeconds), 1, 1e-12);
}

TEST(PathSearch, IsNoWorseThanSeparateAndSaysWhatItIs)
{
    std::mt19937 random(1);
    for (int i = 0; i < 60; ++i)
    {
        std::vector<std::pair<double, uint64_t>> ops;
        for (uint32_t n = 2 + random() % 8; n > 0; --n)
        {
            ops.emplace_back(0.01 * (1 + random() % 100), random() % 200);
        }
        const double latency = 0.01 * (random() % 100);
        const FusionModel model = MakeChain(3, ops);
        const CollectiveMoves ring = MakeRing(3, latency);
        const SearchOutcome found = SearchAlongPath(model, ring, {});
        EXPECT_LE(found.seconds, found.before * (1 + 1e-9));
        EXPECT_NEAR(found.seconds, GetEnd(model, found.plan.tensors, latency), 1e-6);
        // without shortcuts, the graph of all workers and messages takes as long
        const SearchOutcome slow = SearchAlongPath(model, ring, {false, false, false});
        EXPECT_NEAR(slow.before, found.before, 1e-6);
        EXPECT_NEAR(slow.seconds, GetEnd(model, slow.plan.tensors, latency), 1e-6);
        EXPECT_GT(slow.replayedOps, found.replayedOps);
    }
}

// Passes that gain nothing come before others and at the end: what was found until then stays.
TEST(PathSearch, APassWithoutGainLosesNothing)
{
    std::mt19937 random(2);
    for (int i = 0; i < 60; ++i)
    {
        std::vector<std::pair<double, uint64_t>> ops;
        for (uint32_t n = 4 + random() % 8; n > 0; --n)
        {
            ops.emplace_back(0.01 * (1 + random() % 100), random() % 200);
        }
        FusionModel model = MakeChain(2, ops);
        for (auto& op : model.ops)
        {
            // as much as a pass has to gain, and much less
            op.saving = (i % 2 == 0 ? 1e-2 : 1e-12) * (random() % 50);
        }
        for (const bool coarse : {false, true})
        {
            const SearchOutcome found =
                SearchAlongPath(model, MakeRing(2, 0.01 * (random() % 100)), {coarse, true, true});
            ASSERT_FALSE(found.plan.ops.empty()) << i;
            ASSERT_FALSE(found.plan.tensors.empty()) << i;
            EXPECT_EQ(found.plan.ops.back(), model.ops.size());
            EXPECT_EQ(found.plan.tensors.back(), model.tensors.size());
        }
    }
}

TEST(FusionModel, CoarseGroupsEndWithOpsThatMakeTensors)
{
    FusionModel model = MakeChain(1, {{1, 10}, {1, 10}, {1, 10}});
    model.tensors[1].producers = {0}; // as the first one
    EXPECT_EQ(MakeCoarsePlan(model).ops, (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(MakeCoarsePlan(model).tensors, (std::vector<uint32_t>{2, 3}));
    model.ops[1].kind = JobOpKind::FORWARD; // which is not fused with a backward op
    EXPECT_EQ(MakeCoarsePlan(model).ops, (std::vector<uint32_t>{1, 2, 3}));
}
