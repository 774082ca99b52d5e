/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-totals.h"

#include "dml-local-link.h"

#include "ns3/callback.h"
#include "ns3/dml-deferred-effects.h"
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

} // namespace

template <typename... Args>
void
LinkCounters::CountOne(Counts* counts, uint64_t LinkCount::*what, Args...)
{
    DoOrDefer(counts->effects, [counts, what] { ++(counts->own.*what); });
}

LinkCounters::LinkCounters(const Cluster& cluster, DeferredEffects* effects)
    : m_cluster(cluster),
      m_effects(effects),
      m_counts(cluster.GetNetwork().GetDirectedLinks())
{
    for (DirectedLink link = 0; link < m_counts.size(); ++link)
    {
        const Ptr<PointToPointNetDevice> device = m_cluster.GetDevice(link);
        m_counts[link].effects = effects;
        if (!device)
        {
            WatchLocal(link);
            continue;
        }
        m_counts[link].device = device;
        m_counts[link].disc =
            device->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
        // what one direction loses is dropped where it arrives
        m_cluster.GetDevice(link ^ 1)->TraceConnectWithoutContext(
            "PhyRxDrop",
            MakeBoundCallback(&LinkCounters::CountOne<Ptr<const Packet>>,
                              &m_counts[link],
                              &LinkCount::lost));
        const auto changed = MakeBoundCallback(&LinkCounters::QueueChanged, &m_counts[link]);
        const auto& disc = m_counts[link].disc;
        if (!disc)
        {
            device->GetQueue()->TraceConnectWithoutContext("BytesInQueue", changed);
        }
        else if (m_cluster.GetNetwork().GetLinks()[link / 2].queues[link % 2].IsFifo())
        {
            disc->TraceConnectWithoutContext("BytesInQueue",
                                             changed); // the device holds one packet
        }
        if (effects)
        {
            Watch(link);
        }
    }
}

/// All ports of a host's local link at once.
void
LinkCounters::WatchLocal(DirectedLink link)
{
    const auto local = m_cluster.GetLocalLink(link);
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
        total.link = m_cluster.GetNetwork().GetName(link);
        total.rate = m_cluster.GetNetwork().GetRate(link).GetBitRate();
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
    count.bytes += queue->GetTotalReceivedBytes() - queue->GetNBytes();
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
LinkCounters::Dequeued(Counts* counts, Ptr<const Packet> packet)
{
    CountSent(counts, packet->GetSize());
}

} // namespace ns3::dml
