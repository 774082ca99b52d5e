/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Studies of very many replications: what is kept of each, and summary.json in parts.

#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-summary-json.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <random>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace ns3::dml;

namespace
{

/// A replication with a hundred steps of one worker.
ReplicationSummary
MakeRun(uint32_t replication)
{
    std::mt19937 random(replication);
    ReplicationSummary run;
    run.replication = replication;
    run.seed = replication + 1;
    run.throughput.samplesPerSecond = 10 + 0.001 * (random() % 1000);
    for (uint32_t step = 0; step < 100; ++step)
    {
        const double seconds = 1e-4 * (1 + random() % 10000);
        run.schedule->step.Add(seconds);
        run.schedule->gradients.transfer.Add(0.3 * seconds);
        run.schedule->parameters.transfer.Add(0.2 * seconds);
    }
    run.downlink = {0.5};
    run.uplink = {0.25};
    run.sync.workers.resize(1);
    return run;
}

/// @return bytes that are allocated; 0 where nobody knows
std::size_t
CountBytes()
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

TEST(ManyReplications, LeaveLittleBehind)
{
    constexpr uint32_t RUNS = 2000;
    EngineSummary engine;
    engine.Add(MakeRun(0));
    const std::size_t before = CountBytes();
    for (uint32_t i = 1; i <= RUNS; ++i)
    {
        engine.Add(MakeRun(i));
    }
    EXPECT_LE(CountBytes() - before, std::size_t{RUNS} * 1000);
}

TEST(ManyReplications, AreTakenTogetherInTheirOrderWhateverOrderTheyEndIn)
{
    EngineSummary inOrder;
    ScheduleSummary together;
    for (uint32_t i = 0; i < 20; ++i)
    {
        inOrder.Add(MakeRun(i));
        together.Merge(*MakeRun(i).schedule);
    }
    std::vector<uint32_t> order(20);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    EngineSummary shuffled;
    for (const uint32_t i : order)
    {
        shuffled.Add(MakeRun(i));
        EXPECT_EQ(shuffled.GetSchedule().step.count, 100 * shuffled.replications.size());
    }
    EXPECT_EQ(shuffled.GetSchedule().step.sum, together.step.sum) << "to the last bit";
    EXPECT_EQ(inOrder.GetSchedule().gradients.transfer.sum, together.gradients.transfer.sum);
    EXPECT_EQ(shuffled.GetSchedule().step.bins, together.step.bins);
    for (uint32_t i = 0; i < 20; ++i)
    {
        EXPECT_EQ(shuffled.replications[i].replication, i);
        EXPECT_EQ(shuffled.replications[i].GetScheduleMeans()[0],
                  MakeRun(i).schedule->step.GetMean());
    }
}

TEST(ManyReplications, AreWrittenInPartsAsTheWholeWouldBe)
{
    RunSummary summary;
    summary.name = "\"replications\": [\n \"replications\"\n";
    summary.notes = {"replications", "caf\xe9"};
    summary.cases.resize(3);
    for (uint32_t i = 0; i < 5; ++i)
    {
        summary.cases[0].engines[EngineKind::FAIR_SHARE].Add(MakeRun(i));
        summary.cases[2].engines[EngineKind::FAIR_SHARE].Add(MakeRun(i));
    }
    summary.cases[0].engines[EngineKind::PACKET].Add(MakeRun(7));
    summary.cases[2].engines[EngineKind::PACKET]; // none yet
    summary.cases[2].tensors = {"replications"};
    const ScratchFolder folder;
    WriteSummary(folder.GetPath("summary.json"), summary);
    std::ifstream file(folder.GetPath("summary.json"));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
              ToJson(summary).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

} // namespace
