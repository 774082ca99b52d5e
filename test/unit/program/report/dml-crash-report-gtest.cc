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
