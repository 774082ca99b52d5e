/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Background flows, links that change and several jobs. Every time is derived by hand in the
// comments; links carry 100 bytes/s. With one server, link 0 is its downlink.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// One worker that pulls from one server.
FairShareCase
OnePull(uint64_t bytes = 100)
{
    ProfileBuilder builder;
    builder.Pull("a", bytes);
    FairShareCase c(builder);
    c.network.rule = SharingRule::MAX_MIN;
    return c;
}

/// Add a flow on the server's downlink.
void
AddBackground(FairShareCase& c, const BackgroundFlow& flow)
{
    NetworkFlow route;
    route.forward = {0};
    c.routes.push_back(route);
    c.network.background.push_back(flow);
}

BackgroundFlow
Bulk(double start, double bytes)
{
    BackgroundFlow flow;
    flow.start = start;
    flow.bytes = bytes;
    return flow;
}

BackgroundFlow
Constant(double rate, double start, double stop)
{
    BackgroundFlow flow;
    flow.kind = BackgroundFlow::Kind::CONSTANT;
    flow.rate = rate;
    flow.start = start;
    flow.stop = stop;
    return flow;
}

BackgroundFlow
OnOff(double on, double off, bool exponential = false, uint32_t seed = 1)
{
    BackgroundFlow flow;
    flow.kind = BackgroundFlow::Kind::ON_OFF;
    flow.on = on;
    flow.off = off;
    flow.exponential = exponential;
    flow.seed = seed;
    return flow;
}

/// Each job has one worker and one server; all downlinks are link 0, all uplinks link 1.
FairShareNetwork
OneLinkForAll(uint32_t jobs)
{
    FairShareNetwork network;
    network.rule = SharingRule::MAX_MIN;
    network.links.capacities = {FairShareCase::RATE, FairShareCase::RATE};
    network.links.training = ListTrainingFlows(std::vector<JobShape>(jobs));
    network.links.flows.resize(2 * jobs);
    for (FlowId flow = 0; flow < 2 * jobs; ++flow)
    {
        network.links.flows[flow].forward = {flow % 2};
        network.links.flows[flow].reverse = {1 - flow % 2};
    }
    return network;
}

/// Run two jobs of one worker each.
RunRecorder
RunTwo(FairShareCase& first, FairShareCase& second, uint32_t steps, const FairShareNetwork& network)
{
    first.Prepare({0}, steps);
    second.Prepare({0}, 1);
    RunRecorder recorder;
    FairShareEngine engine({first.run, second.run}, network, &recorder);
    engine.Run();
    return recorder;
}

} // namespace

TEST(FairShareBackground, AConstantRateLeavesTheRest)
{
    // 80 B/s until 0.5, then 100: 0.5 + 0.6
    auto c = OnePull();
    AddBackground(c, Constant(20, 0, 0.5));
    c.Run();
    ExpectTime(1.1, c.Arrival("pull/a"));
    EXPECT_EQ(c.servedBytes, 100u);
}

TEST(FairShareBackground, AFastConstantRateGetsItsShare)
{
    // 50 B/s each, to the end of the run: it never stops
    auto c = OnePull();
    AddBackground(c, Constant(1000, 0, BackgroundFlow::NEVER));
    c.Run();
    ExpectTime(2, c.Arrival("pull/a"));
}

TEST(FairShareBackground, BulkEndsWithItsBytes)
{
    // alone until 0.5; 50 B/s each until the bulk's 20 B are sent at 0.9; 30 B left: 1.2
    auto c = OnePull();
    AddBackground(c, Bulk(0.5, 20));
    c.Run();
    ExpectTime(1.2, c.Arrival("pull/a"));
    c.network.background[0].stop = 1; // when it has long ended
    c.recorder.transfers.clear();
    c.Run();
    ExpectTime(1.2, c.Arrival("pull/a"));
}

