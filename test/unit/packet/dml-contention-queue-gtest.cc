/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A drop-tail queue whose last room goes to a random one of those that come for it: a limit of
// 10000 bytes.

#include "ns3/dml-contention-queue.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

class ContentionQueueTest : public testing::Test
{
  protected:
    ContentionQueueTest()
    {
        m_queue->SetMaxSize(QueueSize("10000B"));
        m_queue->AssignStream(1);
    }

    Ptr<Packet> Offer(uint32_t size = 1000)
    {
        const auto packet = Create<Packet>(size);
        m_queue->Enqueue(packet);
        ++m_offered;
        return packet;
    }

    void Fill()
    {
        for (uint32_t i = 0; i < 10; ++i)
        {
            Offer();
        }
    }

    /// Empty the queue. @return the packets in order
    std::vector<Ptr<Packet>> TakeAll()
    {
        std::vector<Ptr<Packet>> all;
        while (const auto packet = m_queue->Dequeue())
        {
            all.push_back(packet);
        }
        return all;
    }

    /// So many senders offer a packet each after each departure. @return how many of each leave
    std::vector<double> Compete(uint32_t senders, uint32_t slots)
    {
        Fill();
        std::map<Ptr<Packet>, uint32_t> from;
        std::vector<double> left(senders);
        const auto leave = [&](const Ptr<Packet>& packet) {
            const auto found = from.find(packet);
            if (found != from.end())
            {
                ++left[found->second];
            }
        };
        for (uint32_t slot = 0; slot < slots; ++slot)
        {
            leave(m_queue->Dequeue());
            for (uint32_t sender = 0; sender < senders; ++sender)
            {
                from[Offer()] = sender;
            }
        }
        for (const auto& packet : TakeAll())
        {
            leave(packet);
        }
        return left;
    }

    const Ptr<ContentionQueue> m_queue{CreateObject<ContentionQueue>()};
    uint32_t m_offered{0}; //!< packets
};

TEST_F(ContentionQueueTest, WhatFitsStaysInOrder)
{
    std::vector<Ptr<Packet>> offered;
    for (uint32_t i = 0; i < 10; ++i)
    {
        offered.push_back(Offer());
    }
    EXPECT_EQ(TakeAll(), offered);
    EXPECT_EQ(m_queue->GetTotalDroppedPackets(), 0);
}

TEST_F(ContentionQueueTest, OneSenderLosesNothingAtTheRateOfThePort)
{
    EXPECT_EQ(Compete(1, 100), std::vector<double>{100});
    EXPECT_EQ(m_queue->GetTotalDroppedPackets(), 0);
}

TEST_F(ContentionQueueTest, EachOfSeveralSendersGetsItsPart)
{
    // binomial: five standard deviations
    constexpr uint32_t SLOTS = 6000;
    for (const uint32_t senders : {2U, 3U, 5U})
    {
        const double part = 1.0 / senders;
        double all = 0;
        for (const double left : Compete(senders, SLOTS))
        {
            EXPECT_NEAR(left, SLOTS * part, 5 * std::sqrt(SLOTS * part * (1 - part)));
            all += left;
        }
        EXPECT_EQ(all, SLOTS);
    }
}

/// Acknowledgements that come between two senders' packets, and fit beside what has the last room,
/// do not end the contest.
TEST_F(ContentionQueueTest, SmallPacketsDoNotDecide)
{
    constexpr uint32_t SLOTS = 6000;
    m_queue->SetMaxSize(QueueSize("10900B")); // ten of both kinds fit
    Fill();
    std::map<Ptr<Packet>, uint32_t> from;
    std::vector<double> left(2);
    uint32_t small = 0;
    for (uint32_t slot = 0; slot < SLOTS;)
    {
        const auto packet = m_queue->Dequeue();
        if (packet->GetSize() < 1000)
        {
            ++small;
            continue;
        }
        ++slot;
        const auto found = from.find(packet);
        if (found != from.end())
        {
            ++left[found->second];
        }
        from[Offer()] = 0;
        Offer(60);
        from[Offer()] = 1;
    }
    EXPECT_NEAR(left[0], SLOTS / 2, 5 * std::sqrt(SLOTS / 4));
    EXPECT_GT(left[0] + left[1], SLOTS - 20);
    EXPECT_GT(small, SLOTS / 2);
}

TEST_F(ContentionQueueTest, PacketsOfOneSenderStayInOrder)
{
    m_queue->SetMaxSize(QueueSize("10500B"));
    Fill();
    std::map<Ptr<Packet>, uint32_t> number;
    uint32_t next = 1;
    uint32_t last = 0;
    for (uint32_t slot = 0; slot < 2000; ++slot)
    {
        const auto found = number.find(m_queue->Dequeue());
        if (found != number.end())
        {
            EXPECT_GT(found->second, last);
            last = found->second;
        }
        Offer(); // another sender's
        number[Offer(100)] = next++;
        number[Offer()] = next++;
    }
    EXPECT_GT(last, 1000);
}

TEST_F(ContentionQueueTest, EveryPacketLeavesOrIsDropped)
{
    Compete(4, 500);
    EXPECT_EQ(m_queue->GetTotalReceivedPackets() + m_queue->GetTotalDroppedPackets(), m_offered);
    EXPECT_EQ(m_queue->GetTotalReceivedPackets(), 510);
    EXPECT_EQ(m_queue->GetNPackets(), 0);
}

TEST_F(ContentionQueueTest, ALargePacketDoesNotTakeTheRoomOfASmallOne)
{
    for (uint32_t i = 0; i < 9; ++i)
    {
        Offer();
    }
    Offer(400);
    Offer(400); // of 10000 bytes 200 are left
    const auto before = m_queue->GetTotalDroppedPackets();
    for (uint32_t i = 0; i < 20; ++i)
    {
        Offer(1000);
    }
    EXPECT_EQ(m_queue->GetTotalDroppedPackets() - before, 20);
    EXPECT_EQ(TakeAll().size(), 11);
}

TEST_F(ContentionQueueTest, APacketAlonePasses)
{
    m_queue->SetMaxSize(QueueSize("1500B"));
    const auto packet = Offer();
    EXPECT_EQ(m_queue->Peek(), packet);
    EXPECT_EQ(m_queue->Dequeue(), packet);
    Offer();
    EXPECT_NE(m_queue->Remove(), nullptr);
}

} // namespace
