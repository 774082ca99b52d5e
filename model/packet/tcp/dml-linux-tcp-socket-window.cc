/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How large the congestion window may be, and the send buffer with it.

#include "dml-linux-tcp-socket.h"

#include "ns3/simulator.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3::dml
{

void
LinuxTcpSocket::KeepThreshold()
{
    m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), m_tcb->m_cWnd.Get() / 4 * 3);
}

void
LinuxTcpSocket::RestartAfterIdle()
{
    const Time rto = m_rto.Get();
    Time idle = Simulator::Now() - m_lastSent;
    if (m_lastSent.IsNegative() || idle <= rto)
    {
        return;
    }
    uint32_t window = m_tcb->m_cWnd;
    const uint32_t least = std::min(window, m_tcb->m_initialCWnd * m_tcb->m_segmentSize);
    KeepThreshold();
    for (idle -= rto; idle.IsStrictlyPositive() && window > least; idle -= rto)
    {
        window /= 2;
    }
    window = std::max(window, least) / m_tcb->m_segmentSize * m_tcb->m_segmentSize;
    m_tcb->m_cWnd = window;
    m_tcb->m_cWndInfl = window;
    m_usage.Restart(Simulator::Now().GetSeconds());
}

void
LinuxTcpSocket::NoteUsage()
{
    const double now = Simulator::Now().GetSeconds();
    const uint32_t window = m_tcb->m_cWnd;
    const uint32_t inFlight = m_tcb->m_bytesInFlight;
    const bool limited = m_deferred || inFlight + m_tcb->m_segmentSize > window;
    if (m_usage.Note(m_highRxAckMark.Get() >= m_usageEnd, limited, inFlight))
    {
        m_usageEnd = m_tcb->m_highTxMark;
    }
    if (IsWindowUsed())
    {
        m_usage.Restart(now);
        return;
    }
    m_usage.NoteUnused(inFlight);
    if (m_idleRestart && m_usage.GetPause(now) >= m_rto.Get().GetSeconds() && GetUnsent() == 0 &&
        m_tcb->m_congState == TcpSocketState::CA_OPEN)
    {
        // tcp_cwnd_application_limited()
        const uint32_t used = std::max(static_cast<uint32_t>(m_usage.GetMostUsed()),
                                       m_tcb->m_initialCWnd * m_tcb->m_segmentSize);
        if (used < window)
        {
            KeepThreshold();
            m_tcb->m_cWnd = (window + used) / 2 / m_tcb->m_segmentSize * m_tcb->m_segmentSize;
        }
        m_usage.Restart(now);
    }
}

bool
LinuxTcpSocket::IsWindowUsed() const
{
    return m_usage.IsUsed(m_tcb->m_cWnd.Get(), m_tcb->m_ssThresh.Get());
}

void
LinuxTcpSocket::NewAck(const SequenceNumber32& sequence, bool resetTimeout)
{
    if (m_tcb->m_congState == TcpSocketState::CA_OPEN && m_tcb->m_cWnd > m_mostWindow)
    {
        m_tcb->m_cWnd = m_mostWindow;
        m_tcb->m_cWndInfl = m_mostWindow;
    }
    const auto buffer = static_cast<uint32_t>(
        std::min<uint64_t>(m_maxSendBuffer, GetSendBuffer(m_tcb->m_segmentSize, m_tcb->m_cWnd)));
    if (buffer > m_txBuffer->MaxBufferSize())
    {
        m_txBuffer->SetMaxBufferSize(buffer);
    }
    // TcpSocketBase restarts the timer at the first partial ACK only; Linux does at all of them
    TcpSocketBase::NewAck(sequence, resetTimeout || RepairsAsLinux());
}

} // namespace ns3::dml