TEST(FairShareBackground, EndlessBulkStopsWhenToldTo)
{
    // 50 B/s each until 1, then alone: 1.5
    auto c = OnePull();
    AddBackground(c, Bulk(0, 0));
    c.network.background[0].stop = 1;
    c.Run();
    ExpectTime(1.5, c.Arrival("pull/a"));
}

TEST(FairShareBackground, OnAndOffInTurn)
{
    // 25 B until 0.5, 75 B until 1, 15 B left at 50 B/s: 1.3
    auto c = OnePull(90);
    AddBackground(c, OnOff(0.5, 0.5));
    c.Run();
    ExpectTime(1.3, c.Arrival("pull/a"));
    // the same at 20 B/s while on: 40 B, 90 B at 1
    auto d = OnePull(90);
    AddBackground(d, OnOff(0.5, 0.5));
    d.network.background[0].rate = 20;
    d.Run();
    ExpectTime(1.0, d.Arrival("pull/a"));
    // stopped at 0.25, with 12.5 B done: 0.25 + 0.775
    auto e = OnePull(90);
    AddBackground(e, OnOff(0.5, 0.5));
    e.network.background[0].stop = 0.25;
    e.Run();
    ExpectTime(1.025, e.Arrival("pull/a"));
}

TEST(FairShareBackground, DrawsDependOnTheSeedOnly)
{
    std::vector<double> ends;
    for (const uint32_t seed : {1, 1, 2})
    {
        auto c = OnePull(10000);
        AddBackground(c, OnOff(0.3, 0.7, true, seed));
        c.Run();
        ends.push_back(c.Arrival("pull/a"));
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_NE(ends[0], ends[2]);
    // 1 - 0.3 / 2 of the link: 10000 / 85
    EXPECT_NEAR(ends[0], 117.6, 8);
}

TEST(FairShareBackground, ExponentialTimesHaveTheirMeans)
{
    OnOffTimes times(OnOff(0.2, 3, true, 5));
    double on = 0;
    double off = 0;
    constexpr uint32_t N = 40000; // standard error 0.5 %
    for (uint32_t i = 0; i < N; ++i)
    {
        on += times.Next();
        off += times.Next();
    }
    EXPECT_NEAR(on / N, 0.2, 0.2 * 0.02);
    EXPECT_NEAR(off / N, 3, 3 * 0.02);
}

TEST(FairShareBackground, MistakesAreNamed)
{
    const auto expectRefused = [](const BackgroundFlow& flow, const std::string& what) {
        auto c = OnePull();
        AddBackground(c, flow);
        try
        {
            c.Run();
            FAIL() << "accepted a bad " << what;
        }
        catch (const InputError& error)
        {
            EXPECT_EQ(std::string(error.what()).find("background flow 0: " + what + ": found"), 0u)
                << error.what();
        }
    };
    expectRefused(Bulk(-1, 0), "start");
    expectRefused(Bulk(0, -1), "bytes");
    expectRefused(Bulk(0, std::nan("")), "bytes");
    expectRefused(Constant(0, 0, 1), "rate");
    expectRefused(Constant(-5, 0, 1), "rate");
    expectRefused(Constant(5, 1, 1), "stop");
    expectRefused(OnOff(0, 1), "on");
    expectRefused(OnOff(1, 1e-9), "off");
}

TEST(FairShareBackground, EveryFlowNeedsARoute)
{
    auto c = OnePull();
    c.network.background.push_back(Bulk(0, 1));
    EXPECT_THROW(c.Run(), InputError);
}

TEST(FairShareBackground, EqualSharingRefusesIt)
{
    auto c = OnePull();
    AddBackground(c, Bulk(0, 1));
    c.network.rule = SharingRule::EQUAL;
    EXPECT_THROW(c.Run(), InputError);
}

TEST(FairShareChanges, ALinkGoesDownAndComesBack)
{
    // 50 B until 0.5, nothing until 1.5, the rest at half the rate until 2.5
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        auto c = OnePull();
        c.network.rule = rule;
        c.network.changes = {{0.5, 0, 0}, {1.5, 0, 50}};
        c.Run();
        ExpectTime(2.5, c.Arrival("pull/a"));
        double bytes = 0;
        for (const auto& link : c.recorder.links)
        {
            EXPECT_LE(link.bytesPerSecond, link.start < 1 ? 100 : 50);
            bytes += link.bytesPerSecond * (link.end - link.start);
        }
        EXPECT_NEAR(bytes, 100, 1e-6);
    }
}

