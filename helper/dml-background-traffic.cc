/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-traffic.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/dml-tcp-variants.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// IPv4 and UDP headers.
constexpr uint32_t DATAGRAM_OVERHEAD = 28;
/// Largest payload that an ns-3 application writes to a TCP socket at once.
constexpr uint32_t BULK_WRITE = 16384;

/// Periods after which drawn on and off times repeat.
constexpr std::size_t PERIODS = 4096;

/// @param seconds what ns-3 is to draw, in order and again from the first one
PointerValue
InOrder(std::vector<double>& seconds)
{
    const auto variable = CreateObject<DeterministicRandomVariable>();
    variable->SetValueArray(seconds.data(), seconds.size()); // which copies
    return PointerValue(variable);
}

/// The times of the fair-share engine. ns-3's application begins with an off period.
void
SetPeriods(OnOffHelper& sender, const BackgroundFlow& flow)
{
    std::vector<double> on{1};
    std::vector<double> off{0};
    if (flow.kind == BackgroundFlow::Kind::ON_OFF)
    {
        OnOffTimes times(flow);
        on.clear();
        for (std::size_t i = 0; i < PERIODS; ++i)
        {
            on.push_back(times.Next());
            off.push_back(times.Next());
        }
        off.pop_back();
    }
    sender.SetAttribute("OnTime", InOrder(on));
    sender.SetAttribute("OffTime", InOrder(off));
}

} // namespace

BackgroundTraffic::BackgroundTraffic(const ClusterHelper& cluster, Time origin)
    : m_cluster(cluster),
      m_origin(origin)
{
}

BackgroundTraffic::~BackgroundTraffic()
{
    for (const auto& [name, value] : m_defaults)
    {
        Config::SetDefault(name, *value);
    }
}

void
BackgroundTraffic::SetDefaults()
{
    if (!m_defaults.empty())
    {
        return;
    }
    for (const auto& [name, value] : m_cluster.GetSocketAttributes())
    {
        for (TypeId type = TcpSocketBase::GetTypeId();; type = type.GetParent())
        {
            TypeId::AttributeInformation info;
            bool own = false;
            for (std::size_t i = 0; i < type.GetAttributeN() && !own; ++i)
            {
                info = type.GetAttribute(i);
                own = info.name == name;
            }
            if (own)
            {
                const std::string full = type.GetName() + "::" + name;
                m_defaults.emplace_back(full, info.initialValue);
                Config::SetDefault(full, *value);
                break;
            }
            if (!type.HasParent())
            {
                break;
            }
        }
    }
}

void
BackgroundTraffic::Add(const BackgroundSpec& flow, const BackgroundFlow& times)
{
    const InetSocketAddress sink(m_cluster.GetAddress(flow.to).GetIpv4(), m_port++);
    ApplicationContainer sources;
    const bool bulk = flow.kind == BackgroundSpec::Kind::BULK;
    const std::string protocol = bulk ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    if (bulk)
    {
        SetDefaults();
        for (const auto& host : {flow.from, flow.to})
        {
            m_cluster.GetNode(host)->GetObject<TcpL4Protocol>()->SetAttribute(
                "SocketType",
                TypeIdValue(TypeId::LookupByName(TcpVariantTypeId(m_cluster.GetTcpVariant()))));
        }
        BulkSendHelper sender(protocol, sink);
        sender.SetAttribute("MaxBytes", UintegerValue(flow.bytes));
        sender.SetAttribute("SendSize", UintegerValue(BULK_WRITE));
        sources = sender.Install(m_cluster.GetNode(flow.from));
    }
    else
    {
        OnOffHelper sender(protocol, sink);
        sender.SetAttribute("DataRate", DataRateValue(flow.rate));
        sender.SetAttribute("PacketSize",
                            UintegerValue(m_cluster.GetNetwork().GetSmallestMtu() -
                                          DATAGRAM_OVERHEAD));
        SetPeriods(sender, times);
        sources = sender.Install(m_cluster.GetNode(flow.from));
    }
    sources.Start(m_origin + flow.start);
    if (flow.stop < Time::Max())
    {
        sources.Stop(m_origin + flow.stop);
    }
    m_sinks.Add(PacketSinkHelper(protocol, sink).Install(m_cluster.GetNode(flow.to)));
}

std::vector<uint64_t>
BackgroundTraffic::GetReceivedBytes() const
{
    std::vector<uint64_t> bytes;
    for (auto sink = m_sinks.Begin(); sink != m_sinks.End(); ++sink)
    {
        bytes.push_back(DynamicCast<PacketSink>(*sink)->GetTotalRx());
    }
    return bytes;
}

} // namespace dml
} // namespace ns3
