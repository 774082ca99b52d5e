/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-recorder.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

// In-network aggregation in the fair-share engine: every time is derived by hand, in units of a
// chunk of the tensor on a link.

using namespace ns3::dml;

namespace
{

constexpr uint32_t CHUNKS = 16;
constexpr double CHUNK_BYTES = 65536;
constexpr double COMPUTE_SECONDS = 0.1;
constexpr double UPDATE_SECONDS = 0.05;

const std::string REDUCED_PROFILE = R"(schema: dml-profile/2
model: m
batch_size: 1
tensors: [{name: a, bytes: 1048576}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: compute, kind: forward, deps: [pull/a], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [compute]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.05}
)";

/// A job whose workers start together, on ideal links.
struct AggregatedJob
{
    /// @param workers their number @param keys of job.all_reduce, each with a comma in front
    /// @param network keys of the network, each on a line
    AggregatedJob(uint32_t workers, const std::string& keys, const std::string& network)
        : AggregatedJob(workers, keys, "  transport: ideal\n" + network, std::nullopt)
    {
    }

    /// @param rule that shares links; none: the scenario's
    AggregatedJob(uint32_t workers,
                  const std::string& keys,
                  const std::string& network,
                  std::optional<SharingRule> rule)
        : prepared(Prepare(workers, keys, network))
    {
        FairShareNetwork shared = prepared.MakeFairShareNetwork(workers, 0);
        shared.rule = rule.value_or(shared.rule);
        FairShareEngine engine(PrepareCase(prepared, workers, 0).runs, shared, &recorder);
        engine.Run();
    }

    static PreparedScenario Prepare(uint32_t workers,
                                    const std::string& keys,
                                    const std::string& network)
    {
        const ScratchFolder folder;
        folder.Write("p.yaml", REDUCED_PROFILE);
        const std::string job = "job: {profile: p.yaml, workers: " + std::to_string(workers) +
                                ", steps: 3, warmup: 1, start: together, protocol: all-reduce, "
                                "gradient_groups: off, all_reduce: {algorithm: in-network" +
                                keys + "}}\n";
        return PrepareScenario(
            ReadScenario(folder.Write("s.yaml", job + "network:\n" + network)).front(),
            false);
    }

    /// Compares the length of all steps. @param chunks number of chunks of time on a link
    void ExpectSteps(double chunks, double delays) const
    {
        const double expected =
            COMPUTE_SECONDS + UPDATE_SECONDS + chunks * CHUNK_BYTES / prepared.goodput + delays;
        EXPECT_FALSE(recorder.steps.empty());
        for (const auto& step : recorder.steps)
        {
            EXPECT_NEAR(step.end - step.start, expected, 1e-9)
                << "worker " << step.worker << ", step " << step.step;
        }
    }

    PreparedScenario prepared;
    RunRecorder recorder;
};

/// Each link has a delay of 1 ms, 20 times as long as a chunk at 10 Gbit/s.
const std::string DELAYED = "  rate: 10Gbps\n  delay: 1ms\n";
const std::string UNDELAYED = "  rate: 10Gbps\n  delay: 0s\n";
const std::string TREE =
    "  topology: {type: leaf-spine, leaves: 2, spines: 1, trunk: {rate: 10Gbps}}\n";

} // namespace

/// The tensor goes up chunk by chunk; the last chunk's sum comes down when it has come: S/B + c/B,
/// for any number of workers, where a ring takes 2 (N-1)/N S/B.
TEST(InNetworkTimes, StarTakesTheTensorAndOneChunk)
{
    for (const uint32_t workers : {2U, 3U, 4U, 7U, 16U, 33U})
    {
        SCOPED_TRACE(workers);
        AggregatedJob(workers, "", UNDELAYED).ExpectSteps(CHUNKS + 1, 0);
        AggregatedJob(workers, ", slots: 2", UNDELAYED).ExpectSteps(CHUNKS + 1, 0);
        AggregatedJob(workers, "", DELAYED).ExpectSteps(CHUNKS + 1, 2 * 1e-3);
    }
}

TEST(InNetworkTimes, OneWorkerHasNothingToReduce)
{
    const AggregatedJob job(1, "", DELAYED);
    job.ExpectSteps(0, 0);
    EXPECT_TRUE(job.recorder.transfers.empty());
}

/// One chunk is the whole tensor: up, and down.
TEST(InNetworkTimes, OneChunkGoesUpAndDown)
{
    AggregatedJob(3, ", chunk: 1MiB", DELAYED).ExpectSteps(2 * CHUNKS, 2 * 1e-3);
    AggregatedJob(3, ", chunk: 1GB", DELAYED).ExpectSteps(2 * CHUNKS, 2 * 1e-3);
}

/// With s slots a worker has s chunks in flight. Where these take less than the round trip of one,
/// 2 c/B + 2 d, chunk i is sent (i / s, whole) round trips and (i mod s) chunks after the first.
TEST(InNetworkTimes, TooFewSlotsLimitTheRate)
{
    for (const uint32_t slots : {1U, 2U, 3U, 5U})
    {
        SCOPED_TRACE(slots);
        const uint32_t last = CHUNKS - 1;
        const uint32_t rounds = last / slots + 1;
        AggregatedJob(3, ", slots: " + std::to_string(slots), DELAYED)
            .ExpectSteps(2 * rounds + last % slots, 2 * 1e-3 * rounds);
    }
    // without delays one slot is half as fast, and two are enough
    AggregatedJob(3, ", slots: 1", UNDELAYED).ExpectSteps(2 * CHUNKS, 0);
}

