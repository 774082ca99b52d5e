/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-cubic.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LinuxCubic);

namespace
{

// the names in the comments are the kernel's
constexpr double CURVE = 0.4;            //!< C of RFC 9438 (bic_scale 41 / 1024 per ms^3 * 10)
constexpr double BETA = 717.0 / 1024;    //!< of the window that stays after a loss (beta)
constexpr uint32_t FIRST_COUNT = 20;     //!< most, as long as no loss has been seen
constexpr uint32_t LOW_WINDOW = 16;      //!< segments below which HyStart sleeps
constexpr uint32_t SAMPLES = 8;          //!< of a round, before its delay counts
constexpr double TRAIN_GAP = 2e-3;       //!< between ACKs of a train (hystart_ack_delta_us)
constexpr double LEAST_THRESHOLD = 4e-3; //!< HYSTART_DELAY_MIN
constexpr double MOST_THRESHOLD = 16e-3; //!< HYSTART_DELAY_MAX
constexpr double QUIET = 1;              //!< after the start of a curve, delays do not count

double
Now()
{
    return Simulator::Now().GetSeconds();
}

} // namespace

TypeId
LinuxCubic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::LinuxCubic")
            .SetParent<TcpCongestionOps>()
            .SetGroupName("Dml")
            .AddConstructor<LinuxCubic>()
            .AddAttribute("HyStart",
                          "Whether slow start ends when delays or trains of ACKs show a queue.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxCubic::m_hystart),
                          MakeBooleanChecker())
            .AddAttribute("TcpFriendliness",
                          "Whether the window is at least that of Reno.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxCubic::m_friendly),
                          MakeBooleanChecker())
            .AddAttribute("GsoSize",
                          "Bytes of the largest burst of the sender; HyStart allows trains of ACKs "
                          "the time of four.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&LinuxCubic::m_gsoSize),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::string
LinuxCubic::GetName() const
{
    return "LinuxCubic";
}

void
LinuxCubic::Reset()
{
    m_windowCount = 0;
    m_lastMax = 0;
    m_origin = 0;
    m_untilOrigin = 0;
    m_epoch = -1;
    m_renoAcked = 0;
    m_renoWindow = 0;
    m_shortest = -1;
    m_found = false;
}

void
LinuxCubic::BeginRound(Ptr<const TcpSocketState> state)
{
    m_roundStart = Now();
    m_lastAck = m_roundStart;
    m_roundEnd = state->m_highTxMark;
    m_roundShortest = -1;
    m_roundSamples = 0;
}

void
LinuxCubic::SeekEndOfSlowStart(Ptr<TcpSocketState> state, double delay)
{
    if (state->m_lastAckedSeq > m_roundEnd)
    {
        BeginRound(state);
    }
    const uint32_t window = state->GetCwndInSegments();
    if (window < LOW_WINDOW)
    {
        return;
    }
    const double now = Now();
    if (now - m_lastAck <= TRAIN_GAP)
    {
        m_lastAck = now;
        // at twice the window in a round trip, as slow start would be paced
        const double rate = 2.0 * state->m_cWnd / std::max(m_smoothed, 1e-6);
        const double allowed = m_shortest + std::min(1e-3, 4.0 * m_gsoSize / rate);
        m_found = now - m_roundStart > allowed / 2;
    }
    m_roundShortest = m_roundShortest < 0 ? delay : std::min(m_roundShortest, delay);
    if (m_roundSamples < SAMPLES)
    {
        ++m_roundSamples;
    }
    else
    {
        const double threshold = std::clamp(m_shortest / 8, LEAST_THRESHOLD, MOST_THRESHOLD);
        m_found = m_found || m_roundShortest > m_shortest + threshold;
    }
    if (m_found)
    {
        state->m_ssThresh = state->m_cWnd;
    }
}

void
LinuxCubic::PktsAcked(Ptr<TcpSocketState> state,
                      [[maybe_unused]] uint32_t segmentsAcked,
                      const Time& roundTrip)
{
    const double now = Now();
    m_lastActive = now;
    const double delay = roundTrip.GetSeconds();
    m_smoothed += (delay - m_smoothed) / (m_smoothed > 0 ? 8 : 1);
    if (roundTrip.IsZero() || (m_epoch >= 0 && now - m_epoch < QUIET))
    {
        return;
    }
    if (m_shortest < 0 || delay < m_shortest)
    {
        m_shortest = delay;
    }
    if (m_hystart && !m_found && state->m_cWnd < state->m_ssThresh)
    {
        SeekEndOfSlowStart(state, delay);
    }
}

uint32_t
LinuxCubic::CountForOne(uint32_t window, uint32_t acked)
{
    m_renoAcked += acked;
    if (m_epoch < 0)
    {
        m_epoch = Now();
        m_renoAcked = acked;
        m_renoWindow = window;
        m_untilOrigin = m_lastMax <= window ? 0 : std::cbrt((m_lastMax - window) / CURVE);
        m_origin = std::max(m_lastMax, window);
    }
    const double after = Now() - m_epoch + std::max(m_shortest, 0.0) - m_untilOrigin;
    const double target = m_origin + CURVE * after * after * after;
    double count = target > window ? window / (target - window) : 100.0 * window;
    if (m_lastMax == 0)
    {
        count = std::min<double>(count, FIRST_COUNT);
    }
    if (m_friendly)
    {
        // Reno with this beta adds a segment for so many
        const double perSegment = window * (1 + BETA) / (3 * (1 - BETA));
        const double added = std::floor(m_renoAcked / perSegment);
        m_renoAcked -= added * perSegment;
        m_renoWindow += static_cast<uint32_t>(added);
        if (m_renoWindow > window)
        {
            count = std::min(count, double(window) / (m_renoWindow - window));
        }
    }
    return std::max(static_cast<uint32_t>(count), 2U);
}

void
LinuxCubic::IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segmentsAcked)
{
    const uint32_t segment = state->m_segmentSize;
    if (state->m_cWnd < state->m_ssThresh)
    {
        const uint32_t room = (state->m_ssThresh - state->m_cWnd + segment - 1) / segment;
        const uint32_t added = std::min(segmentsAcked, room);
        state->m_cWnd += added * segment;
        segmentsAcked -= added;
    }
    if (segmentsAcked == 0)
    {
        return;
    }
    const uint32_t count = CountForOne(state->GetCwndInSegments(), segmentsAcked);
    uint32_t added = 0;
    if (m_windowCount >= count) // gathered when more were needed for one
    {
        m_windowCount = 0;
        added = 1;
    }
    m_windowCount += segmentsAcked;
    added += m_windowCount / count;
    m_windowCount %= count;
    state->m_cWnd += added * segment;
}

