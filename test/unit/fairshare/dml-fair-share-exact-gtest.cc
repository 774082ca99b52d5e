/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Small cases whose every time is derived by hand in the comment. Links carry 100 bytes/s.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-equal-sharing.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

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
    ASSERT_EQ(c.recorder.steps.size(), 2u);
    ExpectTime(4.5, c.recorder.steps[0].end);
    ExpectTime(4.5, c.recorder.steps[1].start);
    ExpectTime(9.0, c.recorder.steps[1].end);
    EXPECT_EQ(c.servedBytes, 400u);
}

TEST(FairShareExact, TwoWorkersShareOneLink)
{
    // pull at 50 B/s: 0-2; forward 2-4; push at 50 B/s: 4-6; update 6-6.5
    FairShareCase c(SerialStep());
    c.Run({0, 0});
    for (uint32_t worker : {0, 1})
    {
        ExpectTime(2.0, c.Arrival("pull/a", worker));
        ExpectTime(6.0, c.Arrival("push/a", worker));
        ExpectTime(6.5, c.recorder.steps[worker].end);
    }
    EXPECT_EQ(c.recorder.steps[0].worker, 0u); // simultaneous ends: the first to start goes first
}

TEST(FairShareExact, ALateWorkerSlowsTheFirstOneDown)
{
    // w0 alone 0-0.5 (50 B), both at 50 B/s until w0 has its 100 B at 1.5; w1 then has 50 B and
    // gets the rest at 100 B/s: 2.0. Forward 1.5-3.5 and 2-4. The uplink repeats the pattern:
    // w0 alone 3.5-4, w0 done 5.0, w1 done 5.5. Updates: 5.5 and 6.0.
    FairShareCase c(SerialStep());
    c.Run({0, 0.5});
    ExpectTime(1.5, c.Arrival("pull/a", 0));
    ExpectTime(2.0, c.Arrival("pull/a", 1));
    ExpectTime(5.0, c.Arrival("push/a", 0));
    ExpectTime(5.5, c.Arrival("push/a", 1));
    ExpectTime(5.5, c.recorder.steps[0].end);
    ExpectTime(6.0, c.recorder.steps[1].end);
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
    ExpectTime(2.5, c.Arrival("pull/b"));
    ExpectTime(6.5, c.Arrival("pull/a"));
    ExpectTime(8.0, c.Arrival("pull/c"));
    EXPECT_EQ(c.recorder.chunks.size(), 5u);
}

TEST(FairShareExact, EveryWindowCutsAgainAndAgain)
{
    // WIN 150: a -1.5, b -2.5, c -4, a -5.5, c -7 (done), a 100 B -8 (done)
    FairShareCase c(ThreePulls());
    c.run.window = 150;
    c.run.windowRule = StreamWindowModel::Rule::EVERY_WINDOW;
    c.Run();
    ExpectTime(2.5, c.Arrival("pull/b"));
    ExpectTime(7.0, c.Arrival("pull/c"));
    ExpectTime(8.0, c.Arrival("pull/a"));
}

TEST(FairShareExact, WithoutFlowControlStreamsAreWhole)
{
    // a 0-4, b 4-5, c 5-8; first byte of c when its only turn starts, at 5
    FairShareCase c(ThreePulls());
    c.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    c.run.window = 150;
    c.Run();
    ExpectTime(4.0, c.Arrival("pull/a"));
    ExpectTime(5.0, c.Arrival("pull/b"));
    ExpectTime(8.0, c.Arrival("pull/c"));
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
    ExpectTime(3.5, c.Arrival("push/h"));
    ExpectTime(6.0, c.Arrival("push/g"));
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
    ExpectTime(2.0, c.Arrival("pull/x"));
    ExpectTime(4.0, c.Arrival("pull/y"));
}

TEST(FairShareExact, AWorkerAloneOnOneServerWhileContendingOnTheOther)
{
    // w0 and w1 at 0: every link has two flows, all at 50 B/s: x0, x1 end at 2, y0, y1 have 200 B
    // left and go on at 50 B/s. w2 at 3: y0, y1, y2 share server 1 at 33 1/3, and x2, alone on
    // server 0, gets the 66 2/3 that y2 leaves of w2's link: x2 ends at 3 + 1.5 = 4.5. Then
    // y0, y1 have 150 - 50 = 100 B left, y2 250 B: y0, y1 end at 7.5, y2 has 150 B left: 9.
    auto c = TwoServers();
    c.Run({0, 0, 3});
    ExpectTime(2.0, c.Arrival("pull/x", 0));
    ExpectTime(2.0, c.Arrival("pull/x", 1));
    ExpectTime(4.5, c.Arrival("pull/x", 2));
    ExpectTime(7.5, c.Arrival("pull/y", 0));
    ExpectTime(7.5, c.Arrival("pull/y", 1));
    ExpectTime(9.0, c.Arrival("pull/y", 2));
}

