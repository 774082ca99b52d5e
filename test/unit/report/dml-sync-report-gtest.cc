/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-draw-plot.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-case-result.h"
#include "ns3/dml-plot-run.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-sync-report.h"
#include "ns3/dml-table.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3::dml;

namespace
{

/// @return a run of 10 s, 4 rounds: worker 0 steps of 2.5 s of which it waits 1 s, last in one
/// round; worker 1 never waits, last in three, with one step dropped; batches of 40 and 24
ReplicationSummary
MakeRun()
{
    ReplicationSummary run;
    run.sync.workers = {{4, 4, 0, 160, 10, 10, 4, 4, 1}, {4, 3, 6, 96, 10, 10, 4, 0, 3}};
    run.sync.rounds = 4;
    run.sync.largestLead = 2;
    run.sync.window = 10;
    return run;
}

/// @return two such runs of the fair-share engine
CaseSummary
MakeCase(bool workersWait)
{
    CaseSummary item;
    item.workers = 2;
    item.workersWait = workersWait;
    item.engines[EngineKind::FAIR_SHARE] = {};
    item.engines[EngineKind::FAIR_SHARE].replications = {MakeRun(), MakeRun()};
    return item;
}

} // namespace

// 7 updates in 10 s; waiting 4 of 20 s in 8 steps; 256 samples.
TEST(DmlSyncReport, Json)
{
    RunSummary summary;
    summary.cases = {MakeCase(false)};
    const auto runs = ToJson(summary)["cases"][0]["engines"]["fair-share"]["replications"];
    const auto& json = runs[1]["synchronisation"];
    EXPECT_EQ(json["update_time"], 10.0 / 7);
    EXPECT_EQ(json["steps"], 8);
    EXPECT_EQ(json["updates"], 7);
    EXPECT_EQ(json["dropped_gradients"], 6);
    EXPECT_EQ(json["mean_step"], 2.5);
    EXPECT_EQ(json["mean_waiting"], 0.5);
    EXPECT_EQ(json["waiting_share"], 0.2);
    EXPECT_EQ(json["mean_batch"], 32);
    EXPECT_EQ(json["largest_lead"], 2);
    EXPECT_EQ(json["rounds"], 4);
    EXPECT_EQ(json["workers_left_out"], 0);
    ASSERT_EQ(json["workers"].size(), 2u);
    EXPECT_EQ(json["workers"][0]["waiting_share"], 0.4);
    EXPECT_EQ(json["workers"][0]["mean_batch"], 40);
    EXPECT_EQ(json["workers"][1]["straggler_share"], 0.75);
    const auto nothing = ToJson(SyncSummary());
    EXPECT_TRUE(nothing["update_time"].is_null());
    EXPECT_TRUE(nothing["waiting_share"].is_null());
    EXPECT_TRUE(nothing["largest_lead"].is_null());
}

TEST(DmlSyncReport, CrossesAProcessBoundary)
{
    CaseResult result;
    result.summary = MakeRun();
    result.summary.workersAlike = false;
    result.batches = BatchSeries{"packet", {{}, {{3, 32, 0.5}}}};
    result.timeline.emplace();
    result.timeline->steps = {{1, 2, 3, 4, 5, 4.5, 6, 7}};
    const CaseResult read = UnpackCaseResult(PackCaseResult(result));
    EXPECT_EQ(ToJson(read.summary.sync), ToJson(result.summary.sync));
    EXPECT_FALSE(read.summary.workersAlike);
    ASSERT_TRUE(read.batches);
    EXPECT_EQ(read.batches->workers.at(1).at(0).batch, 32u);
    EXPECT_EQ(read.timeline->steps.at(0).done, 4.5);
    EXPECT_EQ(read.timeline->steps.at(0).dropped, 7u);
    EXPECT_FALSE(UnpackCaseResult(PackCaseResult({})).summary.sync.largestLead);
}

// Both replications together: 14 updates in 20 s; worker 1 was last in 6 of 8 rounds.
TEST(DmlSyncReport, Table)
{
    SyncTable table;
    table.Add(MakeCase(false));
    EXPECT_EQ(table.Format(), "") << "nobody waits, and all workers are alike";
    table.Add(MakeCase(true));
    CaseSummary item = MakeCase(false);
    item.engines[EngineKind::FAIR_SHARE].replications[1].workersAlike = false;
    item.engines[EngineKind::PACKET] = {};
    item.engines[EngineKind::PACKET].replications.resize(1);
    item.engines[EngineKind::PACKET].replications[0].workersAlike = false;
    table.Add(item);
    EXPECT_EQ(table.Format(),
              "\n"
              "                   update     step waiting       batch  dropped  lead  straggler\n"
              "   W     engine         s        s       %     samples    grads steps  of rounds\n"
              "--------------------------------------------------------------------------------\n"
              "   2 fair-share     1.429    2.500    0-40       24-40       12     2     w1 75%\n"
              "   2 fair-share     1.429    2.500    0-40       24-40       12     2     w1 75%\n"
              "   2     packet         -        -       -           -        0     -          -\n");
}

