/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-case-result.h"
#include "ns3/dml-crash-meter.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-table.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// Worker 1 crashes at 5 s in step 2, with which worker 0 is ended, which had begun it at 4.5 s and
/// begins it again at 8 s.
CaseResult
MakeResult()
{
    CrashMeter meter;
    meter.On(CrashRecord{1, 5, 2, 4});
    meter.On(CrashRecord{0, 5, 2, 4.5, true});
    meter.On(RejoinRecord{0, 8, 2});
    CaseResult result;
    result.summary.crashes = meter.GetLosses();
    return UnpackCaseResult(PackCaseResult(result)); // as from another process
}

RunSummary
MakeSummary()
{
    CaseSummary item;
    item.workers = 2;
    item.engines[EngineKind::FAIR_SHARE].replications = {MakeResult().summary};
    RunSummary summary;
    summary.cases = {item};
    return summary;
}

} // namespace

TEST(DmlCrashReport, RowsSayWhoHasCrashedAndWhoWasEnded)
{
    const auto json = ToJson(MakeSummary());
    const auto& rows = json["cases"][0]["engines"]["fair-share"]["replications"][0]["crashes"];
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["worker"], 0);
    EXPECT_EQ(rows[0]["ended"], true);
    EXPECT_EQ(rows[0]["lost_seconds"], 0.5);
    EXPECT_EQ(rows[0]["back"], 8);
    EXPECT_EQ(rows[1]["worker"], 1);
    EXPECT_FALSE(rows[1].contains("ended"));
    EXPECT_TRUE(rows[1]["back"].is_null());
}

TEST(DmlCrashReport, TheTableCountsThemApart)
{
    const std::string table = FormatTable(MakeSummary());
    EXPECT_NE(table.find("crashes of workers: 1, of which 0 came back; others ended: 1;\n"
                         "  1.500 s of steps lost"),
              std::string::npos)
        << table;
}

// Where a job stops, all die at once, and only worker 1 by itself; worker 2 would have crashed
// later.
TEST(DmlCrashReport, OthersOfAJobThatStopsAreEnded)
{
    CrashMeter meter({}, {{{1, 5.0}, {2, 9.0}}});
    for (uint32_t worker = 0; worker < 3; ++worker)
    {
        meter.On(CrashRecord{worker, 5, 2, 4});
    }
    ASSERT_EQ(meter.GetLosses().size(), 3U);
    EXPECT_TRUE(meter.GetLosses()[0].ended);
    EXPECT_FALSE(meter.GetLosses()[1].ended);
    EXPECT_TRUE(meter.GetLosses()[2].ended);
}

// Server 0 crashes at 5 s; its last checkpoint is of 3 s. Of the steps, those that ended at 3.5 s
// and 5 s are lost, but not the one of 3 s. At 7 s server 1 crashes: one step more, as the others
// are lost already.
TEST(DmlCrashReport, ServersLoseTheStepsSinceTheirCheckpoint)
{
    CrashMeter meter({{0, 5, 6, 3}, {1, 7, 8, 3}, {0, 20, 21, 18}});
    for (const double end : {1.0, 3.0, 3.5, 5.0, 6.5})
    {
        meter.On(StepRecord{0, 0, 0, 0, end});
    }
    meter.On(CrashRecord{0, 5, 2, 4});
    meter.On(CrashRecord{1, 5, 2, UNKNOWN_TIME});
    meter.On(CrashRecord{0, 7, 3, 6.5});
    meter.On(ServerCrashRecord{5});
    meter.On(ServerCrashRecord{7});
    const auto losses = meter.GetServerLosses(); // the run is over before the third one
    ASSERT_EQ(losses.size(), 2U);
    EXPECT_EQ(losses[0].steps, 2U);
    EXPECT_EQ(losses[1].crash.server, 1U);
    EXPECT_EQ(losses[1].steps, 1U);
    CaseResult result;
    result.summary.crashes = meter.GetLosses();
    result.summary.serverLosses = losses;
    RunSummary summary;
    summary.cases.emplace_back();
    summary.cases[0].engines[EngineKind::FAIR_SHARE].replications = {
        UnpackCaseResult(PackCaseResult(result)).summary};
    const auto json = ToJson(summary);
    const auto& run = json["cases"][0]["engines"]["fair-share"]["replications"][0];
    EXPECT_EQ(run["server_crashes"][0]["checkpoint"], 3);
    EXPECT_EQ(run["server_crashes"][0]["lost_steps"], 2);
    EXPECT_EQ(run["crashes"][0]["ended"], true); // by the server
    const std::string table = FormatTable(summary);
    EXPECT_NE(table.find("crashes of servers: 2; 3 steps since the last"), std::string::npos)
        << table;
}
