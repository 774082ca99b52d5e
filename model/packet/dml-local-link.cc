/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-local-link.h"

#include "dml-packet-tuple.h"

#include "ns3/ipv4-header.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Bytes that frame a packet, as on the network's other links (PPP).
constexpr uint32_t FRAMING = 2;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(LocalLink);

TypeId
LocalLink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::LocalLink")
            .SetParent<LoopbackNetDevice>()
            .SetGroupName("Dml")
            .AddConstructor<LocalLink>()
            .AddTraceSource("PhyTxEnd",
                            "A packet has left the port of who sends it.",
                            MakeTraceSourceAccessor(&LocalLink::m_left),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sent",
                            "So many bytes have been sent on a direction of a port.",
                            MakeTraceSourceAccessor(&LocalLink::m_sent),
                            "ns3::dml::LocalLink::SentCallback");
    return tid;
}

void
LocalLink::SetTrains(uint32_t segment, uint32_t header)
{
    m_segment = segment;
    m_header = header;
}

void
LocalLink::AddPort(DirectedLink link, const DataRate& rate, const Time& delay, uint16_t listening)
{
    m_ports[link] = {rate, delay, {}};
    m_ports[link ^ 1] = {rate, delay, {}};
    AddConnection(link, listening);
}

uint32_t
LocalLink::GetLength(const Packet& packet) const
{
    const uint32_t bytes = packet.GetSize() + FRAMING;
    const bool several = m_segment > 0 && bytes > m_header + m_segment;
    return several ? bytes + (bytes - m_header - 1) / m_segment * m_header : bytes;
}

bool
LocalLink::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    Ipv4Header header;
    const Ptr<Packet> content = packet->Copy();
    content->RemoveHeader(header);
    const FiveTuple tuple = ReadFiveTuple(*content, header);
    const auto sender = m_owners.find(tuple.sourcePort);
    const auto receiver = m_owners.find(tuple.destinationPort);
    if (sender == m_owners.end() || receiver == m_owners.end())
    {
        return LoopbackNetDevice::Send(packet, dest, protocolNumber); // not of the training jobs
    }
    const Passage passage{packet, dest, protocolNumber, GetLength(*packet), receiver->second ^ 1};
    Simulator::Schedule(Occupy(sender->second, passage.bytes) - Simulator::Now(),
                        &LocalLink::Left,
                        Ptr<LocalLink>(this),
                        sender->second,
                        passage);
    return true;
}

Time
LocalLink::Occupy(DirectedLink link, uint32_t bytes)
{
    Port& port = m_ports.at(link);
    port.free = std::max(port.free, Simulator::Now()) + port.rate.CalculateBytesTxTime(bytes);
    return port.free;
}

void
LocalLink::Left(DirectedLink link, Passage passage)
{
    Simulator::Schedule(m_ports.at(link).delay, &LocalLink::Arrived, Ptr<LocalLink>(this), passage);
    m_sent(link, passage.bytes);
    m_left(passage.packet);
}

void
LocalLink::Arrived(Passage passage)
{
    Simulator::Schedule(Occupy(passage.receiver, passage.bytes) - Simulator::Now() +
                            m_ports.at(passage.receiver).delay,
                        &LocalLink::Deliver,
                        Ptr<LocalLink>(this),
                        passage);
}

void
LocalLink::Deliver(Passage passage)
{
    m_sent(passage.receiver, passage.bytes);
    LoopbackNetDevice::Send(passage.packet, passage.destination, passage.protocol);
}

void
LocalLink::DoDispose()
{
    m_ports.clear();
    m_owners.clear();
    LoopbackNetDevice::DoDispose();
}

} // namespace ns3::dml
