/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-strategy-passes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return a timeline of gradients of so many bytes, ready at these times; a collective takes
/// latency + bytes / 100
GradientTimeline
MakeLine(const std::vector<std::pair<uint64_t, double>>& gradients, double latency)
{
    GradientTimeline timeline;
    for (const auto& [bytes, ready] : gradients)
    {
        timeline.gradients.push_back(
            {"t" + std::to_string(timeline.gradients.size()), bytes, ready});
    }
    timeline.latency = latency;
    timeline.secondsPerByte = 0.01;
    return timeline;
}

/// @return the earliest end of all groups of neighbours, by trying them
double
FindEarliestEnd(const GradientTimeline& timeline)
{
    const std::size_t size = timeline.gradients.size();
    double earliest = 1e9;
    for (uint32_t cuts = 0; cuts < 1u << (size - 1); ++cuts)
    {
        double end = 0;
        uint64_t bytes = 0;
        for (std::size_t i = 0; i < size; ++i)
        {
            bytes += timeline.gradients[i].bytes;
            if (i + 1 == size || cuts >> i & 1)
            {
                end = std::max(end, timeline.gradients[i].ready) + timeline.latency +
                      timeline.secondsPerByte * bytes;
                bytes = 0;
            }
        }
        earliest = std::min(earliest, end);
    }
    return earliest;
}

} // namespace

// Three gradients of 100 bytes, 1 s each and a latency of 2 s, ready at 0, 1 and 2. Alone they end
// at 3, 6 and 9; all together at 2 + 2 + 3 = 7; the first alone, the others together: at 3, and at
// 3 + 2 + 2 = 7.
TEST(DmlGradientTimeline, EndsOfGroups)
{
    const auto timeline = MakeLine({{100, 0}, {100, 1}, {100, 2}}, 2);
    EXPECT_DOUBLE_EQ(timeline.GetEnd({1, 2, 3}), 9);
    EXPECT_DOUBLE_EQ(timeline.GetEnd({3}), 7);
    EXPECT_DOUBLE_EQ(timeline.GetEnd({1, 3}), 7);
    EXPECT_EQ(FuseOptimally(timeline), (std::vector<std::size_t>{3})); // fewest of equal ones
}

// Without latency nothing is worth waiting for, and equal ends need no second group.
TEST(DmlGradientTimeline, WithoutLatencyNothingIsGained)
{
    const auto timeline = MakeLine({{100, 0}, {100, 5}}, 0);
    EXPECT_DOUBLE_EQ(timeline.GetEnd(FuseOptimally(timeline)), 6);
    EXPECT_EQ(FuseOptimally(timeline), (std::vector<std::size_t>{1, 2}));
}

// Gradient 1 joins gradient 0, which ends at 3, later than 1 + (latency 2 + 2) - (2 + 1) = 2; both
// end at 1 + 4 = 5. Gradient 2, ready at 4, would join if 5 > 4 + (2 + 3) - (2 + 1) = 6: it does
// not.
TEST(DmlGradientTimeline, FusesByTheTheorem)
{
    const auto timeline = MakeLine({{100, 0}, {100, 1}, {100, 4}}, 2);
    EXPECT_EQ(FuseByTheorem(timeline), (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(FuseByTheorem(MakeLine({{100, 0}}, 2)), (std::vector<std::size_t>{1}));
}

TEST(DmlGradientTimeline, FindsTheOptimumOfRandomTimelines)
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 500; ++round)
    {
        std::vector<std::pair<uint64_t, double>> gradients;
        double ready = 0;
        for (uint32_t n = 1 + random() % 10; n > 0; --n)
        {
            ready += 0.5 * (random() % 5);
            gradients.emplace_back(random() % 400, ready);
        }
        const auto timeline = MakeLine(gradients, 0.5 * (random() % 6));
        const double optimum = FindEarliestEnd(timeline);
        EXPECT_NEAR(timeline.GetEnd(FuseOptimally(timeline)), optimum, 1e-9);
        EXPECT_GE(timeline.GetEnd(FuseByTheorem(timeline)), optimum - 1e-9);
        const auto groups = FuseByTheorem(timeline);
        EXPECT_EQ(groups.back(), gradients.size());
        EXPECT_TRUE(std::is_sorted(groups.begin(), groups.end()));
    }
}

TEST(DmlStrategyPasses, ProposeWhatScenariosTake)
{
    SearchTask task;
    task.timeline = MakeLine({{100, 0}, {100, 1}, {100, 4}}, 2);
    task.algorithm = CollectiveAlgorithms().Create<CollectiveAlgorithm>({"ring", {}});
    EXPECT_EQ(WriteGroups(task.timeline, {2, 3}), R"([["t0","t1"],["t2"]])");
    for (const uint32_t servers : {0, 1})
    {
        task.servers = servers;
        std::set<std::string> names;
        std::size_t defaults = 0;
        std::size_t exhaustive = 0;
        for (const auto& strategy :
             ProposeStrategies(task, servers > 0 ? StrategyUse::SERVERS : StrategyUse::ALL_REDUCE))
        {
            EXPECT_TRUE(names.insert(strategy.name).second) << strategy.name;
            EXPECT_FALSE(strategy.settings.empty()) << strategy.name;
            defaults += strategy.isDefault ? 1 : 0;
            exhaustive += strategy.name.rfind("exhaustive", 0) == 0 ? 1 : 0;
        }
        EXPECT_EQ(defaults, 2U);
        EXPECT_EQ(exhaustive, servers == 0 ? 4U : 0U); // with or without a cut in two places
    }
    task.servers = 0;
    task.timeline = MakeLine(std::vector<std::pair<uint64_t, double>>(9, {1, 0}), 1);
    for (const auto& strategy : ProposeStrategies(task, StrategyUse::ALL_REDUCE))
    {
        EXPECT_NE(strategy.name.rfind("exhaustive", 0), 0U) << strategy.name;
    }
}
