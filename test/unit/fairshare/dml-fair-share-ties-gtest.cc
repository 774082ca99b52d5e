/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What comes first of what happens at the same time. Links carry 100 bytes/s.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-equal-sharing.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

TEST(FairShareTies, EqualReadyTimesGoByListingOrder)
{
    // x waits for q (0.3 s on its device), y for p1 + p2 (0.1 + 0.2 s): ready together although
    // 0.1 + 0.2 != 0.3 in doubles; the third device is busy until 1. x is listed first. It is so
    // also for a job that starts after days.
    ProfileBuilder builder({{"p", 1}, {"q", 1}, {"r", 1}});
    builder.Compute("busy", {1}, {}, 2)
        .Compute("p1", {0.1}, {}, 0)
        .Compute("p2", {0.2}, {"p1"}, 0)
        .Compute("q", {0.3}, {}, 1)
        .Compute("x", {1}, {"q"}, 2)
        .Compute("y", {1}, {"p2"}, 2);
    for (const double start : {0.0, 1e6, 999999.7, 4e7})
    {
        FairShareCase c(builder);
        c.Run({start});
        EXPECT_NEAR(c.Chunk("x").start - start, 1, 1e-6) << start;
        EXPECT_NEAR(c.Chunk("y").start - start, 2, 1e-6) << start;
    }
}

TEST(FairShareTies, AFinishedOpQueuesItsDependentsBeforeItsResourceGoesOn)
{
    // device: a 0-1, then z (ready at 0) before b (ready at 1): a finished op's dependents queue
    ProfileBuilder builder;
    builder.Compute("a", {1}).Compute("b", {1}, {"a"}).Compute("z", {1});
    FairShareCase c(builder);
    c.Run();
    ExpectTime(1.0, c.Chunk("z").start);
    ExpectTime(2.0, c.Chunk("b").start);
}

TEST(FairShareTies, TheNextStepBeginsWhenTheLastOpsDeviceIsFree)
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
    c.ExpectStepEnds({6.0, 12.0, 18.0});
}

TEST(FairShareTies, ACoreOfAServerGoesOnBeforeTheNextStepBegins)
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

TEST(FairShareTies, EqualEndsOnOneLinkGoByStart)
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
