/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

const std::string ELASTIC_PROFILE = R"(schema: dml-profile/2
model: m
batch_size: 1
tensors: [{name: a, bytes: 300000}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: forward, kind: forward, deps: [pull/a], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [forward]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0}
)";

/// Four workers on two leaves, which are dealt them in turn: 0 and 2, and 1 and 3. Worker 0 crashes
/// at 1 s and is back at 3 s, worker 3 is gone at 2 s.
PreparedScenario
Prepare(const std::string& onCrash)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", ELASTIC_PROFILE);
    const auto file = folder.Write(
        "s.yaml",
        "job: {profile: p.yaml, workers: 4, steps: 30, warmup: 1, protocol: all-reduce, start: "
        "together" +
            onCrash +
            "}\nnetwork: {transport: ideal, topology: leaf-spine}\nfaults: [{crash: "
            "worker0, at: 1s, rejoin: 2s}, {crash: worker3, at: 2s}]\n");
    return PrepareScenario(ReadScenario(file).front(), true);
}

const std::string REBUILD = ", all_reduce: {on_crash: {rebuild: 500ms}}";
const std::string FOR_GOOD = ", all_reduce: {on_crash: stop}";

} // namespace

TEST(ElasticScenario, HasAPlanForAllWhoMayBeLeft)
{
    const PreparedScenario prepared = Prepare(REBUILD);
    const TrainingRun run = PrepareCase(prepared, 4, 0).runs.front();
    ASSERT_TRUE(run.elastic);
    EXPECT_EQ(run.elastic->rebuild, 0.5);
    std::vector<std::vector<uint32_t>> sets;
    for (const auto& membership : run.elastic->memberships)
    {
        sets.push_back(membership.workers);
    }
    EXPECT_EQ(sets,
              (std::vector<std::vector<uint32_t>>{{0, 1, 2, 3}, {1, 2, 3}, {1, 2}, {0, 1, 2}}));
    // with all, rack by rack: 0, 2, 1, 3; without 0: 2, 1, 3, or one rack further
    const auto& three = *run.elastic->memberships[1].plan->collectives.front().schedule;
    EXPECT_EQ((three.GetRank(1) + 1) % 3, three.GetRank(3)) << "1 and 3 are neighbours";
    ASSERT_EQ(run.crashes.size(), 2U) << "only the victims crash";
    EXPECT_EQ(run.crashes[0].worker, 0U);
    EXPECT_EQ(run.crashes[0].rejoin, 3);
    EXPECT_EQ(run.crashes[1].worker, 3U);
    // one channel to the next one for each worker and set
    EXPECT_EQ(prepared.GetFairShareNetwork(4)->links.training.size(), 4U * 4);
}

/// Up to 1 s 9 steps of about 0.104 s are done; then three go on from 1.5 s on, of whom one is gone
/// at 2 s, two from 2.5 s to the end of the step that is under way at 3 s, and then all but one.
TEST(ElasticScenario, RunsToTheEnd)
{
    const PreparedScenario prepared = Prepare(REBUILD);
    RunObserver* const nobody = nullptr;
    FairShareEngine engine(PrepareCase(prepared, 4, 0).runs,
                           prepared.MakeFairShareNetwork(4, 0),
                           nobody);
    engine.Run();
    // 9 + 4 + 5 steps are over at 3.02 s, and the other 12 begin half a second later
    EXPECT_NEAR(engine.GetNow(), 3.02 + 0.5 + 12 * 0.1035, 0.06);
}

TEST(ElasticScenario, WithoutItTheJobStops)
{
    EXPECT_THROW(Prepare(FOR_GOOD), ns3::dml::InputError) << "which refuses returns";
}
