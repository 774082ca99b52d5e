/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fast-forward.h"

#include "dml-model-clock.h"
#include "dml-rate-meter.h"

#include "ns3/dml-connection-end.h"
#include "ns3/dml-transport.h"
#include "ns3/simulator.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
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

/// Least distance of marks.
const Time LEAST_DISTANCE = MicroSeconds(5);

/// Bytes that a turn keeps, so that its end is a matter of packets.
constexpr uint64_t GUARD = 65536;

/// Spans that a skip must have to be worth it.
constexpr double LEAST_SKIP = 0.25;

/// @return whether all that one end has sent is at the other
bool
IsDelivered(const Ptr<TcpSocketBase>& from, const Ptr<TcpSocketBase>& to)
{
    return !from || !to ||
           to->GetRxBuffer()->NextRxSequence() >= from->GetTxBuffer()->TailSequence();
}

} // namespace

/// One end of a conversation.
struct FastForward::Side
{
    Ptr<StepApplication> application; //!< whose
    uint32_t job{0};                  //!< its job
    Endpoint endpoint;                //!< which one
    uint32_t peer{0};                 //!< index of the other end
    Endpoint other;                   //!< which one
    Received received;                //!< told of what is spared
    Side* counterpart{nullptr};       //!< the other end

    Ptr<TcpSocketBase> asks;    //!< on which it asks
    Ptr<TcpSocketBase> answers; //!< on which it sends tensors
    uint32_t window{0};         //!< congestion window of that, bytes
    Time roundTrip;             //!< smoothed
    RateMeter meter;            //!< of bytes acknowledged on it
    RateMeter acks;             //!< that acknowledge them

    bool sends{false};      //!< a turn is open, or its bytes are under way
    OpenTurn turn;          //!< the open one
    SequenceNumber32 begin; //!< of TCP's bytes: what is before it belongs to earlier turns
    uint64_t left{0};       //!< bytes of it that may be left out
    double rate{0};         //!< bytes of TCP's stream per second

    void Add(Ptr<Socket> socket, uint32_t index)
    {
        if (index != peer)
        {
            return;
        }
        const auto tcp = DynamicCast<TcpSocketBase>(socket);
        socket->TraceConnectWithoutContext(
            "State",
            MakeBoundCallback(&Side::StateChanged, this, PeekPointer(tcp)));
        if (!IsAccepted(*socket, *application))
        {
            asks = tcp;
            return;
        }
        answers = tcp;
        window = 0;
        socket->TraceConnectWithoutContext("CongestionWindow",
                                           MakeCallback(&Side::WindowChanged, this));
        socket->TraceConnectWithoutContext("RTT", MakeCallback(&Side::RoundTripChanged, this));
        socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&Side::Acknowledged, this));
    }

    /// What is closed sends no more, and is not kept.
    static void StateChanged(Side* side,
                             TcpSocketBase* socket,
                             TcpSocket::TcpStates_t,
                             TcpSocket::TcpStates_t state)
    {
        for (auto* end : {&side->asks, &side->answers})
        {
            if (state == TcpSocket::CLOSED && *end == socket)
            {
                *end = nullptr;
            }
        }
    }

    void WindowChanged(uint32_t, uint32_t now)
    {
        window = now;
    }

    void RoundTripChanged(Time, Time now)
    {
        roundTrip = now;
    }

    void Acknowledged(SequenceNumber32 before, SequenceNumber32 now)
    {
        const double time = Simulator::Now().GetSeconds();
        meter.Count(now - before, time);
        acks.Count(1, time);
    }

    /// @return whether the send buffer, not the congestion window, limits what is under way
    bool IsClosed() const
    {
        UintegerValue buffer;
        answers->GetAttribute("SndBufSize", buffer);
        return window >= buffer.Get();
    }

    void Update()
    {
        const Transport* transport = application->FindTransport(peer);
        const uint64_t before = turn.number;
        turn = transport ? transport->GetOpenTurn() : OpenTurn();
        if (turn.number != before && answers)
        {
            begin = answers->GetTxBuffer()->TailSequence();
        }
        // of a process that has died TCP still sends what it has
        sends = turn.bytes > 0 || !IsDelivered(answers, counterpart->asks);
        const Transport* reader =
            turn.bytes > 0 ? counterpart->application->FindTransport(counterpart->peer) : nullptr;
        const uint64_t missing = reader ? reader->GetMissing(turn.call) : 0;
        const uint64_t most = std::min(turn.bytes, missing);
        // the ends of earlier turns must not be late by what is skipped
        const bool alone =
            counterpart->asks && counterpart->asks->GetRxBuffer()->NextRxSequence() >= begin;
        left = alone && most > GUARD ? most - GUARD : 0;
    }
};

