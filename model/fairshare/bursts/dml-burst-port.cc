/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-port.h"

#include "ns3/dml-shared-buffer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_GAPS = 32; //!< idle times that a link remembers

} // namespace

BurstPort::BurstPort(const TcpPort& port, double rate, const Settings& settings, BurstPool& pool)
    : m_rate(rate),
      m_segmentTime(settings.segment / rate),
      m_delay(port.delay),
      m_tokens(static_cast<double>(port.tokenBucket)),
      m_bucket(rate > 0 ? m_tokens / rate : 0),
      m_limit(port.atSwitch && port.queue.bytes > 0 ? GetLargestContent(port.queue)
                                                    : std::numeric_limits<double>::infinity()),
      m_fair(!port.queue.IsFifo() || !port.atSwitch),
      m_whole(settings.wholeBursts || port.queue.wholeBursts),
      m_gaps(settings.changes),
      m_queues(1),
      m_settings(settings),
      m_pool(pool),
      m_spec(port.queue),
      m_red(std::max(rate, 1.0), settings.segment)
{
}

uint32_t
BurstPort::AddQueue(bool forwarded)
{
    m_gaps = m_gaps || (forwarded && !m_settings.wholeBursts);
    if (m_gaps)
    {
        m_idle.set_capacity(MOST_GAPS);
    }
    if (m_spec.IsFifo())
    {
        return 0;
    }
    m_queues.emplace_back();
    return m_queues.size() - 1;
}

BurstPort::Verdict
BurstPort::Take(double now, BurstId id, uint32_t queue)
{
    NetworkBurst& burst = m_pool[id];
    m_taken = now;
    if (m_rate == 0)
    {
        return {burst.segments};
    }
    if (!m_fair)
    {
        return TakeInOrder(now, burst);
    }
    TakeFairly(now, id, queue);
    return {};
}

uint32_t
BurstPort::FindExcess(double now, const NetworkBurst& burst, double limit) const
{
    const double first = now - burst.spread;
    const double waiting = std::max(0.0, m_free - m_bucket - first - GetIdle(first)) * m_rate;
    if (m_whole)
    {
        return waiting + burst.size > limit ? burst.segments : 0;
    }
    // while its segments come, others leave
    const double drained = burst.spread * m_rate;
    const double excess = std::max(waiting + burst.size - drained, m_settings.segment) - limit;
    const uint32_t ousted = m_incoming.empty() ? 0 : CountOusted(now, burst, limit, excess);
    const double alone = excess > 0 ? std::ceil(excess / m_settings.segment) : 0;
    return std::min(uint32_t{burst.segments}, std::max(static_cast<uint32_t>(alone), ousted));
}

uint32_t
BurstPort::CountOusted(double now, const NetworkBurst& burst, double limit, double excess) const
{
    double rates = 0;  // of all that is coming, as a multiple of the link's
    double before = 0; // bytes of it that came before the first segment
    for (const auto& incoming : m_incoming)
    {
        if (incoming.first < now && now < incoming.last)
        {
            const double rate = incoming.bytes / (incoming.last - incoming.first);
            rates += rate / m_rate;
            excess += rate * (now - incoming.first);
            before += rate * std::max(0.0, now - burst.spread - incoming.first);
        }
    }
    if (rates == 0 || excess <= 0)
    {
        return 0;
    }
    const double first = now - burst.spread;
    const double waiting = std::max(0.0, m_free - first - GetIdle(first)) * m_rate + before;
    const bool full = waiting + std::min(burst.size, m_settings.segment) > limit;
    const auto later = static_cast<uint32_t>(std::ceil(excess / m_settings.segment));
    const uint32_t exposed = full ? burst.segments : std::min(uint32_t{burst.segments}, later);
    // of all that comes while the queue is full, as much as the link takes finds a place
    uint32_t ousted = 0;
    for (uint32_t i = 0; i < exposed; ++i)
    {
        ousted += m_settings.random->RandU01() * (rates + 1) < rates;
    }
    return ousted;
}

void
BurstPort::Expect(const NetworkBurst& burst, double last)
{
    if (m_fair || m_whole || m_limit == std::numeric_limits<double>::infinity() ||
        burst.spread <= 0)
    {
        return;
    }
    const auto old = [this](const Incoming& incoming) { return incoming.last <= m_taken; };
    m_incoming.erase(std::remove_if(m_incoming.begin(), m_incoming.end(), old), m_incoming.end());
    m_incoming.push_back({last - burst.spread, last, burst.size});
    if (m_memory)
    {
        m_memory->Use(*this);
    }
}