/// Two levels: to the leaf, the spine, the leaf and down, so 3 chunks more than the tensor takes.
TEST(InNetworkTimes, EachLevelTakesOneChunkMoreEachWay)
{
    for (const uint32_t workers : {4U, 5U, 8U, 31U})
    {
        SCOPED_TRACE(workers);
        AggregatedJob(workers, "", UNDELAYED + TREE).ExpectSteps(CHUNKS + 3, 0);
        AggregatedJob(workers, "", DELAYED + TREE).ExpectSteps(CHUNKS + 3, 4 * 1e-3);
    }
    // one worker at each leaf: leaves forward, and forwarding takes no time
    AggregatedJob(2, "", DELAYED + TREE).ExpectSteps(CHUNKS + 1, 4 * 1e-3);
}

/// A trunk of half the rate carries the tensor once each way, whatever the number of workers. The
/// root is a, the first of two that are alike.
TEST(InNetworkTimes, TrunkCarriesTheTensorOnceEachWay)
{
    const AggregatedJob job(6, "", UNDELAYED + R"(
  topology:
    type: explicit
    switches: [a, b]
    links:
      - {between: [worker0, a]}
      - {between: [worker1, a]}
      - {between: [worker2, a]}
      - {between: [worker3, b]}
      - {between: [worker4, b]}
      - {between: [worker5, b]}
      - {between: [a, b], rate: 5Gbps}
)");
    for (const auto& step : job.recorder.steps)
    {
        if (step.step == 0)
        {
            // the first chunk comes to b, all go to a, and the last one down; of b's over the trunk
            const double chunks = 1 + 2 * CHUNKS + (step.worker < 3 ? 1 : 2 + 1);
            EXPECT_NEAR(step.end - step.start,
                        COMPUTE_SECONDS + UPDATE_SECONDS +
                            chunks * CHUNK_BYTES / job.prepared.goodput,
                        1e-9)
                << step.worker;
        }
    }
}

/// All workers of a dumbbell are on the right: the trunk has nothing to carry.
TEST(InNetworkTimes, DumbbellIsAStarOfWorkers)
{
    AggregatedJob(5, "", UNDELAYED + "  topology: {type: dumbbell, trunk: {rate: 1Mbps}}\n")
        .ExpectSteps(CHUNKS + 1, 0);
}

/// Every worker's link carries the tensor once each way, and the trunks once for each leaf.
TEST(InNetworkTimes, BytesAreConserved)
{
    const AggregatedJob job(6, "", DELAYED + TREE);
    constexpr auto ALL = static_cast<uint64_t>(3 * CHUNKS * CHUNK_BYTES); // of three steps
    std::map<std::pair<Role, Role>, uint64_t> sent;
    for (const auto& chunk : job.recorder.chunks)
    {
        if (chunk.resource.kind == ResourceKind::CHANNEL)
        {
            sent[{chunk.resource.at.role, chunk.resource.to.role}] += chunk.bytes;
        }
    }
    EXPECT_EQ((sent[{Role::WORKER, Role::AGGREGATOR}]), 6 * ALL);
    EXPECT_EQ((sent[{Role::AGGREGATOR, Role::WORKER}]), 6 * ALL);
    EXPECT_EQ((sent[{Role::AGGREGATOR, Role::AGGREGATOR}]), 2 * 2 * ALL);
    EXPECT_EQ(sent.size(), 3U);
    EXPECT_EQ(job.recorder.transfers.size(), 3U * CHUNKS * (6 + 6 + 4));
    for (const auto& transfer : job.recorder.transfers)
    {
        EXPECT_GE(transfer.firstByte, transfer.ready);
        EXPECT_GT(transfer.lastByte, transfer.firstByte);
    }
}

/// A switch waits for the last of its children.
TEST(InNetworkTimes, SlowestLinkSetsThePace)
{
    const AggregatedJob job(3, "", UNDELAYED + "  hosts: {worker1: {rate: 5Gbps}}\n");
    // the slow worker sends for 2 * 16, and its last sum takes 2; others have it after 1
    for (const auto& step : job.recorder.steps)
    {
        if (step.step == 0)
        {
            EXPECT_NEAR(step.end - step.start,
                        COMPUTE_SECONDS + UPDATE_SECONDS +
                            (2 * CHUNKS + (step.worker == 1 ? 2 : 1)) * CHUNK_BYTES /
                                job.prepared.goodput,
                        1e-9);
        }
    }
}

/// What a switch has added up waits in the port from which it goes, whether ports have one queue or
/// many: TCP there is held back as in a host. At this rate a chunk takes 5.5 ms.
TEST(InNetworkTimes, BurstsLeaveThePortsOfSwitches)
{
    for (const std::string queue : {"1MB", "{drop_tail: 1MB, whole_bursts: true}", "{fair: 1MB}"})
    {
        SCOPED_TRACE(queue);
        const std::string network =
            "  transport: linux\n  rate: 100Mbps\n  delay: 10us\n  queue: " + queue + "\n";
        const AggregatedJob job(3, "", network + TREE, SharingRule::BURSTS);
        ASSERT_EQ(job.recorder.steps.size(), 9U);
        const AggregatedJob star(3, "", network, SharingRule::BURSTS);
        for (const auto& step : star.recorder.steps)
        {
            const double expected = COMPUTE_SECONDS + UPDATE_SECONDS +
                                    (CHUNKS + 1) * CHUNK_BYTES / star.prepared.goodput;
            const double tolerance = step.step == 0 ? 0.05 : 0.03; // it begins with slow start
            EXPECT_NEAR(step.end - step.start, expected, tolerance * expected) << step.step;
        }
    }
}
