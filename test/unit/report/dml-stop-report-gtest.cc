/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-case-result.h"
#include "ns3/dml-run-notes.h"
#include "ns3/dml-stop-options.h"
#include "ns3/dml-summary-json.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// A run of 4 CPU seconds that stopped after @p steps of 400.
ReplicationSummary
MakeRun(uint32_t replication, uint32_t steps, bool sure)
{
    ReplicationSummary run;
    run.replication = replication;
    run.cpuSeconds = 4;
    StopSummary stop;
    stop.sure = sure;
    stop.reason = sure ? "" : "its interval is +- 3.4 %";
    stop.target = 0.02;
    stop.interval = RateInterval{10, sure ? 0.015 : 0.034, -0.25, 25, 4};
    stop.warm = true;
    stop.warmup = 41;
    stop.steps = steps;
    stop.atMost = 400;
    run.stop = stop;
    return run;
}

RunSummary
MakeStoppedSummary()
{
    RunSummary summary;
    CaseSummary item;
    item.workers = 3;
    item.engines[EngineKind::FAIR_SHARE] = {};
    item.engines[EngineKind::FAIR_SHARE].replications = {MakeRun(0, 100, true),
                                                         MakeRun(1, 200, true)};
    item.engines[EngineKind::PACKET] = {};
    item.engines[EngineKind::PACKET].replications = {MakeRun(0, 160, true), MakeRun(1, 400, false)};
    summary.cases.push_back(item);
    return summary;
}

} // namespace

// A run of 4 s that did 100 of 400 steps would have taken 16 s: 12 s saved; one of 200: 4 s.
TEST(DmlStopReport, AddsUpWhatWasSaved)
{
    StopTotals totals;
    totals.Add(MakeRun(0, 100, true));
    totals.Add(MakeRun(1, 200, true));
    totals.Add(ReplicationSummary()); // one that does all its steps
    EXPECT_EQ(totals.runs, 2u);
    EXPECT_EQ(totals.sure, 2u);
    EXPECT_EQ(totals.fewest, 100u);
    EXPECT_EQ(totals.most, 200u);
    EXPECT_EQ(totals.atMost, 800u);
    EXPECT_DOUBLE_EQ(totals.GetSavedShare(), 500.0 / 800);
    EXPECT_DOUBLE_EQ(totals.savedSeconds, 16);
}

TEST(DmlStopReport, SaysWhatWasSavedAndWhoIsNotSure)
{
    EXPECT_EQ(DescribeSavings(MakeStoppedSummary()),
              "fair-share: 2 of 2 runs sure, after 100 to 200 steps;\n"
              "  saved 62 % of the 800 steps allowed, about 16 s of CPU\n"
              "packet: 1 of 2 runs sure, after 160 to 400 steps;\n"
              "  saved 30 % of the 800 steps allowed, about 6 s of CPU\n");
    const auto notes = MakeStopNotes(MakeStoppedSummary());
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(
        notes[0],
        "not sure: W=3, packet: 1 of 2 runs does not know the throughput within 2 % after 400 "
        "steps (replication 1: its interval is +- 3.4 %)");
    RunSummary fixed;
    fixed.cases.emplace_back();
    fixed.cases.back().engines[EngineKind::PACKET] = {};
    fixed.cases.back().engines[EngineKind::PACKET].replications.emplace_back();
    EXPECT_EQ(DescribeSavings(fixed), "");
    EXPECT_TRUE(MakeStopNotes(fixed).empty());
}

TEST(DmlStopReport, WritesWhatIsKnownIntoTheSummary)
{
    const auto json = ToJson(MakeStoppedSummary())["cases"][0]["engines"];
    const auto& sure = json["packet"]["replications"][0]["stop"];
    EXPECT_EQ(sure.dump(),
              R"({"sure":true,"target":0.02,"half_width":0.015,"steps":160,"at_most":400,)"
              R"("warmup":41,"warmup_given":false,"batches":25,"rounds_in_a_batch":4,)"
              R"("correlation":-0.25})");
    const auto& doubtful = json["packet"]["replications"][1];
    EXPECT_EQ(doubtful["stop"]["not_sure_because"], "its interval is +- 3.4 %");
    EXPECT_EQ(doubtful["timing"]["saved_cpu_seconds"], 0);
    EXPECT_EQ(json["fair-share"]["replications"][0]["timing"]["saved_cpu_seconds"], 12);
    EXPECT_EQ(json["packet"]["stop"].dump(),
              R"({"runs":2,"sure":1,"steps":560,"at_most":800,"saved_share":0.3})");
}

