/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Small cases whose every time is derived by hand in the comment. Links carry 100 bytes/s.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Relative tolerance of all exact cases.
constexpr double EXACT = 1e-9;

/// pull 100 B, forward 2 s, push 100 B, update 0.5 s: nothing overlaps.
ProfileBuilder
SerialStep()
{
    ProfileBuilder builder;
    builder.Pull("a", 100)
        .Compute("forward", {2}, {"pull/a"})
        .Push("a", 100, {"forward"})
        .Update("a", 0.5);
    return builder;
}

} // namespace

TEST(FairShareExact, OneWorkerRunsASerialStep)
{
    // 1 + 2 + 1 + 0.5 = 4.5 s a step; the next starts at once
    FairShareCase c(SerialStep());
    c.Run({0}, 2);
    c.ExpectStepEnds({4.5, 9.0});
    ExpectTime(4.5, c.recorder.steps[1].start);
    EXPECT_EQ(c.servedBytes, 400u);
}

TEST(FairShareExact, TwoWorkersShareOneLink)
{
    // pull at 50 B/s: 0-2; forward 2-4; push at 50 B/s: 4-6; update 6-6.5
    FairShareCase c(SerialStep());
    c.Run({0, 0});
    for (uint32_t worker : {0, 1})
    {
        c.ExpectArrivals({{"pull/a", 2.0}, {"push/a", 6.0}}, worker);
    }
    c.ExpectStepEnds({6.5, 6.5});
    EXPECT_EQ(c.recorder.steps[0].worker, 0u); // simultaneous ends: the first to start goes first
}

TEST(FairShareExact, ALateWorkerSlowsTheFirstOneDown)
{
    // w0 alone 0-0.5 (50 B), both at 50 B/s until w0 has its 100 B at 1.5; w1 then has 50 B and
    // gets the rest at 100 B/s: 2.0. Forward 1.5-3.5 and 2-4. The uplink repeats the pattern:
    // w0 alone 3.5-4, w0 done 5.0, w1 done 5.5. Updates: 5.5 and 6.0.
    FairShareCase c(SerialStep());
    c.Run({0, 0.5});
    c.ExpectArrivals({{"pull/a", 1.5}, {"push/a", 5.0}});
    c.ExpectArrivals({{"pull/a", 2.0}, {"push/a", 5.5}}, 1);
    c.ExpectStepEnds({5.5, 6.0});
}

namespace
{

ProfileBuilder
ThreePulls()
{
    ProfileBuilder builder;
    builder.Pull("a", 400).Pull("b", 100).Pull("c", 300);
    return builder;
}

} // namespace

TEST(FairShareExact, TheWindowCutsAStreamOnce)
{
    // WIN 150: a 150 B 0-1.5, b 100 B -2.5, c 150 B -4, then to completion: a 250 B -6.5, c 150 B
    // -8
    FairShareCase c(ThreePulls());
    c.run.window = 150;
    c.Run();
    c.ExpectArrivals({{"pull/b", 2.5}, {"pull/a", 6.5}, {"pull/c", 8.0}});
    EXPECT_EQ(c.recorder.chunks.size(), 5u);
}

TEST(FairShareExact, EveryWindowCutsAgainAndAgain)
{
    // WIN 150: a -1.5, b -2.5, c -4, a -5.5, c -7 (done), a 100 B -8 (done)
    FairShareCase c(ThreePulls());
    c.run.window = 150;
    c.run.windowRule = StreamWindowModel::Rule::EVERY_WINDOW;
    c.Run();
    c.ExpectArrivals({{"pull/b", 2.5}, {"pull/c", 7.0}, {"pull/a", 8.0}});
}

TEST(FairShareExact, WithoutFlowControlStreamsAreWhole)
{
    // a 0-4, b 4-5, c 5-8; first byte of c when its only turn starts, at 5
    FairShareCase c(ThreePulls());
    c.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    c.run.window = 150;
    c.Run();
    c.ExpectArrivals({{"pull/a", 4.0}, {"pull/b", 5.0}, {"pull/c", 8.0}});
    ExpectTime(0.0, c.recorder.transfers[2].ready);
    ExpectTime(5.0, c.recorder.transfers[2].firstByte);
}

