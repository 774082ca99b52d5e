/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-traffic.h"

#include "ns3/packet-sink-helper.h"

#include <string>

namespace ns3::dml
{

namespace
{

/// IPv4 and UDP headers.
constexpr uint32_t DATAGRAM_OVERHEAD = 28;

} // namespace

BackgroundTraffic::BackgroundTraffic(const Cluster& cluster, Time origin)
    : m_cluster(cluster),
      m_origin(origin)
{
}

void
BackgroundTraffic::Add(const BackgroundSpec& flow, const BackgroundFlow& times)
{
    const InetSocketAddress sink(m_cluster.GetAddress(flow.to).GetIpv4(), m_port++);
    const bool bulk = flow.kind == BackgroundSpec::Kind::BULK;
    const std::string protocol = bulk ? "ns3::dml::ConfiguredTcpFactory" : "ns3::UdpSocketFactory";
    Ptr<DatagramSource> datagrams;
    if (m_cluster.IsHere(flow.from))
    {
        Ptr<BackgroundSource> source;
        if (bulk)
        {
            source = CreateObject<BulkSource>();
        }
        else
        {
            datagrams = CreateObject<DatagramSource>();
            datagrams->SetDatagrams(times, GetDatagramSize());
            source = datagrams;
        }
        source->Configure(m_origin, flow, sink);
        m_cluster.GetNode(flow.from)->AddApplication(source);
        m_sources.push_back(source);
    }
    if (m_cluster.IsHere(flow.to))
    {
        const auto end = PacketSinkHelper(protocol, sink).Install(m_cluster.GetNode(flow.to));
        if (datagrams)
        {
            end.Get(0)->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&DatagramSource::Arrived, PeekPointer(datagrams)));
        }
    }
}

uint32_t
BackgroundTraffic::GetDatagramSize() const
{
    return m_cluster.GetNetwork().GetSmallestMtu() - DATAGRAM_OVERHEAD;
}

} // namespace ns3::dml