// A run of a child process reaches the study whole.
TEST(DmlStopReport, CrossesAProcessBoundary)
{
    CaseResult result;
    result.summary = MakeRun(1, 400, false);
    const auto copy = UnpackCaseResult(PackCaseResult(result)).summary;
    ASSERT_TRUE(copy.stop);
    EXPECT_EQ(StopToJson(*copy.stop), StopToJson(*result.summary.stop));
    EXPECT_FALSE(UnpackCaseResult(PackCaseResult(CaseResult())).summary.stop);
}

// The fault from 2 s to 5 s, the flow until 9 s, and one for good from 3 s: the last change is at 9
// s, the last one that stays at 3 s; with a crash at 4 s and rejoin after 8 s the last is at 12 s;
// one for good at 10 s stays.
TEST(DmlStopReport, KnowsWhenTheLastThingHappens)
{
    Scenario scenario;
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 0);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 0);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 0);
    FaultSpec fault;
    fault.start = ns3::Seconds(2);
    fault.duration = ns3::Seconds(3);
    scenario.network.faults = {fault};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 5);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 0);
    BackgroundSpec flow;
    flow.start = ns3::Seconds(1);
    flow.stop = ns3::Seconds(9);
    BackgroundSpec endless;
    endless.start = ns3::Seconds(3);
    scenario.network.background = {flow, endless};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 9);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 3);
    ProcessFaultSpec crash;
    crash.start = ns3::Seconds(4);
    crash.duration = ns3::Seconds(8);
    scenario.processFaults = {crash};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 12);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 3);
    crash.start = ns3::Seconds(10);
    crash.duration = ns3::Time::Max();
    scenario.processFaults.push_back(crash);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 12);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 10);
}

// A transfer of so many bytes from 6 s on ends some time, so nothing stays; workers that have
// started do, those of another job, at 7 s, too, but not the second one of a job of one worker.
TEST(DmlStopReport, KnowsWhatOtherJobsAndFlowsDo)
{
    Scenario scenario;
    BackgroundSpec bulk;
    bulk.kind = BackgroundSpec::Kind::BULK;
    bulk.bytes = 1000;
    bulk.start = ns3::Seconds(6);
    scenario.network.background = {bulk};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 6);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 0);
    scenario.otherJobs.resize(2);
    scenario.job.start.offsets = {ns3::Seconds(0), ns3::Seconds(4)};
    scenario.otherJobs[1].workers = {2};
    scenario.otherJobs[1].start.offsets = {ns3::Seconds(7), ns3::Seconds(5)};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 7);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 7);
    scenario.otherJobs[1].start.offsets.clear();
    EXPECT_EQ(FindScheduledChanges(scenario, 2).lasting, 4);
    EXPECT_EQ(FindScheduledChanges(scenario, 1).lasting, 0);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 0);
}

// Spikes of 1 s begin 10 s after the end of the last: every 11 s; a trace of another job repeats
// after 12 s; speeds change every 13 s; a flow is 6 s on and 8 s off. One that stops at 50 s has no
// period: it is waited for.
TEST(DmlStopReport, KnowsHowOftenThingsRecur)
{
    Scenario scenario;
    scenario.job.devices["box"].spikes.every = ns3::Seconds(10);
    scenario.job.devices["box"].spikes.length = ns3::Seconds(1);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 11);
    scenario.otherJobs.resize(1);
    scenario.otherJobs[0].devices["old"].trace.repeat = ns3::Seconds(12);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 12);
    scenario.otherJobs[0].devices["older"].changes.every = ns3::Seconds(13);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 13);
    BackgroundSpec flow;
    flow.kind = BackgroundSpec::Kind::ON_OFF;
    flow.on = ns3::Seconds(6);
    flow.off = ns3::Seconds(8);
    scenario.network.background = {flow};
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 14);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 0);
    scenario.network.background[0].stop = ns3::Seconds(50);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).period, 13);
    EXPECT_EQ(FindScheduledChanges(scenario, 2).last, 50);
}
