/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-counter.h"

#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

namespace ns3
{
namespace dml
{

class TcpCounter::End
{
  public:
    End(Ptr<Socket> socket, TcpCounts& counts)
        : m_counts(counts)
    {
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&End::Sent, this));
        socket->TraceConnectWithoutContext("CongState", MakeCallback(&End::StateChanged, this));
        socket->TraceConnectWithoutContext("RTO", MakeCallback(&End::TimeoutChanged, this));
    }

  private:
    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        const bool syn = (header.GetFlags() & TcpHeader::SYN) != 0;
        const uint32_t length = packet->GetSize() + (syn ? 1 : 0);
        if (length == 0)
        {
            return;
        }
        const SequenceNumber32 sequence = header.GetSequenceNumber();
        const SequenceNumber32 end = sequence + length;
        if (m_started && sequence < m_highest)
        {
            ++m_counts.retransmissions;
        }
        if (!m_started || end > m_highest)
        {
            m_highest = end;
        }
        m_started = true;
    }

    void StateChanged(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state)
    {
        m_lost = state == TcpSocketState::CA_LOSS;
        m_counts.timeouts += m_lost ? 1 : 0;
        m_counts.recoveries += state == TcpSocketState::CA_RECOVERY ? 1 : 0;
    }

    /// A timer that runs out again in the same state changes nothing but itself: it doubles.
    void TimeoutChanged(Time before, Time after)
    {
        m_counts.timeouts += m_lost && after == before + before ? 1 : 0;
    }

    TcpCounts& m_counts;        //!< of all connections
    SequenceNumber32 m_highest; //!< end of what was sent
    bool m_started{false};      //!< something was sent
    bool m_lost{false};         //!< recovering from a timeout
};

TcpCounter::TcpCounter() = default;

TcpCounter::~TcpCounter() = default;

void
TcpCounter::Watch(Ptr<StepApplication> application)
{
    application->TraceConnectWithoutContext("Connection", MakeCallback(&TcpCounter::Add, this));
}

const TcpCounts&
TcpCounter::GetCounts() const
{
    return m_counts;
}

void
TcpCounter::Add(Ptr<Socket> socket)
{
    m_ends.push_back(std::make_unique<End>(socket, m_counts));
}

} // namespace dml
} // namespace ns3