TEST(FairShareChanges, AnIdleLinkGoesDownAndComesBack)
{
    // down from 0 to 0.5, while the worker computes for 1 s; then it has half its rate
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        ProfileBuilder builder;
        builder.Compute("forward", {1}).Pull("a", 100, {"forward"});
        FairShareCase c(builder);
        c.network.rule = rule;
        c.network.changes = {{0, 0, 0}, {0.5, 0, 50}};
        c.Run();
        ExpectTime(3, c.Arrival("pull/a"));
    }
}

TEST(FairShareChanges, ALinkThatStaysDownStallsTheRun)
{
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        auto c = OnePull();
        c.network.rule = rule;
        c.network.changes = {{0.5, 0, 0}};
        if (rule != SharingRule::EQUAL)
        {
            AddBackground(c, OnOff(0.1, 0.1)); // goes on for ever
            c.routes[0].forward = {1};
        }
        try
        {
            c.Run();
            FAIL() << "the run must not end well";
        }
        catch (const RunError& error)
        {
            EXPECT_NE(std::string(error.what()).find("worker 0: pull/a"), std::string::npos)
                << error.what();
        }
    }
}

TEST(FairShareChanges, WhatHasNoBytesNeedsNoLink)
{
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        ProfileBuilder builder;
        builder.Compute("forward", {1}).Pull("a", 0, {"forward"});
        FairShareCase c(builder);
        c.network.rule = rule;
        c.network.changes = {{0.5, 0, 0}};
        c.Run();
        ExpectTime(1, c.Arrival("pull/a"));
    }
}

TEST(FairShareChanges, AFlowThatEndsWhenItsLinkGoesDownHasEnded)
{
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO})
    {
        auto c = OnePull();
        c.network.rule = rule;
        c.network.changes = {{1, 0, 0}};
        c.Run();
        ExpectTime(1, c.Arrival("pull/a"));
    }
}

TEST(FairShareChanges, MistakesAreRefused)
{
    for (const auto& change : {CapacityChange{-1, 0, 1},
                               CapacityChange{std::nan(""), 0, 1},
                               CapacityChange{0, 4, 1},
                               CapacityChange{0, 0, -1}})
    {
        auto c = OnePull();
        c.network.changes = {change};
        EXPECT_THROW(c.Run(), InputError);
    }
    auto c = OnePull(); // a worker's link, of which equal sharing knows nothing
    c.network.rule = SharingRule::EQUAL;
    c.network.changes = {{1, 2, 1}};
    EXPECT_THROW(c.Run(), InputError);
}

TEST(FairShareJobs, TheOthersGoOnUntilTheFirstEnds)
{
    // job 0 pulls 100 B, again and again; job 1 pulls 100 B and computes for 1 s. Both pull 0-2,
    // job 0 alone 2-3, both 3-5, job 0 alone 5-6, both 6-8, when job 0 has done five steps
    auto first = OnePull();
    ProfileBuilder builder;
    builder.Pull("b", 100).Compute("forward", {1}, {"pull/b"});
    FairShareCase second(builder);
    const RunRecorder recorder = RunTwo(first, second, 5, OneLinkForAll(2));
    std::vector<std::vector<double>> ends(2);
    for (uint32_t job = 0; job < 2; ++job)
    {
        for (const auto& step : recorder.GetJob(job).steps)
        {
            EXPECT_EQ(step.worker, 0U);
            EXPECT_EQ(step.step, ends[job].size());
            ends[job].push_back(step.end);
        }
    }
    ASSERT_EQ(ends[0].size(), 5u);
    ASSERT_EQ(ends[1].size(), 2u);
    const double expected[] = {2, 3, 5, 6, 8};
    for (std::size_t i = 0; i < 5; ++i)
    {
        ExpectTime(expected[i], ends[0][i]);
    }
    ExpectTime(3, ends[1][0]);
    ExpectTime(6, ends[1][1]);
}

