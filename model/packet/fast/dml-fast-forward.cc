/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fast-forward.h"

#include "dml-model-clock.h"
#include "dml-rate-meter.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Marks in a span, so that bursts inside it do not matter.
constexpr std::size_t LEAST_SPAN = 16;

/// Marks after which every other one is forgotten; odd, so that the last one stays.
constexpr std::size_t MOST_MARKS = 1025;

/// Rates that differ by no more are the same.
constexpr double STEADY = 0.01;

/// Least distance of marks, and for each stream, so that looks cost less than packets.
const Time LEAST_DISTANCE = MicroSeconds(5);
const Time LEAST_DISTANCE_PER_STREAM = MicroSeconds(1);

/// Spans that a skip must have to be worth it.
constexpr double LEAST_SKIP = 0.25;

} // namespace

/// What is counted besides messages.
struct FastForward::Counter
{
    std::function<uint64_t()> count; //!< so far
    Credit credit;                   //!< told of more
    uint64_t last{0};                //!< count at the last mark
    RateMeter meter;                 //!< of it
    double rest{0};                  //!< less than one, not yet credited
};

FastForward::FastForward(double check, int64_t randomStream, Skipped skipped)
    : m_check(check),
      m_random(CreateObject<UniformRandomVariable>()),
      m_skipped(std::move(skipped))
{
    m_random->SetStream(randomStream);
}

FastForward::~FastForward() = default;

void
FastForward::Add(Ptr<StepApplication> application,
                 uint32_t job,
                 const Endpoint& endpoint,
                 const std::vector<StreamPath>& paths,
                 const Received& received)
{
    for (uint32_t peer = 0; peer < paths.size(); ++peer)
    {
        auto stream = std::make_unique<SkippableStream>();
        stream->application = application;
        stream->job = job;
        stream->endpoint = endpoint;
        stream->peer = peer;
        stream->path = paths[peer];
        stream->received = received;
        const auto kind = std::find(m_kinds.begin(), m_kinds.end(), paths[peer].kind);
        stream->kind = kind - m_kinds.begin();
        if (kind == m_kinds.end())
        {
            m_kinds.push_back(paths[peer].kind);
        }
        application->TraceConnectWithoutContext("Connection",
                                                MakeCallback(&SkippableStream::Add, stream.get()));
        m_streams.push_back(std::move(stream));
    }
    application->TraceConnectWithoutContext("Connection",
                                            MakeCallback(&FastForward::Connected, this));
}

void
FastForward::AddCounter(std::function<uint64_t()> count, Credit credit)
{
    auto counter = std::make_unique<Counter>();
    counter->count = std::move(count);
    counter->credit = std::move(credit);
    m_counters.push_back(std::move(counter));
}

void
FastForward::Start()
{
    for (const auto& stream : m_streams)
    {
        for (const auto& other : m_streams)
        {
            if (other->job == stream->job && other->endpoint == stream->path.peer &&
                other->path.peer == stream->endpoint)
            {
                stream->counterpart = other.get();
            }
        }
    }
    m_started = true;
    Restart();
    LookAgain();
}

void
FastForward::NetworkChanged()
{
    m_disturbed = true; // marks have equal distances: none here, amid them
}

SkippedTotals
FastForward::GetTotals() const
{
    SkippedTotals totals = m_totals;
    totals.states = m_states.GetSize();
    return totals;
}

void
FastForward::Connected(Ptr<Socket>, uint32_t)
{
    LookAgain();
}

void
FastForward::LookAgain()
{
    if (!m_started || m_looking)
    {
        return;
    }
    Time wait = m_distance;
    if (m_idle)
    {
        if (ModelClock::GetNext() == Time::Max())
        {
            return; // nothing will happen, unless there is a new connection
        }
        wait = Max(wait, ModelClock::GetNext() - ModelClock::Now());
    }
    m_looking = true;
    Simulator::Schedule(wait, &FastForward::Look, this);
}

