/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-totals.h"

#include "dml-local-link.h"

#include "ns3/callback.h"
#include "ns3/channel.h"
#include "ns3/dml-deferred-effects.h"
#include "ns3/dml-error.h"
#include "ns3/names.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Count a packet that has been sent. @param counts of its direction @param bytes of it
template <typename Counts>
void
CountSent(Counts* counts, uint32_t bytes)
{
    DoOrDefer(counts->effects, [counts, bytes] {
        ++counts->own.packets;
        counts->own.bytes += bytes;
    });
}

/// @return the name that a script has given a node (Names), or one with its number
std::string
NameNode(const Ptr<Node>& node)
{
    const std::string name = Names::FindName(node);
    return name.empty() ? "node" + std::to_string(node->GetId()) : name;
}

} // namespace

template <typename... Args>
void
LinkCounters::CountOne(Counts* counts, uint64_t LinkCount::*what, Args...)
{
    DoOrDefer(counts->effects, [counts, what] { ++(counts->own.*what); });
}

LinkCounters::LinkCounters(const Cluster& cluster, DeferredEffects* effects)
    : m_cluster(&cluster),
      m_effects(effects),
      m_counts(cluster.GetNetwork().GetDirectedLinks())
{
    const ClusterNetwork& network = cluster.GetNetwork();
    for (DirectedLink link = 0; link < m_counts.size(); ++link)
    {
        Counts& counts = m_counts[link];
        counts.name = network.GetName(link);
        counts.rate = network.GetRate(link);
        counts.effects = effects;
        counts.device = cluster.GetDevice(link);
        if (!counts.device)
        {
            WatchLocal(link);
            continue;
        }
        WatchDevice(counts,
                    cluster.GetDevice(link ^ 1),
                    network.GetLinks()[link / 2].queues[link % 2].IsFifo());
        if (effects)
        {
            Watch(link);
        }
    }
}

LinkCounters::LinkCounters(const NetDeviceContainer& devices)
    : m_counts(devices.GetN())
{
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        Counts& counts = m_counts[i];
        counts.device = DynamicCast<PointToPointNetDevice>(devices.Get(i));
        const auto channel = counts.device ? counts.device->GetChannel() : nullptr;
        if (!channel || channel->GetNDevices() < 2)
        {
            throw InputError("a device of type " + devices.Get(i)->GetInstanceTypeId().GetName() +
                             (counts.device ? " without a link" : "") +
                             ", whose link is to be counted; accepted: a PointToPointNetDevice of "
                             "a link");
        }
        const auto other = channel->GetDevice(channel->GetDevice(0) == counts.device ? 1 : 0);
        DataRateValue rate;
        counts.device->GetAttribute("DataRate", rate);
        counts.name = NameNode(counts.device->GetNode()) + "->" + NameNode(other->GetNode());
        counts.rate = rate.Get();
        WatchDevice(counts, other, true);
    }
}

void
LinkCounters::WatchDevice(Counts& counts, const Ptr<NetDevice>& other, bool isFifo)
{
    const auto& device = counts.device;
    if (const auto control = device->GetNode()->GetObject<TrafficControlLayer>())
    {
        counts.disc = control->GetRootQueueDiscOnDevice(device);
    }
    // what one direction loses is dropped where it arrives
    other->TraceConnectWithoutContext(
        "PhyRxDrop",
        MakeBoundCallback(&LinkCounters::CountOne<Ptr<const Packet>>, &counts, &LinkCount::lost));
    // the bytes that ns-3's queues count begin again at 4 GiB
    device->GetQueue()->TraceConnectWithoutContext(
        "BytesInQueue",
        MakeBoundCallback(&LinkCounters::DeviceQueueChanged, &counts));
    const auto changed = MakeBoundCallback(&LinkCounters::QueueChanged, &counts);
    if (!counts.disc)
    {
        device->GetQueue()->TraceConnectWithoutContext("BytesInQueue", changed);
    }
    else if (isFifo)
    {
        // the device holds one packet
        counts.disc->TraceConnectWithoutContext("BytesInQueue", changed);
    }
}