TEST(FairShareExact, AStreamThatBecomesReadyInATurnQueuesBehindIt)
{
    // uplink, WIN 150: g 400 B ready at 1, h 100 B ready at 2 (in g's first turn 1-2.5): h 2.5-3.5
    // comes before g's second turn 3.5-6
    ProfileBuilder builder;
    builder.Compute("x", {1}).Compute("y", {1}, {"x"});
    builder.Push("g", 400, {"x"}).Push("h", 100, {"y"});
    FairShareCase c(builder);
    c.run.window = 150;
    c.Run();
    c.ExpectArrivals({{"push/h", 3.5}, {"push/g", 6.0}});
}

namespace
{

/// x, 100 B, on server 0 and y, 300 B, on server 1.
FairShareCase
TwoServers()
{
    ProfileBuilder builder;
    builder.Pull("x", 100).Pull("y", 300);
    FairShareCase c(builder);
    c.servers = 2;
    c.placement = {0, 1};
    c.network.rule = SharingRule::MAX_MIN;
    return c;
}

} // namespace

TEST(FairShareExact, OneWorkerAloneOnTwoServersHalvesItsLink)
{
    // both at 50 B/s: x 0-2; y has 100 B by then, the rest at 100 B/s: 2 + 2 = 4
    auto c = TwoServers();
    c.Run();
    c.ExpectArrivals({{"pull/x", 2.0}, {"pull/y", 4.0}});
}

TEST(FairShareExact, AWorkerAloneOnOneServerWhileContendingOnTheOther)
{
    // w0 and w1 at 0: every link has two flows, all at 50 B/s: x0, x1 end at 2, y0, y1 have 200 B
    // left and go on at 50 B/s. w2 at 3: y0, y1, y2 share server 1 at 33 1/3, and x2, alone on
    // server 0, gets the 66 2/3 that y2 leaves of w2's link: x2 ends at 3 + 1.5 = 4.5. Then
    // y0, y1 have 150 - 50 = 100 B left, y2 250 B: y0, y1 end at 7.5, y2 has 150 B left: 9.
    auto c = TwoServers();
    c.Run({0, 0, 3});
    c.ExpectArrivals({{"pull/x", 2.0}, {"pull/y", 7.5}});
    c.ExpectArrivals({{"pull/x", 2.0}, {"pull/y", 7.5}}, 1);
    c.ExpectArrivals({{"pull/x", 4.5}, {"pull/y", 9.0}}, 2);
}

TEST(FairShareExact, EqualSharingIgnoresTheWorkersLink)
{
    // each server's link on its own: x 0-1, y 0-3
    auto c = TwoServers();
    c.network.rule = SharingRule::EQUAL;
    c.Run();
    c.ExpectArrivals({{"pull/x", 1.0}, {"pull/y", 3.0}});
}

TEST(FairShareExact, ParsingDelaysWhatDepends)
{
    // alpha 0.01 s/B, beta 0.5 s: 1.5 s for 100 B. pull a 0-1, b 1-2. Device: parse a 1-2.5; at 2.5
    // parse b is ready since 2, forward since 2.5: parse b 2.5-4, forward 4-5.
    ProfileBuilder builder;
    builder.Pull("a", 100).Pull("b", 100).Compute("forward", {1}, {"pull/a"});
    FairShareCase c(builder);
    c.overhead = {0.01, 0.5, false};
    c.Run();
    c.ExpectArrivals({{"pull/a", 1.0}});
    ExpectTime(2.5, c.Chunk("pull/a", 0, true).end);
    ExpectTime(4.0, c.Chunk("pull/b", 0, true).end);
    ExpectTime(4.0, c.Chunk("forward").start);
    c.ExpectStepEnds({5.0});
}