void
FastForward::Look()
{
    m_looking = false;
    const bool disturbed = std::exchange(m_disturbed, false);
    const bool changed = Update() || disturbed;
    if (m_checking && (changed || ModelClock::Now() >= m_checking->until))
    {
        EndCheck();
    }
    if (disturbed)
    {
        m_states.Forget();
    }
    if (changed)
    {
        Restart();
    }
    else if (!m_idle)
    {
        Mark();
    }
    if (m_ready && !m_checking)
    {
        TrySkip();
    }
    LookAgain();
}

bool
FastForward::Update()
{
    bool changed = false;
    m_idle = true;
    m_ready = true;
    m_senders.clear();
    for (const auto& stream : m_streams)
    {
        const bool sent = stream->sends;
        stream->Update();
        changed = changed || sent != stream->sends;
        const bool asks = stream->IsAsking();
        m_idle = m_idle && !stream->sends && !asks;
        m_ready = m_ready && (!stream->sends || stream->left > 0) && !asks;
        if (stream->sends)
        {
            m_senders.push_back(stream.get());
        }
    }
    m_ready = m_ready && !m_idle;
    return changed;
}

void
FastForward::Restart()
{
    const Time least = LEAST_DISTANCE_PER_STREAM * static_cast<int64_t>(m_streams.size());
    m_distance =
        Max(GetLongestRoundTrip() / static_cast<int64_t>(LEAST_SPAN), Max(least, LEAST_DISTANCE));
    m_marks = 0;
    ForEachMeter(
        [now = Simulator::Now().GetSeconds()](RateMeter& meter) { meter = RateMeter(now); });
    for (const auto& counter : m_counters)
    {
        counter->last = counter->count();
    }
    m_states.Enter(m_senders);
    Mark();
}

template <typename Act>
void
FastForward::ForEachMeter(const Act& act)
{
    for (const auto& stream : m_streams)
    {
        act(stream->meter);
        act(stream->acks);
    }
    for (const auto& counter : m_counters)
    {
        act(counter->meter);
    }
}

void
FastForward::Mark()
{
    const double now = Simulator::Now().GetSeconds();
    for (const auto& counter : m_counters)
    {
        const uint64_t count = counter->count();
        counter->meter.Count(count - counter->last, now);
        counter->last = count;
    }
    ForEachMeter([now](RateMeter& meter) { meter.Mark(now); });
    m_lastMark = now;
    if (++m_marks < MOST_MARKS)
    {
        return;
    }
    ForEachMeter([](RateMeter& meter) { meter.Thin(); });
    m_marks = (m_marks + 1) / 2;
    m_distance = m_distance + m_distance;
}

Time
FastForward::GetLongestRoundTrip() const
{
    Time longest;
    for (const SkippableStream* stream : m_senders)
    {
        longest = Max(longest, stream->GetRoundTrip());
    }
    return longest;
}

std::size_t
FastForward::GetSpan() const
{
    const Time longest = GetLongestRoundTrip();
    const auto span = static_cast<std::size_t>(std::ceil((longest / m_distance).GetDouble()));
    return std::max(span, LEAST_SPAN);
}

bool
FastForward::AreWindowsClosed() const
{
    std::map<uint32_t, uint32_t> senders; // by link
    for (const SkippableStream* stream : m_senders)
    {
        for (const uint32_t link : stream->path.fifo)
        {
            ++senders[link];
        }
    }
    return std::all_of(m_senders.begin(), m_senders.end(), [&](const SkippableStream* stream) {
        const auto& links = stream->path.fifo;
        const bool alone = std::all_of(links.begin(), links.end(), [&](uint32_t link) {
            return senders[link] == 1;
        });
        return alone || stream->IsClosed();
    });
}