// The other replication has 160 and 96 samples in 4 steps of workers 0 and 1: (99999 + 96) / 5 =
// 20019.
TEST(DmlSyncReport, TableFollowsItsVariantAndFitsATerminal)
{
    RunSummary summary;
    summary.cases = {MakeCase(true), MakeCase(false)};
    summary.cases[0].variant = {{"job.sync", "bsp"}};
    summary.cases[1].variant = {{"job.sync", "async"}};
    SyncSummary& sync = summary.cases[0].engines[EngineKind::FAIR_SHARE].replications[0].sync;
    sync.workers.assign(4096, {1, 1, 12345678, 99999, 1234567, 1234567, 1, 1234567, 0});
    sync.workers[4095].last = 8;
    summary.cases[0].workers = 4096;
    const std::string text = FormatTable(summary);
    const auto head = text.find("straggler\n");
    EXPECT_LT(head, text.find("job.sync=async"));
    EXPECT_EQ(text.find("straggler\n", head + 1), std::string::npos);
    EXPECT_NE(text.find("4096 fair-share "), std::string::npos);
    EXPECT_NE(text.find("     100 20019-99999    5e+10     2 w4095 100%\n"), std::string::npos)
        << text;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line))
    {
        EXPECT_LE(line.size(), 80u) << line;
    }
}

// Worker 0: 2.5 s, of which 1.5 are its own; worker 1: all its own; of worker 2 nothing is known.
TEST(DmlPlotWaiting, BarsOfOwnWorkAndWaiting)
{
    CaseSummary item = MakeCase(true);
    for (auto& run : item.engines[EngineKind::FAIR_SHARE].replications)
    {
        run.sync.workers.push_back({4, 4, 0, 160, 10, 0, 0, 0, 0});
    }
    item.engines[EngineKind::PACKET] = item.engines[EngineKind::FAIR_SHARE];
    const PlotScript plot = PlotWaiting(item, "it's");
    ASSERT_EQ(plot.blocks.size(), 2u);
    EXPECT_EQ(plot.blocks[1].rows,
              (std::vector<std::vector<double>>{{0, 1.5, 1, 0.4}, {1, 2.5, 0, 0}}));
    EXPECT_NE(plot.commands.find("W = 2"), std::string::npos);
    Draw(plot);
    for (auto& run : item.engines[EngineKind::FAIR_SHARE].replications)
    {
        run.sync = {};
    }
    item.engines.erase(EngineKind::PACKET);
    Draw(PlotWaiting(item, "nothing known", "empty"));
}

// Worker 0 starts with 32 samples and goes on with 30; worker 1, whose first step does not say, has
// 32, then 34. It was done after 0.5 of 2 s.
TEST(DmlPlotBatches, BatchesOfEachWorker)
{
    BatchCollector collector("packet", 2);
    collector.On(StepRecord{0, 0, 0, 0, 1, 0.75, 32, 0});
    collector.On(StepRecord{1, 0, 0, 0, 1});
    collector.On(StepRecord{1, 1, 0, 1, 3, 1.5, 32, 0});
    EXPECT_FALSE(collector.Varies());
    collector.On(StepRecord{0, 1, 0, 1, 3, UNKNOWN_TIME, 30, 0});
    EXPECT_TRUE(collector.Varies());
    const PlotScript plot = PlotBatches("it's", {collector.GetSeries()});
    ASSERT_EQ(plot.blocks.size(), 2u);
    EXPECT_EQ(plot.blocks[0].rows,
              (std::vector<std::vector<double>>{{0, 0, 32, 0.75}, {0, 1, 30, 2}}));
    EXPECT_EQ(plot.blocks[1].rows, (std::vector<std::vector<double>>{{1, 1, 32, 0.5}}));
    // the panel of sizes is above that of times: its bottom is the other's top or higher
    const auto size = plot.commands.find("batch size");
    const auto time = plot.commands.find("batch processing time");
    const auto margin = [&plot](const std::string& name, std::size_t before) {
        const std::string text = "set " + name + " at screen ";
        return std::stod(plot.commands.substr(plot.commands.rfind(text, before) + text.size()));
    };
    EXPECT_GT(margin("bmargin", size), margin("tmargin", time));
    Draw(plot);
    Draw(PlotBatches("nothing", {BatchSeries{"packet", {}}}, "empty"));
    Draw(PlotBatches("many", {BatchSeries{"packet", {20, {{0, 1, 1}, {1, 2, 1}}}}}, "many"));
}

// 2001 points are one too many: only even steps stay, 0 to 2000, and 2002 follows.
TEST(DmlPlotBatches, KeepsABoundedNumberOfPoints)
{
    BatchCollector collector("packet", 1);
    for (uint32_t step = 0; step < 2003; ++step)
    {
        collector.On(StepRecord{0, step, 0, 0, 1, 1, 32, 0});
    }
    const auto& points = collector.GetSeries().workers[0];
    ASSERT_EQ(points.size(), 1002u);
    EXPECT_EQ(points[1].step, 2u);
    EXPECT_EQ(points.back().step, 2002u);
}
