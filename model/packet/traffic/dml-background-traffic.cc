/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-traffic.h"

#include "ns3/bulk-send-application.h"
#include "ns3/data-rate.h"
#include "ns3/dml-model-clock.h"
#include "ns3/event-id.h"
#include "ns3/node.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet.h"
#include "ns3/seq-ts-header.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BackgroundSource);

namespace
{

/// IPv4 and UDP headers.
constexpr uint32_t DATAGRAM_OVERHEAD = 28;
/// Largest payload that BulkSendApplication writes to a TCP socket at once.
constexpr uint32_t BULK_WRITE = 16384;
/// Datagrams after which it is seen how many of them arrive.
constexpr uint32_t DATAGRAMS_A_LOOK = 64;
/// Bytes that a flow keeps, so that its end is a matter of packets.
constexpr uint64_t BULK_GUARD = 2 * BULK_WRITE;
/// What may be left out of a flow without end.
constexpr uint64_t ENDLESS = std::numeric_limits<uint64_t>::max();

/// Datagrams at a constant rate, all the time or now and then. They come when those of
/// OnOffApplication come, whose periods go by ns-3's clock instead.
class DatagramSource : public BackgroundSource, private SkippableFlow
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::DatagramSource")
                                .SetParent<BackgroundSource>()
                                .SetGroupName("Dml")
                                .AddConstructor<DatagramSource>();
        return tid;
    }

    /// @param times of the flow, the same in all engines @param size of a datagram's payload, bytes
    void SetDatagrams(const BackgroundFlow& times, uint32_t size)
    {
        m_size = size;
        if (times.kind == BackgroundFlow::Kind::ON_OFF)
        {
            m_times.emplace(times);
        }
    }

    /// Trace sink of who gets them.
    void Arrived(Ptr<const Packet> packet, const Address&)
    {
        SeqTsHeader header;
        packet->PeekHeader(header);
        ++m_arrived;
        m_passed = header.GetSeq() + 1;
    }

    SkippableFlow& GetFlow() override
    {
        return *this;
    }

  private:
    void Begin() override
    {
        m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
        m_socket->Connect(m_sink);
        m_socket->ShutdownRecv();
        Switch();
    }

    void End() override
    {
        m_switch.Cancel();
        if (m_on)
        {
            StopSending();
        }
        m_socket->Close();
    }

    /// An on period begins, or an off period.
    void Switch()
    {
        if (m_on)
        {
            StopSending();
        }
        else
        {
            StartSending();
        }
        if (m_times)
        {
            m_switch = ModelClock::Schedule(Seconds(m_times->Next()), [this] { Switch(); });
        }
    }

    void StartSending()
    {
        m_on = true;
        m_last = Simulator::Now();
        ScheduleNext();
    }

    void StopSending()
    {
        m_on = false;
        Simulator::Cancel(m_next);
        const Time since = Simulator::Now() - m_last;
        m_saved += (since.To(Time::S) * m_spec.rate.GetBitRate()).GetHigh();
    }

    void ScheduleNext()
    {
        const auto bits = static_cast<double>(8 * m_size - m_saved);
        m_next = Simulator::Schedule(Seconds(bits / static_cast<double>(m_spec.rate.GetBitRate())),
                                     &DatagramSource::Send,
                                     this);
    }

    void Send()
    {
        SeqTsHeader header;
        header.SetSeq(m_sent++);
        const auto packet = Create<Packet>(m_size - header.GetSerializedSize());
        packet->AddHeader(header);
        m_socket->Send(packet);
        m_saved = 0;
        m_last = Simulator::Now();
        if (m_sent % DATAGRAMS_A_LOOK == 0)
        {
            const uint32_t passed = m_passed - std::exchange(m_passedBefore, m_passed);
            const uint32_t arrived = m_arrived - std::exchange(m_arrivedBefore, m_arrived);
            m_through = passed > 0 ? static_cast<double>(arrived) / passed : 1;
        }
        ScheduleNext();
    }

    void Update() override
    {
        sends = m_on;
        left = ENDLESS;
    }

    double GetGivenRate() const override
    {
        return m_spec.rate.GetBitRate() / 8.0;
    }

    uint64_t Skip(const Time& from, const Time& to, uint64_t) override
    {
        const double more = GetGivenRate() * (to - from).GetSeconds() / m_size + m_rest;
        const auto datagrams = static_cast<uint64_t>(more);
        m_rest = more - static_cast<double>(datagrams);
        const uint64_t arrived = std::llround(m_through * static_cast<double>(datagrams));
        m_skipped({datagrams * m_size, arrived * m_size, m_size, 0});
        return 0; // of messages
    }

    std::optional<OnOffTimes> m_times; //!< of ON_OFF
    uint32_t m_size{0};                //!< bytes of a datagram's payload
    Ptr<Socket> m_socket;              //!< null: not begun, or ended
    bool m_on{false};                  //!< sends
    ModelEvent m_switch;               //!< end of a period
    EventId m_next;                    //!< the next datagram
    Time m_last;                       //!< when the last one went, or the period began
    uint64_t m_saved{0};               //!< bits of the next one, from periods before this
    uint32_t m_sent{0};                //!< how many
    uint32_t m_arrived{0};             //!< of these
    uint32_t m_passed{0};              //!< of these, up to the last one that has arrived
    uint32_t m_passedBefore{0};        //!< m_passed at the last look
    uint32_t m_arrivedBefore{0};       //!< m_arrived then
    double m_through{1};               //!< part that arrived, from look to look
    double m_rest{0};                  //!< of a datagram, not yet left out
};

