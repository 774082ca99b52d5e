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
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Marks in a span, so that bursts inside it do not matter.
constexpr std::size_t LEAST_SPAN = 16;

/// Marks after which every other one is forgotten; odd, so that the last one stays.
constexpr std::size_t MOST_MARKS = 1025;

/// Rates that differ by no more are the same.
constexpr double STEADY = 0.01;

/// Least distance of marks, and for each flow, so that looks cost less than packets.
const Time LEAST_DISTANCE = MicroSeconds(5);
const Time LEAST_DISTANCE_PER_FLOW = MicroSeconds(1);

/// Job of flows that are of none.
constexpr uint32_t NO_JOB = std::numeric_limits<uint32_t>::max();

/// Spans that a skip must have to be worth it.
constexpr double LEAST_SKIP = 0.25;

} // namespace

/// What is looked at besides messages: a count that goes on with its rate while time is skipped, or
/// a level that stays as it is while the network is steady.
struct FastForward::Gauge
{
    std::function<uint64_t()> read; //!< now, or so far
    Credit credit{};                //!< told of more; empty: it is a level
    double most{0};                 //!< change of a level, bytes per second
    double grain{0};                //!< of a level, bytes
    uint64_t last{0};               //!< at the last mark
    RateMeter meter{};              //!< of it
    double rest{0};                 //!< of a count: less than one, not yet credited
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
                 const std::vector<std::pair<Endpoint, FlowPath>>& peers,
                 const Received& received)
{
    for (uint32_t peer = 0; peer < peers.size(); ++peer)
    {
        const auto& [other, path] = peers[peer];
        auto stream = std::make_unique<SkippableStream>();
        stream->application = application;
        stream->job = job;
        stream->endpoint = endpoint;
        stream->peer = peer;
        stream->other = other;
        stream->received = received;
        stream->worker = {job, endpoint.role == Role::WORKER ? endpoint.index : other.index};
        AddFlow(*stream, path);
        application->TraceConnectWithoutContext("Connection",
                                                MakeCallback(&SkippableStream::Add, stream.get()));
        m_streams.push_back(std::move(stream));
    }
    application->TraceConnectWithoutContext("Connection",
                                            MakeCallback(&FastForward::Connected, this));
}

void
FastForward::Add(SkippableFlow& flow, const FlowPath& path)
{
    flow.worker = {NO_JOB, static_cast<uint32_t>(m_flows.size())};
    AddFlow(flow, path);
}

void
FastForward::AddFlow(SkippableFlow& flow, const FlowPath& path)
{
    flow.links = path.links;
    const auto kind = std::find(m_kinds.begin(), m_kinds.end(), path.kind);
    flow.kind = kind - m_kinds.begin();
    if (kind == m_kinds.end())
    {
        m_kinds.push_back(path.kind);
    }
    m_flows.push_back(&flow);
}

void
FastForward::AddCounter(std::function<uint64_t()> count, Credit credit)
{
    m_gauges.push_back({std::move(count), std::move(credit)});
}

void
FastForward::AddLevel(std::function<uint64_t()> level, double most, double grain)
{
    m_gauges.push_back({std::move(level), {}, most, grain});
}

