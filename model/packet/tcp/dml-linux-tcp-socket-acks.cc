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
    if (m_ackHeld && header.GetSequenceNumber() != m_heldEnd)
    {
        SendEmptyPacket(TcpHeader::ACK); // what is missing in between ends a merged packet
    }
    const Time timeout = m_delAckTimeout;
    const uint32_t count = m_delAckMaxCount;
    const uint32_t most = m_gsoSize / m_tcb->m_segmentSize + count;
    m_delAckCount += packet->GetSize() > 0 ? (packet->GetSize() - 1) / m_tcb->m_segmentSize : 0;
    BurstTag tag;
    const bool hasTag = packet->PeekPacketTag(tag);
    const bool isBurst = hasTag && tag.GetFollowing() == 0 && m_delAckCount + 1 >= count;
    if (!isBurst || m_ackJitter)
    {
        m_delAckMaxCount = most;
        m_delAckTimeout = Min(timeout, MERGING);
    }
    m_acknowledgesOne = m_acknowledgesOne && !m_delAckEvent.IsExpired();
    const auto& buffer = m_tcb->m_rxBuffer;
    const bool hasGap = header.GetSequenceNumber() > buffer->NextRxSequence() ||
                        buffer->Size() > buffer->Available();
    m_holdsAck = hasGap && hasTag && tag.GetFollowing() > 0;
    TcpSocketBase::ReceivedData(packet, header);
    m_delAckMaxCount = count;
    m_delAckTimeout = timeout;
    if (m_ackHeld && m_delAckEvent.IsExpired())
    {
        m_acknowledgesOne = true; // of what has come, if the rest of its burst does not
        m_delAckEvent = Simulator::Schedule(MERGING, &LinuxTcpSocket::DelAckTimeout, this);
    }
    m_holdsAck = false;
    m_heldEnd = header.GetSequenceNumber() + SequenceNumber32(packet->GetSize());
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
LinuxTcpSocket::SendEmptyPacket(uint8_t flags)
{
    if (m_holdsAck && flags == TcpHeader::ACK)
    {
        m_ackHeld = true;
        return;
    }
    m_ackHeld = m_ackHeld && (flags & TcpHeader::ACK) == 0;
    TcpSocketBase::SendEmptyPacket(flags);
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
