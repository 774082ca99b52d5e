/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ports of bursts that share the memory of a switch: 121000 bytes, segments of 1500 in a
// millisecond.

#include "dml-burst-star.h"

#include "ns3/dml-burst-port.h"
#include "ns3/rng-stream.h"

#include <deque>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dml;

constexpr double MEMORY = 121000;       //!< bytes
constexpr double MEMORY_SEGMENT = 1500; //!< bytes
constexpr double PORT_SPEED = 1.5e6;    //!< bytes per second

class BurstMemoryTest : public testing::Test
{
  protected:
    void AddPort(double alpha)
    {
        TcpPort port;
        port.atSwitch = true;
        port.queue = {QueueSpec::Kind::SHARED, static_cast<uint64_t>(MEMORY)};
        port.queue.alpha = alpha;
        const BurstPort::Settings settings{MEMORY_SEGMENT,
                                           45 * MEMORY_SEGMENT,
                                           false,
                                           &m_random,
                                           false};
        m_ports.emplace_back(port, PORT_SPEED, settings, m_bursts);
        m_ports.back().Share(m_memory);
    }

    NetworkBurst MakeBurst(uint16_t segments, double spread = 0) const
    {
        NetworkBurst burst{};
        burst.segments = segments;
        burst.bytes = segments * 1448;
        burst.size = segments * MEMORY_SEGMENT;
        burst.spread = spread;
        return burst;
    }

    /// @return segments that are dropped
    uint32_t Offer(uint32_t port, double now, const NetworkBurst& burst)
    {
        const BurstId id = m_bursts.Add();
        m_bursts[id] = burst;
        return m_ports[port].Take(now, id, 0).dropped;
    }

    RngStream m_random{1, 2, 3};
    BurstPool m_bursts;
    BurstMemory m_memory{MEMORY};
    std::deque<BurstPort> m_ports; // which stay where they are
};

// q = alpha (B - q): 60500 bytes are 40 segments and a part; of a burst, those that fit are taken
TEST_F(BurstMemoryTest, APortThatIsFullAloneHoldsItsPart)
{
    AddPort(1);
    AddPort(1);
    EXPECT_EQ(Offer(0, 1, MakeBurst(30)), 0u);
    EXPECT_EQ(Offer(0, 1, MakeBurst(30)), 20u);
    EXPECT_EQ(Offer(0, 1, MakeBurst(1)), 1u);
    EXPECT_NEAR(m_ports[0].GetContent(1), 60000, 1e-6);
    EXPECT_NEAR(m_ports[0].GetUse().fullest, 60000, 1e-6);
    // 5 ms later 5 segments have left: room for (121000 - 52500 - q) = q is 34250 bytes, 22
    // segments
    EXPECT_EQ(Offer(1, 1.005, MakeBurst(30)), 8u);
    EXPECT_NEAR(m_ports[1].GetContent(1.005), 33000, 1e-6);
    // the first one may hold (121000 - 33000) / 2 = 44000 bytes when the other one is as it is
    EXPECT_EQ(Offer(0, 1.005, MakeBurst(1)), 1u);
}

TEST_F(BurstMemoryTest, PortsThatAreFullTogetherHoldTheSame)
{
    double now = 1;
    for (const double alpha : {0.25, 1.0, 8.0})
    {
        for (uint32_t count = 2; count <= 16; count *= 2)
        {
            m_ports.clear();
            m_memory = BurstMemory(MEMORY);
            for (uint32_t port = 0; port < count; ++port)
            {
                AddPort(alpha);
            }
            bool taken = true;
            while (taken)
            {
                taken = false;
                for (uint32_t port = 0; port < count; ++port)
                {
                    taken |= Offer(port, now, MakeBurst(1)) == 0;
                }
            }
            const double steady = alpha * MEMORY / (1 + count * alpha);
            double sum = 0;
            for (const auto& port : m_ports)
            {
                EXPECT_NEAR(port.GetContent(now), steady, MEMORY_SEGMENT) << count << ", " << alpha;
                sum += port.GetContent(now);
            }
            EXPECT_LE(sum, MEMORY);
            now += 10;
        }
    }
}

// A burst of 41 segments comes at four times the rate of its port, within 10 ms from 1 s on: after
// 5 ms 41 * 1500 * 5 / 10 bytes have come, of which 7500 have left, though it is not known to the
// port yet.
TEST_F(BurstMemoryTest, WhatIsComingTakesRoomAsItComes)
{
    AddPort(1);
    AddPort(1);
    m_ports[0].Expect(MakeBurst(41, 0.01), 1.01);
    EXPECT_FALSE(m_ports[0].IsEmptyFrom(0.9));
    EXPECT_DOUBLE_EQ(m_ports[0].GetContent(0.9), 0);
    const double came = 41 * MEMORY_SEGMENT / 2 - 7500;
    EXPECT_NEAR(m_ports[0].GetContent(1.005), came, 1e-6);
    EXPECT_NEAR(m_memory.FindLimit(1.005, m_ports[1]), (MEMORY - came) / 2, 1e-6);
    EXPECT_TRUE(m_ports[0].IsEmptyFrom(1.01)) << "but for what is to be taken then";
}

