/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-sender.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3::dml
{

namespace
{

constexpr uint64_t FIRST_BUFFER = 30; //!< segments, as Linux begins with 46080 bytes
constexpr uint64_t REFILLED_PART = 4; //!< the buffer is filled when a fourth of it is free

} // namespace

BurstSender::BurstSender(const Settings& settings)
    : m_settings(settings),
      m_congestion(MakeBurstCongestion(settings.tcp)),
      m_buffer(settings.tcp.autotuning
                   ? std::min(settings.tcp.sendBuffer, FIRST_BUFFER * settings.segment)
                   : settings.tcp.sendBuffer),
      m_refillAt(m_buffer / REFILLED_PART),
      m_window(settings.tcp.initialWindow),
      m_leastTimeout(settings.tcp.minRto.GetSeconds()),
      m_smoothed(settings.roundTrip),
      m_deviation(settings.roundTrip / 2),
      m_shortest(settings.roundTrip)
{
    UpdateLimits();
}

void
BurstSender::Write(uint64_t bytes)
{
    m_written += bytes;
    Refill();
}

void
BurstSender::Refill()
{
    m_accepted = std::max(m_accepted, std::min(m_written, m_acked + m_buffer));
    m_refillAt = m_buffer / REFILLED_PART;
}

SenderView
BurstSender::GetView() const
{
    return {m_settings.segment,
            m_settings.gsoSize,
            static_cast<double>(GetBytes(m_window)),
            static_cast<double>(GetBytes(m_threshold)),
            m_smoothed,
            m_shortest};
}

uint64_t
BurstSender::GetBurstSize(uint64_t room) const
{
    return room < m_limits.burst ? room / m_settings.segment * m_settings.segment : m_limits.burst;
}

bool
BurstSender::IsThrottled() const
{
    return m_settings.tcp.smallQueues && m_backlog > m_limits.queued;
}

bool
BurstSender::IsDeferred(double now, uint64_t room, uint64_t unsent) const
{
    return m_settings.gsoSize > 0 && m_state == State::OPEN && m_hasSent && !m_sent.empty() &&
           IsWorthDeferring(
               m_limits.burst,
               m_smoothed,
               {room, unsent, GetBytes(m_window), now - m_lastSent, now - m_sent.front().time});
}

uint64_t
BurstSender::Put(double now, uint64_t begin, uint32_t bytes, bool again)
{
    m_sent.push_back({begin, bytes, 0, now, again});
    m_inFlight += bytes;
    if (m_state == State::RECOVERY)
    {
        m_recoverySent += static_cast<double>(bytes) / m_settings.segment;
    }
    m_retransmitted += again ? bytes : 0;
    if (m_timeout == NEVER || !again)
    {
        SetTimer(now);
    }
    return m_first + m_sent.size() - 1;
}

uint64_t
BurstSender::Send(double now)
{
    if (m_probes)
    {
        m_probes = false;
        const uint64_t unsent = GetAccepted() - m_next;
        const auto size = static_cast<uint32_t>(
            std::min<uint64_t>(m_settings.segment, unsent > 0 ? unsent : m_next - m_acked));
        if (size == 0)
        {
            return NONE; // all that was lost has been sent again, and has arrived
        }
        if (unsent > 0)
        {
            m_next += size;
            m_lastSent = now;
        }
        return Put(now, m_next - size, size, unsent == 0);
    }
    if (m_lost.empty() && m_next >= GetAccepted())
    {
        m_deferred = false;
        return NONE;
    }
    NS_ASSERT_MSG(m_limits.burst == GetSendingLimits(GetView()).burst &&
                      m_limits.queued == GetSendingLimits(GetView()).queued,
                  "limits of a window that has changed");
    const uint64_t window = GetBytes(m_window);
    if (m_inFlight + m_settings.segment > window || IsThrottled())
    {
        m_deferred = false;
        return NONE;
    }
    const uint64_t room = window - m_inFlight;
    return m_lost.empty() ? SendNew(now, room) : Retransmit(now, room);
}

uint64_t
BurstSender::Retransmit(double now, uint64_t room)
{
    Range& range = m_lost.front();
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(range.bytes, GetBurstSize(room)));
    const uint64_t begin = range.begin;
    range.begin += size;
    range.bytes -= size;
    if (range.bytes == 0)
    {
        m_lost.pop_front();
    }
    return Put(now, begin, size, true);
}

uint64_t
BurstSender::SendNew(double now, uint64_t room)
{
    if (m_inFlight == 0)
    {
        if (m_settings.tcp.idleRestart)
        {
            RestartAfterIdle(now);
            room = GetBytes(m_window);
        }
        m_congestion->Resume(now);
    }
    const uint64_t unsent = GetAccepted() - m_next;
    m_deferred = IsDeferred(now, room, m_written - m_next);
    if (m_deferred)
    {
        return NONE;
    }
    const uint64_t segment = m_settings.segment;
    const uint64_t quota = GetBurstQuota(m_settings.segment, GetBytes(m_window), room);
    uint64_t size = std::min(unsent, GetBurstSize(quota));
    if (size == unsent && m_next + size < m_written && size > segment)
    {
        size = size / segment * segment; // the buffer has room for a part of the last segment
    }
    m_lastSent = now;
    m_hasSent = true;
    m_next += size;
    return Put(now, m_next - size, static_cast<uint32_t>(size), false);
}