TEST(FairShareExact, EqualSharingIgnoresTheWorkersLink)
{
    // each server's link on its own: x 0-1, y 0-3
    auto c = TwoServers();
    c.network.rule = SharingRule::EQUAL;
    c.Run();
    ExpectTime(1.0, c.Arrival("pull/x"));
    ExpectTime(3.0, c.Arrival("pull/y"));
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
    ExpectTime(1.0, c.Arrival("pull/a"));
    ExpectTime(2.5, c.Chunk("pull/a", 0, true).end);
    ExpectTime(4.0, c.Chunk("pull/b", 0, true).end);
    ExpectTime(4.0, c.Chunk("forward").start);
    ExpectTime(5.0, c.recorder.steps[0].end);
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
    ExpectTime(4.0, c.recorder.steps[0].end);
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
        ProfileBuilder builder({{"cpu", slots}});
        builder.Compute("a", {1})
            .Compute("b", {2}, {"a"})
            .Compute("c", {3}, {"a"})
            .Compute("d", {1}, {"b", "c"});
        FairShareCase c(builder);
        c.Run();
        ExpectTime(end, c.recorder.steps[0].end);
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
    ExpectTime(3.0, c.Arrival("push/w2"));
    ExpectTime(3.5, c.Chunk("update/w2").end);
    ExpectTime(4.0, c.Chunk("backward1").end);
    ExpectTime(5.5, c.recorder.steps[0].end);
}

TEST(FairShareExact, DownlinkAndUplinkDoNotDisturbEachOther)
{
    // w0 pushes 4.5.. see SerialStep: w1, three seconds later, pulls 3-4 while w0 pushes 3-4
    FairShareCase c(SerialStep());
    c.Run({0, 3});
    ExpectTime(4.0, c.Arrival("push/a", 0));
    ExpectTime(4.0, c.Arrival("pull/a", 1));
}

TEST(FairShareExact, UpdatesArePrivateUnlessServersHaveCores)
{
    // both pushes end at 2; updates of 3 s: private 2-5 both; on one shared core 2-5 and 5-8
    ProfileBuilder builder;
    builder.Push("a", 100).Update("a", 3);
    for (const auto& [cores, last] : {std::pair{0u, 5.0}, std::pair{1u, 8.0}, std::pair{2u, 5.0}})
    {
        FairShareCase c(builder);
        c.run.serverCores = cores;
        c.Run({0, 0});
        ExpectTime(5.0, c.recorder.steps[0].end);
        ExpectTime(last, c.recorder.steps[1].end);
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
        FairShareCase c(builder);
        c.overhead.server = ParseCost{0.01, 2};
        c.run.serverCores = cores;
        c.Run({0, 0});
        ExpectTime(2.0, c.Chunk("c").start);
        ExpectTime(8.0, c.recorder.steps[0].end);
        ExpectTime(last, c.recorder.steps[1].end);
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
        FairShareCase c(builder);
        c.overhead = {0.01, 2, false, server};
        c.Run();
        ExpectTime(end, c.recorder.steps[0].end);
    }
}

TEST(FairShareExact, EqualReadyTimesGoByListingOrder)
{
    // x waits for q (0.3 s on its device), y for p1 + p2 (0.1 + 0.2 s): ready together although
    // 0.1 + 0.2 != 0.3 in doubles; the third device is busy until 1. x is listed first.
    ProfileBuilder builder({{"p", 1}, {"q", 1}, {"r", 1}});
    builder.Compute("busy", {1}, {}, 2)
        .Compute("p1", {0.1}, {}, 0)
        .Compute("p2", {0.2}, {"p1"}, 0)
        .Compute("q", {0.3}, {}, 1)
        .Compute("x", {1}, {"q"}, 2)
        .Compute("y", {1}, {"p2"}, 2);
    FairShareCase c(builder);
    c.Run();
    ExpectTime(1.0, c.Chunk("x").start);
    ExpectTime(2.0, c.Chunk("y").start);
}

TEST(FairShareExact, AFinishedOpQueuesItsDependentsBeforeItsResourceGoesOn)
{
    // device: a 0-1, then z (ready at 0) before b (ready at 1): a finished op's dependents queue
    ProfileBuilder builder;
    builder.Compute("a", {1}).Compute("b", {1}, {"a"}).Compute("z", {1});
    FairShareCase c(builder);
    c.Run();
    ExpectTime(1.0, c.Chunk("z").start);
    ExpectTime(2.0, c.Chunk("b").start);
}

