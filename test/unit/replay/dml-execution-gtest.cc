/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-critical-path.h"
#include "ns3/dml-execution.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace ns3::dml;

namespace
{

/// @return seconds of each op
std::vector<double>
GetSeconds(const ExecutionGraph& execution)
{
    std::vector<double> seconds;
    for (const auto& op : execution.ops)
    {
        seconds.push_back(op.end - op.start);
    }
    return seconds;
}

} // namespace

// Ops 0 and 1 on device 0, op 2 on device 1 waits for both. Op 0 runs from 0 to 2, op 1 from 2.5 to
// 4 (half a second after its device was free), op 2 from 4.25 to 5.
TEST(DmlExecution, KeepsWaitsThatTheGraphDoesNotKnow)
{
    const GlobalGraph graph({0, 0, 1}, {{0, 2}, {1, 2}});
    const auto execution = MakeExecution(graph, {{0, 2}, {2.5, 4}, {4.25, 5}});
    const auto path = FindCriticalPath(execution);
    ASSERT_EQ(path.size(), 3U);
    EXPECT_EQ(path[1].op, 1U);
    EXPECT_EQ(path[1].link, CriticalLink::DEVICE);
    EXPECT_DOUBLE_EQ(path[1].wait, 0.5);
    EXPECT_EQ(path[2].link, CriticalLink::DEPENDENCY);
    EXPECT_DOUBLE_EQ(path[2].wait, 0.25);
    // op 0 takes half the time: all that follows is a second earlier, waits are as they were
    EXPECT_EQ(Reschedule(graph, execution, {1, 1.5, 0.75}), (std::vector<double>{1, 3, 4}));
    // op 1 takes no time: op 2 waits for it still, a quarter of a second
    EXPECT_EQ(Reschedule(graph, execution, {2, 0, 0.75}), (std::vector<double>{2, 2.5, 3.5}));
}

// What has slack gains nothing: op 1 ends two seconds before op 0, and op 2 waits for both.
TEST(DmlExecution, ShorteningWhatHasSlackGainsNothing)
{
    const GlobalGraph graph({0, 1, 2}, {{0, 2}, {1, 2}});
    const auto execution = MakeExecution(graph, {{0, 4}, {0, 2}, {4, 5}});
    EXPECT_EQ(Reschedule(graph, execution, {4, 1, 1})[2], 5);
    // op 0 gains until op 1 is critical
    EXPECT_EQ(Reschedule(graph, execution, {1, 2, 1})[2], 3);
}

TEST(DmlExecution, APathEndsWhereItIsTold)
{
    const GlobalGraph graph({0, 0, 0}, {});
    const auto execution = MakeExecution(graph, {{0, 1}, {1, 2}, {2, 3}});
    EXPECT_EQ(FindCriticalPath(execution).size(), 3U);
    EXPECT_EQ(FindCriticalPath(execution, 1).size(), 2U);
    const auto path = FindCriticalPath(execution, 2, 1.5);
    ASSERT_EQ(path.size(), 2U);
    EXPECT_EQ(path[0].op, 1U);
}

// Clocks that disagree: op 1 waits for op 0, yet it is said to begin before that ends.
TEST(DmlExecution, DependenciesWinOverClocks)
{
    const GlobalGraph graph({0, 1}, {{0, 1}});
    const auto execution = MakeExecution(graph, {{0, 2}, {-1, 3}});
    EXPECT_EQ(execution.order, (std::vector<GlobalOp>{0, 1}));
    EXPECT_EQ(Reschedule(graph, execution, {2, 4}), (std::vector<double>{2, 3}));
}

TEST(DmlExecution, RefusesWhatIsNoTime)
{
    const GlobalGraph graph({0, 1}, {});
    EXPECT_EQ(ErrorOf([&] {
                  MakeExecution(graph, {{0, 1}});
              }),
              "a graph of 2 ops has 1 measured times");
    EXPECT_EQ(ErrorOf([&] {
                  MakeExecution(graph, {{0, 1}, {2, 1}});
              }),
              "op 1 lasts from 2.000000 to 1.000000 s, which is no time");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(ErrorOf([&] { MakeExecution(graph, {{nan, 1}, {0, 1}}); }), "");
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_NE(ErrorOf([&] { MakeExecution(graph, {{0, infinite}, {0, 1}}); }), "");
}

// The execution graph of what a replay did is that of the replay; the same times give the same
// ends; other times with the same order cannot end before a free replay's lower bound, the longest
// chain.
TEST(DmlExecution, AgreesWithTheReplayOnRandomGraphs)
{
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round)
    {
        const uint32_t size = 2 + random() % 60;
        std::vector<uint32_t> devices;
        std::vector<double> seconds;
        GlobalGraph::Dependencies dependencies;
        for (uint32_t op = 0; op < size; ++op)
        {
            devices.push_back(random() % 5);
            seconds.push_back(0.25 * (1 + random() % 8));
            for (uint32_t n = random() % 3; op > 0 && n > 0; --n)
            {
                dependencies.emplace_back(random() % op, op);
            }
        }
        const GlobalGraph graph(devices, dependencies);
        const auto replayed = Replay(graph, seconds);
        std::vector<OpTimes> times;
        for (const auto& op : replayed.ops)
        {
            times.push_back({op.start, op.end});
        }
        const auto execution = MakeExecution(graph, times);
        EXPECT_EQ(execution.seconds, replayed.seconds);
        double path = 0;
        for (const auto& step : FindCriticalPath(execution))
        {
            EXPECT_EQ(step.wait, 0);
            path += seconds[step.op];
        }
        EXPECT_DOUBLE_EQ(path, replayed.seconds);
        const auto ends = Reschedule(graph, execution, GetSeconds(execution));
        for (uint32_t op = 0; op < size; ++op)
        {
            EXPECT_DOUBLE_EQ(ends[op], replayed.ops[op].end);
        }
        // an op that is shortened by a part of its slack changes nothing, on the path it does
        const auto half = [&] {
            auto shorter = seconds;
            std::transform(shorter.begin(), shorter.end(), shorter.begin(), [](double s) {
                return s / 2;
            });
            return shorter;
        }();
        const auto sooner = Reschedule(graph, execution, half);
        EXPECT_DOUBLE_EQ(*std::max_element(sooner.begin(), sooner.end()), replayed.seconds / 2);
    }
}
