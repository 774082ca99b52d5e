/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What faults make of links, workers and servers. Every time is derived by hand in the comments.

#include "dml-fair-share-fixture.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-host-role.h"
#include "ns3/dml-link-changes.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-process-faults.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-topology-builder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::dml;

namespace
{

FaultSpec
Down(double at, double duration)
{
    FaultSpec fault;
    fault.kind = FaultSpec::Kind::DOWN;
    fault.link = {"ps0"};
    fault.start = Seconds(at);
    fault.duration = Seconds(duration);
    return fault;
}

FaultSpec
Rate(const std::string& rate, double at, double duration = 0)
{
    FaultSpec fault = Down(at, duration);
    fault.kind = FaultSpec::Kind::RATE;
    fault.rate = DataRate(rate);
    fault.duration = duration > 0 ? fault.duration : Time::Max();
    return fault;
}

ProcessFaultSpec
Slow(const std::string& host, double factor, double at, double duration = 0)
{
    ProcessFaultSpec fault;
    fault.host = host;
    fault.factor = factor;
    fault.start = Seconds(at);
    fault.duration = duration > 0 ? Seconds(duration) : Time::Max();
    return fault;
}

ProcessFaultSpec
Crash(const std::string& host, double at, double rejoin = 0)
{
    ProcessFaultSpec fault = Slow(host, 1, at, rejoin);
    fault.kind = ProcessFaultSpec::Kind::CRASH;
    return fault;
}

/// A change as text: "LINK@SECONDS:MBPS", with "x" where it is down.
std::string
Text(const std::vector<LinkChange>& changes)
{
    std::string text;
    for (const auto& change : changes)
    {
        text += std::to_string(change.link) + "@" + std::to_string(change.time.GetMilliSeconds()) +
                ":" + std::to_string(change.rate.GetBitRate() / 1000000) +
                (change.down ? "x " : " ");
    }
    return text;
}

/// What the faults make of a star with one server and one worker at 1 Gbit/s.
std::string
ChangesOf(const std::vector<FaultSpec>& faults)
{
    return Text(ListLinkChanges(BuildNetwork({}, {{1, 1}}), faults));
}

/// Runs of two jobs with two workers and two servers each.
std::vector<TrainingRun>
TwoRuns()
{
    ProfileBuilder builder;
    builder.Pull("a", 100).Pull("b", 100);
    FairShareCase c(builder);
    c.servers = 2;
    c.Prepare({0, 0}, 1);
    return {c.run, c.run};
}

/// When an op of 1 s that starts at 0 ends.
double
EndOfSecond(const std::shared_ptr<const DeviceSpeed>& speed)
{
    return speed ? FindWorkSeconds(*speed, 0, 1) : 1;
}

} // namespace

TEST(LinkChanges, TheLowestRateHoldsAndDownWins)
{
    // 500 Mbit/s from 1 to 5, 200 from 2 to 3, down from 2.5 to 3.5; another 500 from 5 to 6
    // follows without a change; 2000 from 7 on
    const std::vector<FaultSpec> faults{Rate("500Mbps", 1, 4),
                                        Rate("200Mbps", 2, 1),
                                        Down(2.5, 1),
                                        Rate("500Mbps", 5, 1),
                                        Rate("2Gbps", 7)};
    const std::string there =
        "0@1000:500 0@2000:200 0@2500:200x 0@3000:500x 0@3500:500 0@6000:1000 "
        "0@7000:2000 ";
    std::string back = there;
    for (std::size_t i = 0; i < back.size(); i = back.find(' ', i) + 1)
    {
        back[i] = '1';
    }
    EXPECT_EQ(ChangesOf(faults), there + back);
}

TEST(LinkChanges, WhatChangesNothingIsLeftOut)
{
    FaultSpec loss;
    loss.probability = 0.5;
    EXPECT_EQ(ChangesOf({loss}), "");
    EXPECT_EQ(ChangesOf({Rate("1Gbps", 1, 1)}), "");
    EXPECT_EQ(ChangesOf({Rate("100Mbps", 0, 9), Rate("200Mbps", 1, 2)}),
              "0@0:100 0@9000:1000 1@0:100 1@9000:1000 ");
    EXPECT_EQ(ChangesOf({Down(1, 2), Down(2, 2), Down(4, 1)}),
              "0@1000:1000x 0@5000:1000 1@1000:1000x 1@5000:1000 ");
}

