/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a sender learns about reordering, and recoveries that were needless. All of it waits for the
// first segment that arrives late, which never happens on a single path.

#include "dml-duplicate-tag.h"
#include "dml-linux-tcp-socket.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/packet.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3::dml
{

// TcpSocketBase ignores a segment whose ACK is older than another one's that has overtaken it, with
// all that it carries; Linux ignores the ACK alone (tcp_ack() returns 0, tcp_rcv_established() goes
// on).
void
LinuxTcpSocket::DoForwardUp(Ptr<Packet> packet, const Address& from, const Address& to)
{
    m_overtakenAck.reset();
    TcpSocketBase::DoForwardUp(packet, from, to); // takes the header off, and calls EstimateRtt()
    if (m_overtakenAck && m_state == ESTABLISHED && packet->GetSize() > 0)
    {
        ReceivedData(packet, *m_overtakenAck);
    }
}

void
LinuxTcpSocket::WatchCopies()
{
    if (m_endPoint != nullptr)
    {
        m_endPoint->SetRxCallback(MakeCallback(&LinuxTcpSocket::HandlePacket, this));
    }
}

void
LinuxTcpSocket::HandlePacket(Ptr<Packet> packet,
                             Ipv4Header header,
                             uint16_t port,
                             Ptr<Ipv4Interface> interface)
{
    TcpHeader tcpHeader;
    const uint32_t headerSize = packet->PeekHeader(tcpHeader);
    NoteCopy(tcpHeader.GetSequenceNumber(), packet->GetSize() - headerSize);
    ForwardUp(packet, header, port, interface);
}

void
LinuxTcpSocket::NoteCopy(SequenceNumber32 begin, uint32_t bytes)
{
    const auto& buffer = m_tcb->m_rxBuffer;
    const SequenceNumber32 end = begin + SequenceNumber32(bytes);
    const auto overlap = [&](SequenceNumber32 from, SequenceNumber32 to) {
        const SequenceNumber32 first = std::max(begin, from);
        const SequenceNumber32 last = std::min(end, to);
        return last > first ? static_cast<uint32_t>(last - first) : 0;
    };
    m_copy = begin;
    m_copyBytes = overlap(begin, buffer->NextRxSequence());
    if (m_copyBytes < bytes && buffer->GetSackListSize() > 0)
    {
        for (const auto& [from, to] : buffer->GetSackList())
        {
            m_copyBytes += overlap(from, to);
        }
    }
    if (m_copyBytes > 0)
    {
        TraceSent();
    }
}

SequenceNumber32
LinuxTcpSocket::FindFirstArrival(SequenceNumber32 begin, SequenceNumber32 end) const
{
    SequenceNumber32 before;
    do
    {
        before = begin;
        begin = m_queue.FindSentOnce(m_sacked.FindAbsent(begin));
    } while (begin != before && begin < end);
    return begin;
}

uint32_t
LinuxTcpSocket::CountSent(SequenceNumber32 begin, SequenceNumber32 end) const
{
    return static_cast<uint32_t>(
        std::count_if(m_history.begin(), m_history.end(), [&](const RttHistory& sent) {
            return sent.seq >= begin && sent.seq < end;
        }));
}

uint32_t
LinuxTcpSocket::CountOvertakers(const TcpHeader& header) const
{
    const auto count = [this](SequenceNumber32 begin, SequenceNumber32 end) {
        const SequenceNumber32 late = FindFirstArrival(begin, end);
        return late < end ? std::max(CountSent(late, m_highestSacked), 1U) : 0;
    };
    // what an ACK covers and no SACK did (tcp_clean_rtx_queue())
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    const uint32_t acknowledged = count(head, std::min(header.GetAckNumber(), m_highestSacked));
    if (acknowledged > 0)
    {
        return acknowledged;
    }
    // what a SACK covers below the highest one (tcp_sacktag_one())
    const auto blocks = ListSackBlocks(header);
    return blocks.empty() || blocks.front().first < head
               ? 0
               : count(blocks.front().first, std::min(blocks.front().second, m_highestSacked));
}

void
LinuxTcpSocket::NoteOrder(const TcpHeader& header, uint32_t overtakers)
{
    if (overtakers > 0)
    {
        m_tolerance.NoteLate(overtakers);
    }
    m_highestSacked = std::max(m_highestSacked, header.GetAckNumber());
    m_sacked.RemoveBefore(m_txBuffer->HeadSequence());
    for (const auto& [begin, end] : ListSackBlocks(header))
    {
        m_highestSacked = std::max(m_highestSacked, end);
        m_sacked.Add(std::max(begin, m_txBuffer->HeadSequence()), end);
    }
}

void
LinuxTcpSocket::ContinueInDisorder(SequenceNumber32 acknowledged, uint32_t bytes)
{
    // tcp_may_raise_cwnd(): where reordering is usual, it does not keep the window from growing;
    // TcpSocketBase leaves window, timer and application alone until all is in order
    m_dupAckCount = 0;
    if (IsWindowUsed())
    {
        m_congestionControl->IncreaseWindow(m_tcb, bytes / m_tcb->m_segmentSize);
        m_tcb->m_cWndInfl = m_tcb->m_cWnd;
    }
    NewAck(acknowledged, true);
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::NoteSentAgain(SequenceNumber32 sequence, uint32_t bytes)
{
    if (m_tcb->m_congState != TcpSocketState::CA_RECOVERY)
    {
        return;
    }
    if (!m_before.recovers)
    {
        m_undo = {true, sequence, m_before.window, m_before.threshold, 0};
        m_before.recovers = true;
    }
    m_undo.bytes += bytes;
}

void
LinuxTcpSocket::NoteState()
{
    m_before = {m_tcb->m_congState == TcpSocketState::CA_RECOVERY,
                m_tcb->m_cWnd,
                m_tcb->m_ssThresh};
}

void
LinuxTcpSocket::HandleDuplicate(const Packet& packet)
{
    DuplicateTag tag;
    if (!m_undo.isPossible || !packet.PeekPacketTag(tag) || tag.GetBegin() < m_undo.begin)
    {
        return;
    }
    if (m_tolerance.IsReorderingSeen())
    {
        m_tolerance.NoteDuplicate(m_txBuffer->HeadSequence(), m_tcb->m_highTxMark);
    }
    m_undo.bytes -= std::min(m_undo.bytes, tag.GetBytes());
    if (m_undo.bytes == 0 && m_tcb->m_congState != TcpSocketState::CA_LOSS)
    {
        UndoRecovery();
    }
}

void
LinuxTcpSocket::UndoRecovery()
{
    m_undo.isPossible = false;
    if (m_tcb->m_congState == TcpSocketState::CA_RECOVERY)
    {
        m_recoveryOps->ExitRecovery(m_tcb);
        m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_COMPLETE_CWR);
        m_congestionControl->CongestionStateSet(m_tcb, TcpSocketState::CA_OPEN);
        m_tcb->m_congState = TcpSocketState::CA_OPEN;
        m_dupAckCount = 0;
        m_recoverActive = false;
        m_isFirstPartialAck = true;
    }
    m_tcb->m_cWnd = std::max(m_tcb->m_cWnd.Get(), m_undo.window);
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
    m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), m_undo.threshold);
    SendPendingData(m_connected);
}

} // namespace ns3::dml
