/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ports that share the memory of a switch: 120000 bytes, packets of 1000.

#include "ns3/dml-burst-queue.h"
#include "ns3/dml-burst-tag.h"
#include "ns3/dml-contention-queue.h"
#include "ns3/dml-port-queue.h"
#include "ns3/dml-train-queue.h"
#include "ns3/rng-stream.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double MEMORY_BYTES = 120000;
constexpr uint32_t SHARED_PACKET = 1000;

template <typename Queue>
class SharedMemoryTest : public testing::Test
{
  protected:
    void AddPort(double alpha)
    {
        ports.push_back(CreateObject<Queue>());
        ports.back()->Share(memory, alpha);
    }

    /// @return whether a packet is taken
    bool Offer(uint32_t port, uint32_t size = SHARED_PACKET)
    {
        return ports[port]->Enqueue(Create<Packet>(size));
    }

    /// Offer packets to all ports in turn until none takes one.
    void FillAll()
    {
        bool taken = true;
        while (taken)
        {
            taken = false;
            for (uint32_t port = 0; port < ports.size(); ++port)
            {
                taken |= Offer(port);
            }
        }
    }

    /// @return bytes that leave a port until it is empty
    uint64_t Empty(uint32_t port)
    {
        uint64_t bytes = 0;
        while (const auto packet = ports[port]->Dequeue())
        {
            bytes += packet->GetSize();
        }
        return bytes;
    }

    const std::shared_ptr<SwitchMemory> memory{
        std::make_shared<SwitchMemory>(SwitchMemory{MEMORY_BYTES})};
    std::vector<Ptr<Queue>> ports;
};

using SharingQueues = testing::Types<PortQueue<Packet>, ContentionQueue, BurstQueue, TrainQueue>;

class SharingQueueNames
{
  public:
    template <typename Queue>
    static std::string GetName(int)
    {
        return Queue::GetTypeId().GetName().substr(std::string("ns3::dml::").size(), 5);
    }
};

TYPED_TEST_SUITE(SharedMemoryTest, SharingQueues, SharingQueueNames);

// q = alpha (B - q): 60000, 40000 and 80000 bytes for alpha = 1, 1/2 and 2
TYPED_TEST(SharedMemoryTest, APortThatIsFullAloneHoldsItsPart)
{
    for (const auto& [alpha, packets] : {std::pair{1.0, 60}, {0.5, 40}, {2.0, 80}})
    {
        this->ports.clear();
        this->AddPort(alpha);
        this->AddPort(1);
        for (int i = 0; i < packets; ++i)
        {
            EXPECT_TRUE(this->Offer(0)) << i;
        }
        this->Offer(0); // either it is dropped, or one that a ContentionQueue holds back
        EXPECT_EQ(this->Empty(0), static_cast<uint64_t>(packets) * SHARED_PACKET);
        EXPECT_EQ(this->memory->used, 0u) << "all of it is free again";
    }
}

// n ports that are full together: alpha B / (1 + n alpha) each, within a packet.
TYPED_TEST(SharedMemoryTest, PortsThatAreFullTogetherHoldTheSame)
{
    for (const double alpha : {0.25, 1.0, 8.0})
    {
        for (uint32_t count = 2; count <= 64; count *= 2)
        {
            this->ports.clear();
            for (uint32_t port = 0; port < count; ++port)
            {
                this->AddPort(alpha);
            }
            this->FillAll();
            const double steady = alpha * MEMORY_BYTES / (1 + count * alpha);
            double sum = 0;
            for (uint32_t port = 0; port < count; ++port)
            {
                const auto held = static_cast<double>(this->Empty(port));
                EXPECT_NEAR(held, steady, SHARED_PACKET) << count << " ports, alpha " << alpha;
                sum += held;
            }
            EXPECT_LE(sum, MEMORY_BYTES);
            EXPECT_EQ(this->memory->used, 0u);
        }
    }
}

// A full port holds 60000 bytes. Beside it another one takes (120000 - 60000) / 2 = 30000, and
// leaves the first one a limit of (120000 - 30000) / 2 = 45000: it takes nothing until it has sent
// 16 packets.
TYPED_TEST(SharedMemoryTest, WhatHasBeenTakenStaysWhenTheLimitFalls)
{
    this->AddPort(1);
    this->AddPort(1);
    for (int i = 0; i < 60; ++i)
    {
        ASSERT_TRUE(this->Offer(0));
    }
    for (int i = 0; i < 30; ++i)
    {
        EXPECT_TRUE(this->Offer(1)) << i;
    }
    this->Offer(1); // either it is dropped, or one that a ContentionQueue holds back
    for (int sent = 0; sent < 16; ++sent)
    {
        EXPECT_FALSE(this->Offer(0)) << sent;
        EXPECT_TRUE(this->ports[0]->Dequeue());
    }
    EXPECT_TRUE(this->Offer(0));
}

// Whatever comes and goes: what is taken keeps to alpha times the free bytes, all ports together
// never have more than the memory, and every packet leaves or is dropped.
TYPED_TEST(SharedMemoryTest, NothingIsLostOrMade)
{
    RngStream random(1, 2, 3);
    const std::vector<double> alphas{0.5, 1, 4, 64};
    for (const double alpha : alphas)
    {
        this->AddPort(alpha);
    }
    uint32_t offered = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        const auto port = static_cast<uint32_t>(random.RandU01() * alphas.size());
        const auto size = static_cast<uint32_t>(100 + random.RandU01() * 900);
        const uint64_t before = this->memory->used;
        const uint64_t own = this->ports[port]->GetNBytes();
        if (random.RandU01() < 0.6)
        {
            ++offered;
            if (this->Offer(port, size) && this->memory->used == before + size)
            {
                EXPECT_LE(own + size, alphas[port] * (MEMORY_BYTES - this->memory->used) + 1);
            }
        }
        else
        {
            left += this->ports[port]->Dequeue() ? 1 : 0;
        }
        ASSERT_LE(this->memory->used, MEMORY_BYTES);
    }
    uint32_t dropped = 0;
    for (const auto& port : this->ports)
    {
        while (port->Dequeue())
        {
            ++left;
        }
        dropped += port->GetTotalDroppedPackets();
    }
    EXPECT_EQ(offered, left + dropped);
    EXPECT_GT(dropped, 1000u);
    EXPECT_EQ(this->memory->used, 0u);
}

// A burst whose first packet has come has the room of all of them: others see it taken.
TEST(SharedBurstQueue, WhatIsStillToComeIsNotFree)
{
    const auto memory = std::make_shared<SwitchMemory>(SwitchMemory{MEMORY_BYTES});
    const auto one = CreateObject<BurstQueue>();
    const auto other = CreateObject<BurstQueue>();
    one->Share(memory, 1);
    other->Share(memory, 1);
    const auto first = Create<Packet>(SHARED_PACKET);
    first->AddPacketTag(BurstTag(1, 1, 39)); // and 39 packets that follow
    ASSERT_TRUE(one->Enqueue(first));
    EXPECT_EQ(memory->used, 40000u);
    for (int i = 0; i < 40; ++i) // (120000 - 40000) / 2
    {
        EXPECT_TRUE(other->Enqueue(Create<Packet>(SHARED_PACKET))) << i;
    }
    EXPECT_FALSE(other->Enqueue(Create<Packet>(SHARED_PACKET)));
}

} // namespace