void
BurstSender::ForgetAll()
{
    m_lost.clear();
    m_first += m_sent.size(); // copies, for which nobody waits
    m_sent.clear();
    m_inFlight = 0;
}

void
BurstSender::KeepThreshold()
{
    m_threshold = std::max(m_threshold, m_window / 4 * 3);
}

void
BurstSender::RestartAfterIdle(double now)
{
    const double timeout = m_retransmissionDelay;
    double idle = now - m_lastSent;
    if (!m_hasSent || idle <= timeout)
    {
        return;
    }
    const uint32_t least = std::min(m_window, m_settings.tcp.initialWindow);
    KeepThreshold();
    for (idle -= timeout; idle > 0 && m_window > least; idle -= timeout)
    {
        m_window /= 2;
    }
    m_window = std::max(m_window, least);
    UpdateLimits();
    m_usage.Restart(now);
}

void
BurstSender::NoteUsage(double now)
{
    const uint64_t window = GetBytes(m_window);
    const bool limited = m_deferred || m_inFlight + m_settings.segment > window;
    if (m_usage.Note(m_acked >= m_usageEnd, limited, m_inFlight))
    {
        m_usageEnd = m_next;
    }
    if (IsWindowUsed())
    {
        m_usage.Restart(now);
        return;
    }
    m_usage.NoteUnused(m_inFlight);
    if (m_settings.tcp.idleRestart && m_usage.GetPause(now) >= m_retransmissionDelay &&
        m_next == GetAccepted() && m_state == State::OPEN)
    {
        // tcp_cwnd_application_limited()
        const auto used =
            std::max(static_cast<uint32_t>(m_usage.GetMostUsed() / m_settings.segment),
                     m_settings.tcp.initialWindow);
        if (used < m_window)
        {
            KeepThreshold();
            m_window = (m_window + used) / 2;
        }
        m_usage.Restart(now);
    }
}

bool
BurstSender::IsWindowUsed() const
{
    return m_usage.IsUsed(static_cast<double>(GetBytes(m_window)),
                          static_cast<double>(GetBytes(m_threshold)));
}

void
BurstSender::TakeRoundTrip(double roundTrip)
{
    // RFC 6298, with the gains of tcp_rtt_estimator()
    const double error = roundTrip - m_smoothed;
    m_smoothed += error / 8;
    m_deviation += (std::abs(error) - m_deviation) / 4;
    m_shortest = std::min(m_shortest, roundTrip);
}

bool
BurstSender::LosePart(SentBurst& burst)
{
    if (burst.dropped == 0)
    {
        return false;
    }
    m_inFlight -= burst.dropped;
    const Range range{burst.begin + burst.bytes - burst.dropped, burst.dropped};
    auto place = m_lost.end(); // what is first in the stream is sent again first
    while (place != m_lost.begin() && std::prev(place)->begin > range.begin)
    {
        --place;
    }
    m_lost.insert(place, range);
    return true;
}

void
BurstSender::ForgetArrived(uint64_t begin, uint64_t end)
{
    for (std::size_t i = m_lost.size(); i-- > 0;)
    {
        const Range range = m_lost[i];
        const uint64_t rangeEnd = range.begin + range.bytes;
        if (range.begin >= end || rangeEnd <= begin)
        {
            continue;
        }
        m_lost.erase(m_lost.begin() + i);
        if (rangeEnd > end)
        {
            m_lost.insert(m_lost.begin() + i, {end, static_cast<uint32_t>(rangeEnd - end)});
        }
        if (range.begin < begin)
        {
            m_lost.insert(m_lost.begin() + i,
                          {range.begin, static_cast<uint32_t>(begin - range.begin)});
        }
    }
}

bool
BurstSender::FindLosses(uint64_t highest)
{
    bool found = false;
    for (; m_first < highest; ++m_first)
    {
        SentBurst& burst = m_sent.front();
        NS_ASSERT_MSG(burst.acked || burst.dropped == burst.bytes, "a burst was overtaken");
        found |= LosePart(burst);
        m_sent.pop_front();
    }
    if (!m_sent.empty() && m_sent.front().acked && m_sent.front().dropped == 0)
    {
        m_sent.pop_front();
        ++m_first;
    }
    return found;
}

void
BurstSender::EnterRecovery()
{
    m_state = State::RECOVERY;
    ++m_recoveries;
    m_recoveryEnd = m_next;
    m_recoverySize = m_window;
    m_recoveryDelivered = 0;
    m_recoverySent = 0;
    m_threshold = m_congestion->ShrinkAfterLoss(m_window);
}

