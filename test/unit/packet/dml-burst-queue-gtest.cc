/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A FIFO that takes or drops bursts as a whole: packets of 1000 bytes, a limit of 10000.

#include "ns3/dml-burst-queue.h"
#include "ns3/dml-burst-tag.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

class BurstQueueTest : public testing::Test
{
  protected:
    BurstQueueTest()
    {
        m_queue->SetMaxSize(QueueSize("10000B"));
    }

    /// @return 'T' if a packet of a burst is taken, 'D' if it is dropped
    char Offer(uint64_t flow, uint32_t burst, uint32_t following, uint32_t size = 1000)
    {
        const auto packet = Create<Packet>(size);
        packet->AddPacketTag(BurstTag(flow, burst, following));
        return m_queue->Enqueue(packet) ? 'T' : 'D';
    }

    /// All packets of a burst. @return what becomes of them
    std::string OfferAll(uint64_t flow, uint32_t burst, uint32_t packets)
    {
        std::string fates;
        for (uint32_t following = packets; following-- > 0;)
        {
            fates += Offer(flow, burst, following);
        }
        return fates;
    }

    /// A packet that belongs to no burst.
    char OfferSingle(uint32_t size = 1000)
    {
        return m_queue->Enqueue(Create<Packet>(size)) ? 'T' : 'D';
    }

    const Ptr<BurstQueue> m_queue{CreateObject<BurstQueue>()};
};

TEST_F(BurstQueueTest, WhatFitsIsTaken)
{
    EXPECT_EQ(OfferAll(1, 1, 10), "TTTTTTTTTT");
    EXPECT_EQ(m_queue->GetNBytes(), 10000);
    EXPECT_EQ(m_queue->GetTotalDroppedPackets(), 0);
}

TEST_F(BurstQueueTest, WhatDoesNotFitIsDroppedAsAWhole)
{
    EXPECT_EQ(OfferAll(1, 1, 8), "TTTTTTTT");
    EXPECT_EQ(OfferAll(2, 1, 3), "DDD"); // two of them would have fitted
    EXPECT_EQ(OfferAll(2, 2, 2), "TT");
    EXPECT_EQ(m_queue->GetTotalDroppedPackets(), 3);
    EXPECT_EQ(m_queue->GetTotalDroppedPacketsBeforeEnqueue(), 3);
}

TEST_F(BurstQueueTest, RoomThatComesLaterIsForTheNextBurst)
{
    OfferAll(1, 1, 8);
    EXPECT_EQ(Offer(2, 1, 2), 'D');
    m_queue->Dequeue();
    m_queue->Dequeue();
    EXPECT_EQ(Offer(2, 1, 1), 'D');
    EXPECT_EQ(Offer(2, 1, 0), 'D');
    EXPECT_EQ(OfferAll(2, 2, 4), "TTTT");
}

TEST_F(BurstQueueTest, WhatIsStillToComeHasItsRoom)
{
    EXPECT_EQ(Offer(1, 1, 7), 'T'); // of eight
    EXPECT_EQ(OfferAll(2, 1, 3), "DDD");
    EXPECT_EQ(OfferAll(3, 1, 2), "TT");
    EXPECT_EQ(OfferSingle(40), 'D');
    for (uint32_t following = 7; following-- > 0;)
    {
        EXPECT_EQ(Offer(1, 1, following), 'T');
    }
    EXPECT_EQ(m_queue->GetNBytes(), 10000);
}

TEST_F(BurstQueueTest, AShortLastPacketLeavesNoRoomBehind)
{
    EXPECT_EQ(Offer(1, 1, 1), 'T');
    EXPECT_EQ(Offer(1, 1, 0, 100), 'T');
    EXPECT_EQ(OfferAll(1, 2, 8), "TTTTTTTT"); // 9100
    EXPECT_EQ(OfferSingle(900), 'T');
    EXPECT_EQ(OfferSingle(1), 'D');
}

TEST_F(BurstQueueTest, WhatWasLostBeforeIsNotWaitedFor)
{
    EXPECT_EQ(Offer(1, 1, 9), 'T'); // the rest never comes
    EXPECT_EQ(OfferSingle(), 'D');
    EXPECT_EQ(OfferAll(1, 2, 9), "TTTTTTTTT");
}

TEST_F(BurstQueueTest, ABurstWhoseHeadWasLostIsJudgedByWhatComes)
{
    OfferAll(1, 1, 7);
    EXPECT_EQ(Offer(2, 5, 2), 'T'); // its third packet of five
    EXPECT_EQ(Offer(2, 5, 1), 'T');
    EXPECT_EQ(Offer(2, 5, 0), 'T');
}

TEST_F(BurstQueueTest, SinglePacketsAreTakenAsLongAsTheyFit)
{
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(OfferSingle(), 'T');
    }
    EXPECT_EQ(OfferSingle(1), 'D');
}

} // namespace
