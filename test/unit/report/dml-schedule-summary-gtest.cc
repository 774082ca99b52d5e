/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-case-result.h"
#include "ns3/dml-schedule-summary.h"
#include "ns3/dml-summary-json.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return a replication with one step of one device: efficiency @p e, busy for 6 of 10 s
ReplicationSummary
MakeRun(double e)
{
    ReplicationSummary run;
    run.schedule->efficiency.Add(e);
    run.schedule->devices = {{6, 10, 1}};
    run.schedule->gradients.wait.Add(2 * e);
    return run;
}

} // namespace

// Efficiencies 0.5 and 0.75: mean 0.625; 12 of 20 s in two steps: 0.6 used, 4 s idle each.
TEST(DmlScheduleSummary, TakesReplicationsTogether)
{
    CaseSummary item;
    item.devices = {"gpu"};
    item.engines[EngineKind::FAIR_SHARE] = {};
    item.engines[EngineKind::FAIR_SHARE].replications = {MakeRun(0.5), MakeRun(0.75)};
    RunSummary summary;
    summary.cases = {item};
    const auto engine = ToJson(summary)["cases"][0]["engines"]["fair-share"];
    EXPECT_EQ(engine["replications"][1]["schedule"]["efficiency"], 0.75);
    EXPECT_TRUE(engine["replications"][1]["schedule"]["straggler"].is_null());
    const auto& json = engine["schedule"];
    EXPECT_EQ(json["efficiency"]["mean"], 0.625);
    EXPECT_EQ(json["efficiency"]["min"], 0.5);
    EXPECT_EQ(json["efficiency"]["max"], 0.75);
    EXPECT_EQ(json["efficiency"]["count"], 2);
    EXPECT_EQ(json["gradients"]["wait"]["mean"], 1.25);
    EXPECT_EQ(json["devices"][0]["device"], "gpu");
    EXPECT_EQ(json["devices"][0]["utilisation"], 0.6);
    EXPECT_EQ(json["devices"][0]["idle"], 4);
    EXPECT_TRUE(json["straggler"]["mean"].is_null());
    EXPECT_TRUE(json["straggler"]["min"].is_null()); // never an infinite number
    EXPECT_EQ(json["straggler"]["count"], 0);
}

// What one process measured arrives in another as it was, the infinite ends of an empty one too.
TEST(DmlScheduleSummary, CrossesAProcessBoundary)
{
    CaseResult result;
    result.summary = MakeRun(-0.25);
    result.summary.schedule->straggler.undefined = 3;
    const ScheduleSummary read = *UnpackCaseResult(PackCaseResult(result)).summary.schedule;
    EXPECT_EQ(read.efficiency.bins, result.summary.schedule->efficiency.bins);
    EXPECT_EQ(read.efficiency.firstBin, result.summary.schedule->efficiency.firstBin);
    EXPECT_EQ(read.efficiency.min, -0.25);
    EXPECT_EQ(read.straggler.undefined, 3u);
    EXPECT_EQ(read.straggler.min, Distribution().min);
    ASSERT_EQ(read.devices.size(), 1u);
    EXPECT_EQ(read.devices[0].busy, 6);
    EXPECT_EQ(read.gradients.wait.max, -0.5);
}

// One worker's step of 4 s: a pull that waited 1 s and took 1 s, an op of 2 s on one slot of two.
TEST(DmlScheduleObserver, MeasuresEverythingOfARun)
{
    Profile profile;
    profile.tensors = {{"w", 1}};
    profile.devices = {{"cpu", 2}};
    profile.graph.Add({"pull/w", OpKind::PULL, 0, 0});
    profile.graph.Add({"forward", OpKind::FORWARD, 0, NO_INDEX});
    ScheduleObserver observer(profile, {1, 1, 0, false, true});
    observer.Observe({0, TransferRecord{MakeChannel(Direction::DOWNLINK, 0, 0), 0, 0, 0, 0, 1, 2}});
    observer.Observe(
        {0, ChunkRecord{0, 0, 1, false, MakeResource(ResourceLabel::DEVICE, 0, 0), 0, 2, 4}});
    observer.Observe({0, StepRecord{0, 0, 0, 0, 4}});
    const ScheduleSummary summary = observer.GetSummary();
    EXPECT_DOUBLE_EQ(summary.step.GetMean(), 4);
    EXPECT_DOUBLE_EQ(summary.parameters.wait.GetMean(), 1);
    EXPECT_EQ(summary.gradients.wait.count, 0u);
    EXPECT_DOUBLE_EQ(summary.devices.at(0).GetUtilisation(), 2.0 / 8);
    EXPECT_DOUBLE_EQ(summary.speedup.GetMean(), 2); // U = 1 + 2, L = 2 / 2
    EXPECT_EQ(summary.straggler.GetMean(), 0);      // nobody else
    EXPECT_EQ(observer.GetTransfers().GetTensors().at(0).transfer.count, 1u);
}
