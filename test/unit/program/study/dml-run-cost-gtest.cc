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
#include <cmath>
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
EstimatePacket(const std::string& rest, uint32_t workers = 1, uint32_t replication = 0)
{
    return EstimateCost(Prepare("", rest), {0, workers, EngineKind::PACKET, replication, false});
}

/// CPU seconds of two workers' fair-share run, with what plots and trace show if @p detailed.
double
FairSeconds(const PreparedScenario& prepared, bool detailed, uint32_t variant = 0)
{
    return EstimateCost(prepared, {variant, 2, EngineKind::FAIR_SHARE, 0, detailed}).cpuSeconds;
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
    const RunCost star = EstimatePacket("network: {transport: ideal}");
    EXPECT_DOUBLE_EQ(star.linkPackets, 2 * 1.5 * star.segments);
    const RunCost dumbbell = EstimatePacket("network: {transport: ideal, topology: dumbbell}");
    EXPECT_DOUBLE_EQ(dumbbell.linkPackets, 3 * 1.5 * star.segments);
    const RunCost bursts =
        EstimatePacket("network: {transport: plain, tcp: {gso: 29200B}}"); // of 20 segments
    EXPECT_DOUBLE_EQ(bursts.linkPackets, 2 * 1.05 * bursts.segments);
    const RunCost undelayed =
        EstimatePacket("network: {transport: ideal, tcp: {delayed_ack_timeout: 0s}}");
    EXPECT_DOUBLE_EQ(undelayed.linkPackets, 2 * 2 * star.segments);
}

// 60 steps have 120 messages of 1.46 MB. WIN + 1 MiB is granted at once (capped, bdp), and what is
// beyond it in steps of 8 KiB, or of a segment that is larger; consume refills WIN alone, and a
// sender that waits for a window of less than a segment sends no larger ones. A grant is 0.8
// segments.
TEST(RunCost, GrantsAreThoseOfTheRule)
{
    const auto extra = [](const std::string& mtu, const std::string& transfer) {
        const std::string network = "network: {transport: ideal, mtu: " + mtu + "}";
        return (EstimatePacket(network + "\ntransfer: {" + transfer + "}").segments -
                EstimatePacket(network).segments) /
               120;
    };
    EXPECT_EQ(extra("1500", "window: 64KB"), 0); // message
    EXPECT_EQ(extra("1500", "window: 2MB, grant: consume"), 0);
    EXPECT_EQ(extra("1500", "window: 500KB, grant: bdp"), 0);
    EXPECT_NEAR(extra("1500", "window: 64KB, grant: consume"), 0.8 * 1396000 / 8192, 0.1);
    EXPECT_NEAR(extra("1500", "window: 64KB, grant: capped"), 0.8 * 347424 / 8192, 0.1);
    EXPECT_NEAR(extra("1500", "window: 1KB, grant: bdp"), 0.8 * 410424 / 8192, 0.1);
    EXPECT_NEAR(extra("9000", "window: 64KB, grant: consume"), 0.8 * 1396000 / 8960, 0.1);
    // 146 messages of 10 KB, all but the first granted, instead of 22.3 segments of 65495 bytes
    EXPECT_NEAR(extra("65535", "window: 10KB, grant: consume"), 146 + 0.8 * 145 - 22.3, 0.1);
}

// Captures are of the first replication, and all of them cost something.
TEST(RunCost, CapturesCostGoesWithThePackets)
{
    const double none = EstimatePacket("network: {mtu: 1500}").cpuSeconds;
    for (const std::string output : {"pcap", "netanim", "flows"})
    {
        const std::string rest = "network: {mtu: 1500}\noutput: {" + output + ": true}";
        EXPECT_GT(EstimatePacket(rest).cpuSeconds, 1.1 * none) << output;
        EXPECT_EQ(EstimatePacket(rest, 1, 1).cpuSeconds, none) << output;
    }
}

