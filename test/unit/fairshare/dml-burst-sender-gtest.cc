/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The sending side of a connection of bursts, fed with ACKs by hand.

#include "ns3/dml-burst-sender.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t MSS = 1448;

/// A connection with segments as bursts, whose ACKs a test writes.
class HandFedSender : public testing::Test
{
  protected:
    HandFedSender()
        : m_sender({TcpSpec(), MSS, 0, 0.01})
    {
    }

    /// @return numbers of the bursts that it sends now
    std::vector<uint64_t> SendAll()
    {
        std::vector<uint64_t> sent;
        for (uint64_t number = m_sender.Send(m_now); number != BurstSender::NONE;
             number = m_sender.Send(m_now))
        {
            sent.push_back(number);
        }
        return sent;
    }

    /// An ACK of bursts, and of all segments before one.
    void Acknowledge(const std::vector<uint64_t>& arrived, uint32_t before)
    {
        m_now += 0.01;
        RingQueue<uint64_t> bursts;
        for (const uint64_t number : arrived)
        {
            bursts.push_back(number);
        }
        m_sender.Receive(m_now, {uint64_t{before} * MSS, bursts, arrived.size()});
    }

    BurstSender m_sender;
    double m_now{0};
};

/// A window of ten segments leaves in two bursts, and no burst is more than half of a window.
TEST(BurstSender, SendsHalfOfItsWindowAtOnce)
{
    BurstSender sender({TcpSpec(), MSS, 65536, 0.0001});
    sender.Write(100 * MSS);
    std::vector<uint32_t> segments;
    for (uint64_t number = sender.Send(0); number != BurstSender::NONE; number = sender.Send(0))
    {
        segments.push_back(sender.Get(number).bytes / MSS);
    }
    EXPECT_EQ(segments, (std::vector<uint32_t>{5, 5}));
    RingQueue<uint64_t> arrived;
    arrived.push_back(0);
    // slow start: fifteen segments may be on their way, and five are; three more are less than a
    // third of that, and wait
    sender.Receive(0.0002, {uint64_t{5} * MSS, arrived, 1});
    segments.clear();
    for (uint64_t number = sender.Send(0.0002); number != BurstSender::NONE;
         number = sender.Send(0.0002))
    {
        segments.push_back(sender.Get(number).bytes / MSS);
    }
    EXPECT_EQ(segments, std::vector<uint32_t>{7});
}

TEST_F(HandFedSender, DoesNotSendAgainWhatAProbeHasBrought)
{
    m_sender.Write(10 * MSS);
    ASSERT_EQ(SendAll().size(), 10u);
    for (const uint64_t lost : {7, 8, 9})
    {
        m_sender.Get(lost).dropped = MSS;
    }
    Acknowledge({0, 1, 2, 3, 4, 5, 6}, 7);
    EXPECT_TRUE(SendAll().empty());
    m_now = m_sender.GetTimeout();
    EXPECT_LT(m_now, 0.1) << "a probe comes after about two round trips";
    m_sender.HandleTimeout(m_now);
    const auto probe = SendAll();
    ASSERT_EQ(probe.size(), 1u);
    EXPECT_EQ(m_sender.Get(probe[0]).begin, 9 * MSS);
    Acknowledge({probe[0]}, 7);
    uint64_t missing = 7; // of the stream
    while (missing < 9)
    {
        const auto again = SendAll();
        ASSERT_FALSE(again.empty());
        for (const uint64_t number : again)
        {
            EXPECT_EQ(m_sender.Get(number).begin, missing++ * MSS);
        }
        Acknowledge({again.begin(), again.end()}, missing == 9 ? 10 : missing);
    }
    EXPECT_TRUE(SendAll().empty());
    EXPECT_EQ(m_sender.GetRetransmitted(), 3u * MSS);
    EXPECT_EQ(m_sender.GetTimeout(), BurstSender::NEVER);
    EXPECT_EQ(m_sender.GetRecoveries(), 1u);
    EXPECT_EQ(m_sender.GetTimeouts(), 0u);
}

TEST_F(HandFedSender, RepairsAllAfterATimeoutAndShrinksOnce)
{
    m_sender.Write(30 * MSS);
    ASSERT_EQ(SendAll().size(), 10u);
    for (uint64_t lost = 0; lost < 10; ++lost)
    {
        m_sender.Get(lost).dropped = MSS;
    }
    m_now = m_sender.GetTimeout();
    m_sender.HandleTimeout(m_now); // a probe, which is lost, too
    for (const uint64_t probe : SendAll())
    {
        m_sender.Get(probe).dropped = m_sender.Get(probe).bytes;
    }
    m_now = m_sender.GetTimeout();
    EXPECT_GE(m_now, 0.2);
    m_sender.HandleTimeout(m_now);
    EXPECT_EQ(m_sender.GetTimeouts(), 1u);
    uint32_t arrived = 0;
    for (uint32_t round = 0; round < 20 && arrived < 10; ++round)
    {
        const auto again = SendAll();
        ASSERT_FALSE(again.empty()) << round;
        for (const uint64_t number : again)
        {
            EXPECT_EQ(m_sender.Get(number).begin, arrived++ * MSS) << "from the head";
        }
        Acknowledge({again.begin(), again.end()}, arrived);
    }
    EXPECT_EQ(m_sender.GetRecoveries(), 0u);
}

TEST_F(HandFedSender, KeepsItsWindowIfOnlyAcksWereLate)
{
    m_sender.Write(30 * MSS);
    const auto sent = SendAll();
    for (uint32_t timeout = 0; timeout < 2; ++timeout) // a probe, and the timer
    {
        m_now = m_sender.GetTimeout();
        m_sender.HandleTimeout(m_now);
        for (const uint64_t number : SendAll())
        {
            EXPECT_GE(number, 10u) << "a probe is new data";
        }
    }
    EXPECT_EQ(m_sender.GetTimeouts(), 1u);
    EXPECT_EQ(m_sender.GetRetransmitted(), 0u);
    Acknowledge({sent.begin(), sent.end()}, 10);
    EXPECT_GE(SendAll().size(), 10u);
}

} // namespace