TEST(FairShareExact, ParallelParsingLeavesTheDeviceAlone)
{
    // parser: a 1-2.5, b 2.5-4; device: forward 2.5-3.5
    ProfileBuilder builder;
    builder.Pull("a", 100).Pull("b", 100).Compute("forward", {1}, {"pull/a"});
    FairShareCase c(builder);
    c.overhead = {0.01, 0.5, true};
    c.Run();
    ExpectTime(2.5, c.Chunk("forward").start);
    c.ExpectStepEnds({4.0});
}

TEST(FairShareExact, UplinkParsingQueuesWithTheUpdates)
{
    // push a 0-1; server: parse a 1-2.5, update a 2.5-3; push b 1-2, parse b ready at 2, before
    // update a (2.5): parse b 2.5-4, update a 4-4.5, update b 4.5-5
    ProfileBuilder builder;
    builder.Push("a", 100).Push("b", 100).Update("a", 0.5).Update("b", 0.5);
    FairShareCase c(builder);
    c.overhead = {0.01, 0.5, false};
    c.Run();
    ExpectTime(4.5, c.Chunk("update/a").end);
    ExpectTime(5.0, c.Chunk("update/b").end);
}

TEST(FairShareExact, DiamondOnOneAndOnTwoSlots)
{
    // a 1 s, then b 2 s and c 3 s, then d 1 s: 1 + 2 + 3 + 1 = 7 on one slot, 1 + 3 + 1 = 5 on two
    for (const auto& [slots, end] : {std::pair{1u, 7.0}, std::pair{2u, 5.0}})
    {
        SCOPED_TRACE(std::to_string(slots) + " slots");
        ProfileBuilder builder({{"cpu", slots}});
        builder.Compute("a", {1})
            .Compute("b", {2}, {"a"})
            .Compute("c", {3}, {"a"})
            .Compute("d", {1}, {"b", "c"});
        FairShareCase c(builder);
        c.Run();
        c.ExpectStepEnds({end});
        ExpectTime(1.0, c.Chunk("b").start);
    }
}

TEST(FairShareExact, TheUplinkOverlapsTheNextLayersBackward)
{
    // backward2 0-1, push2 200 B 1-3 while backward1 runs 1-4, push1 4-5; update2 3-3.5,
    // update1 5-5.5
    ProfileBuilder builder;
    builder.Compute("backward2", {1})
        .Compute("backward1", {3}, {"backward2"})
        .Push("w2", 200, {"backward2"})
        .Push("w1", 100, {"backward1"})
        .Update("w2", 0.5)
        .Update("w1", 0.5);
    FairShareCase c(builder);
    c.Run();
    c.ExpectArrivals({{"push/w2", 3.0}});
    ExpectTime(3.5, c.Chunk("update/w2").end);
    ExpectTime(4.0, c.Chunk("backward1").end);
    c.ExpectStepEnds({5.5});
}

TEST(FairShareExact, DownlinkAndUplinkDoNotDisturbEachOther)
{
    // w0 pushes 4.5.. see SerialStep: w1, three seconds later, pulls 3-4 while w0 pushes 3-4
    FairShareCase c(SerialStep());
    c.Run({0, 3});
    c.ExpectArrivals({{"push/a", 4.0}});
    c.ExpectArrivals({{"pull/a", 4.0}}, 1);
}

TEST(FairShareExact, UpdatesArePrivateUnlessServersHaveCores)
{
    // both pushes end at 2; updates of 3 s: private 2-5 both; on one shared core 2-5 and 5-8
    ProfileBuilder builder;
    builder.Push("a", 100).Update("a", 3);
    for (const auto& [cores, last] : {std::pair{0u, 5.0}, std::pair{1u, 8.0}, std::pair{2u, 5.0}})
    {
        SCOPED_TRACE(std::to_string(cores) + " cores");
        FairShareCase c(builder);
        c.run.serverCores = cores;
        c.Run({0, 0});
        c.ExpectStepEnds({5.0, last});
    }
}

