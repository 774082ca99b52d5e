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

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
const Time LEAST_TIMER = MilliSeconds(2); //!< TCP_TIMEOUT_MIN_US

} // namespace

TcpOptionSack::SackList
LinuxTcpSocket::ListSackBlocks(const TcpHeader& header)
{
    if (!header.HasOption(TcpOption::SACK))
    {
        return {};
    }
    return DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK))->GetSackList();
}

bool
LinuxTcpSocket::FindsLosses() const
{
    return m_recentAck && m_sackEnabled;
}

uint32_t
LinuxTcpSocket::BytesInFlight() const
{
    if (!FindsLosses() || m_timesOut)
    {
        return TcpSocketBase::BytesInFlight();
    }
    m_tcb->m_bytesInFlight = m_queue.GetInFlight();
    return m_queue.GetInFlight();
}

Time
LinuxTcpSocket::DetectLosses()
{
    // tcp_rack_reo_wnd()
    const bool recovers = m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
                          m_tcb->m_congState == TcpSocketState::CA_LOSS;
    const bool atOnce = !m_tolerance.IsReorderingSeen() &&
                        (recovers || m_queue.CountSacked() >= m_tolerance.GetThreshold(recovers));
    return m_queue.FindLosses(atOnce ? Time(0)
                                     : m_tolerance.GetWindow(m_tcb->m_minRtt, m_rtt->GetEstimate()),
                              Simulator::Now());
}

Time
LinuxTcpSocket::NoteDelivered(const TcpHeader& header)
{
    if (!FindsLosses())
    {
        return Time(0);
    }
    m_queue.NoteAck(header.GetAckNumber(),
                    ListSackBlocks(header),
                    Simulator::Now(),
                    m_tcb->m_minRtt);
    return DetectLosses();
}

void
LinuxTcpSocket::Repair(bool recovered, const Time& wait)
{
    if (!recovered && m_tcb->m_congState == TcpSocketState::CA_RECOVERY && !m_queue.HasLost())
    {
        m_queue.LoseFirst(); // TcpSocketBase has counted duplicates
    }
    m_reordering.Cancel();
    if (wait.IsStrictlyPositive())
    {
        // it may have been overtaken, and come soon
        m_reordering = Simulator::Schedule(wait, &LinuxTcpSocket::HandleOverdue, this);
    }
    SendLost();
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::HandleOverdue()
{
    DetectLosses();
    m_delivered = 0;
    SendLost();
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::SendLost()
{
    if (m_tcb->m_congState == TcpSocketState::CA_OPEN &&
        (m_queue.CountSacked() > 0 || m_queue.HasLost()))
    {
        // a recovery has ended, and something is missing behind what it repaired
        // (tcp_try_to_open()); TcpSocketBase would wait for new duplicates
        m_congestionControl->CongestionStateSet(m_tcb, TcpSocketState::CA_DISORDER);
        m_tcb->m_congState = TcpSocketState::CA_DISORDER;
    }
    if (m_queue.HasLost() && m_tcb->m_congState == TcpSocketState::CA_DISORDER)
    {
        NoteState();
        m_holds = true;
        EnterRecovery(m_delivered);
        m_holds = false;
    }
    m_sendsLost = true;
    for (auto lost = m_queue.FindLost(); lost; lost = m_queue.FindLost())
    {
        const uint32_t window = AvailableWindow();
        const uint32_t most = std::min(lost->bytes, m_tcb->m_segmentSize);
        EndTrain();
        if (window < std::min(lost->bytes, m_tcb->m_segmentSize))
        {
            break;
        }
        if (m_burstLeft == 0 || m_burstTime != Simulator::Now())
        {
            // what was sent together is sent again together, as far as the window allows
            // (tcp_retransmit_skb())
            const uint32_t room = std::min(window, GetBurstGoal());
            const uint32_t segment = m_tcb->m_segmentSize;
            BeginBurst(std::min(most + lost->ofBurst, std::max(room / segment, 1U) * segment));
        }
        SendDataPacket(lost->begin, std::min(most, window), m_connected);
    }
    m_burstLeft = 0;
    m_sendsLost = false;
}

void
LinuxTcpSocket::ReTxTimeout()
{
    m_reordering.Cancel();
    m_timesOut = FindsLosses();
    TcpSocketBase::ReTxTimeout();
    if (m_timesOut && m_tcb->m_congState == TcpSocketState::CA_LOSS)
    {
        m_queue.LoseAll();
    }
    m_timesOut = false;
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
