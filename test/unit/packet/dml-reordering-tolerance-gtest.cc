/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What Linux' tcp_check_sack_reordering() and tcp_rack_update_reo_wnd() do, by hand.

#include "ns3/dml-reordering-tolerance.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

const Time SHORTEST_TRIP = MicroSeconds(40);
const Time SMOOTHED_TRIP = MicroSeconds(100);

Time
WindowOf(const ReorderingTolerance& tolerance)
{
    return tolerance.GetWindow(SHORTEST_TRIP, SMOOTHED_TRIP);
}

/// Report copies in each of @p trips round trips.
void
NoteDuplicates(ReorderingTolerance& tolerance, uint32_t trips)
{
    for (uint32_t trip = 1; trip <= trips; ++trip)
    {
        tolerance.NoteDuplicate(SequenceNumber32(1000 * trip), SequenceNumber32(1000 * (trip + 1)));
    }
}

TEST(ReorderingToleranceTest, WithoutReorderingItIsThatOfTheRfcs)
{
    const ReorderingTolerance tolerance;
    EXPECT_FALSE(tolerance.IsReorderingSeen());
    EXPECT_EQ(tolerance.GetThreshold(false), 3U);
    EXPECT_EQ(tolerance.GetThreshold(true), 3U);
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(10));
}

TEST(ReorderingToleranceTest, OnceReorderingIsSeenOnlyTimeTells)
{
    ReorderingTolerance tolerance;
    tolerance.NoteLate(1);
    EXPECT_TRUE(tolerance.IsReorderingSeen());
    EXPECT_EQ(tolerance.GetThreshold(false), 300U);
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(10)) << "which duplicates change";
}

TEST(ReorderingToleranceTest, InRecoveriesTheLongestOvertakingTells)
{
    ReorderingTolerance tolerance;
    tolerance.NoteLate(1);
    EXPECT_EQ(tolerance.GetThreshold(true), 3U);
    tolerance.NoteLate(17);
    tolerance.NoteLate(5);
    EXPECT_EQ(tolerance.GetThreshold(true), 17U);
    tolerance.NoteLate(1000);
    EXPECT_EQ(tolerance.GetThreshold(true), 300U);
}

TEST(ReorderingToleranceTest, TheWindowGrowsOnceInARoundTrip)
{
    ReorderingTolerance tolerance;
    tolerance.NoteDuplicate(SequenceNumber32(1000), SequenceNumber32(5000));
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(20));
    tolerance.NoteDuplicate(SequenceNumber32(2000), SequenceNumber32(6000));
    tolerance.NoteDuplicate(SequenceNumber32(4999), SequenceNumber32(7000));
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(20)) << "the round trip has not ended";
    tolerance.NoteDuplicate(SequenceNumber32(5000), SequenceNumber32(9000));
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(30));
}

TEST(ReorderingToleranceTest, TheWindowIsAtMostTheSmoothedRoundTrip)
{
    ReorderingTolerance tolerance;
    NoteDuplicates(tolerance, 20);
    EXPECT_EQ(WindowOf(tolerance), SMOOTHED_TRIP);
    EXPECT_EQ(tolerance.GetWindow(MicroSeconds(40), MicroSeconds(5)), MicroSeconds(10))
        << "and at least a quarter of the shortest";
}

TEST(ReorderingToleranceTest, SixteenRecoveriesEndIt)
{
    ReorderingTolerance tolerance;
    NoteDuplicates(tolerance, 2);
    for (uint32_t recovery = 1; recovery < 16; ++recovery)
    {
        tolerance.NoteRecovered();
        EXPECT_EQ(WindowOf(tolerance), MicroSeconds(30)) << recovery;
    }
    tolerance.NoteRecovered();
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(10));
    NoteDuplicates(tolerance, 1);
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(20)) << "and it begins anew";
}

TEST(ReorderingToleranceTest, SequenceNumbersMayWrapAround)
{
    ReorderingTolerance tolerance;
    tolerance.NoteDuplicate(SequenceNumber32(0xFFFFF000), SequenceNumber32(0x1000));
    tolerance.NoteDuplicate(SequenceNumber32(0xFFFFFF00), SequenceNumber32(0x2000));
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(20));
    tolerance.NoteDuplicate(SequenceNumber32(0x1000), SequenceNumber32(0x3000));
    EXPECT_EQ(WindowOf(tolerance), MicroSeconds(30));
}

} // namespace
