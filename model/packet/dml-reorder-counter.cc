/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-reorder-counter.h"

#include "dml-packet-tuple.h"

#include "ns3/callback.h"
#include "ns3/dml-deferred-effects.h"
#include "ns3/ipv4-l3-protocol.h"

namespace ns3::dml
{

class ReorderCounter::End
{
  public:
    End(Ptr<Socket> socket, ReorderCounter& counter)
        : m_counter(counter)
    {
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&End::Sent, this));
        socket->TraceConnectWithoutContext("Rx", MakeCallback(&End::Received, this));
    }

  private:
    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (!m_sent || end > m_highest)
        {
            m_highest = end;
        }
        m_sent = true;
    }

    /// RFC 5681, section 2. A window that is another one is an update, not a duplicate.
    void Received(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        constexpr uint8_t OTHERS = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST;
        const SequenceNumber32 ack = header.GetAckNumber();
        if ((header.GetFlags() & TcpHeader::ACK) == 0)
        {
            return;
        }
        const bool isOld = m_received && ack == m_ack && header.GetWindowSize() == m_window;
        if (isOld && m_sent && ack < m_highest && packet->GetSize() == 0 &&
            (header.GetFlags() & OTHERS) == 0)
        {
            m_counter.Count(&Reordering::duplicateAcks);
        }
        m_received = true;
        m_ack = ack;
        m_window = header.GetWindowSize();
    }

    ReorderCounter& m_counter;  //!< of all connections
    SequenceNumber32 m_highest; //!< end of what was sent
    SequenceNumber32 m_ack;     //!< last one that came
    uint16_t m_window{0};       //!< that came with it
    bool m_sent{false};         //!< something was sent
    bool m_received{false};     //!< an ACK came
};

ReorderCounter::ReorderCounter(DeferredEffects* effects)
    : m_effects(effects)
{
}

ReorderCounter::~ReorderCounter() = default;

void
ReorderCounter::Watch(Ptr<Node> host)
{
    host->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "LocalDeliver",
        MakeCallback(&ReorderCounter::Deliver, this));
}

void
ReorderCounter::Watch(Ptr<StepApplication> application)
{
    application->TraceConnectWithoutContext("Connection", MakeCallback(&ReorderCounter::Add, this));
}

void
ReorderCounter::Deliver(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t)
{
    Count(&Reordering::packets);
    const uint64_t connection = HashFiveTuple(ReadFiveTuple(*packet, header), 0, 0);
    const uint16_t number = header.GetIdentification();
    const auto [known, isNew] = m_newest.try_emplace(connection, number);
    // numbers begin again after 65535
    if (static_cast<int16_t>(number - known->second) >= 0)
    {
        known->second = number;
    }
    else if (!isNew)
    {
        Count(&Reordering::reordered);
    }
}

void
ReorderCounter::Add(Ptr<Socket> socket, [[maybe_unused]] uint32_t peer)
{
    m_ends.push_back(std::make_unique<End>(socket, *this));
}

void
ReorderCounter::Count(uint64_t Reordering::*what)
{
    DoOrDefer(m_effects, [this, what] { ++(m_counts.*what); });
}

} // namespace ns3::dml
