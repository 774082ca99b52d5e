/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which segments are acknowledged together, and when.

#include "dml-burst-tag.h"
#include "dml-linux-tcp-socket.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
const Time MERGING = MilliSeconds(1); //!< after which segments that wait are a burst

} // namespace

void
LinuxTcpSocket::ReceivedData(Ptr<Packet> packet, const TcpHeader& header)
{
    if (m_recentAck && m_sackEnabled && !m_watchesCopies &&
        header.GetSequenceNumber() > m_tcb->m_rxBuffer->NextRxSequence())
    {
        m_watchesCopies = true;
        Simulator::ScheduleNow(&LinuxTcpSocket::WatchCopies, Ptr<LinuxTcpSocket>(this));
    }
    if (m_gsoSize == 0)
    {
        TcpSocketBase::ReceivedData(packet, header);
        return;
    }
    const Time timeout = m_delAckTimeout;
    const uint32_t count = m_delAckMaxCount;
    const uint32_t most = m_gsoSize / m_tcb->m_segmentSize + count;
    m_delAckCount += packet->GetSize() > 0 ? (packet->GetSize() - 1) / m_tcb->m_segmentSize : 0;
    BurstTag tag;
    const bool isBurst =
        packet->PeekPacketTag(tag) && tag.GetFollowing() == 0 && m_delAckCount + 1 >= count;
    if (!isBurst || m_ackJitter)
    {
        m_delAckMaxCount = most;
        m_delAckTimeout = Min(timeout, MERGING);
    }
    m_acknowledgesOne = m_acknowledgesOne && !m_delAckEvent.IsExpired();
    TcpSocketBase::ReceivedData(packet, header);
    m_delAckMaxCount = count;
    m_delAckTimeout = timeout;
    if (isBurst && m_ackJitter && !m_delAckEvent.IsExpired() && !m_acknowledgesBurst)
    {
        m_delAckEvent.Cancel();
        m_delAckEvent = Simulator::Schedule(Seconds(m_ackJitter->GetValue()),
                                            &LinuxTcpSocket::DelAckTimeout,
                                            this);
        m_acknowledgesBurst = true;
    }
    m_acknowledgesBurst = m_acknowledgesBurst && !m_delAckEvent.IsExpired();
}

void
LinuxTcpSocket::DelAckTimeout()
{
    m_acknowledgesBurst = false;
    if (m_gsoSize > 0 && m_delAckCount < m_delAckMaxCount && !m_acknowledgesOne &&
        m_delAckTimeout > MERGING)
    {
        m_acknowledgesOne = true;
        m_delAckEvent =
            Simulator::Schedule(m_delAckTimeout - MERGING, &LinuxTcpSocket::DelAckTimeout, this);
        return;
    }
    TcpSocketBase::DelAckTimeout();
}

} // namespace ns3::dml
