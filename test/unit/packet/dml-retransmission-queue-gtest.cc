/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What Linux' tcp_rack_detect_loss() and tcp_packets_in_flight() say of segments of 100 bytes, by
// hand: one is sent each microsecond, and a round trip takes 10 us.

#include "ns3/dml-retransmission-queue.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

const Time TRIP = MicroSeconds(10);
const Time AT_ONCE;

SequenceNumber32
At(uint32_t segment)
{
    return SequenceNumber32(0xFFFFFF00) + SequenceNumber32(100 * segment); // wraps around
}

class RetransmissionQueueTest : public testing::Test
{
  protected:
    RetransmissionQueueTest()
    {
        for (uint32_t segment = 0; segment < 10; ++segment)
        {
            queue.NoteSent(At(segment), 100, MicroSeconds(segment), false, 0);
        }
    }

    void SendAgain(uint32_t segment, int64_t now)
    {
        queue.NoteSent(At(segment), 100, MicroSeconds(now), true, 0);
    }

    /// Segments have arrived. @param acknowledged the first that has not @param blocks first ones
    /// and those behind the last ones @param now us
    void Acknowledge(uint32_t acknowledged,
                     const std::vector<std::pair<uint32_t, uint32_t>>& blocks,
                     int64_t now)
    {
        TcpOptionSack::SackList list;
        for (const auto& [begin, end] : blocks)
        {
            list.emplace_back(At(begin), At(end));
        }
        queue.NoteAck(At(acknowledged), list, MicroSeconds(now), TRIP);
    }

    /// Expect that one segment is the first that is lost.
    void ExpectLost(uint32_t segment)
    {
        const auto lost = queue.FindLost();
        ASSERT_TRUE(lost.has_value());
        EXPECT_EQ(lost->begin, At(segment));
        EXPECT_EQ(lost->bytes, 100U);
    }

    RetransmissionQueue queue;
};

TEST_F(RetransmissionQueueTest, InFlightIsWhatHasNotArrived)
{
    EXPECT_EQ(queue.GetInFlight(), 1000U);
    Acknowledge(2, {}, 11);
    EXPECT_EQ(queue.GetInFlight(), 800U);
    Acknowledge(2, {{4, 6}, {8, 9}}, 18);
    EXPECT_EQ(queue.GetInFlight(), 500U);
    EXPECT_EQ(queue.CountSacked(), 3U);
    Acknowledge(9, {}, 19);
    EXPECT_EQ(queue.GetInFlight(), 100U);
    EXPECT_EQ(queue.CountSacked(), 0U);
    EXPECT_FALSE(queue.HasLost());
}

TEST_F(RetransmissionQueueTest, LostIsWhatWasSentBeforeSomethingThatHasArrived)
{
    Acknowledge(1, {{2, 3}, {5, 6}}, 15);
    EXPECT_EQ(queue.FindLosses(AT_ONCE, MicroSeconds(15)), Time(0));
    EXPECT_EQ(queue.GetInFlight(), 400U) << "6 to 9; 1, 3 and 4 are lost";
    for (const uint32_t segment : {1, 3, 4})
    {
        ExpectLost(segment);
        SendAgain(segment, 16);
    }
    EXPECT_FALSE(queue.HasLost());
    EXPECT_EQ(queue.GetInFlight(), 700U);
}

TEST_F(RetransmissionQueueTest, OvertakenSegmentsMayComeWithinTheWindow)
{
    Acknowledge(1, {{5, 6}}, 15);
    // 1 is overdue at 1 + 10 + 2 us, 4 at 16 us, 3 now
    EXPECT_EQ(queue.FindLosses(MicroSeconds(2), MicroSeconds(15)), MicroSeconds(1));
    EXPECT_EQ(queue.GetInFlight(), 500U) << "4 and 6 to 9";
    EXPECT_EQ(queue.FindLosses(MicroSeconds(2), MicroSeconds(16)), Time(0));
    EXPECT_EQ(queue.GetInFlight(), 400U);
}

/// The middle one of three repetitions is lost, which is not the first of the stream.
TEST_F(RetransmissionQueueTest, RepetitionsAreLostAsFirstCopiesAre)
{
    Acknowledge(1, {{4, 10}}, 19);
    queue.FindLosses(AT_ONCE, MicroSeconds(19));
    SendAgain(1, 20);
    SendAgain(2, 21);
    SendAgain(3, 22);
    EXPECT_EQ(queue.GetInFlight(), 300U);
    Acknowledge(1, {{3, 10}}, 32);
    queue.FindLosses(AT_ONCE, MicroSeconds(32));
    EXPECT_EQ(queue.GetInFlight(), 0U) << "1 and 2 were sent before 3";
    ExpectLost(1);
    SendAgain(1, 33);
    ExpectLost(2);
}