/// All ports of a host's local link at once.
void
LinkCounters::WatchLocal(DirectedLink link)
{
    const auto local = m_cluster->GetLocalLink(link);
    if (local && m_locals.insert(local).second)
    {
        local->TraceConnectWithoutContext("Sent", MakeCallback(&LinkCounters::SentLocally, this));
    }
}

void
LinkCounters::SentLocally(DirectedLink link, uint32_t bytes)
{
    CountSent(&m_counts[link], bytes);
}

void
LinkCounters::Watch(DirectedLink link)
{
    Counts* counts = &m_counts[link];
    const auto queue = counts->device->GetQueue();
    queue->TraceConnectWithoutContext("Dequeue",
                                      MakeBoundCallback(&LinkCounters::Dequeued, counts));
    queue->TraceConnectWithoutContext(
        "Drop",
        MakeBoundCallback(&LinkCounters::CountOne<Ptr<const Packet>>, counts, &LinkCount::dropped));
    if (const auto& disc = counts->disc)
    {
        disc->TraceConnectWithoutContext(
            "Drop",
            MakeBoundCallback(&LinkCounters::CountOne<Ptr<const QueueDiscItem>>,
                              counts,
                              &LinkCount::dropped));
        disc->TraceConnectWithoutContext(
            "Mark",
            MakeBoundCallback(&LinkCounters::CountOne<Ptr<const QueueDiscItem>, const char*>,
                              counts,
                              &LinkCount::marked));
    }
}

std::vector<LinkTotals>
LinkCounters::GetTotals(Time duration) const
{
    std::vector<LinkTotals> totals;
    for (DirectedLink link = 0; link < m_counts.size(); ++link)
    {
        LinkTotals total{GetCount(link)};
        total.link = m_counts[link].name;
        total.rate = m_counts[link].rate.GetBitRate();
        total.fullestQueue = m_counts[link].fullest;
        total.utilisation = 8.0 * static_cast<double>(total.bytes) /
                            (static_cast<double>(total.rate) * duration.GetSeconds());
        totals.push_back(total);
    }
    return totals;
}

LinkCount
LinkCounters::GetCount(DirectedLink link) const
{
    LinkCount count = m_counts[link].own;
    if (m_effects || !m_counts[link].device)
    {
        return count;
    }
    const auto queue = m_counts[link].device->GetQueue();
    count.bytes += m_counts[link].left;
    count.packets += queue->GetTotalReceivedPackets() - queue->GetNPackets();
    count.dropped += queue->GetTotalDroppedPackets();
    if (const auto& disc = m_counts[link].disc)
    {
        count.dropped += disc->GetStats().nTotalDroppedPackets;
        count.marked += disc->GetStats().nTotalMarkedPackets;
    }
    return count;
}

uint64_t
LinkCounters::GetQueue(DirectedLink link) const
{
    const Counts& counts = m_counts[link];
    if (!counts.device)
    {
        return 0;
    }
    const uint64_t above = counts.disc ? counts.disc->GetNBytes() : 0;
    return above + counts.device->GetQueue()->GetNBytes();
}

void
LinkCounters::Credit(DirectedLink link, uint64_t LinkCount::*what, uint64_t more)
{
    m_counts[link].own.*what += more;
}

void
LinkCounters::QueueChanged(Counts* counts, uint32_t, uint32_t now)
{
    if (now > counts->fullest)
    {
        DoOrDefer(counts->effects,
                  [counts, now] { counts->fullest = std::max(counts->fullest, now); });
    }
}

void
LinkCounters::DeviceQueueChanged(Counts* counts, uint32_t before, uint32_t now)
{
    counts->left += before > now ? before - now : 0;
}

void
LinkCounters::Dequeued(Counts* counts, Ptr<const Packet> packet)
{
    CountSent(counts, packet->GetSize());
}

} // namespace ns3::dml
