/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-retransmission-queue.h"

#include <algorithm>
#include <iterator>

namespace ns3::dml
{

namespace
{

/// @return the first of segments in order that ends behind a byte
template <typename Segments>
auto
FindEndBehind(Segments& segments, SequenceNumber32 byte)
{
    return std::partition_point(segments.begin(), segments.end(), [&](const auto& segment) {
        return segment.GetEnd() <= byte;
    });
}

} // namespace

RetransmissionQueue::Segments::iterator
RetransmissionQueue::Find(SequenceNumber32 byte)
{
    return FindEndBehind(m_segments, byte);
}

RetransmissionQueue::Segments::iterator
RetransmissionQueue::Split(SequenceNumber32 byte)
{
    auto segment = Find(byte);
    if (segment == m_segments.end() || segment->begin >= byte)
    {
        return segment;
    }
    Count(*segment, -1);
    Segment rest = *segment;
    const auto kept = static_cast<uint32_t>(byte - segment->begin);
    segment->bytes = kept;
    rest.begin = byte;
    rest.bytes -= kept;
    Count(*segment, 1);
    Count(rest, 1);
    return m_segments.insert(segment + 1, rest);
}

void
RetransmissionQueue::Count(const Segment& segment, int sign)
{
    const int copies = segment.sacked ? 0 : (segment.lost ? 0 : 1) + (segment.again ? 1 : 0);
    m_inFlight += sign * copies * static_cast<int>(segment.bytes);
    m_sacked += segment.sacked ? sign : 0;
    m_waiting += segment.IsWaiting() ? sign : 0;
}

void
RetransmissionQueue::NoteSent(SequenceNumber32 begin,
                              uint32_t bytes,
                              const Time& now,
                              bool lost,
                              uint32_t burst)
{
    ++m_number;
    const SequenceNumber32 end = begin + SequenceNumber32(bytes);
    if (m_segments.empty() || begin >= m_segments.back().GetEnd())
    {
        m_segments.push_back({begin, bytes, now, m_number, burst});
        Count(m_segments.back(), 1);
        return;
    }
    Split(end);
    for (auto segment = Split(begin); segment != m_segments.end() && segment->begin < end;
         ++segment)
    {
        Count(*segment, -1);
        segment->time = now;
        segment->number = m_number;
        segment->burst = burst;
        segment->repeated = true;
        segment->again = !segment->sacked;
        segment->lost = !segment->sacked && (segment->lost || lost);
        Count(*segment, 1);
    }
}

void
RetransmissionQueue::Deliver(const Segment& segment, const Time& now, const Time& shortest)
{
    // what was sent again, and comes too early for that, is the first copy (tcp_rack_advance())
    const Time roundTrip = now - segment.time;
    if (segment.number > m_latest && (!segment.repeated || roundTrip >= shortest))
    {
        m_latest = segment.number;
        m_roundTrip = roundTrip;
    }
}

void
RetransmissionQueue::NoteAck(SequenceNumber32 acknowledged,
                             const TcpOptionSack::SackList& blocks,
                             const Time& now,
                             const Time& shortest)
{
    const auto end = Split(acknowledged);
    for (auto segment = m_segments.begin(); segment != end; ++segment)
    {
        if (!segment->sacked)
        {
            Deliver(*segment, now, shortest);
        }
        Count(*segment, -1);
    }
    m_segments.erase(m_segments.begin(), end);
    for (const auto& [from, to] : blocks)
    {
        for (auto segment = Find(from); segment != m_segments.end() && segment->GetEnd() <= to;
             ++segment)
        {
            if (segment->begin < from || segment->sacked)
            {
                continue;
            }
            Deliver(*segment, now, shortest);
            Count(*segment, -1);
            segment->sacked = true;
            segment->lost = false;
            segment->again = false;
            Count(*segment, 1);
        }
    }
}

void
RetransmissionQueue::Lose(Segment& segment)
{
    Count(segment, -1);
    segment.lost = true;
    segment.again = false;
    Count(segment, 1);
}

Time
RetransmissionQueue::FindLosses(const Time& window, const Time& now)
{
    Time wait;
    for (auto& segment : m_segments)
    {
        if (segment.sacked || segment.IsWaiting() || segment.number >= m_latest)
        {
            continue;
        }
        const Time left = segment.time + m_roundTrip + window - now;
        if (left.IsStrictlyPositive())
        {
            wait = Max(wait, left);
            continue;
        }
        Lose(segment);
    }
    return wait;
}

void
RetransmissionQueue::LoseAll()
{
    for (auto& segment : m_segments)
    {
        if (!segment.sacked)
        {
            Lose(segment);
        }
    }
}

void
RetransmissionQueue::LoseFirst()
{
    if (!m_segments.empty() && !m_segments.front().sacked && !m_segments.front().lost)
    {
        Lose(m_segments.front());
    }
}

std::optional<RetransmissionQueue::Lost>
RetransmissionQueue::FindLost() const
{
    if (m_waiting == 0)
    {
        return std::nullopt;
    }
    const auto first = std::find_if(m_segments.begin(),
                                    m_segments.end(),
                                    [](const Segment& segment) { return segment.IsWaiting(); });
    Lost lost{first->begin, first->bytes, 0};
    for (auto next = std::next(first);
         next != m_segments.end() && next->IsWaiting() && next->burst == first->burst;
         ++next)
    {
        lost.ofBurst += next->bytes;
    }
    return lost;
}

SequenceNumber32
RetransmissionQueue::FindSentOnce(SequenceNumber32 begin) const
{
    auto segment = FindEndBehind(m_segments, begin);
    for (; segment != m_segments.end() && segment->begin <= begin && segment->repeated; ++segment)
    {
        begin = segment->GetEnd();
    }
    return begin;
}

} // namespace ns3::dml