void
BurstSender::ReduceProportionally(uint32_t delivered, bool mayAdd)
{
    const double segments = static_cast<double>(delivered) / m_settings.segment;
    const double pipe = static_cast<double>(m_inFlight) / m_settings.segment;
    m_recoveryDelivered += segments;
    double send = 0;
    if (pipe > m_threshold)
    {
        send = std::ceil(m_recoveryDelivered * m_threshold / m_recoverySize) - m_recoverySent;
    }
    else
    {
        const double limit =
            std::max(m_recoveryDelivered - m_recoverySent, segments) + (mayAdd ? 1 : 0);
        send = std::min(m_threshold - pipe, limit);
    }
    send = std::max(send, m_recoverySent == 0 ? 1.0 : 0.0); // the first retransmission goes at once
    m_window = static_cast<uint32_t>(std::ceil(pipe + send));
}

void
BurstSender::Grow(const CongestionView& view, uint32_t segments)
{
    if (m_window < m_threshold)
    {
        const uint32_t added = std::min(segments, m_threshold - m_window);
        m_window += added;
        segments -= added;
    }
    if (segments > 0)
    {
        CongestionView grown = view;
        grown.window = m_window;
        m_window += m_congestion->Grow(grown, segments);
    }
}

void
BurstSender::Receive(double now, const BurstAck& ack)
{
    NoteUsage(now);
    m_probed = false;
    m_backoff = 0;
    // after a mark it grows no more for a round trip (TCP_CA_CWR)
    const bool mayGrow = (!m_settings.tcp.windowValidation || IsWindowUsed()) &&
                         std::max(m_acked, ack.received) >= m_reductionEnd;
    const bool advances = ack.received > m_acked;
    CongestionView view{now,
                        m_window,
                        m_threshold,
                        m_settings.segment,
                        m_settings.gsoSize,
                        m_next,
                        std::max(m_acked, ack.received),
                        0,
                        0,
                        0};
    uint64_t highest = m_first;
    m_repeated.clear();
    for (std::size_t i = 0; i < ack.count; ++i)
    {
        const uint64_t number = ack.bursts.front();
        ack.bursts.pop_front();
        if (!Knows(number))
        {
            continue; // a copy of what had arrived
        }
        SentBurst& burst = Get(number);
        burst.acked = true;
        const uint32_t arrived = burst.bytes - burst.dropped;
        m_inFlight -= arrived;
        view.delivered += arrived;
        if (burst.retransmission)
        {
            m_repeated.push_back({burst.begin, arrived});
        }
        view.marked += std::min(arrived, burst.marked * m_settings.segment);
        view.roundTrip = burst.retransmission ? view.roundTrip : now - burst.time;
        highest = std::max(highest, number);
    }
    m_acked = view.acked;
    if (view.roundTrip > 0)
    {
        TakeRoundTrip(view.roundTrip);
    }
    const bool lost = FindLosses(highest);
    if (!m_lost.empty())
    {
        ForgetArrived(0, m_acked);
        for (const auto& range : m_repeated) // as selective acknowledgements say
        {
            ForgetArrived(range.begin, range.begin + range.bytes);
        }
    }
    if (m_acked == m_next)
    {
        ForgetAll();
    }
    m_threshold = m_congestion->NoteAck(view);
    view.threshold = m_threshold;
    if (m_state != State::OPEN && m_acked >= m_recoveryEnd)
    {
        m_window = m_state == State::RECOVERY ? m_threshold : m_window;
        m_state = State::OPEN;
    }
    const uint32_t segments = (view.delivered + m_settings.segment - 1) / m_settings.segment;
    if (lost && m_state == State::OPEN)
    {
        EnterRecovery();
    }
    if (m_state == State::RECOVERY)
    {
        ReduceProportionally(view.delivered, advances && !lost);
    }
    else if (view.marked > 0 && m_acked >= m_reductionEnd && m_state == State::OPEN)
    {
        m_threshold = m_congestion->ShrinkAfterMark(m_window);
        m_window = m_threshold;
        m_reductionEnd = m_next;
    }
    else if ((mayGrow || m_state == State::LOSS) && segments > 0)
    {
        Grow(view, segments);
    }
    if (m_settings.tcp.autotuning)
    {
        const uint64_t wanted = GetSendBuffer(m_settings.segment, GetBytes(m_window));
        m_buffer = std::max(m_buffer, std::min(m_settings.tcp.sendBuffer, wanted));
    }
    if (m_buffer - (m_accepted - m_acked) >= m_refillAt)
    {
        Refill();
    }
    UpdateLimits();
    SetTimer(now);
}

void
BurstSender::MoveOrigin(double seconds)
{
    for (auto& burst : m_sent)
    {
        burst.time -= seconds;
    }
    m_lastSent -= seconds;
    m_usage.MoveOrigin(seconds);
    m_timeout -= seconds;
    m_congestion->MoveOrigin(seconds);
}

} // namespace ns3::dml