/// BulkSendApplication by the model's clock.
class BulkSource : public BackgroundSource, private SkippableTcpFlow
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::BulkSource")
                                .SetParent<BackgroundSource>()
                                .SetGroupName("Dml")
                                .AddConstructor<BulkSource>();
        return tid;
    }

    /// @param type of what makes its sockets
    void SetSockets(TypeId type)
    {
        m_sockets = type;
    }

    SkippableFlow& GetFlow() override
    {
        return *this;
    }

  private:
    void Begin() override
    {
        m_sender = CreateObjectWithAttributes<BulkSendApplication>(
            "Protocol",
            TypeIdValue(m_sockets),
            "Remote",
            AddressValue(m_sink),
            "Local",
            AddressValue(InetSocketAddress(Ipv4Address::GetAny(), m_port)),
            "MaxBytes",
            UintegerValue(m_spec.bytes),
            "SendSize",
            UintegerValue(BULK_WRITE));
        m_sender->TraceConnectWithoutContext("Tx", MakeCallback(&BulkSource::Written, this));
        GetNode()->AddApplication(m_sender);
    }

    void End() override
    {
        m_ended = true;
        if (const auto socket = m_sender->GetSocket())
        {
            socket->Close(); // the sender gets nothing into it any more
        }
    }

    void Update() override
    {
        if (!m_socket && m_sender && m_sender->GetSocket())
        {
            Watch(DynamicCast<TcpSocketBase>(m_sender->GetSocket()));
            m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&BulkSource::Sent, this));
        }
        sends = m_written > 0 && m_socket->GetTxBuffer()->Size() > 0;
        const uint64_t used = m_written + m_spared + BULK_GUARD;
        const uint64_t most = m_spec.bytes == 0 ? ENDLESS : std::max(m_spec.bytes, used) - used;
        left = m_ended ? 0 : most;
    }

    bool IsAsking() const override
    {
        return m_sender && !m_ended && m_written == 0;
    }

    uint64_t Skip(const Time& from, const Time& to, uint64_t acks) override
    {
        const double seconds = (to - from).GetSeconds();
        const auto bytes = std::min<uint64_t>(left, std::llround(rate * seconds));
        m_spared += bytes;
        if (m_spec.bytes > 0)
        {
            m_sender->SetAttribute("MaxBytes", UintegerValue(m_spec.bytes - m_spared));
        }
        // writes of the application end amid a segment
        const uint64_t payload = std::max<uint64_t>(1, m_sent / std::max<uint64_t>(1, m_packets));
        m_skipped({bytes, bytes, payload, acks});
        return 0; // of messages
    }

    void Written(Ptr<const Packet> packet)
    {
        m_written += packet->GetSize();
    }

    void Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        m_sent += packet->GetSize();
        m_packets += packet->GetSize() > 0 ? 1 : 0;
    }

    TypeId m_sockets;                  //!< see SetSockets()
    Ptr<BulkSendApplication> m_sender; //!< null: not begun
    bool m_ended{false};               //!< it writes no more
    uint64_t m_written{0};             //!< bytes that TCP has got
    uint64_t m_spared{0};              //!< bytes that were left out
    uint64_t m_sent{0};                //!< bytes that TCP has sent
    uint64_t m_packets{0};             //!< with these
};

NS_OBJECT_ENSURE_REGISTERED(DatagramSource);
NS_OBJECT_ENSURE_REGISTERED(BulkSource);

} // namespace

TypeId
BackgroundSource::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::BackgroundSource").SetParent<Application>().SetGroupName("Dml");
    return tid;
}

void
BackgroundSource::Configure(Time origin,
                            const BackgroundSpec& flow,
                            const InetSocketAddress& sink,
                            uint16_t port)
{
    m_port = port;
    m_origin = origin;
    m_spec = flow;
    m_sink = sink;
}

void
BackgroundSource::StartApplication()
{
    const Time origin = m_origin - ModelClock::Now();
    ModelClock::Schedule(origin + m_spec.start, [this] { Begin(); });
    if (m_spec.stop < Time::Max())
    {
        ModelClock::Schedule(origin + m_spec.stop, [this] { End(); });
    }
}

BackgroundTraffic::BackgroundTraffic(const Cluster& cluster, Time origin)
    : m_cluster(cluster),
      m_origin(origin)
{
}

void
BackgroundTraffic::Add(const BackgroundSpec& flow, const BackgroundFlow& times)
{
    const uint32_t number = m_flows++;
    const InetSocketAddress sink(m_cluster.GetAddress(flow.to).GetIpv4(),
                                 AddressPlan::GetSinkPort(number));
    const bool bulk = flow.kind == BackgroundSpec::Kind::BULK;
    const TypeId sockets =
        bulk ? m_cluster.GetBackgroundTcp(number) : UdpSocketFactory::GetTypeId();
    Ptr<DatagramSource> datagrams;
    if (m_cluster.IsHere(flow.from))
    {
        Ptr<BackgroundSource> source;
        if (bulk)
        {
            const auto sender = CreateObject<BulkSource>();
            sender->SetSockets(sockets);
            source = sender;
        }
        else
        {
            datagrams = CreateObject<DatagramSource>();
            datagrams->SetDatagrams(times, GetDatagramSize());
            source = datagrams;
        }
        source->Configure(m_origin, flow, sink, m_cluster.GetSourcePort(number));
        m_cluster.GetNode(flow.from)->AddApplication(source);
        m_sources.push_back(source);
    }
    if (m_cluster.IsHere(flow.to))
    {
        const auto end =
            PacketSinkHelper(sockets.GetName(), sink).Install(m_cluster.GetNode(flow.to));
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
