/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-critical-path.h"
#include "ns3/dml-global-graph.h"
#include "ns3/dml-graph-replay.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A graph and its times.
struct Job
{
    std::vector<uint32_t> devices;          //!< by op
    GlobalGraph::Dependencies dependencies; //!< of the ops
    std::vector<double> seconds;            //!< by op

    /// @return the graph
    GlobalGraph GetGraph() const
    {
        return {devices, dependencies};
    }
};

/// @return random ops, times in whole quarters of a second so that many coincide, some of them 0
Job
MakeRandomJob(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&random](uint32_t n) { return random() % n; };
    Job job;
    const uint32_t ops = 1 + below(60);
    const uint32_t devices = 1 + below(6);
    for (GlobalOp op = 0; op < ops; ++op)
    {
        job.devices.push_back(below(devices));
        job.seconds.push_back(below(8) / 4.0);
        for (uint32_t i = below(4); op > 0 && i > 0; --i)
        {
            job.dependencies.emplace_back(below(op), op);
        }
    }
    return job;
}

/**
 * When everything ends if each device serves its ops in the order that it had: relaxing the starts
 * again and again until nothing changes, without the order in which the replay went.
 * @param delays by op: of its end
 */
double
RelaxEnds(const Job& job, const ExecutionGraph& execution, const std::vector<double>& delays)
{
    std::vector<double> ends(job.seconds.size());
    for (bool changed = true; changed;)
    {
        changed = false;
        std::vector<double> starts(ends.size());
        for (const auto& [before, after] : job.dependencies)
        {
            starts[after] = std::max(starts[after], ends[before]);
        }
        for (GlobalOp op = 0; op < ends.size(); ++op)
        {
            if (const auto previous = execution.ops[op].previous; previous != NO_GLOBAL_OP)
            {
                starts[op] = std::max(starts[op], ends[previous]);
            }
            const double end = starts[op] + job.seconds[op] + delays[op];
            changed = changed || end != ends[op];
            ends[op] = end;
        }
    }
    return *std::max_element(ends.begin(), ends.end());
}

} // namespace

// Device 0: op 0 in 0..2, op 1 in 2..5. Device 1: op 2, after op 0, in 2..6; op 3, after op 1, is
// ready at 5 and waits until 6. Op 1 could end a second later: op 3 would still begin at 6.
TEST(DmlGraphReplay, ServesOneOpOfADeviceAtATime)
{
    const GlobalGraph graph({0, 0, 1, 1}, {{1, 3}, {0, 2}, {0, 2}});
    const auto execution = Replay(graph, {2, 3, 4, 1});
    EXPECT_EQ(execution.seconds, 7);
    EXPECT_EQ(execution.ops[1].start, 2);
    EXPECT_EQ(execution.ops[2].start, 2);
    EXPECT_EQ(execution.ops[3].ready, 5);
    EXPECT_EQ(execution.ops[3].start, 6);
    const auto path = FindCriticalPath(execution);
    ASSERT_EQ(path.size(), 3u);
    EXPECT_EQ(path[0].op, 0u);
    EXPECT_EQ(path[0].link, CriticalLink::NOTHING);
    EXPECT_EQ(path[1].op, 2u);
    EXPECT_EQ(path[1].link, CriticalLink::DEPENDENCY);
    EXPECT_EQ(path[2].op, 3u);
    EXPECT_EQ(path[2].link, CriticalLink::DEVICE);
    EXPECT_EQ(GetSlack(graph, execution), (std::vector<double>{0, 1, 0, 0}));
}

// Op 2 waits for 5 s of device 0, op 3 for 1 s of device 1; both run on device 2 for 1 s. In the
// order in which they get ready: op 3 in 1..2, op 2 in 5..6. dPRO's rule takes device 0 first, as
// all device times are 0, so that op 2 is ahead of op 3 in the queue: 5..6 and 6..7.
TEST(DmlGraphReplay, KnowsTheOrderOfDeviceTimes)
{
    const GlobalGraph graph({0, 1, 2, 2}, {{0, 2}, {1, 3}});
    const std::vector<double> seconds{5, 1, 1, 1};
    EXPECT_EQ(Replay(graph, seconds).seconds, 6);
    const auto paper = Replay(graph, seconds, ReplayOrder::DEVICE_TIME);
    EXPECT_EQ(paper.seconds, 7);
    EXPECT_EQ(paper.ops[3].start, 6);
    EXPECT_EQ(paper.ops[3].ready, 1);
}

