/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-counter.h"

#include "ns3/dml-deferred-effects.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

namespace ns3::dml
{

class TcpCounter::End
{
  public:
    End(Ptr<Socket> socket, TcpCounter& counter)
        : m_counter(counter)
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
            m_counter.Count(&TcpCounts::retransmissions);
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
        if (m_lost)
        {
            m_counter.Count(&TcpCounts::timeouts);
        }
        if (state == TcpSocketState::CA_RECOVERY)
        {
            m_counter.Count(&TcpCounts::recoveries);
        }
    }

    /// A timer that runs out again in the same state changes nothing but itself: it doubles.
    void TimeoutChanged(Time before, Time after)
    {
        if (m_lost && after == before + before)
        {
            m_counter.Count(&TcpCounts::timeouts);
        }
    }

    TcpCounter& m_counter;      //!< of all connections
    SequenceNumber32 m_highest; //!< end of what was sent
    bool m_started{false};      //!< something was sent
    bool m_lost{false};         //!< recovering from a timeout
};

TcpCounter::TcpCounter(DeferredEffects* effects)
    : m_effects(effects)
{
}

TcpCounter::~TcpCounter() = default;

void
TcpCounter::Watch(Ptr<StepApplication> application)
{
    application->TraceConnectWithoutContext("Connection", MakeCallback(&TcpCounter::Add, this));
}

void
TcpCounter::Add(Ptr<Socket> socket, [[maybe_unused]] uint32_t peer)
{
    m_ends.push_back(std::make_unique<End>(socket, *this));
}

void
TcpCounter::Count(uint64_t TcpCounts::*what)
{
    DoOrDefer(m_effects, [this, what] { ++(m_counts.*what); });
}

} // namespace ns3::dml