// The trace has 20 steps of each worker, of the first variant: it costs the same for 60 steps and
// for 600, and half of that for 10.
TEST(RunCost, TraceHasTheFirstStepsOnly)
{
    const auto cost = [](const PreparedScenario& prepared, uint32_t variant) {
        return FairSeconds(prepared, true, variant) - FairSeconds(prepared, false, variant);
    };
    PreparedScenario prepared = Prepare("", "seed: 1");
    const double trace = cost(prepared, 0);
    EXPECT_GT(trace, 0);
    EXPECT_EQ(cost(prepared, 1), 0);
    prepared.scenario.job.steps = 600;
    EXPECT_NEAR(cost(prepared, 0), trace, 1e-9);
    prepared.scenario.job.steps = 10;
    EXPECT_NEAR(cost(prepared, 0), trace / 2, 1e-9);
    prepared.scenario.output.trace = false;
    EXPECT_EQ(cost(prepared, 0), 0);
}

TEST(RunCost, DrawingGoesWithTheVariants)
{
    // one gnuplot draws five pictures of each variant, and one of all
    const double picture = (EstimateDrawing(12) - EstimateDrawing(1)) / 55;
    EXPECT_GT(picture, 0);
    EXPECT_GT(EstimateDrawing(1), 6 * picture);
    EXPECT_NEAR(EstimateDrawing(3) - EstimateDrawing(1), 10 * picture, 1e-9);
}

// A chunk for each op of each step: the plan's ops are the profile's, as parsing takes no time.
TEST(RunCost, ChunksAreThoseOfTheFairShareEngine)
{
    for (const char* rest : {"seed: 1",
                             "fair_share: {sharing: max-min}",
                             "transfer: {window: 100KB, grant: capped}",
                             "transfer: {policy: frame-by-frame}",
                             "transfer: {policy: p3, partition: 300KB}"})
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

// Windows and frames cut the tensor of 1.46 MB, each way, into turns: 1 MB and the rest; 100 KB,
// then 100 KB + 1 MiB and the rest; 90 frames of 16 KiB. Forward and update are a chunk each.
TEST(RunCost, ChunksOfTransfersAreTheirTurns)
{
    const auto chunks = [](const std::string& transfer) {
        return EstimateCost(Prepare("", "transfer: " + transfer),
                            {0, 1, EngineKind::FAIR_SHARE, 0, false})
                   .events /
               60;
    };
    EXPECT_EQ(chunks("{window: off}"), 2 + 2);
    EXPECT_EQ(chunks("{window: 28MB}"), 2 + 2);
    EXPECT_EQ(chunks("{window: 1MB}"), 2 + 2 * 2);
    EXPECT_EQ(chunks("{window: 100KB, grant: capped}"), 2 + 2 * 3);
    EXPECT_EQ(chunks("{policy: frame-by-frame}"), 2 + 2 * 90);
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
    const std::string ideal = none + "network: {transport: ideal}";
    EXPECT_EQ(equal, seconds("", ideal, 8)); // what `auto` takes
    EXPECT_EQ(maxMin, seconds("", none, 8)); // what `drop-tail` takes
    EXPECT_EQ(seconds(", parameter_servers: 2", ideal, 8),
              seconds(", parameter_servers: 2", none + "fair_share: {sharing: max-min}", 8));
    // eight times the workers have as many transfers, of which each costs more
    const double many = seconds("", none + "fair_share: {sharing: max-min}", 64);
    EXPECT_GT(many - seconds("", ideal, 64), 8 * (maxMin - equal));
}

// Where the speed of packets has been measured, a step of a short run costs what one of a long run
// does: designs that divide a budget by it do not jump. Without, it is a constant of another
// machine. The network is no other test's, as what was measured is kept.
TEST(RunCost, ShortRunsCostWhatLongOnesDo)
{
    PreparedScenario prepared = Prepare("", "network: {mtu: 1234}");
    const auto getStep = [&](uint32_t steps) { // CPU seconds of a further step
        double seconds[2];
        for (const uint32_t which : {0U, 1U})
        {
            prepared.scenario.job.steps = (1 + which) * steps;
            seconds[which] =
                EstimatePacketCost(prepared, {0, 1, EngineKind::PACKET, 0, false}).cpuSeconds;
        }
        return (seconds[1] - seconds[0]) / steps;
    };
    const double unmeasured = getStep(10);
    MeasurePacketSpeed(prepared.scenario.network);
    const double measured = getStep(10);
    EXPECT_NEAR(measured / getStep(100000), 1, 1e-6);
    EXPECT_GT(std::abs(measured / unmeasured - 1), 1e-6);
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