TEST(FairShareExact, ServersParseOnTheirCoresAndWorkersDoNot)
{
    // both pulls end at 2, computing at 3, both pushes at 5; parsing takes 0.01 * 100 + 2 = 3 s at
    // the server: private cores 5-8 both, one core 5-8 and 8-11
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("c", {1}, {"pull/a"}).Push("a", 100, {"c"});
    for (const auto& [cores, last] : {std::pair{0u, 8.0}, std::pair{1u, 11.0}, std::pair{2u, 8.0}})
    {
        SCOPED_TRACE(std::to_string(cores) + " cores");
        FairShareCase c(builder);
        c.overhead.server = ParseCost{0.01, 2};
        c.run.serverCores = cores;
        c.Run({0, 0});
        ExpectTime(2.0, c.Chunk("c").start);
        c.ExpectStepEnds({8.0, last});
    }
}

TEST(FairShareExact, ServersParseAsWorkersDoUnlessTheyHaveTheirOwnTimes)
{
    // pull 0-1, parse 1-4; push 4-5; parse at the server 3 s, 0.5 s or not at all
    ProfileBuilder builder;
    builder.Pull("a", 100).Push("a", 100, {"pull/a"});
    const std::optional<ParseCost> same;
    for (const auto& [server, end] : {std::pair{same, 8.0},
                                      std::pair{std::optional(ParseCost{0.005, 0}), 5.5},
                                      std::pair{std::optional(ParseCost{0, 0}), 5.0}})
    {
        SCOPED_TRACE("to end at " + std::to_string(end));
        FairShareCase c(builder);
        c.overhead = {0.01, 2, false, server};
        c.Run();
        c.ExpectStepEnds({end});
    }
}

TEST(FairShareExact, NothingTakesNoTime)
{
    // zero bytes and zero seconds pass in the same instant; only "work" counts: 1 s a step
    ProfileBuilder builder;
    builder.Pull("empty", 0)
        .Compute("nothing", {0}, {"pull/empty"})
        .Compute("work", {1}, {"nothing"})
        .Push("empty", 0, {"work"})
        .Update("empty", 0);
    FairShareCase c(builder);
    c.Run({0, 0}, 3);
    c.ExpectStepEnds({1.0, 1.0, 2.0, 2.0, 3.0, 3.0});
}

TEST(FairShareExact, AOneWayDelayHoldsTheTensorNotTheLink)
{
    // delay 0.25: a served 0-1, arrives 1.25; b served 1-2, arrives 2.25; forward 1.25-2.25;
    // push served 2.25-3.25, arrives 3.5; update 3.5-4
    ProfileBuilder builder;
    builder.Pull("a", 100)
        .Pull("b", 100)
        .Compute("forward", {1}, {"pull/a"})
        .Push("a", 100, {"forward"})
        .Update("a", 0.5);
    FairShareCase c(builder);
    c.oneWayDelay = 0.25;
    c.Run();
    c.ExpectArrivals({{"pull/a", 1.25}, {"pull/b", 2.25}, {"push/a", 3.5}});
    c.ExpectStepEnds({4.0});
}

TEST(FairShareExact, APullWithADependencyWaitsForIt)
{
    // b is pulled when x is done: 2-3, although the link is free from 1
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("x", {2}).Pull("b", 100, {"x"});
    FairShareCase c(builder);
    c.Run();
    c.ExpectArrivals({{"pull/a", 1.0}, {"pull/b", 3.0}});
}

TEST(FairShareExact, StepsReplayTheirSamples)
{
    // samples 1 s and 3 s in order: steps end at 1, 4, 5
    ProfileBuilder builder;
    builder.Compute("x", {1, 3});
    FairShareCase c(builder);
    c.Run({0}, 3);
    c.ExpectStepEnds({1.0, 4.0, 5.0});
    EXPECT_EQ(c.recorder.steps[1].sample, 1u);
}