double
BurstPort::GetContent(double now) const
{
    double came = 0;
    double first = now; // when the first of what is coming did
    for (const auto& incoming : m_incoming)
    {
        if (incoming.first < now && now < incoming.last)
        {
            came += incoming.bytes * (now - incoming.first) / (incoming.last - incoming.first);
            first = std::min(first, incoming.first);
        }
    }
    return std::max(0.0, came + (std::max(m_free - m_bucket, first) - now) * m_rate);
}

bool
BurstPort::IsEmptyFrom(double now) const
{
    return m_free - m_bucket <= now &&
           std::all_of(m_incoming.begin(), m_incoming.end(), [now](const Incoming& incoming) {
               return incoming.last <= now;
           });
}

void
BurstPort::Shorten(NetworkBurst& burst, uint32_t dropped) const
{
    const uint32_t left = burst.segments - dropped;
    burst.spread *= burst.segments > 1 ? double(left - 1) / (burst.segments - 1) : 1;
    burst.size = left * m_settings.segment;
    burst.segments = left;
}

void
BurstPort::Mark(NetworkBurst& burst, double waiting)
{
    if (m_spec.threshold > 0 && waiting >= static_cast<double>(m_spec.threshold))
    {
        burst.marked = burst.segments;
        m_use.marked += burst.segments;
    }
}

void
BurstPort::CountSent(const NetworkBurst& burst)
{
    m_use.bytes += burst.size;
    m_use.segments += burst.segments;
}

double
BurstPort::GetIdle(double since) const
{
    double idle = 0;
    for (auto gap = m_idle.rbegin(); gap != m_idle.rend() && gap->second > since; ++gap)
    {
        idle += gap->second - std::max(gap->first, since);
    }
    return idle;
}

void
BurstPort::Transmit(NetworkBurst& burst, double arrived)
{
    const double whole = burst.size / m_rate;
    const double segment = std::min(whole, m_segmentTime);
    const double first = arrived - burst.spread;
    const double begin = std::max(m_free, first) - GetIdle(first);
    while (!m_idle.empty() && m_idle.back().second > first)
    {
        m_idle.pop_back();
    }
    if (m_gaps && m_free < first)
    {
        m_idle.push_back({m_free, first}); // of too many, the oldest one goes
    }
    m_free = std::max(begin + whole, arrived + segment);
    burst.spread =
        m_settings.wholeBursts || m_bucket > 0 ? 0 : std::max(m_free - begin - segment, 0.0);
}

BurstPort::Verdict
BurstPort::TakeInOrder(double now, NetworkBurst& burst)
{
    Verdict verdict;
    const double limit = m_memory ? m_memory->FindLimit(now, *this) : m_limit;
    if (limit < std::numeric_limits<double>::infinity())
    {
        verdict.dropped = std::max(FindExcess(now, burst, limit), ApplyRed(now, burst));
        if (verdict.dropped == burst.segments)
        {
            return verdict;
        }
        if (verdict.dropped > 0)
        {
            Shorten(burst, verdict.dropped);
        }
    }
    const double waiting = GetWait(now) * m_rate;
    Mark(burst, waiting);
    const double content = waiting + burst.size - burst.spread * m_rate;
    m_use.fullest = std::max(m_use.fullest, std::min(content, limit));
    CountSent(burst);
    Transmit(burst, now);
    if (m_memory)
    {
        m_memory->Use(*this);
    }
    verdict.departs = true;
    verdict.departure = FindDeparture(now);
    return verdict;
}

void
BurstPort::TakeFairly(double now, BurstId id, uint32_t queue)
{
    NetworkBurst& burst = m_pool[id];
    burst.since = now;
    Queue& waiting = m_queues[queue];
    waiting.bursts.Append(m_pool, id);
    waiting.bytes += burst.size;
    m_waiting += burst.size;
    if (!waiting.listed)
    {
        waiting.listed = true;
        waiting.deficit = m_settings.quantum;
        m_tokens > 0 ? InsertInTurn(queue) : m_new.Append(m_queues, queue);
    }
    while (m_waiting > m_limit)
    {
        PushOut();
    }
}

void
BurstPort::InsertInTurn(uint32_t queue)
{
    if (m_old.IsEmpty())
    {
        m_old.Append(m_queues, queue);
        return;
    }
    const auto count = static_cast<uint32_t>(m_queues.size());
    const uint32_t first = m_old.GetFirst();
    const auto turn = [&](uint32_t index) { return (index + count - first) % count; };
    m_old.Insert(m_queues, queue, [&](uint32_t other) { return turn(other) < turn(queue); });
}