/// What is counted besides messages.
struct FastForward::Counter
{
    std::function<uint64_t()> count; //!< so far
    Credit credit;                   //!< told of more
    uint64_t last{0};                //!< count at the last mark
    RateMeter meter;                 //!< of it
    double rest{0};                  //!< less than one, not yet credited
};

FastForward::FastForward(bool fair, Skipped skipped)
    : m_fair(fair),
      m_skipped(std::move(skipped))
{
}

FastForward::~FastForward() = default;

void
FastForward::Add(Ptr<StepApplication> application,
                 uint32_t job,
                 const Endpoint& endpoint,
                 const std::vector<Endpoint>& peers,
                 Received received)
{
    for (uint32_t peer = 0; peer < peers.size(); ++peer)
    {
        auto side = std::make_unique<Side>();
        side->application = application;
        side->job = job;
        side->endpoint = endpoint;
        side->peer = peer;
        side->other = peers[peer];
        side->received = received;
        application->TraceConnectWithoutContext("Connection", MakeCallback(&Side::Add, side.get()));
        m_sides.push_back(std::move(side));
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
    for (const auto& side : m_sides)
    {
        for (const auto& other : m_sides)
        {
            if (other->job == side->job && other->endpoint == side->other &&
                other->other == side->endpoint)
            {
                side->counterpart = other.get();
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

const SkippedTotals&
FastForward::GetTotals() const
{
    return m_totals;
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
    if (Update() || disturbed)
    {
        Restart();
    }
    else if (!m_idle)
    {
        Mark();
    }
    if (m_ready)
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
    for (const auto& side : m_sides)
    {
        const bool sent = side->sends;
        side->Update();
        changed = changed || sent != side->sends;
        const bool asks = !IsDelivered(side->asks, side->counterpart->answers);
        m_idle = m_idle && !side->sends && !asks;
        m_ready = m_ready && (!side->sends || side->left > 0) && !asks;
    }
    m_ready = m_ready && !m_idle;
    return changed;
}

void
FastForward::Restart()
{
    m_distance = Max(GetLongestRoundTrip() / static_cast<int64_t>(LEAST_SPAN), LEAST_DISTANCE);
    m_marks = 0;
    ForEachMeter(
        [now = Simulator::Now().GetSeconds()](RateMeter& meter) { meter = RateMeter(now); });
    for (const auto& counter : m_counters)
    {
        counter->last = counter->count();
    }
    Mark();
}

template <typename Act>
void
FastForward::ForEachMeter(const Act& act)
{
    for (const auto& side : m_sides)
    {
        act(side->meter);
        act(side->acks);
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
    for (const auto& side : m_sides)
    {
        longest = side->sends ? Max(longest, side->roundTrip) : longest;
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

void
FastForward::TrySkip()
{
    std::size_t span = GetSpan();
    // it may be longer, so that what happened at the change is forgotten
    span = std::max(span, (m_marks - 1) / 6);
    if (m_marks < 3 * span + 1)
    {
        return;
    }
    const double distance = m_distance.GetSeconds();
    double seconds = (ModelClock::GetNext() - ModelClock::Now()).GetSeconds();
    for (const auto& side : m_sides)
    {
        if (!side->sends)
        {
            continue;
        }
        side->rate = side->meter.GetRate(span, 0, distance);
        const double before = side->meter.GetRate(span, span, distance);
        if (side->rate <= 0 || std::abs(side->rate - before) > STEADY * side->rate ||
            (!m_fair && !side->IsClosed()))
        {
            return;
        }
        seconds =
            std::min(seconds, static_cast<double>(side->left) / (side->rate * side->turn.share));
    }
    if (seconds > LEAST_SKIP * static_cast<double>(span) * distance)
    {
        Skip(seconds, span);
    }
}

void
FastForward::Skip(double seconds, std::size_t span)
{
    const Time from = ModelClock::Now();
    const Time to = Min(from + Seconds(seconds), ModelClock::GetNext());
    for (const auto& side : m_sides)
    {
        if (!side->sends)
        {
            continue;
        }
        const double stream = side->rate * (to - from).GetSeconds();
        const auto bytes = std::min<uint64_t>(side->left, std::llround(stream * side->turn.share));
        side->application->FindTransport(side->peer)->SkipSending(bytes);
        Side& reader = *side->counterpart;
        reader.application->FindTransport(reader.peer)->SkipReceiving(side->turn.call, bytes);
        const double acks = side->acks.GetRate(span, 0, m_distance.GetSeconds()) * seconds;
        reader.received({reader.peer,
                         from,
                         to,
                         static_cast<uint64_t>(std::llround(bytes / side->turn.share)),
                         static_cast<uint64_t>(std::llround(std::max(0.0, acks)))});
        m_totals.bytes += bytes;
    }
    for (const auto& counter : m_counters)
    {
        const double more =
            counter->meter.GetRate(span, 0, m_distance.GetSeconds()) * seconds + counter->rest;
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

} // namespace dml
} // namespace ns3
