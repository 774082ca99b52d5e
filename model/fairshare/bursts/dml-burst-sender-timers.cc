/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The timer for probes and retransmissions, and what its delay and other limits follow from.

#include "dml-burst-sender.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
constexpr double LEAST_TIMER = 2e-3;  //!< a probe waits so long at least (TCP_TIMEOUT_MIN_US), s
constexpr double LONGEST_TIMER = 120; //!< TCP_RTO_MAX, s
constexpr uint32_t MOST_RETRIES = 15; //!< timeouts in a row (tcp_retries2)

} // namespace

void
BurstSender::UpdateLimits()
{
    m_limits = GetSendingLimits(GetView());
    const double delay = m_smoothed + std::max(m_leastTimeout, 4 * m_deviation);
    m_retransmissionDelay =
        std::min(LONGEST_TIMER, delay * static_cast<double>(uint64_t{1} << m_backoff));
}

double
BurstSender::GetProbeDelay() const
{
    const bool one = m_inFlight <= m_settings.segment;
    const double least = one ? m_leastTimeout : LEAST_TIMER;
    return std::min(2 * m_smoothed + least, m_retransmissionDelay);
}

void
BurstSender::SetTimer(double now)
{
    if (m_inFlight == 0 && m_lost.empty())
    {
        m_timeout = NEVER;
        return;
    }
    const bool probe = m_settings.tcp.rack && m_state == State::OPEN && !m_probed;
    m_timeout = now + (probe ? GetProbeDelay() : m_retransmissionDelay);
}

void
BurstSender::HandleTimeout(double now)
{
    if (m_settings.tcp.rack && m_state == State::OPEN && !m_probed)
    {
        m_probed = true;
        m_probes = true;
        SetTimer(now);
        return;
    }
    ++m_timeouts;
    bool lost = !m_lost.empty();
    for (auto& burst : m_sent)
    {
        lost |= LosePart(burst);
        burst.bytes -= burst.dropped;
        burst.dropped = 0;
        burst.acked |= burst.bytes == 0;
    }
    if (lost && (m_state == State::OPEN || m_acked >= m_recoveryEnd))
    {
        m_threshold = m_congestion->ShrinkAfterLoss(m_window); // once, as tcp_enter_loss() does it
    }
    ++m_backoff;
    UpdateLimits();
    if (m_backoff > MOST_RETRIES)
    {
        m_timeout = NEVER; // as a connection that is given up
        return;
    }
    if (!lost)
    {
        // ACKs are late or lost: another one is asked for, and the window stays (F-RTO, RFC 5682)
        m_probes = true;
        SetTimer(now);
        return;
    }
    m_congestion->HandleTimeout(now, m_next);
    m_state = State::LOSS;
    m_recoveryEnd = m_next;
    while (!m_sent.empty() && m_sent.front().acked)
    {
        m_sent.pop_front();
        ++m_first;
    }
    m_window =
        static_cast<uint32_t>((m_inFlight + m_settings.segment - 1) / m_settings.segment) + 1;
    UpdateLimits();
    SetTimer(now);
}

} // namespace ns3::dml
