/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Packets that stand for several segments are as long as these.

#include "ns3/dml-train-queue.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t SEGMENT = 1448;
constexpr uint32_t HEADER = 54;

Ptr<TrainQueue>
MakeQueue(const std::string& size)
{
    const auto queue = CreateObjectWithAttributes<TrainQueue>("SegmentSize",
                                                              UintegerValue(SEGMENT),
                                                              "HeaderSize",
                                                              UintegerValue(HEADER));
    queue->SetMaxSize(QueueSize(size));
    return queue;
}

/// @param payload bytes @return what leaves a queue when a packet with one header was put in
uint32_t
PassThrough(uint32_t payload)
{
    const auto queue = MakeQueue("1MB");
    EXPECT_TRUE(queue->Enqueue(Create<Packet>(HEADER + payload)));
    EXPECT_EQ(queue->GetNBytes(), queue->Peek()->GetSize());
    return queue->Dequeue()->GetSize();
}

TEST(TrainQueue, EverySegmentHasAHeader)
{
    EXPECT_EQ(PassThrough(0), HEADER); // an ACK
    EXPECT_EQ(PassThrough(1), HEADER + 1);
    EXPECT_EQ(PassThrough(SEGMENT), HEADER + SEGMENT);
    EXPECT_EQ(PassThrough(SEGMENT + 1), 2 * HEADER + SEGMENT + 1);
    EXPECT_EQ(PassThrough(2 * SEGMENT), 2 * (HEADER + SEGMENT));
    EXPECT_EQ(PassThrough(10 * SEGMENT), 10 * (HEADER + SEGMENT));
}

TEST(TrainQueue, ATrainIsTakenOrDroppedAsAWhole)
{
    const auto queue = MakeQueue("30000B");
    EXPECT_TRUE(queue->Enqueue(Create<Packet>(HEADER + 10 * SEGMENT)));  // 15020
    EXPECT_FALSE(queue->Enqueue(Create<Packet>(HEADER + 10 * SEGMENT))); // 30040, 29554 unpadded
    EXPECT_TRUE(queue->Enqueue(Create<Packet>(HEADER + 9 * SEGMENT)));   // 28538
    EXPECT_EQ(queue->GetTotalDroppedPackets(), 1);
}

} // namespace
