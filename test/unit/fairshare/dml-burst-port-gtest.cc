/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-burst-port.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dml;

constexpr double PACKET_BYTES = 1500; //!< bytes
constexpr double PORT_RATE = 1.5e6;   //!< bytes per second: a segment in a millisecond
constexpr uint32_t PORT_PLACES = 10;  //!< segments that the port holds

/// A port of a switch that a full queue, and bursts that come, can be given to.
class BurstPortTest : public ::testing::Test
{
  protected:
    /// @return a burst whose segments come one after the other at the link's rate
    static NetworkBurst MakeBurst(uint16_t segments)
    {
        NetworkBurst burst{};
        burst.segments = segments;
        burst.bytes = segments * 1448;
        burst.size = segments * PACKET_BYTES;
        burst.spread = (segments - 1) * PACKET_BYTES / PORT_RATE;
        return burst;
    }

    static TcpPort MakeSpec()
    {
        TcpPort port;
        port.atSwitch = true;
        port.queue.bytes = PORT_PLACES * static_cast<uint64_t>(PACKET_BYTES);
        return port;
    }

    /// @return index of a burst that is on its way
    BurstId Keep(const NetworkBurst& burst)
    {
        const BurstId id = m_bursts.Add();
        m_bursts[id] = burst;
        return id;
    }

    /// @return how many segments are dropped of a burst whose last one comes at a time
    uint32_t Drop(double time, const NetworkBurst& burst)
    {
        return m_port.Take(time, Keep(burst), 0).dropped;
    }

    RngStream m_random{1, 2, 3};
    BurstPool m_bursts;
    BurstPort m_port{MakeSpec(),
                     PORT_RATE,
                     BurstPort::Settings{PACKET_BYTES, 45 * PACKET_BYTES, false, &m_random, false},
                     m_bursts};
};

TEST_F(BurstPortTest, TakesWhatFits)
{
    EXPECT_EQ(Drop(1, MakeBurst(1)), 0);
    for (uint32_t i = 1; i < PORT_PLACES; ++i)
    {
        EXPECT_EQ(Drop(1, MakeBurst(1)), 0) << i;
    }
    EXPECT_EQ(Drop(1, MakeBurst(1)), 1) << "it is full";
}

// Two bursts come at the rate of the link each, and find the queue full. Of three arrivals the link
// takes one, so a segment between them is dropped in two of three cases.
TEST_F(BurstPortTest, SegmentsCompeteWithBurstsThatAreComing)
{
    constexpr int TRIALS = 900;
    int dropped = 0;
    double now = 1;
    for (int i = 0; i < TRIALS; ++i, now += 10)
    {
        for (uint32_t place = 1; place < PORT_PLACES; ++place)
        {
            EXPECT_EQ(Drop(now, MakeBurst(1)), 0);
        }
        const NetworkBurst burst = MakeBurst(21);
        for (int other = 0; other < 2; ++other)
        {
            m_port.Expect(burst, now + 0.0005 + burst.spread);
        }
        dropped += Drop(now + 0.0105, MakeBurst(1));
    }
    EXPECT_NEAR(dropped, TRIALS * 2 / 3, 3.3 * 14.2); // standard deviation: sqrt(900 * 2 / 9)
}

// What is coming is no competition before it comes, after it has come, or where there is room.
TEST_F(BurstPortTest, BurstsThatAreNotComingDropNothing)
{
    const NetworkBurst burst = MakeBurst(21);
    m_port.Expect(burst, 1 + burst.spread);
    EXPECT_EQ(Drop(0.9, MakeBurst(1)), 0);
    EXPECT_EQ(Drop(1.001, MakeBurst(1)), 0) << "the first segments find room";
    EXPECT_EQ(Drop(1.1, MakeBurst(1)), 0);
}

TEST_F(BurstPortTest, WhatPassesAnIdleFairPortHoldsUpWhatComesNext)
{
    TcpPort spec;
    spec.queue = {QueueSpec::Kind::FAIR, 0};
    const BurstPort::Settings settings{PACKET_BYTES, 45 * PACKET_BYTES, false, &m_random, false};
    BurstPort port(spec, PORT_RATE, settings, m_bursts);
    const uint32_t queue = port.AddQueue(false);
    ASSERT_TRUE(port.IsIdle());
    port.Pass(1, 1.001, MakeBurst(1));
    EXPECT_TRUE(port.IsIdle());
    EXPECT_EQ(port.GetUse().segments, 1u);
    EXPECT_EQ(port.GetUse().bytes, PACKET_BYTES);
    port.Take(1.0004, Keep(MakeBurst(1)), queue);
    EXPECT_NEAR(port.Serve(1.0004), 1.002, 1e-12);
    EXPECT_FALSE(port.IsIdle()) << "it serves a burst";
}

