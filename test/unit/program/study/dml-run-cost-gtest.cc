/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a run is expected to take, against what the fair-share engine counts and against itself.

#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-run-cost.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace ns3::dml;

namespace
{

/// One tensor of 1.46 MB: 1000 segments of MTU 1500 each way.
const std::string PROFILE =
    "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
    "tensors: [{name: a, bytes: 1460000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: f, kind: forward, device: cpu, deps: [pull/a], seconds: 0.01}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [f]}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.01}\n";

PreparedScenario
Prepare(const std::string& job, const std::string& rest)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PROFILE);
    const auto file =
        folder.Write("s.yaml",
                     "job: {profile: p.yaml, steps: 60, warmup: 1" + job + "}\n" + rest + "\n");
    return PrepareScenario(ReadScenario(file).front(), true);
}

RunCost
EstimatePacket(const std::string& rest, uint32_t workers = 1)
{
    return EstimateCost(Prepare("", rest), {0, workers, EngineKind::PACKET, 0, false});
}

// 60 steps of 2000 full segments, and little more.
TEST(RunCost, SegmentsAreThoseOfTheMtu)
{
    EXPECT_NEAR(EstimatePacket("network: {mtu: 1500}").segments, 120000, 1500);
    // 8960 of 9000 bytes: 19554
    EXPECT_NEAR(EstimatePacket("network: {mtu: 9000}").segments, 19554, 1500);
    // the smallest MTU counts, that of one host too
    EXPECT_EQ(EstimatePacket("network: {mtu: 9000, hosts: {ps0: {mtu: 1500}}}").segments,
              EstimatePacket("network: {mtu: 1500}").segments);
    EXPECT_DOUBLE_EQ(EstimatePacket("network: {mtu: 1500}", 7).segments,
                     7 * EstimatePacket("network: {mtu: 1500}").segments);
}

// Two links between worker and server on a star, three on a dumbbell; an ACK for two segments.
TEST(RunCost, PacketsAreCountedOnEachLink)
{
    const RunCost star = EstimatePacket("network: {topology: star}");
    EXPECT_DOUBLE_EQ(star.linkPackets, 2 * 1.5 * star.segments);
    const RunCost dumbbell = EstimatePacket("network: {topology: dumbbell}");
    EXPECT_DOUBLE_EQ(dumbbell.linkPackets, 3 * 1.5 * star.segments);
    const RunCost undelayed = EstimatePacket("network: {tcp: {delayed_ack_timeout: 0s}}");
    EXPECT_DOUBLE_EQ(undelayed.linkPackets, 2 * 2 * star.segments);
}

// A chunk for each op of each step: the plan's ops are the profile's, as parsing takes no time.
TEST(RunCost, ChunksAreThoseOfTheFairShareEngine)
{
    for (const char* rest : {"seed: 1", "fair_share: {sharing: max-min}"})
    {
        for (const uint32_t workers : {1U, 3U})
        {
            const auto prepared = Prepare(", workers: " + std::to_string(workers), rest);
            FairShareEngine engine(
                SettleWindows(prepared.scenario.transfer, PrepareCase(prepared, workers, 0).runs),
                prepared.MakeFairShareNetwork(workers, 0),
                nullptr);
            engine.Run({});
            const RunCost cost =
                EstimateCost(prepared, {0, workers, EngineKind::FAIR_SHARE, 0, false});
            EXPECT_EQ(cost.events, engine.GetCompletedChunks()) << rest << ", " << workers;
        }
    }
}

// What costs more is estimated to: a solver, more connections, rows.
TEST(RunCost, FairShareCostsGoWithTheRuleAndTheOutput)
{
    const auto seconds = [](const std::string& job, const std::string& rest, uint32_t workers) {
        return EstimateCost(Prepare(job, rest), {0, workers, EngineKind::FAIR_SHARE, 0, false})
            .cpuSeconds;
    };
    const std::string none = "output: {transfers: false}\n";
    const double equal = seconds("", none + "fair_share: {sharing: equal}", 8);
    const double maxMin = seconds("", none + "fair_share: {sharing: max-min}", 8);
    const double fifo = seconds("", none + "fair_share: {sharing: fifo}", 8);
    EXPECT_LT(equal, maxMin);
    EXPECT_LT(maxMin, fifo);
    EXPECT_LT(equal, seconds("", "fair_share: {sharing: equal}", 8));
    EXPECT_EQ(equal, seconds("", none, 8)); // what `auto` takes
    EXPECT_EQ(seconds(", parameter_servers: 2", none, 8),
              seconds(", parameter_servers: 2", none + "fair_share: {sharing: max-min}", 8));
    // eight times the workers have as many transfers, of which each costs more
    const double many = seconds("", none + "fair_share: {sharing: max-min}", 64);
    EXPECT_GT(many - seconds("", none, 64), 8 * (maxMin - equal));
}

// On one core one after the other; on two, 3 + 1 and 2 + 2, or 3 and 2 + 1 if started in that
// order. Processes and the study itself take at most 0.3 s besides.
TEST(RunCost, WallTimeIsThatOfTheBusiestCore)
{
    const uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
    EXPECT_NEAR(EstimateWall({3, 2, 1}, 1), 6, 0.3);
    EXPECT_NEAR(EstimateWall({3, 2, 1}, 2), cores > 1 ? 3 : 6, 0.3);
    EXPECT_NEAR(EstimateWall({1, 2, 3}, 2), cores > 1 ? 4 : 6, 0.3);
    EXPECT_NEAR(EstimateWall({}, 2), 0, 0.3);
    // more jobs than cores gain nothing
    EXPECT_EQ(EstimateWall({3, 2, 1, 1}, cores), EstimateWall({3, 2, 1, 1}, 1000));
}

} // namespace
