/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-totals.h"

#include "ns3/callback.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

LinkCounters::LinkCounters(const ClusterHelper& cluster)
    : m_cluster(cluster),
      m_counts(cluster.GetNetwork().GetDirectedLinks())
{
    for (DirectedLink link = 0; link < m_counts.size(); ++link)
    {
        // what one direction loses is dropped where it arrives
        m_cluster.GetDevice(link ^ 1)->TraceConnectWithoutContext(
            "PhyRxDrop",
            MakeBoundCallback(&LinkCounters::Lost, &m_counts[link]));
        if (!GetDisc(link)) // else the device holds one packet
        {
            m_cluster.GetDevice(link)->GetQueue()->TraceConnectWithoutContext(
                "BytesInQueue",
                MakeBoundCallback(&LinkCounters::QueueChanged, &m_counts[link]));
        }
    }
}

Ptr<QueueDisc>
LinkCounters::GetDisc(DirectedLink link) const
{
    const Ptr<PointToPointNetDevice> device = m_cluster.GetDevice(link);
    return device->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
}

std::vector<LinkTotals>
LinkCounters::GetTotals(Time duration) const
{
    std::vector<LinkTotals> totals;
    for (DirectedLink link = 0; link < m_counts.size(); ++link)
    {
        const Ptr<PointToPointNetDevice> device = m_cluster.GetDevice(link);
        const auto queue = device->GetQueue();
        LinkTotals total;
        total.link = m_cluster.GetNetwork().GetName(link);
        total.rate = m_cluster.GetNetwork().GetLinks()[link / 2].rate.GetBitRate();
        total.bytes = queue->GetTotalReceivedBytes() - queue->GetNBytes();
        total.packets = queue->GetTotalReceivedPackets() - queue->GetNPackets();
        total.dropped = queue->GetTotalDroppedPackets();
        total.lost = m_counts[link].lost;
        total.fullestQueue = m_counts[link].fullest;
        if (const auto disc = GetDisc(link))
        {
            total.dropped += disc->GetStats().nTotalDroppedPackets;
            total.marked = disc->GetStats().nTotalMarkedPackets;
        }
        total.utilisation =
            8.0 * static_cast<double>(total.bytes) /
            (static_cast<double>(total.rate) * duration.GetSeconds());
        totals.push_back(total);
    }
    return totals;
}

void
LinkCounters::Lost(Counts* counts, Ptr<const Packet>)
{
    ++counts->lost;
}

void
LinkCounters::QueueChanged(Counts* counts, uint32_t, uint32_t now)
{
    counts->fullest = std::max(counts->fullest, now);
}

} // namespace dml
} // namespace ns3
