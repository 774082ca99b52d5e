/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-source.h"

#include "ns3/node.h"
#include "ns3/seq-ts-header.h"
#include "ns3/simulator.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BackgroundSource);
NS_OBJECT_ENSURE_REGISTERED(DatagramSource);
NS_OBJECT_ENSURE_REGISTERED(BulkSource);

namespace
{

/// Largest payload that BulkSendApplication writes to a TCP socket at once.
constexpr uint32_t BULK_WRITE = 16384;
/// Datagrams after which it is seen how many of them arrive.
constexpr uint32_t DATAGRAMS_A_LOOK = 64;
/// Bytes that a flow keeps, so that its end is a matter of packets.
constexpr uint64_t BULK_GUARD = 2 * BULK_WRITE;
/// What may be left out of a flow without end.
constexpr uint64_t ENDLESS = std::numeric_limits<uint64_t>::max();

} // namespace

TypeId
BackgroundSource::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::BackgroundSource").SetParent<Application>().SetGroupName("Dml");
    return tid;
}

void
BackgroundSource::Configure(Time origin, const BackgroundSpec& flow, const InetSocketAddress& sink)
{
    m_origin = origin;
    m_spec = flow;
    m_sink = sink;
}

void
BackgroundSource::SetSkipHandler(std::function<void(const SkippedTraffic& skipped)> skipped)
{
    m_skipped = std::move(skipped);
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

TypeId
DatagramSource::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::DatagramSource")
                            .SetParent<BackgroundSource>()
                            .SetGroupName("Dml")
                            .AddConstructor<DatagramSource>();
    return tid;
}

void
DatagramSource::SetDatagrams(const BackgroundFlow& times, uint32_t size)
{
    m_size = size;
    if (times.kind == BackgroundFlow::Kind::ON_OFF)
    {
        m_times.emplace(times);
    }
}

void
DatagramSource::Arrived(Ptr<const Packet> packet, const Address&)
{
    SeqTsHeader header;
    packet->PeekHeader(header);
    ++m_arrived;
    m_passed = header.GetSeq() + 1;
}

SkippableFlow&
DatagramSource::GetFlow()
{
    return *this;
}

void
DatagramSource::Begin()
{
    m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    m_socket->Bind();
    m_socket->Connect(m_sink);
    m_socket->ShutdownRecv();
    Switch();
}

void
DatagramSource::End()
{
    m_switch.Cancel();
    if (m_on)
    {
        StopSending();
    }
    m_socket->Close();
}

void
DatagramSource::Switch()
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

void
DatagramSource::StartSending()
{
    m_on = true;
    m_last = Simulator::Now();
    ScheduleNext();
}

void
DatagramSource::StopSending()
{
    m_on = false;
    Simulator::Cancel(m_next);
    const Time since = Simulator::Now() - m_last;
    m_saved += (since.To(Time::S) * m_spec.rate.GetBitRate()).GetHigh();
}

void
DatagramSource::ScheduleNext()
{
    const auto bits = static_cast<double>(8 * m_size - m_saved);
    m_next = Simulator::Schedule(Seconds(bits / static_cast<double>(m_spec.rate.GetBitRate())),
                                 &DatagramSource::Send,
                                 this);
}

void
DatagramSource::Send()
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

void
DatagramSource::Update()
{
    sends = m_on;
    left = ENDLESS;
}

double
DatagramSource::GetGivenRate() const
{
    return m_spec.rate.GetBitRate() / 8.0;
}

uint64_t
DatagramSource::Skip(const Time& from, const Time& to, uint64_t)
{
    const double more = GetGivenRate() * (to - from).GetSeconds() / m_size + m_rest;
    const auto datagrams = static_cast<uint64_t>(more);
    m_rest = more - static_cast<double>(datagrams);
    const uint64_t arrived = std::llround(m_through * static_cast<double>(datagrams));
    m_skipped({datagrams * m_size, arrived * m_size, m_size, 0});
    return 0; // of messages
}

TypeId
BulkSource::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BulkSource")
                            .SetParent<BackgroundSource>()
                            .SetGroupName("Dml")
                            .AddConstructor<BulkSource>();
    return tid;
}

SkippableFlow&
BulkSource::GetFlow()
{
    return *this;
}

void
BulkSource::Begin()
{
    m_sender = CreateObjectWithAttributes<BulkSendApplication>(
        "Protocol",
        TypeIdValue(TypeId::LookupByName("ns3::dml::ConfiguredTcpFactory")),
        "Remote",
        AddressValue(m_sink),
        "MaxBytes",
        UintegerValue(m_spec.bytes),
        "SendSize",
        UintegerValue(BULK_WRITE));
    m_sender->TraceConnectWithoutContext("Tx", MakeCallback(&BulkSource::Written, this));
    GetNode()->AddApplication(m_sender);
}

void
BulkSource::End()
{
    m_ended = true;
    if (const auto socket = m_sender->GetSocket())
    {
        socket->Close(); // the sender gets nothing into it any more
    }
}

void
BulkSource::Written(Ptr<const Packet> packet)
{
    m_written += packet->GetSize();
}

void
BulkSource::Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
{
    m_sent += packet->GetSize();
    m_packets += packet->GetSize() > 0 ? 1 : 0;
}

void
BulkSource::Update()
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

bool
BulkSource::IsAsking() const
{
    return m_sender && !m_ended && m_written == 0;
}

uint64_t
BulkSource::Skip(const Time& from, const Time& to, uint64_t acks)
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

} // namespace ns3::dml