TEST_F(BurstPortTest, AFairPortWithATokenBucketTakesQueuesByTheirNumbers)
{
    TcpPort host;
    host.queue = {QueueSpec::Kind::FAIR, 0};
    const BurstPort::Settings settings{PACKET_BYTES, PACKET_BYTES, false, &m_random, false};
    for (const bool hasBucket : {false, true})
    {
        host.tokenBucket = hasBucket ? 1 : 0;
        BurstPort port(host, PORT_RATE, settings, m_bursts);
        std::vector<uint32_t> queues;
        for (int i = 0; i < 3; ++i)
        {
            queues.push_back(port.AddQueue(false));
        }
        std::vector<BurstId> bursts;
        const auto take = [&](uint32_t queue) {
            bursts.push_back(Keep(MakeBurst(1)));
            port.Take(1, bursts.back(), queues[queue]);
        };
        for (const uint32_t queue : {0, 0, 0, 1, 1, 1})
        {
            take(queue);
        }
        std::vector<std::size_t> served;
        double now = port.Serve(1);
        while (now >= 0)
        {
            if (served.size() == 2)
            {
                take(2); // while the second burst of the first queue is sent
            }
            const BurstId id = port.Finish();
            served.push_back(std::find(bursts.begin(), bursts.end(), id) - bursts.begin());
            now = port.Serve(now);
        }
        // a new queue goes before the old ones (RFC 8290), or when it is its turn
        const std::vector<std::size_t> expected =
            hasBucket ? std::vector<std::size_t>{0, 3, 1, 4, 6, 2, 5}
                      : std::vector<std::size_t>{0, 3, 1, 6, 4, 2, 5};
        EXPECT_EQ(served, expected) << hasBucket;
    }
}

TEST_F(BurstPortTest, ATokenBucketHoldsItsBytesWhateverTheRate)
{
    TcpPort host;
    host.queue = {QueueSpec::Kind::FAIR, 0};
    host.tokenBucket = 10 * static_cast<uint64_t>(PACKET_BYTES);
    BurstPort port(host,
                   PORT_RATE,
                   BurstPort::Settings{PACKET_BYTES, 45 * PACKET_BYTES, false, &m_random, true},
                   m_bursts);
    const uint32_t queue = port.AddQueue(false);
    NetworkBurst burst = MakeBurst(10);
    burst.spread = 0;
    port.Take(1, Keep(burst), queue);
    EXPECT_NEAR(port.Serve(1), 1, 1e-12);
    port.Finish();
    uint64_t order = 0;
    port.SetRate(2, 2 * PORT_RATE, order);
    port.Take(3, Keep(burst), queue);
    EXPECT_NEAR(port.Serve(3), 3, 1e-12) << "full again";
    port.Finish();
    port.Take(3, Keep(burst), queue);
    EXPECT_NEAR(port.Serve(3), 3.005, 1e-12);
}

TEST_F(BurstPortTest, OnlyAFairPortThatIsUpIsIdle)
{
    const BurstPort::Settings settings{PACKET_BYTES, 45 * PACKET_BYTES, false, &m_random, false};
    TcpPort spec = MakeSpec();
    EXPECT_FALSE(m_port.IsIdle()) << "first in, first out";
    spec.queue.kind = QueueSpec::Kind::FQ_CODEL;
    EXPECT_FALSE(BurstPort(spec, PORT_RATE, settings, m_bursts).IsIdle()) << "CoDel notes delays";
    spec.queue.kind = QueueSpec::Kind::FAIR;
    BurstPort port(spec, PORT_RATE, settings, m_bursts);
    EXPECT_TRUE(port.IsIdle());
    uint64_t order = 0;
    port.SetRate(1, 0, order);
    EXPECT_FALSE(port.IsIdle()) << "its link is down";
}

TEST_F(BurstPortTest, WhatHasWaitedForALinkThatWasDownTakesItsTime)
{
    TcpPort host;
    host.queue = {QueueSpec::Kind::FAIR, 0};
    BurstPort port(host,
                   PORT_RATE,
                   BurstPort::Settings{PACKET_BYTES, 45 * PACKET_BYTES, false, &m_random, true},
                   m_bursts);
    const uint32_t queue = port.AddQueue(false);
    NetworkBurst burst = MakeBurst(10);
    burst.spread = 0;
    for (int i = 0; i < 3; ++i)
    {
        port.Take(1, Keep(burst), queue);
    }
    EXPECT_NEAR(port.Serve(1), 1.01, 1e-9);
    uint64_t order = 0;
    port.SetRate(1.005, 0, order);
    port.Finish();
    EXPECT_LT(port.Serve(1.01), 0) << "it is down";
    port.SetRate(5, PORT_RATE, order);
    EXPECT_NEAR(port.Serve(5), 5.01, 1e-9);
    port.Finish();
    EXPECT_NEAR(port.Serve(5.01), 5.02, 1e-9);
}

} // namespace