uint32_t
LinuxCubic::GetSsThresh(Ptr<const TcpSocketState> state, [[maybe_unused]] uint32_t bytesInFlight)
{
    const uint32_t window = state->GetCwndInSegments();
    m_epoch = -1;
    // fast convergence: leave room for others while the window shrinks
    m_lastMax = window < m_lastMax ? static_cast<uint32_t>(window * (1 + BETA) / 2) : window;
    return std::max(static_cast<uint32_t>(window * BETA), 2U) * state->m_segmentSize;
}

void
LinuxCubic::CongestionStateSet(Ptr<TcpSocketState> state,
                               const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_LOSS)
    {
        Reset();
        BeginRound(state);
    }
}

void
LinuxCubic::CwndEvent([[maybe_unused]] Ptr<TcpSocketState> state,
                      const TcpSocketState::TcpCAEvent_t event)
{
    // the curve does not go on while nothing is sent
    if (event == TcpSocketState::CA_EVENT_TX_START && m_epoch >= 0 && m_lastActive >= 0)
    {
        m_epoch = std::min(m_epoch + (Now() - m_lastActive), Now());
    }
}

Ptr<TcpCongestionOps>
LinuxCubic::Fork()
{
    return CopyObject<LinuxCubic>(this);
}

} // namespace ns3::dml
