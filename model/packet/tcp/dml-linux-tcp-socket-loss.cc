/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Losses that are found by time, and probes for the last segments.

#include "dml-linux-tcp-socket.h"

#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <iterator>

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
const Time LEAST_TIMER = MilliSeconds(2); //!< TCP_TIMEOUT_MIN_US

} // namespace

Time
LinuxTcpSocket::FindSent(SequenceNumber32 sequence) const
{
    const auto again = m_sentAgain.upper_bound(sequence);
    if (again != m_sentAgain.begin() &&
        sequence - std::prev(again)->first < static_cast<int32_t>(std::prev(again)->second.bytes))
    {
        return std::prev(again)->second.time;
    }
    auto after = std::upper_bound(
        m_history.begin(),
        m_history.end(),
        sequence,
        [](SequenceNumber32 wanted, const RttHistory& sent) { return wanted < sent.seq; });
    return after == m_history.begin() || (--after)->retx ? Time(-1) : after->time;
}

TcpOptionSack::SackList
LinuxTcpSocket::ListSackBlocks(const TcpHeader& header)
{
    if (!header.HasOption(TcpOption::SACK))
    {
        return {};
    }
    return DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK))->GetSackList();
}

void
LinuxTcpSocket::NoteDelivered(const TcpHeader& header)
{
    SequenceNumber32 end = header.GetAckNumber();
    const auto blocks = ListSackBlocks(header);
    if (!blocks.empty())
    {
        end = blocks.front().second;
    }
    if (end > m_txBuffer->HeadSequence())
    {
        const Time sent = FindSent(end - 1);
        // less than the shortest round trip ago: an earlier copy has arrived (tcp_rack_advance())
        if (Simulator::Now() - sent >= m_tcb->m_minRtt)
        {
            m_deliveredSent = Max(m_deliveredSent, sent);
        }
    }
}

bool
LinuxTcpSocket::IsOvertaken(SequenceNumber32 head) const
{
    const Time sent = FindSent(head);
    // what left in the same instant may have gone before a repetition, and proves nothing
    return !sent.IsNegative() &&
           (sent < m_deliveredSent || (sent == m_deliveredSent && m_sentAgain.count(head) == 0));
}

void
LinuxTcpSocket::DetectLoss()
{
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    if (!m_recentAck || !m_sackEnabled || m_tcb->m_congState == TcpSocketState::CA_OPEN ||
        head >= m_tcb->m_highTxMark.Get())
    {
        return;
    }
    if (!IsOvertaken(head))
    {
        return;
    }
    const Time sent = FindSent(head);
    const Time reordering = m_tolerance.GetWindow(m_tcb->m_minRtt, m_rtt->GetEstimate());
    if (sent + reordering >= m_deliveredSent)
    {
        // it may have been overtaken, and come soon
        if (m_reordering.IsExpired() || m_reorderedHead != head)
        {
            m_reordering.Cancel();
            m_reorderedHead = head;
            m_reordering =
                Simulator::Schedule(reordering, &LinuxTcpSocket::HandleOverdue, this, head);
        }
        return;
    }
    LoseHead();
}

void
LinuxTcpSocket::HandleOverdue(SequenceNumber32 head)
{
    if (m_txBuffer->HeadSequence() == head && head < m_tcb->m_highTxMark.Get() &&
        m_tcb->m_congState != TcpSocketState::CA_OPEN && IsOvertaken(head))
    {
        LoseHead();
    }
}

void
LinuxTcpSocket::LoseHead()
{
    NoteState();
    if (m_tcb->m_congState == TcpSocketState::CA_DISORDER)
    {
        EnterRecovery(m_delivered);
    }
    else if (m_txBuffer->IsHeadRetransmitted() || !m_txBuffer->IsLost(m_txBuffer->HeadSequence()))
    {
        m_txBuffer->MarkHeadAsLost();
    }
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::ScheduleProbe()
{
    m_probeBase = Simulator::Now();
    if (!m_tailProbe)
    {
        return;
    }
    // an event that comes early enough is kept, as it looks at m_probeBase
    const Time delay = GetProbeTimeout();
    if (m_probe.IsExpired() || Simulator::GetDelayLeft(m_probe) > delay)
    {
        m_probe.Cancel();
        m_probe = Simulator::Schedule(delay, &LinuxTcpSocket::HandleProbe, this);
    }
}

Time
LinuxTcpSocket::GetProbeTimeout() const
{
    const bool one = BytesInFlight() <= m_tcb->m_segmentSize;
    return Min(m_rtt->GetEstimate() * int64_t(2) + (one ? m_minRto : LEAST_TIMER), m_rto.Get());
}

void
LinuxTcpSocket::HandleProbe()
{
    if (m_probed || BytesInFlight() == 0 || m_tcb->m_congState != TcpSocketState::CA_OPEN ||
        m_history.empty() || m_state == CLOSED)
    {
        return;
    }
    const Time due = m_probeBase + GetProbeTimeout();
    if (Simulator::Now() < due)
    {
        m_probe = Simulator::Schedule(due - Simulator::Now(), &LinuxTcpSocket::HandleProbe, this);
        return;
    }
    m_probed = true;
    if (GetUnsent() > 0 && GetRWnd() >= UnAckDataCount() + m_tcb->m_segmentSize)
    {
        const SequenceNumber32 next = m_tcb->m_highTxMark;
        m_tcb->m_nextTxSequence = next + SendDataPacket(next, m_tcb->m_segmentSize, m_connected);
        return;
    }
    const RttHistory last = m_history.back();
    SendDataPacket(last.seq, last.count, m_connected);
}

} // namespace ns3::dml
