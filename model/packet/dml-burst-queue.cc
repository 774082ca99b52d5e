/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-queue.h"

#include "ns3/dml-burst-tag.h"

#include <algorithm>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BurstQueue);

TypeId
BurstQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BurstQueue")
                            .SetParent<PortQueue<Packet>>()
                            .SetGroupName("Dml")
                            .AddConstructor<BurstQueue>();
    return tid;
}

bool
BurstQueue::Enqueue(Ptr<Packet> packet)
{
    if (!IsTaken(*packet))
    {
        Count();
        DropBeforeEnqueue(packet);
        return false;
    }
    const bool taken = DropTailQueue<Packet>::Enqueue(packet); // whatever the limit is now
    Count();
    return taken;
}

bool
BurstQueue::IsTaken(const Packet& packet)
{
    const uint32_t size = packet.GetSize();
    BurstTag tag;
    if (!packet.PeekPacketTag(tag))
    {
        return HasRoom(size);
    }
    const auto [it, isFirst] = m_bursts.try_emplace(tag.GetFlow());
    Burst& burst = it->second;
    if (isFirst || burst.number != tag.GetBurst())
    {
        m_expected -= burst.expected; // what did not come was lost before
        burst.number = tag.GetBurst();
        const uint64_t whole = uint64_t(size) * (tag.GetFollowing() + 1);
        burst.isTaken = HasRoom(whole);
        burst.expected = burst.isTaken ? whole : 0;
        m_expected += burst.expected;
    }
    const uint64_t came =
        tag.GetFollowing() == 0 ? burst.expected : std::min<uint64_t>(burst.expected, size);
    burst.expected -= came;
    m_expected -= came;
    return burst.isTaken;
}

bool
BurstQueue::HasRoom(uint64_t bytes) const
{
    return GetContent() + bytes <= GetLimit();
}

} // namespace ns3::dml
