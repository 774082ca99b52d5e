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
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <sstream>

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

/// @param mean length of a period @return what draws it, in the words of ns-3
std::string
Draw(const Time& mean, bool exponential)
{
    std::ostringstream text;
    text << (exponential ? "ns3::ExponentialRandomVariable[Mean="
                         : "ns3::ConstantRandomVariable[Constant=")
         << mean.GetSeconds() << "]";
    return text.str();
}

} // namespace

BackgroundTraffic::BackgroundTraffic(const ClusterHelper& cluster, Time origin, int64_t stream)
    : m_cluster(cluster),
      m_origin(origin),
      m_stream(stream)
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
BackgroundTraffic::Add(const BackgroundSpec& flow, const std::string& variant)
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
                TypeIdValue(TypeId::LookupByName(TcpVariantTypeId(variant))));
        }
        BulkSendHelper sender(protocol, sink);
        sender.SetAttribute("MaxBytes", UintegerValue(flow.bytes));
        sender.SetAttribute("SendSize", UintegerValue(BULK_WRITE));
        sources = sender.Install(m_cluster.GetNode(flow.from));
    }
    else
    {
        const bool constant = flow.kind == BackgroundSpec::Kind::CONSTANT;
        OnOffHelper sender(protocol, sink);
        sender.SetAttribute("DataRate", DataRateValue(flow.rate));
        sender.SetAttribute("PacketSize",
                            UintegerValue(m_cluster.GetNetwork().GetSmallestMtu() -
                                          DATAGRAM_OVERHEAD));
        sender.SetAttribute("OnTime",
                            StringValue(constant ? Draw(Seconds(1), false)
                                                 : Draw(flow.on, flow.exponential)));
        sender.SetAttribute("OffTime",
                            StringValue(constant ? Draw(Seconds(0), false)
                                                 : Draw(flow.off, flow.exponential)));
        sources = sender.Install(m_cluster.GetNode(flow.from));
        m_stream += sender.AssignStreams(m_cluster.GetNode(flow.from), m_stream);
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