TEST(FairShareExact, TheLinkIsBusyAsLongAsItCarriesData)
{
    // SerialStep with two workers: downlink 0-2, uplink 4-6, both at 100 B/s in all
    FairShareCase c(SerialStep());
    c.Run({0, 0});
    ASSERT_EQ(c.recorder.links.size(), 2u);
    for (const auto& link : c.recorder.links)
    {
        const double start = GetDirection(link.link) == Direction::DOWNLINK ? 0 : 4;
        ExpectTime(start, link.start);
        ExpectTime(start + 2, link.end);
        ExpectTime(100, link.bytesPerSecond);
    }
}

TEST(FairShareExact, ShortChunksAddUpWithoutDrift)
{
    // 3000 ops of 1/3 us, one after the other: 1 ms; and 1 MB in turns of 777 B at 1e8 B/s: 10 ms
    ProfileBuilder chain;
    chain.Compute("op0", {1e-6 / 3});
    for (uint32_t i = 1; i < 3000; ++i)
    {
        chain.Compute("op" + std::to_string(i), {1e-6 / 3}, {"op" + std::to_string(i - 1)});
    }
    FairShareCase c(chain);
    c.Run();
    EXPECT_NEAR(c.recorder.steps[0].end, 1e-3, 1e-3 * EXACT);

    ProfileBuilder large;
    large.Pull("a", 1000000);
    FairShareCase d(large);
    d.rate = 1e8;
    d.run.window = 777;
    d.run.windowRule = StreamWindowModel::Rule::EVERY_WINDOW;
    d.Run();
    EXPECT_NEAR(d.recorder.steps[0].end, 1e-2, 1e-2 * EXACT);
}

TEST(FairShareNetwork, RulesHaveNames)
{
    EXPECT_EQ(SharingRuleFromString("equal"), SharingRule::EQUAL);
    EXPECT_EQ(SharingRuleFromString("max-min"), SharingRule::MAX_MIN);
    EXPECT_EQ(SharingRuleFromString("two-ps"), SharingRule::TWO_PS);
    EXPECT_EQ(SharingRuleFromString("fifo"), SharingRule::FIFO);
    EXPECT_THROW(SharingRuleFromString("fair"), InputError);
}

TEST(FairShareNetwork, ServersMayHaveUnequalLinks)
{
    // x at 100 B/s and y at 50 B/s; for max-min they also share the worker's 100 B/s
    ProfileBuilder builder;
    builder.Pull("x", 100).Pull("y", 100);
    for (const auto rule : {SharingRule::EQUAL, SharingRule::MAX_MIN})
    {
        FairShareCase c(builder);
        c.servers = 2;
        c.placement = {0, 1};
        c.Prepare({0}, 1);
        c.network.rule = rule;
        c.network.links = MakeStarFlowNetwork({1, 2}, FairShareCase::RATE, FairShareCase::RATE);
        c.network.links.capacities[2] = 50; // from server 1
        FairShareEngine(c.run, c.network, &c.recorder).Run();
        ExpectTime(rule == SharingRule::EQUAL ? 1 : 2, c.Arrival("pull/x"));
        ExpectTime(2, c.Arrival("pull/y"));
    }
}

TEST(FairShareNetwork, TwoServersByThePapersRule)
{
    // as AWorkerAloneOnOneServerWhileContendingOnTheOther, for max-min
    ProfileBuilder builder;
    builder.Pull("x", 100).Pull("y", 300);
    FairShareCase c(builder);
    c.servers = 2;
    c.placement = {0, 1};
    c.network.rule = SharingRule::TWO_PS;
    c.Run({0, 0, 3});
    ExpectTime(4.5, c.Arrival("pull/x", 2));
    ExpectTime(9.0, c.Arrival("pull/y", 2));
    c.network.changes = {{100, 0, 50}}; // which it refuses beforehand
    EXPECT_THROW(c.Run({0}), InputError);
}