TEST(FairShareFaults, ALinkWithAnotherRate)
{
    // 50 B until 0.5, then 50 B at 50 B/s: 1.5; at 200 B/s instead: 0.75;
    // at 50 B/s until 1, 75 B, and the rest at the old rate: 1.25
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        for (const auto& [changes, end] :
             {std::pair{std::vector<CapacityChange>{{0.5, 0, 50}}, 1.5},
              std::pair{std::vector<CapacityChange>{{0.5, 0, 200}}, 0.75},
              std::pair{std::vector<CapacityChange>{{0.5, 0, 50}, {1, 0, 100}}, 1.25}})
        {
            ProfileBuilder builder;
            builder.Pull("a", 100);
            FairShareCase c(builder);
            c.network.rule = rule;
            c.network.changes = changes;
            c.Prepare({0}, 1);
            c.network.links =
                MakeStarFlowNetwork({1, 1}, 1000, 100); // the server's link is the slower
            FairShareEngine(c.run, c.network, &c.recorder).Run();
            EXPECT_NEAR(c.Arrival("pull/a"), end, 1e-9);
        }
    }
}

TEST(FairShareFaults, CapacitiesAreTheGoodputOfTheRates)
{
    Scenario scenario;
    UseTransport("plain", scenario.network);
    scenario.network.faults = {Rate("500Mbps", 1, 2), Down(2, 2)};
    const auto network = MakeFairShareNetwork(scenario, BuildNetwork(scenario.network, {{1, 1}}));
    const WireFormat format = GetWireFormat(1500, false);
    const double whole = GetGoodput(DataRate("1Gbps"), format);
    ASSERT_EQ(network.changes.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i)
    {
        const double times[] = {1, 2, 3, 4};
        const double rates[] = {whole / 2, 0, 0, whole};
        EXPECT_EQ(network.changes[i].link, i / 4);
        EXPECT_EQ(network.changes[i].time, times[i % 4]);
        EXPECT_NEAR(network.changes[i].bytesPerSecond, rates[i % 4], 1e-9 * whole);
    }
    EXPECT_EQ(network.rule, SharingRule::MAX_MIN);
    EXPECT_EQ(network.links.capacities[0], whole);
}

TEST(HostRole, IsTheReverseOfTheNames)
{
    const std::vector<JobSize> jobs{{2, 1}, {1, 3}};
    for (uint32_t job = 0; job < 2; ++job)
    {
        for (uint32_t i = 0; i < jobs[job].workers; ++i)
        {
            const auto role = FindHostRole(WorkerName(job, i), jobs);
            ASSERT_TRUE(role);
            EXPECT_TRUE(role->isWorker && role->job == job && role->index == i);
        }
        for (uint32_t i = 0; i < jobs[job].servers; ++i)
        {
            const auto role = FindHostRole(ServerName(job, i), jobs);
            ASSERT_TRUE(role);
            EXPECT_TRUE(!role->isWorker && role->job == job && role->index == i);
        }
    }
    for (const char* name : {"worker2", "ps1", "job1.worker1", "job2.ps0", "job0.ps0", "x", ""})
    {
        EXPECT_FALSE(FindHostRole(name, jobs)) << name;
    }
}

TEST(ProcessFaults, SlowDownsStretchWhatRuns)
{
    auto runs = TwoRuns();
    // half as fast from 0.5 on: 0.5 + 1; only until 1: 0.25 done in between, the rest until 1.25;
    // half as fast until 0.5, standing still until 1.5: 0.25 done, the rest until 2.25
    ApplyProcessFaults({Slow("worker0", 0.5, 0.5),
                        Slow("worker1", 0.5, 0.5, 0.5),
                        Slow("ps1", 0.5, 0, 0.5),
                        Slow("ps1", 0, 0.5, 1)},
                       runs);
    ASSERT_EQ(runs[0].compute.size(), 2u);
    ASSERT_EQ(runs[0].serverSpeeds.size(), 2u);
    EXPECT_NEAR(EndOfSecond(runs[0].compute[0].speed), 1.5, 1e-12);
    EXPECT_NEAR(EndOfSecond(runs[0].compute[1].speed), 1.25, 1e-12);
    EXPECT_FALSE(runs[0].serverSpeeds[0]);
    EXPECT_NEAR(EndOfSecond(runs[0].serverSpeeds[1]), 2.25, 1e-12);
    EXPECT_TRUE(runs[1].compute.empty() && runs[1].serverSpeeds.empty());
    EXPECT_EQ(runs[0].compute[0].speed->At(0.7).cpu, 1) << "nobody is told";
}