TEST(FairShareExact, TheNextStepBeginsWhenTheLastOpsDeviceIsFree)
{
    // Two devices. x 0-1 on the first one, y 0-1 on the second; x is listed first, so it starts
    // first, and its end comes first of the two at 1: bx gets the third device, 1-2, and by waits
    // for it, 2-4; l 2-5 on the fourth; the last op, e, is on the first device again: 5-6. In the
    // next step x finds its device free, and so starts before y, as in the first one: 6-12. (If it
    // queued there until the step had begun, y would start and end first, by would be 7-9, bx 9-10,
    // l 10-13, and the step would end at 14.)
    ProfileBuilder builder({{"d0", 1}, {"d1", 1}, {"d2", 1}, {"d3", 1}});
    builder.Compute("x", {1}, {}, 0)
        .Compute("y", {1}, {}, 1)
        .Compute("bx", {1}, {"x"}, 2)
        .Compute("by", {2}, {"y"}, 2)
        .Compute("l", {3}, {"bx"}, 3)
        .Compute("e", {1}, {"by", "l"}, 0);
    FairShareCase c(builder);
    c.Run({0}, 3);
    ASSERT_EQ(c.recorder.steps.size(), 3u);
    ExpectTime(6.0, c.recorder.steps[0].end);
    ExpectTime(12.0, c.recorder.steps[1].end);
    ExpectTime(18.0, c.recorder.steps[2].end);
}

TEST(FairShareExact, ACoreOfAServerGoesOnBeforeTheNextStepBegins)
{
    // Both gradients come at 1. The core updates for worker 0 (1-2), then for worker 1 (2-3). At 2
    // the core goes on before worker 0's second step begins, so that of the two ends at 3 that of
    // the update comes before that of worker 0's forward.
    ProfileBuilder builder;
    builder.Compute("forward", {1}).Push("a", 0, {"forward"}).Update("a", 1);
    FairShareCase c(builder);
    c.run.serverCores = 1;
    c.Run({0, 0}, 2);
    std::vector<std::pair<OpIndex, uint32_t>> ends; // op and worker, at 3
    for (const auto& chunk : c.recorder.chunks)
    {
        if (chunk.end > 2.5 && chunk.end < 3.5 && chunk.start < 2.5)
        {
            ends.emplace_back(chunk.op, chunk.worker);
        }
    }
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[0], (std::pair{builder.Find("update/a"), 1U}));
    EXPECT_EQ(ends[1], (std::pair{builder.Find("forward"), 0U}));
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
    ASSERT_EQ(c.recorder.steps.size(), 6u);
    ExpectTime(1.0, c.recorder.steps[0].end);
    ExpectTime(3.0, c.recorder.steps[5].end);
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
    ExpectTime(1.25, c.Arrival("pull/a"));
    ExpectTime(2.25, c.Arrival("pull/b"));
    ExpectTime(3.5, c.Arrival("push/a"));
    ExpectTime(4.0, c.recorder.steps[0].end);
}

TEST(FairShareExact, APullWithADependencyWaitsForIt)
{
    // b is pulled when x is done: 2-3, although the link is free from 1
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("x", {2}).Pull("b", 100, {"x"});
    FairShareCase c(builder);
    c.Run();
    ExpectTime(1.0, c.Arrival("pull/a"));
    ExpectTime(3.0, c.Arrival("pull/b"));
}

TEST(FairShareExact, StepsReplayTheirSamples)
{
    // samples 1 s and 3 s in order: steps end at 1, 4, 5
    ProfileBuilder builder;
    builder.Compute("x", {1, 3});
    FairShareCase c(builder);
    c.Run({0}, 3);
    ExpectTime(1.0, c.recorder.steps[0].end);
    ExpectTime(4.0, c.recorder.steps[1].end);
    ExpectTime(5.0, c.recorder.steps[2].end);
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
    d.serverRate = 1e8;
    d.run.window = 777;
    d.run.windowRule = StreamWindowModel::Rule::EVERY_WINDOW;
    d.Run();
    EXPECT_NEAR(d.recorder.steps[0].end, 1e-2, 1e-2 * EXACT);
}

TEST(FairShareExact, EqualEndsOnOneLinkGoByStart)
{
    // w0 pulls 49 B from 0; at 0.29 it has 20 B left, and w1 starts a pull of 20 B: both end at
    // 0.29 + 0.4. In doubles 0.29 * 100 is less than 29, which must not put w1 first.
    EqualSharing link(MakeStarFlowNetwork({2, 1}, 100, 100), nullptr);
    link.Start(0, 49, 0, 0);
    link.Start(2, 20, 1, 0.29);
    EXPECT_EQ(link.GetNextEnd().flow, 0u);
    ExpectTime(0.69, link.GetNextEnd().time);
    link.Finish();
    EXPECT_EQ(link.GetNextEnd().flow, 2u);
    ExpectTime(0.69, link.GetNextEnd().time);
}
