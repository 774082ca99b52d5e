/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-traffic.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <memory>
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

/// Hands ns-3's application the on and off times of the fair-share engine. The application asks for
/// an off period first, once or twice, before it sends anything: there is none.
class Period : public RandomVariableStream
{
  public:
    /// @return the type
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::BackgroundPeriod")
                                .SetParent<RandomVariableStream>()
                                .SetGroupName("Dml");
        return tid;
    }

    /// @param times of the flow, shared by both kinds of period @param on which kind this is
    Period(std::shared_ptr<OnOffTimes> times, bool on)
        : m_times(std::move(times)),
          m_on(on)
    {
    }

    double GetValue() override
    {
        return m_on || m_times->HasBegun() ? m_times->Next() : 0;
    }

    uint32_t GetInteger() override
    {
        return static_cast<uint32_t>(GetValue());
    }

  private:
    std::shared_ptr<OnOffTimes> m_times; //!< of the flow
    bool m_on;                           //!< on periods, else off periods
};

void
SetPeriods(OnOffHelper& sender, const BackgroundFlow& flow)
{
    if (flow.kind != BackgroundFlow::Kind::ON_OFF)
    {
        sender.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
        sender.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        return;
    }
    const auto times = std::make_shared<OnOffTimes>(flow);
    sender.SetAttribute("OnTime", PointerValue(CreateObject<Period>(times, true)));
    sender.SetAttribute("OffTime", PointerValue(CreateObject<Period>(times, false)));
}

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
    const bool sends = m_cluster.IsHere(flow.from);
    ApplicationContainer sources;
    const bool bulk = flow.kind == BackgroundSpec::Kind::BULK;
    const std::string protocol = bulk ? "ns3::dml::ConfiguredTcpFactory" : "ns3::UdpSocketFactory";
    if (bulk)
    {
        BulkSendHelper sender(protocol, sink);
        sender.SetAttribute("MaxBytes", UintegerValue(flow.bytes));
        sender.SetAttribute("SendSize", UintegerValue(BULK_WRITE));
        sources = sends ? sender.Install(m_cluster.GetNode(flow.from)) : sources;
    }
    else
    {
        OnOffHelper sender(protocol, sink);
        sender.SetAttribute("DataRate", DataRateValue(flow.rate));
        sender.SetAttribute(
            "PacketSize",
            UintegerValue(m_cluster.GetNetwork().GetSmallestMtu() - DATAGRAM_OVERHEAD));
        SetPeriods(sender, times);
        sources = sends ? sender.Install(m_cluster.GetNode(flow.from)) : sources;
    }
    sources.Start(m_origin + flow.start);
    if (flow.stop < Time::Max())
    {
        sources.Stop(m_origin + flow.stop);
    }
    if (m_cluster.IsHere(flow.to))
    {
        m_sinks.Add(PacketSinkHelper(protocol, sink).Install(m_cluster.GetNode(flow.to)));
    }
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