TEST(ProcessFaults, SlowDownsMultiplyEachOtherAndWhatThereWas)
{
    auto runs = TwoRuns();
    ApplyProcessFaults({Slow("job1.worker1", 0.5, 0), Slow("job1.worker1", 0.25, 1, 2)}, runs);
    EXPECT_TRUE(runs[0].compute.empty());
    ASSERT_EQ(runs[1].compute.size(), 2u);
    EXPECT_FALSE(runs[1].compute[0].speed);
    EXPECT_EQ(runs[1].compute[1].speed->At(0.5).speed, 0.5);
    EXPECT_EQ(runs[1].compute[1].speed->At(1).speed, 0.125);
    EXPECT_EQ(runs[1].compute[1].speed->At(3).speed, 0.5);
    // once more, on top
    ApplyProcessFaults({Slow("job1.worker1", 4, 2)}, runs);
    EXPECT_EQ(runs[1].compute[1].speed->At(1).speed, 0.125);
    EXPECT_EQ(runs[1].compute[1].speed->At(2.5).speed, 0.5);
    EXPECT_EQ(runs[1].compute[1].speed->At(3).speed, 2);
}

TEST(ProcessFaults, ASlowWorkerOrServerIsLateInTheFairShareEngine)
{
    // pull 0-1, forward 1-2, push 2-3, update 3-4
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("forward", {1}, {"pull/a"}).Push("a", 0, {"forward"});
    builder.Update("a", 1);
    const auto endOf = [&](const std::vector<ProcessFaultSpec>& faults) {
        FairShareCase c(builder);
        c.Prepare({0}, 1);
        std::vector<TrainingRun> runs{c.run};
        ApplyProcessFaults(faults, runs);
        c.network.rule = SharingRule::MAX_MIN;
        c.network.links = MakeStarFlowNetwork({1, 1}, FairShareCase::RATE, FairShareCase::RATE);
        FairShareEngine(runs.front(), c.network, &c.recorder).Run();
        return c.recorder.steps.at(0).end;
    };
    EXPECT_NEAR(endOf({}), 4, 1e-9);
    // half of forward is done at 1.5, the rest takes 1 s
    EXPECT_NEAR(endOf({Slow("worker0", 0.5, 1.5)}), 4.5, 1e-9);
    // 0.25 of it in (1.5, 2), the rest until 2.25
    EXPECT_NEAR(endOf({Slow("worker0", 0.5, 1.5, 0.5)}), 4.25, 1e-9);
    // while nothing computes
    EXPECT_NEAR(endOf({Slow("worker0", 0, 0, 1)}), 4, 1e-9);
    // the update stands still from 3.5 to 5.5
    EXPECT_NEAR(endOf({Slow("ps0", 0, 3.5, 2)}), 6, 1e-9);
    // twice as fast: 1 to 1.5, and the update from 2.5 to 3 alike
    EXPECT_NEAR(endOf({Slow("worker0", 2, 0), Slow("ps0", 2, 0)}), 3, 1e-9);
}

TEST(ProcessFaults, CrashesHaveTimesFromTheStartOfTheRun)
{
    auto runs = TwoRuns();
    ApplyProcessFaults({Crash("worker1", 3), Crash("worker0", 2, 0.5)}, runs);
    ASSERT_EQ(runs[0].crashes.size(), 2u);
    EXPECT_TRUE(runs[1].crashes.empty());
    EXPECT_EQ(runs[0].crashes[0].worker, 1u);
    EXPECT_EQ(runs[0].crashes[0].at, 3);
    EXPECT_TRUE(std::isinf(runs[0].crashes[0].rejoin));
    EXPECT_EQ(runs[0].crashes[1].worker, 0u);
    EXPECT_EQ(runs[0].crashes[1].at, 2);
    EXPECT_EQ(runs[0].crashes[1].rejoin, 2.5);
}