bool
FastForward::IsSteady(std::size_t span)
{
    const double distance = m_distance.GetSeconds();
    return std::all_of(m_senders.begin(), m_senders.end(), [&](SkippableStream* stream) {
        stream->rate = stream->meter.GetRate(span, 0, distance);
        const double before = stream->meter.GetRate(span, span, distance);
        return stream->rate > 0 && std::abs(stream->rate - before) <= STEADY * stream->rate;
    });
}

double
FastForward::GetSkippableTime() const
{
    double seconds = (ModelClock::GetNext() - ModelClock::Now()).GetSeconds();
    for (const SkippableStream* stream : m_senders)
    {
        const double left = static_cast<double>(stream->left);
        seconds = std::min(seconds, left / (stream->rate * stream->turn.share));
    }
    return seconds;
}

void
FastForward::TrySkip()
{
    const std::size_t round = GetSpan();
    // it may be longer, so that what happened at the change is forgotten
    const std::size_t span = std::max(round, (m_marks - 1) / 6);
    const bool watched = m_marks >= 3 * span + 1;
    if ((!watched && (m_marks < round + 1 || !m_states.IsKnown())) || !AreWindowsClosed())
    {
        return;
    }
    if (watched && IsSteady(span))
    {
        m_states.Learn(m_senders);
    }
    else if (m_states.IsKnown())
    {
        for (SkippableStream* stream : m_senders)
        {
            stream->rate = m_states.GetRate(*stream);
        }
    }
    else
    {
        return;
    }
    const double seconds = GetSkippableTime();
    if (seconds <= LEAST_SKIP * static_cast<double>(round) * m_distance.GetSeconds())
    {
        return;
    }
    if (m_check > 0 && m_random->GetValue() < m_check)
    {
        BeginCheck(seconds, round);
        return;
    }
    Skip(seconds, std::min(span, (m_marks - 1) / 2));
}

void
FastForward::Skip(double seconds, std::size_t span)
{
    const double distance = m_distance.GetSeconds();
    const Time from = ModelClock::Now();
    const Time to = Min(from + Seconds(seconds), ModelClock::GetNext());
    for (SkippableStream* stream : m_senders)
    {
        m_totals.bytes += stream->Skip(from, to, stream->acks.GetRate(span, 0, distance));
    }
    for (const auto& counter : m_counters)
    {
        const double more = counter->meter.GetRate(span, 0, distance) * seconds + counter->rest;
        const auto whole = static_cast<uint64_t>(std::max(0.0, more));
        counter->rest = more - static_cast<double>(whole);
        counter->credit(whole);
        counter->last = counter->count(); // which may have it
    }
    ModelClock::Skip(to - from);
    m_totals.seconds += (to - from).GetSeconds();
    ++m_totals.skips;
    m_skipped(from, to);
}

void
FastForward::BeginCheck(double seconds, std::size_t span)
{
    span -= span % LEAST_SPAN; // so that it can be halved when marks are thinned
    m_checking = {m_lastMark, ModelClock::Now() + Seconds(seconds), span, m_distance};
    for (SkippableStream* stream : m_senders)
    {
        stream->expected = stream->rate;
        stream->counted = stream->meter.GetMean(span, m_distance.GetSeconds());
    }
}

void
FastForward::EndCheck()
{
    const double distance = m_distance.GetSeconds();
    const auto thinned = (m_distance / m_checking->distance).GetHigh();
    const auto span = std::max<std::size_t>(1, m_checking->span / thinned);
    const double seconds = m_lastMark - m_checking->start;
    m_checking.reset();
    m_totals.checks += seconds > 0 ? 1 : 0;
    for (const auto& stream : m_streams)
    {
        const double expected = std::exchange(stream->expected, 0) * seconds;
        if (expected > 0)
        {
            const double counted = stream->meter.GetMean(span, distance) - stream->counted;
            const double wrong = std::abs(counted - expected);
            m_totals.checkedBytes += expected;
            m_totals.wrongBytes += wrong;
            m_totals.largestError = std::max(m_totals.largestError, wrong / expected);
        }
    }
}

} // namespace dml
} // namespace ns3