// An op that ends first puts what waits for it into the queues; only then its device goes on: op 2
// is behind op 1, which was ready at the start.
TEST(DmlGraphReplay, ServesTiesByNumber)
{
    const GlobalGraph graph({0, 0, 0, 1, 1}, {{0, 2}, {0, 4}, {0, 3}});
    const auto execution = Replay(graph, {1, 1, 1, 1, 1});
    EXPECT_EQ(execution.ops[1].start, 1);
    EXPECT_EQ(execution.ops[2].start, 2);
    EXPECT_EQ(execution.ops[3].start, 1);
    EXPECT_EQ(execution.ops[4].start, 2);
}

TEST(DmlGraphReplay, RunsNothing)
{
    const GlobalGraph graph({}, {});
    const auto execution = Replay(graph, {});
    EXPECT_EQ(execution.seconds, 0);
    EXPECT_TRUE(FindCriticalPath(execution).empty());
    EXPECT_TRUE(GetSlack(graph, execution).empty());
}

// What holds for every replay, whatever the graph.
TEST(DmlGraphReplay, KeepsTheRulesOnRandomGraphs)
{
    for (uint32_t seed = 0; seed < 600; ++seed)
    {
        SCOPED_TRACE(seed);
        const auto job = MakeRandomJob(seed);
        const auto graph = job.GetGraph();
        const auto order = seed % 2 ? ReplayOrder::DEVICE_TIME : ReplayOrder::READY_TIME;
        const auto execution = Replay(graph, job.seconds, order);
        ASSERT_EQ(execution.order.size(), job.seconds.size());
        std::vector<double> ready(job.seconds.size());
        for (const auto& [before, after] : job.dependencies)
        {
            ready[after] = std::max(ready[after], execution.ops[before].end);
        }
        std::vector<GlobalOp> last(graph.CountDevices(), NO_GLOBAL_OP);
        for (const GlobalOp op : execution.order)
        {
            const auto& replayed = execution.ops[op];
            auto& previous = last[job.devices[op]];
            ASSERT_EQ(replayed.ready, ready[op]);
            ASSERT_EQ(replayed.end, replayed.start + job.seconds[op]);
            ASSERT_EQ(replayed.previous, previous);
            const double free = previous == NO_GLOBAL_OP ? 0 : execution.ops[previous].end;
            ASSERT_EQ(replayed.start, std::max(ready[op], free)) << "a device idles, or runs two";
            if (order == ReplayOrder::READY_TIME && previous != NO_GLOBAL_OP)
            {
                ASSERT_LE(execution.ops[previous].ready, replayed.ready)
                    << "not first in first out";
            }
            previous = op;
        }
        const std::vector<double> none(job.seconds.size());
        ASSERT_EQ(execution.seconds, RelaxEnds(job, execution, none));

        double along = 0;
        const auto slack = GetSlack(graph, execution);
        for (const auto& critical : FindCriticalPath(execution))
        {
            ASSERT_EQ(execution.ops[critical.op].start, along);
            along = execution.ops[critical.op].end;
            ASSERT_EQ(slack[critical.op], 0);
        }
        ASSERT_EQ(along, execution.seconds);
        for (GlobalOp op = 0; op < slack.size(); ++op)
        {
            auto delays = none;
            delays[op] = slack[op];
            ASSERT_EQ(RelaxEnds(job, execution, delays), execution.seconds);
            delays[op] = slack[op] + 0.25;
            ASSERT_EQ(RelaxEnds(job, execution, delays), execution.seconds + 0.25);
        }
    }
}

TEST(DmlGraphReplay, RefusesWhatCannotRun)
{
    const auto make = [](const GlobalGraph::Dependencies& dependencies) {
        return ErrorOf([&dependencies]() { GlobalGraph({0, 0, 0}, dependencies); });
    };
    EXPECT_EQ(make({{0, 1}, {1, 2}, {2, 1}}), "op 1 waits for itself, directly or through others");
    EXPECT_EQ(make({{2, 2}}), "op 2 waits for itself, directly or through others");
    // op 0 is only behind the circle
    EXPECT_EQ(make({{1, 2}, {2, 1}, {1, 0}}), "op 1 waits for itself, directly or through others");
    EXPECT_EQ(make({{0, 3}}), "a dependency names op 3 of only 3");
    EXPECT_EQ(make({{7, 0}}), "a dependency names op 7 of only 3");
    const GlobalGraph graph({0, 1}, {});
    const auto replay = [&graph](const std::vector<double>& seconds) {
        return ErrorOf([&]() { Replay(graph, seconds); });
    };
    EXPECT_EQ(replay({1}), "a graph of 2 ops cannot be replayed with 1 times");
    EXPECT_EQ(replay({1, -1}), "op 1 takes -1.000000 s, not a time of at least 0");
    EXPECT_EQ(replay({std::nan(""), 1}), "op 0 takes nan s, not a time of at least 0");
    EXPECT_EQ(replay({1, std::numeric_limits<double>::infinity()}),
              "op 1 takes inf s, not a time of at least 0");
}