TEST(FairShareJobs, RecordsNumberWorkersAndServersWithinTheirJob)
{
    auto first = OnePull();
    ProfileBuilder builder;
    builder.Pull("b", 10).Push("b", 10, {"pull/b"}).Update("b", 0.1);
    FairShareCase second(builder);
    second.overhead = {0, 0.01, true};
    const RunRecorder recorder = RunTwo(first, second, 2, OneLinkForAll(2));
    const RunRecorder& other = recorder.GetJob(1);
    ASSERT_FALSE(other.transfers.empty());
    for (const auto& transfer : other.transfers)
    {
        EXPECT_EQ(GetWorker(transfer.channel), 0U);
        EXPECT_EQ(GetServer(transfer.channel), 0U);
    }
    for (const auto& chunk : other.chunks)
    {
        EXPECT_EQ(chunk.worker, 0U);
        EXPECT_LE(GetLabelIndex(chunk.resource),
                  GetLabel(chunk.resource) == ResourceLabel::PARSER ? 1U : 0U);
    }
}

TEST(FairShareJobs, AStalledFirstJobIsAnError)
{
    // job 0 has a link of its own, which goes down, before or after it starts to pull; job 1 goes
    // on
    for (const double seconds : {0, 1})
    {
        ProfileBuilder builder;
        builder.Compute("load", {seconds}).Pull("a", 100, {"load"});
        FairShareCase first(builder);
        auto second = OnePull();
        FairShareNetwork network = OneLinkForAll(2);
        network.links.capacities.push_back(FairShareCase::RATE);
        network.links.flows[0].forward = {2};
        network.changes = {{0.5, 2, 0}};
        try
        {
            RunTwo(first, second, 1, network);
            FAIL() << "the run must not end well";
        }
        catch (const RunError& error)
        {
            EXPECT_EQ(std::string(error.what()).find("the run stalled at"), 0u) << error.what();
        }
    }
}

TEST(FairShareJobs, AJobThatTakesNoTimeIsAnError)
{
    auto first = OnePull();
    auto second = OnePull(0);
    EXPECT_THROW(RunTwo(first, second, 1, OneLinkForAll(2)), RunError);
}

TEST(FairShareJobs, TheNetworkMustFit)
{
    auto first = OnePull();
    auto second = OnePull();
    EXPECT_THROW(RunTwo(first, second, 1, OneLinkForAll(1)), InputError);
    EXPECT_THROW(RunTwo(first, second, 1, OneLinkForAll(3)), InputError);
}

TEST(FairShareJobs, WithinOneHostTransfersTakeNoTime)
{
    auto first = OnePull();
    auto second = OnePull();
    FairShareNetwork network = OneLinkForAll(2);
    network.links.flows[0].forward = {}; // job 0 is on one host, job 1 in nobody's way
    const RunRecorder recorder = RunTwo(first, second, 3, network);
    for (const auto& step : recorder.steps)
    {
        ExpectTime(0, step.end);
    }
    FairShareNetwork alone = OneLinkForAll(1);
    alone.rule = SharingRule::EQUAL; // for which flows that leave their host need a server's link
    first.Prepare({0}, 2);
    EXPECT_THROW(FairShareEngine(first.run, alone, nullptr), InputError);
    alone.links.flows[0].forward.clear();
    alone.links.flows[1].forward.clear();
    FairShareEngine engine(first.run, alone, nullptr);
    engine.Run();
    EXPECT_EQ(engine.GetNow(), 0);
    EXPECT_EQ(engine.GetServedBytes(), 200u);
}
