/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-small-queues.h"

#include "ns3/ipv4.h"
#include "ns3/loopback-net-device.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-item.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SmallQueues);

TypeId
SmallQueues::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SmallQueues")
                            .SetParent<Object>()
                            .SetGroupName("Dml")
                            .AddConstructor<SmallQueues>();
    return tid;
}

Ptr<SmallQueues>
SmallQueues::Of(Ptr<Node> node)
{
    auto queues = node->GetObject<SmallQueues>();
    if (!queues)
    {
        queues = CreateObject<SmallQueues>();
        node->AggregateObject(queues);
        queues->Watch(node);
    }
    return queues;
}

void
SmallQueues::Watch(Ptr<Node> node)
{
    m_node = node;
    const auto control = node->GetObject<TrafficControlLayer>();
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        const auto device = DynamicCast<PointToPointNetDevice>(node->GetDevice(i));
        if (!device)
        {
            WatchOther(node->GetDevice(i));
            continue;
        }
        device->TraceConnectWithoutContext("PhyTxEnd",
                                           MakeCallback(&SmallQueues::HandleLeft, this));
        device->GetQueue()->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&SmallQueues::HandleLeft, this));
        if (const auto disc = control ? control->GetRootQueueDiscOnDevice(device) : nullptr)
        {
            disc->TraceConnectWithoutContext("Drop",
                                             MakeCallback(&SmallQueues::HandleDropped, this));
        }
    }
}

/// Loopback devices hold nothing back, unless they say what has left them.
void
SmallQueues::WatchOther(Ptr<NetDevice> device)
{
    const bool isLoopback = DynamicCast<LoopbackNetDevice>(device) != nullptr;
    m_seesAll = m_seesAll && isLoopback;
    m_seesLocal = m_seesLocal || (isLoopback && device->TraceConnectWithoutContext(
                                                    "PhyTxEnd",
                                                    MakeCallback(&SmallQueues::HandleLeft, this)));
}

bool
SmallQueues::Sees(Ipv4Address peer) const
{
    return m_seesAll &&
           (m_seesLocal || m_node->GetObject<Ipv4>()->GetInterfaceForAddress(peer) < 0);
}

void
SmallQueues::DoDispose()
{
    m_node = nullptr;
    Object::DoDispose();
}

uint32_t
SmallQueues::Add(Callback<void> left)
{
    m_senders.push_back({std::move(left)});
    return m_senders.size() - 1;
}

void
SmallQueues::Remove(uint32_t socket)
{
    m_senders[socket].left = Callback<void>();
}

void
SmallQueues::Count(uint32_t socket, const Packet& packet)
{
    Pieces& pieces = m_waiting.try_emplace(packet.GetUid(), Pieces{socket, 0, 0}).first->second;
    ++pieces.count;
    pieces.bytes += packet.GetSize();
    m_senders[socket].backlog += packet.GetSize();
}

void
SmallQueues::HandleLeft(Ptr<const Packet> packet)
{
    const auto found = m_waiting.find(packet->GetUid());
    if (found == m_waiting.end())
    {
        return;
    }
    Pieces& pieces = found->second;
    Sender& sender = m_senders[pieces.socket];
    const uint32_t gone =
        --pieces.count == 0 ? pieces.bytes : std::min(pieces.bytes, packet->GetSize());
    pieces.bytes -= gone;
    sender.backlog -= gone;
    if (pieces.count == 0)
    {
        m_waiting.erase(found);
    }
    if (!sender.left.IsNull())
    {
        sender.left();
    }
}

void
SmallQueues::HandleDropped(Ptr<const QueueDiscItem> item)
{
    HandleLeft(item->GetPacket());
}

} // namespace ns3::dml
