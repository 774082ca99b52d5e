/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-link-totals.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

// 100,000 packets of 64,000 bytes are 6.4 GB; the queues of ns-3 count them in 32 bits.
TEST(LinkTotals, CountsMoreThanFourGigabytes)
{
    constexpr uint64_t PACKETS = 100000;
    constexpr uint32_t BYTES = 64000;
    NodeContainer nodes(2);
    const auto devices = PointToPointHelper().Install(nodes);
    const LinkCounters counters(devices);
    const auto queue = DynamicCast<PointToPointNetDevice>(devices.Get(0))->GetQueue();
    for (uint64_t i = 0; i < PACKETS; ++i)
    {
        ASSERT_TRUE(queue->Enqueue(Create<Packet>(BYTES)));
        ASSERT_TRUE(queue->Dequeue());
    }
    ASSERT_TRUE(queue->Enqueue(Create<Packet>(BYTES))); // which waits
    EXPECT_EQ(counters.GetCount(0).bytes, PACKETS * BYTES);
    EXPECT_EQ(counters.GetCount(0).packets, PACKETS);
    EXPECT_EQ(counters.GetCount(1).bytes, 0u);
    Simulator::Destroy();
}
