/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-linux-sending.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3::dml;

/// A window of 100 segments of 1000 bytes over a round trip of 10 ms, beyond slow start.
SenderView
MakeView()
{
    return {1000, 64000, 100e3, 50e3, 10e-3, 10e-3};
}

TEST(LinuxSending, PacesTwiceTheWindowWhileItIsBelowHalfOfTheThreshold)
{
    SenderView view = MakeView();
    EXPECT_DOUBLE_EQ(GetPacingRate(view), 12e6);
    view.threshold = 200e3;
    EXPECT_DOUBLE_EQ(GetPacingRate(view), 12e6);
    view.threshold = 200.1e3;
    EXPECT_DOUBLE_EQ(GetPacingRate(view), 20e6);
}

TEST(LinuxSending, ABurstIsAMillisecondOfTheRate)
{
    SenderView view = MakeView();
    // 12e6 / 1024 = 11718.75; 19 halvings of 64000 leave nothing
    EXPECT_EQ(GetSendingLimits(view).burst, 11000);
    view.window = 1e3;
    EXPECT_EQ(GetSendingLimits(view).burst, 2000) << "two segments at least";
    view.window = 1e6;
    EXPECT_EQ(GetSendingLimits(view).burst, 64000) << "GSO allows no more";
    view.gsoSize = 0;
    EXPECT_EQ(GetSendingLimits(view).burst, 1000);
}

TEST(LinuxSending, ShortPathsHaveLargerBursts)
{
    SenderView view = MakeView();
    view.window = 1e3; // 117.1875 bytes in a millisecond
    view.shortestRoundTrip = 1.1e-3;
    EXPECT_EQ(GetSendingLimits(view).burst, 16000); // 64000 / 4 + 117
    view.shortestRoundTrip = 0.5e-3;
    EXPECT_EQ(GetSendingLimits(view).burst, 64000);
}

TEST(LinuxSending, TwoBurstsOrAMillisecondWaitInTheHost)
{
    SenderView view = MakeView();
    EXPECT_DOUBLE_EQ(GetSendingLimits(view).queued, 22000);
    view.window = 2e6;
    EXPECT_DOUBLE_EQ(GetSendingLimits(view).queued, 240e6 / 1024);
}

TEST(LinuxSending, ABurstIsHalfOfTheWindowAtMost)
{
    EXPECT_EQ(GetBurstQuota(1000, 10e3, 10e3), 5000);
    EXPECT_EQ(GetBurstQuota(1000, 10e3, 3e3), 3000) << "the window has no more room";
    EXPECT_EQ(GetBurstQuota(1000, 7e3, 7e3), 3000) << "whole segments";
    EXPECT_EQ(GetBurstQuota(1000, 1e3, 1e3), 1000) << "one at least";
}

TEST(LinuxSending, BuffersThreeWindowsOfTenSegmentsAtLeast)
{
    EXPECT_EQ(GetSendBuffer(1000, 100e3), 300e3);
    EXPECT_EQ(GetSendBuffer(1000, 4e3), 30e3);
}

TEST(LinuxSending, WaitsForALargerBurstWhenAnAckIsDueSoon)
{
    const DeferralView now{5000, 50000, 100000, 0.5e-3, 6e-3};
    EXPECT_TRUE(IsWorthDeferring(11000, 10e-3, now));
    DeferralView other = now;
    other.room = 11000;
    EXPECT_FALSE(IsWorthDeferring(11000, 10e-3, other)) << "it is as large as it gets";
    other = now;
    other.unsent = 5000;
    EXPECT_FALSE(IsWorthDeferring(11000, 10e-3, other)) << "all of it can go";
    other = now;
    other.window = 15000;
    EXPECT_FALSE(IsWorthDeferring(11000, 10e-3, other)) << "a third of the window";
    other = now;
    other.sinceLastWrite = 1.5e-3;
    EXPECT_FALSE(IsWorthDeferring(11000, 10e-3, other)) << "the last write is long ago";
    other = now;
    other.sinceOldest = 4e-3;
    EXPECT_FALSE(IsWorthDeferring(11000, 10e-3, other)) << "the ACK is far away";
}

TEST(LinuxSending, AWindowIsUsedThatLimitsOrThatSlowStartHasHalfFilled)
{
    WindowUsage usage;
    EXPECT_TRUE(usage.Note(true, false, 40));
    EXPECT_FALSE(usage.IsUsed(100, 50)) << "beyond slow start";
    EXPECT_FALSE(usage.IsUsed(80, 200)) << "not more than half";
    EXPECT_TRUE(usage.IsUsed(79, 200));
    EXPECT_FALSE(usage.Note(false, false, 40)) << "nothing new";
    EXPECT_TRUE(usage.Note(false, false, 41)) << "more than before";
    EXPECT_TRUE(usage.Note(false, true, 30));
    EXPECT_TRUE(usage.IsUsed(100, 50)) << "it limits";
    EXPECT_FALSE(usage.Note(false, false, 90)) << "until the round is over";
    EXPECT_TRUE(usage.Note(true, false, 30));
    EXPECT_FALSE(usage.IsUsed(100, 50));
}

TEST(LinuxSending, AnUnusedWindowRemembersItsMostSinceItWasUsed)
{
    WindowUsage usage;
    usage.Restart(10);
    usage.NoteUnused(30);
    usage.NoteUnused(20);
    EXPECT_EQ(usage.GetMostUsed(), 30);
    EXPECT_DOUBLE_EQ(usage.GetPause(10.5), 0.5);
    usage.MoveOrigin(4);
    EXPECT_DOUBLE_EQ(usage.GetPause(6.5), 0.5);
    usage.Restart(7);
    EXPECT_EQ(usage.GetMostUsed(), 0);
    EXPECT_DOUBLE_EQ(usage.GetPause(7), 0);
}

} // namespace
