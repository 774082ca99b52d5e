/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-grown-windows.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

constexpr double MEBI = 1 << 20;

/// Runs of two workers and two servers.
std::vector<TrainingRun>
Draw(const std::string& scenario, uint32_t replication = 0)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", R"(schema: dml-profile/1
model: two
batch_size: 1
tensors: [{name: a, bytes: 1000}, {name: b, bytes: 1000}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: forward, kind: forward, deps: [pull/a, pull/b], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [forward]}
  - {name: push/b, kind: push, tensor: b, deps: [forward]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0}
)");
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, workers: 2, parameter_servers: 2, "
                                   "steps: 2, warmup: 1}\n" +
                                       scenario);
    const PreparedScenario prepared = PrepareScenario(ReadScenario(file).front(), false);
    auto runs = PrepareCase(prepared, 2, replication).runs;
    DrawGrownWindows(prepared.scenario, replication, runs);
    return runs;
}

const std::string BDP = "transfer: {grant: bdp}\n";

// The page of fidelity: 42 % of the connections for parameters and 21 % of those for gradients stay
// at 4 MiB; medians 4 * 2^0.77 = 6.8 and 4 * 2^1.25 = 9.5 MiB; none is above 32.
TEST(GrownWindows, HaveTheMeasuredQuantiles)
{
    EXPECT_EQ(GetGrownWindow(Direction::DOWNLINK, 0), 4 * MEBI);
    EXPECT_EQ(GetGrownWindow(Direction::DOWNLINK, 0.42), 4 * MEBI);
    EXPECT_NEAR(GetGrownWindow(Direction::DOWNLINK, 0.5) / MEBI, 6.8, 0.05);
    EXPECT_NEAR(GetGrownWindow(Direction::DOWNLINK, 0.9) / MEBI, 16, 0.01);
    EXPECT_NEAR(GetGrownWindow(Direction::DOWNLINK, 1) / MEBI, 32, 0.01);
    EXPECT_EQ(GetGrownWindow(Direction::UPLINK, 0.2), 4 * MEBI);
    EXPECT_NEAR(GetGrownWindow(Direction::UPLINK, 0.5) / MEBI, 9.5, 0.05);
    EXPECT_NEAR(GetGrownWindow(Direction::UPLINK, 0.9) / MEBI, 24.9, 0.05);
    // halfway between 42 and 50 %, half of the doublings
    EXPECT_NEAR(GetGrownWindow(Direction::DOWNLINK, 0.46) / MEBI, 4 * std::exp2(0.385), 0.01);
}

TEST(GrownWindows, DifferByConnectionAndReplication)
{
    const TrainingRun run = Draw(BDP).front();
    ASSERT_FALSE(run.windows.IsEmpty());
    std::vector<uint64_t> first;
    std::vector<uint64_t> second;
    const TrainingRun other = Draw(BDP, 1).front();
    for (uint32_t worker = 0; worker < 2; ++worker)
    {
        for (uint32_t server = 0; server < 2; ++server)
        {
            for (const bool downlink : {true, false})
            {
                first.push_back(run.windows.Get(worker, server, downlink));
                second.push_back(other.windows.Get(worker, server, downlink));
                EXPECT_GE(first.back(), 4 * MEBI);
                EXPECT_LE(first.back(), 32 * MEBI);
            }
        }
    }
    EXPECT_NE(first, second);
    EXPECT_NE(first, std::vector<uint64_t>(8, first.front()));
    const TrainingRun same = Draw(BDP).front();
    EXPECT_EQ(same.windows.Get(1, 1, true), run.windows.Get(1, 1, true));
}

TEST(GrownWindows, AreThoseOfGrpcOverLinux)
{
    EXPECT_TRUE(Draw("transfer: {grant: capped}\n").front().windows.IsEmpty());
    EXPECT_TRUE(Draw(BDP + "network: {transport: ideal}\n").front().windows.IsEmpty());
}

} // namespace