void
FastForward::Start()
{
    for (const auto& stream : m_streams)
    {
        for (const auto& other : m_streams)
        {
            if (other->job == stream->job && other->endpoint == stream->other &&
                other->other == stream->endpoint)
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
    for (SkippableFlow* flow : m_flows)
    {
        const bool sent = flow->sends;
        flow->Update();
        changed = changed || sent != flow->sends;
        const bool asks = flow->IsAsking();
        m_idle = m_idle && !flow->sends && !asks;
        m_ready = m_ready && (!flow->sends || flow->left > 0) && !asks;
        if (flow->sends)
        {
            m_senders.push_back(flow);
        }
    }
    m_ready = m_ready && !m_idle;
    return changed;
}

void
FastForward::Restart()
{
    const Time least = LEAST_DISTANCE_PER_FLOW * static_cast<int64_t>(m_flows.size());
    m_distance =
        Max(GetLongestRoundTrip() / static_cast<int64_t>(LEAST_SPAN), Max(least, LEAST_DISTANCE));
    m_marks = 0;
    ForEachMeter(
        [now = Simulator::Now().GetSeconds()](RateMeter& meter) { meter = RateMeter(now); });
    for (Gauge& gauge : m_gauges)
    {
        gauge.last = gauge.credit ? gauge.read() : 0;
    }
    m_states.Enter(m_senders);
    Mark();
}

template <typename Act>
void
FastForward::ForEachMeter(const Act& act)
{
    for (SkippableFlow* flow : m_flows)
    {
        act(flow->meter);
        act(flow->acks);
    }
    for (Gauge& gauge : m_gauges)
    {
        act(gauge.meter);
    }
}

void
FastForward::Mark()
{
    const double now = Simulator::Now().GetSeconds();
    for (Gauge& gauge : m_gauges)
    {
        const uint64_t before = std::exchange(gauge.last, gauge.read());
        gauge.meter.Count(static_cast<int64_t>(gauge.last - before), now);
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
    for (const SkippableFlow* flow : m_senders)
    {
        longest = Max(longest, flow->GetRoundTrip());
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
FastForward::AreLevelsSteady(std::size_t span) const
{
    const double distance = m_distance.GetSeconds();
    return std::all_of(m_gauges.begin(), m_gauges.end(), [&](const Gauge& gauge) {
        const double most = std::max(gauge.most, gauge.grain / (span * distance));
        return gauge.credit || std::abs(gauge.meter.GetRate(span, 0, distance)) <= most;
    });
}

bool
FastForward::AreRatesSteady(std::size_t span)
{
    const double distance = m_distance.GetSeconds();
    return std::all_of(m_senders.begin(), m_senders.end(), [&](SkippableFlow* flow) {
        flow->rate = flow->GetGivenRate();
        if (flow->rate > 0)
        {
            return true;
        }
        flow->rate = flow->meter.GetRate(span, 0, distance);
        const double before = flow->meter.GetRate(span, span, distance);
        return flow->rate > 0 && std::abs(flow->rate - before) <= STEADY * flow->rate;
    });
}

double
FastForward::GetSkippableTime() const
{
    double seconds = (ModelClock::GetNext() - ModelClock::Now()).GetSeconds();
    for (const SkippableFlow* flow : m_senders)
    {
        const double left = static_cast<double>(flow->left);
        seconds = std::min(seconds, left / (flow->rate * flow->share));
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
    const bool steady = watched && AreRatesSteady(span) && AreLevelsSteady(span);
    // datagrams go on whatever waits of them, which a state does not say
    const bool known =
        m_states.IsKnown() && std::all_of(m_senders.begin(), m_senders.end(), [](const auto* flow) {
            return flow->GetGivenRate() == 0;
        });
    if (!steady && (m_marks < round + 1 || !known))
    {
        return;
    }
    if (!steady)
    {
        for (SkippableFlow* flow : m_senders)
        {
            flow->rate = m_states.GetRate(*flow);
        }
    }
    if (!AreWindowsSettled(m_senders))
    {
        return;
    }
    if (steady)
    {
        m_states.Learn(m_senders);
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
    for (SkippableFlow* flow : m_senders)
    {
        const double acks = flow->acks.GetRate(span, 0, distance) * (to - from).GetSeconds();
        m_totals.bytes += flow->Skip(from, to, std::llround(std::max(0.0, acks)));
    }
    for (Gauge& gauge : m_gauges)
    {
        if (gauge.credit)
        {
            const double more = gauge.meter.GetRate(span, 0, distance) * seconds + gauge.rest;
            const auto whole = static_cast<uint64_t>(std::max(0.0, more));
            gauge.rest = more - static_cast<double>(whole);
            gauge.credit(whole);
            gauge.last = gauge.read(); // which may have it
        }
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
    for (SkippableFlow* flow : m_senders)
    {
        flow->expected = flow->GetGivenRate() > 0 ? 0 : flow->rate;
        flow->counted = flow->meter.GetMean(span, m_distance.GetSeconds());
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
    for (SkippableFlow* flow : m_flows)
    {
        const double expected = std::exchange(flow->expected, 0) * seconds;
        if (expected > 0)
        {
            const double counted = flow->meter.GetMean(span, distance) - flow->counted;
            const double wrong = std::abs(counted - expected);
            m_totals.checkedBytes += expected;
            m_totals.wrongBytes += wrong;
            m_totals.largestError = std::max(m_totals.largestError, wrong / expected);
        }
    }
}

} // namespace ns3::dml