void
BurstPort::PushOut()
{
    Queue& longest =
        *std::max_element(m_queues.begin(), m_queues.end(), [](const Queue& a, const Queue& b) {
            return a.bytes < b.bytes;
        });
    const BurstId id = longest.bursts.GetFirst();
    NetworkBurst& burst = m_pool[id];
    const double excess = std::ceil((m_waiting - m_limit) / m_settings.segment);
    if (!m_whole && excess < burst.segments)
    {
        const auto cut = static_cast<uint32_t>(excess);
        const double size = burst.size;
        Shorten(burst, cut);
        longest.bytes -= size - burst.size;
        m_waiting -= size - burst.size;
        m_cuts.push_back({id, cut});
        return;
    }
    longest.bursts.TakeFirst(m_pool);
    longest.bytes -= burst.size;
    m_waiting -= burst.size;
    m_pushedOut.push_back(id);
}

void
BurstPort::Pass(double now, double end, const NetworkBurst& burst)
{
    CountSent(burst);
    if (m_gaps && m_free < now)
    {
        m_idle.push_back({m_free, now}); // as Transmit() has it
    }
    m_free = m_free > now ? m_free + (end - now) : end; // tokens may be owed
}

double
BurstPort::Serve(double now)
{
    while (!m_busy && m_rate > 0 && !(m_new.IsEmpty() && m_old.IsEmpty()))
    {
        LinkedQueue& list = m_new.IsEmpty() ? m_old : m_new;
        const uint32_t index = list.GetFirst();
        Queue& queue = m_queues[index];
        if (queue.deficit <= 0)
        {
            queue.deficit += m_settings.quantum;
            list.TakeFirst(m_queues);
            m_old.Append(m_queues, index);
            continue;
        }
        if (queue.bursts.IsEmpty())
        {
            list.TakeFirst(m_queues);
            if (&list == &m_new && !m_old.IsEmpty())
            {
                m_old.Append(m_queues, index);
                continue;
            }
            queue.listed = false;
            continue;
        }
        m_current = queue.bursts.TakeFirst(m_pool);
        NetworkBurst& burst = m_pool[m_current];
        queue.bytes -= burst.size;
        m_waiting -= burst.size;
        if (m_spec.kind == QueueSpec::Kind::FQ_CODEL && !ApplyCodel(now, queue, m_current))
        {
            continue;
        }
        queue.deficit -= burst.size;
        m_busy = true;
        CountSent(burst);
        Transmit(burst, burst.since);
        m_free = std::max(m_free, now);
        m_departure = FindDeparture(now);
        return m_departure;
    }
    return -1;
}

bool
BurstPort::ApplyCodel(double now, Queue& queue, BurstId id)
{
    NetworkBurst& burst = m_pool[id];
    const uint32_t actions = queue.codel.CountActions(now,
                                                      now - burst.since,
                                                      queue.bytes < m_settings.segment,
                                                      burst.segments);
    if (actions == 0)
    {
        return true;
    }
    if (m_spec.ecn && burst.bytes > 0)
    {
        burst.marked += actions;
        m_use.marked += actions;
        return true;
    }
    if (actions == burst.segments)
    {
        m_pushedOut.push_back(id);
        return false;
    }
    Shorten(burst, actions);
    m_cuts.push_back({id, actions});
    return true;
}

uint32_t
BurstPort::ApplyRed(double now, NetworkBurst& burst)
{
    if (m_spec.kind != QueueSpec::Kind::RED)
    {
        return 0;
    }
    const uint32_t actions =
        m_red.CountActions((m_free - now) * m_rate, burst.segments, *m_settings.random);
    if (m_spec.ecn && burst.bytes > 0)
    {
        burst.marked += actions;
        m_use.marked += actions;
        return 0;
    }
    return actions;
}

BurstId
BurstPort::Finish()
{
    m_busy = false;
    return m_current;
}

void
BurstPort::SetRate(double now, double rate, uint64_t& order)
{
    if (rate > 0 && m_rate > 0 && m_free > now)
    {
        const double factor = m_rate / rate;
        m_free = now + (m_free - now) * factor;
        m_departure = now + (m_departure - now) * factor;
        m_link.ChangeAll([&](BurstLink::Arrival& arrival) {
            if (!m_fair && arrival.time - m_delay > now)
            {
                arrival.time = now + (arrival.time - m_delay - now) * factor + m_delay;
                arrival.order = order++;
            }
        });
    }
    if (m_rate == 0)
    {
        m_free = std::max(m_free, now); // a fair port has sent nothing meanwhile
    }
    m_bucket = rate > 0 ? m_tokens / rate : 0;
    m_rate = rate;
    m_segmentTime = m_settings.segment / rate;
}

} // namespace ns3::dml