TEST(ScenarioFaults, RunsHaveThemButTheOneWorkerRunHasNot)
{
    const ScratchFolder folder;
    folder.Write("p.yaml",
                 "schema: dml-profile/1\n"
                 "model: test\n"
                 "batch_size: 1\n"
                 "tensors: [{name: a, bytes: 1000000}]\n"
                 "ops:\n"
                 "  - {name: pull/a, kind: pull, tensor: a}\n"
                 "  - {name: f, kind: forward, deps: [pull/a], seconds: 0.1}\n"
                 "  - {name: push/a, kind: push, tensor: a, deps: [f]}\n"
                 "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.1}\n");
    const std::string job = "job: {profile: p.yaml, workers: 2, steps: 5, warmup: 1}\n";
    const auto prepare = [&](const std::string& rest) {
        const auto file = folder.Write("s.yaml", job + rest);
        return PrepareScenario(ReadScenario(file).front(), false);
    };
    const auto without = prepare("");
    const auto with = prepare("faults:\n"
                              "  - {crash: worker1, at: 1s, rejoin: 2s}\n"
                              "  - {slow: worker0, to: 0.5}\n"
                              "  - {rate: 1Mbps}\n"
                              "  - {slow: ps0, to: 0.1, at: 1ms, for: 1s}\n");
    EXPECT_EQ(with.GetJob().oneWorker.step, without.GetJob().oneWorker.step);
    EXPECT_EQ(PrepareCase(without, 2, 0).runs.front().compute.at(0).speed, nullptr);
    const TrainingRun run = PrepareCase(with, 2, 0).runs.front();
    EXPECT_NEAR(EndOfSecond(run.compute.at(0).speed), 2, 1e-12);
    EXPECT_NEAR(EndOfSecond(run.compute.at(1).speed), 1, 1e-12);
    EXPECT_EQ(run.serverSpeeds.at(0)->At(0.5).speed, 0.1);
    EXPECT_EQ(run.crashes.at(0).rejoin, 3);
    EXPECT_EQ(ScenarioToJson(with.scenario)["faults"].dump(),
              "[{\"rate\":\"1000000bps\",\"at\":\"0ns\"},"
              "{\"crash\":\"worker1\",\"at\":\"1000000000ns\",\"rejoin\":\"2000000000ns\"},"
              "{\"slow\":\"worker0\",\"to\":0.5,\"at\":\"0ns\"},"
              "{\"slow\":\"ps0\",\"to\":0.1,\"at\":\"1000000ns\",\"for\":\"1000000000ns\"}]");
}

// A checkpoint each 2 s: the last one before 5 s is of 4 s; at 8 s one is just saved.
TEST(DmlFaults, ServersComeBackWithTheirLastCheckpoint)
{
    const std::vector<ProcessFaultSpec> faults{Crash("ps1", 8, 1),
                                               Crash("worker0", 1),
                                               Crash("ps0", 5, 2)};
    const auto crashes = ListServerCrashes(faults, {{3, 2}}, Seconds(2));
    ASSERT_EQ(crashes.size(), 2U);
    EXPECT_EQ(crashes[0].server, 0U);
    EXPECT_DOUBLE_EQ(crashes[0].at, 5);
    EXPECT_DOUBLE_EQ(crashes[0].back, 7);
    EXPECT_DOUBLE_EQ(crashes[0].checkpoint, 4);
    EXPECT_EQ(crashes[1].server, 1U);
    EXPECT_DOUBLE_EQ(crashes[1].checkpoint, 8);
    EXPECT_DOUBLE_EQ(ListServerCrashes(faults, {{3, 2}}, std::nullopt)[1].checkpoint, 0);
    // at 6 s the server was down
    const auto again =
        ListServerCrashes({Crash("ps0", 5, 2), Crash("ps0", 7.5, 1)}, {{3, 2}}, Seconds(2));
    EXPECT_DOUBLE_EQ(again[1].checkpoint, 4);
}