/// A segment at the end, behind all that was reported.
TEST_F(RetransmissionQueueTest, ARepetitionTellsOfWhatWasFirstSentBeforeIt)
{
    Acknowledge(1, {{2, 9}}, 18);
    queue.FindLosses(AT_ONCE, MicroSeconds(18));
    SendAgain(1, 19);
    Acknowledge(9, {}, 29);
    queue.FindLosses(AT_ONCE, MicroSeconds(29));
    ExpectLost(9);
    EXPECT_EQ(queue.GetInFlight(), 0U);
}

TEST_F(RetransmissionQueueTest, WhatComesTooEarlyForARepetitionIsTheFirstCopy)
{
    Acknowledge(1, {{4, 5}}, 14);
    queue.FindLosses(AT_ONCE, MicroSeconds(14));
    SendAgain(1, 15);
    Acknowledge(2, {{4, 5}}, 16);
    queue.FindLosses(AT_ONCE, MicroSeconds(16));
    EXPECT_EQ(queue.GetInFlight(), 500U) << "5 to 9, of which nothing is known";
}

TEST_F(RetransmissionQueueTest, ARepetitionThatHasArrivedIsNotInFlight)
{
    Acknowledge(1, {{3, 10}}, 19);
    queue.FindLosses(AT_ONCE, MicroSeconds(19));
    SendAgain(1, 20);
    SendAgain(2, 20);
    Acknowledge(1, {{2, 10}}, 30);
    EXPECT_EQ(queue.GetInFlight(), 100U);
}

TEST_F(RetransmissionQueueTest, AProbeIsASecondCopy)
{
    queue.NoteSent(At(9), 100, MicroSeconds(40), false, 0);
    EXPECT_EQ(queue.GetInFlight(), 1100U);
    EXPECT_FALSE(queue.HasLost());
    EXPECT_EQ(queue.FindSentOnce(At(9)), At(10));
    EXPECT_EQ(queue.FindSentOnce(At(8)), At(8));
    Acknowledge(0, {{9, 10}}, 50);
    queue.FindLosses(AT_ONCE, MicroSeconds(50));
    ExpectLost(0);
    EXPECT_EQ(queue.GetInFlight(), 0U);
}

TEST_F(RetransmissionQueueTest, AfterATimeoutAllIsLostThatHasNotArrived)
{
    Acknowledge(1, {{4, 6}}, 15);
    queue.LoseFirst();
    EXPECT_EQ(queue.GetInFlight(), 600U);
    SendAgain(1, 16);
    queue.LoseAll();
    EXPECT_EQ(queue.GetInFlight(), 0U);
    ExpectLost(1);
    SendAgain(1, 300);
    ExpectLost(2);
}

/// What left together is sent again together, as far as nothing in between has arrived.
TEST_F(RetransmissionQueueTest, LostSegmentsOfABurstAreCounted)
{
    RetransmissionQueue bursts; // of four, four and two segments
    for (uint32_t segment = 0; segment < 10; ++segment)
    {
        bursts.NoteSent(At(segment), 100, MicroSeconds(segment), false, segment / 4);
    }
    bursts.NoteAck(At(0), {{At(5), At(6)}, {At(8), At(10)}}, MicroSeconds(20), TRIP);
    bursts.FindLosses(AT_ONCE, MicroSeconds(20));
    EXPECT_EQ(bursts.FindLost()->ofBurst, 300U) << "behind the first of its burst";
    bursts.NoteSent(At(0), 100, MicroSeconds(21), true, 3);
    bursts.NoteSent(At(1), 100, MicroSeconds(21), true, 3);
    EXPECT_EQ(bursts.FindLost()->ofBurst, 100U);
    bursts.NoteSent(At(2), 100, MicroSeconds(21), true, 4);
    bursts.NoteSent(At(3), 100, MicroSeconds(21), true, 4);
    EXPECT_EQ(bursts.FindLost()->ofBurst, 0U) << "the next one has arrived";
    bursts.LoseAll();
    EXPECT_EQ(bursts.FindLost()->begin, At(0));
    EXPECT_EQ(bursts.FindLost()->ofBurst, 100U) << "the burst in which they were sent last";
}

/// A part of a segment is sent again and acknowledged.
TEST_F(RetransmissionQueueTest, SegmentsAreSplit)
{
    queue.LoseAll();
    queue.NoteSent(At(0), 150, MicroSeconds(20), true, 0);
    EXPECT_EQ(queue.GetInFlight(), 150U);
    const auto lost = queue.FindLost();
    ASSERT_TRUE(lost.has_value());
    EXPECT_EQ(lost->begin, At(1) + SequenceNumber32(50));
    EXPECT_EQ(lost->bytes, 50U);
    queue.NoteAck(At(0) + SequenceNumber32(120), {}, MicroSeconds(30), TRIP);
    EXPECT_EQ(queue.GetInFlight(), 30U);
}

} // namespace