TEST_F(BurstMemoryTest, NothingIsDroppedWhereAllFits)
{
    AddPort(1);
    AddPort(4);
    for (int i = 0; i < 20; ++i)
    {
        EXPECT_EQ(Offer(i % 2, 1, MakeBurst(1)), 0u);
    }
}

// Ports whose content is random in time never have more than the memory together. Where segments
// follow each other, a burst that is cut is taken as if its first ones had come later, by up to the
// 2850 bytes that the link sends while 20 of them come.
TEST_F(BurstMemoryTest, AllPortsTogetherKeepToTheMemory)
{
    for (const double gap : {0.0, 0.0001})
    {
        m_ports.clear();
        m_memory = BurstMemory(MEMORY);
        for (const double alpha : {0.5, 2.0, 64.0})
        {
            AddPort(alpha);
        }
        double now = 1;
        uint32_t dropped = 0;
        for (int i = 0; i < 5000; ++i)
        {
            now += 0.004 * m_random.RandU01();
            const auto port = static_cast<uint32_t>(3 * m_random.RandU01());
            const auto segments = static_cast<uint16_t>(1 + 20 * m_random.RandU01());
            dropped += Offer(port, now, MakeBurst(segments, (segments - 1) * gap));
            double sum = 0;
            for (const auto& each : m_ports)
            {
                sum += each.GetContent(now);
            }
            ASSERT_LE(sum, MEMORY * (1 + 1e-9) + (gap > 0 ? 2850 : 0));
        }
        EXPECT_GT(dropped, 100u);
    }
}

/// Workers that push to one server at the same time through ports of a kind.
BurstStar
RunIncast(uint32_t workers, const QueueSpec& queue)
{
    BurstStar::Options options;
    options.workers = workers;
    options.queue = queue;
    BurstStar star(options);
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        star.Send(BurstStar::Push(worker), workers < 8 ? 4e6 : 5e5, 0);
    }
    star.Run();
    return star;
}

// Workers push to one server. Its port, which alone is full, is one of alpha B / (1 + alpha), byte
// for byte, and holds that but for a burst, of which some are dropped before it is full.
TEST(BurstSharedIncast, TheFullPortHoldsItsPart)
{
    for (const uint32_t workers : {2, 4, 16, 64})
    {
        for (const double alpha : {0.25, 1.0, 4.0})
        {
            QueueSpec queue{QueueSpec::Kind::SHARED, 400000};
            queue.alpha = alpha;
            const double limit = alpha * 400000 / (1 + alpha);
            const BurstStar shared = RunIncast(workers, queue);
            const BurstStar fixed =
                RunIncast(workers, {QueueSpec::Kind::DROP_TAIL, static_cast<uint64_t>(limit)});
            const double fullest = shared.GetUse(1).fullest;
            EXPECT_GT(shared.CountDrops(), 0u);
            EXPECT_EQ(shared.CountDrops(), fixed.CountDrops()) << workers << ", " << alpha;
            EXPECT_DOUBLE_EQ(fullest, fixed.GetUse(1).fullest) << workers << ", " << alpha;
            EXPECT_LE(fullest, limit * (1 + 1e-9)) << workers << ", " << alpha;
            EXPECT_GE(fullest, limit - 10 * 1502) << workers << ", " << alpha;
        }
    }
}

TEST(BurstSharedIncast, NothingIsLostWhereAllFits)
{
    BurstStar::Options options;
    options.workers = 4;
    options.queue = {QueueSpec::Kind::SHARED, 4000000};
    BurstStar shared(options);
    options.queue = {QueueSpec::Kind::DROP_TAIL, 2000000};
    BurstStar fixed(options);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        shared.Send(BurstStar::Push(worker), 3e5, 0);
        fixed.Send(BurstStar::Push(worker), 3e5, 0);
    }
    shared.Run();
    fixed.Run();
    EXPECT_EQ(shared.CountDrops(), 0u);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        EXPECT_DOUBLE_EQ(shared.Get(worker).arrived, fixed.Get(worker).arrived);
    }
}

// Links of unlike delays: what comes to one port is not known before what comes to another one.
TEST(BurstSharedIncast, LinksOfUnlikeDelaysKeepToTheLimit)
{
    BurstStar::Options options;
    options.workers = 4;
    options.queue = {QueueSpec::Kind::SHARED, 400000};
    options.workerDelays = {10e-6, 300e-6, 10e-6, 50e-6};
    BurstStar star(options);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        star.Send(BurstStar::Push(worker), 4e6, 0);
        star.Send(BurstStar::Pull(worker), 4e6, 0);
    }
    star.Run();
    EXPECT_LE(star.GetUse(1).fullest, 200000 * (1 + 1e-9));
    EXPECT_GE(star.GetUse(1).fullest, 200000 - 1502 - 4 * 1502) << "ACKs wait behind pulls";
}

} // namespace
