/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cubic-window.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

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

} // namespace

void
CubicWindow::Reset()
{
    m_windowCount = 0;
    m_lastMax = 0;
    m_origin = 0;
    m_untilOrigin = 0;
    m_curves = false;
    m_renoAcked = 0;
    m_renoWindow = 0;
    m_shortest = -1;
    m_found = false;
}

void
CubicWindow::BeginRound(double now)
{
    m_roundStart = now;
    m_lastAck = now;
    m_roundShortest = -1;
    m_roundSamples = 0;
}

bool
CubicWindow::NoteRoundTrip(double now, double roundTrip)
{
    m_active = true;
    m_lastActive = now;
    m_smoothed += (roundTrip - m_smoothed) / (m_smoothed > 0 ? 8 : 1);
    if (roundTrip == 0 || (m_curves && now - m_epoch < QUIET))
    {
        return false;
    }
    if (m_shortest < 0 || roundTrip < m_shortest)
    {
        m_shortest = roundTrip;
    }
    return true;
}

bool
CubicWindow::FindsQueue(double now,
                        double roundTrip,
                        uint32_t window,
                        double windowBytes,
                        uint32_t gsoSize)
{
    if (window < LOW_WINDOW)
    {
        return false;
    }
    if (now - m_lastAck <= TRAIN_GAP)
    {
        m_lastAck = now;
        // at twice the window in a round trip, as slow start would be paced
        const double rate = 2.0 * windowBytes / std::max(m_smoothed, 1e-6);
        const double allowed = m_shortest + std::min(1e-3, 4.0 * gsoSize / rate);
        m_found = now - m_roundStart > allowed / 2;
    }
    m_roundShortest = m_roundShortest < 0 ? roundTrip : std::min(m_roundShortest, roundTrip);
    if (m_roundSamples < SAMPLES)
    {
        ++m_roundSamples;
    }
    else
    {
        const double threshold = std::clamp(m_shortest / 8, LEAST_THRESHOLD, MOST_THRESHOLD);
        m_found = m_found || m_roundShortest > m_shortest + threshold;
    }
    return m_found;
}

uint32_t
CubicWindow::CountForOne(double now, uint32_t window, uint32_t acked, bool friendly)
{
    m_renoAcked += acked;
    if (!m_curves)
    {
        m_curves = true;
        m_epoch = now;
        m_renoAcked = acked;
        m_renoWindow = window;
        m_untilOrigin = m_lastMax <= window ? 0 : std::cbrt((m_lastMax - window) / CURVE);
        m_origin = std::max(m_lastMax, window);
    }
    const double after = now - m_epoch + std::max(m_shortest, 0.0) - m_untilOrigin;
    const double target = m_origin + CURVE * after * after * after;
    double count = target > window ? window / (target - window) : 100.0 * window;
    if (m_lastMax == 0)
    {
        count = std::min<double>(count, FIRST_COUNT);
    }
    if (friendly)
    {
        // Reno with this beta adds a segment for so many
        const double perSegment = window * (1 + BETA) / (3 * (1 - BETA));
        if (m_renoAcked >= perSegment)
        {
            const double added = std::floor(m_renoAcked / perSegment);
            m_renoAcked -= added * perSegment;
            m_renoWindow += static_cast<uint32_t>(added);
        }
        if (m_renoWindow > window)
        {
            count = std::min(count, double(window) / (m_renoWindow - window));
        }
    }
    return std::max(static_cast<uint32_t>(count), 2U);
}

uint32_t
CubicWindow::Grow(double now, uint32_t window, uint32_t acked, bool friendly)
{
    const uint32_t count = CountForOne(now, window, acked, friendly);
    uint32_t added = 0;
    if (m_windowCount >= count) // gathered when more were needed for one
    {
        m_windowCount = 0;
        added = 1;
    }
    m_windowCount += acked;
    added += m_windowCount / count;
    m_windowCount %= count;
    return added;
}

uint32_t
CubicWindow::Shrink(uint32_t window)
{
    m_curves = false;
    // fast convergence: leave room for others while the window shrinks
    m_lastMax = window < m_lastMax ? static_cast<uint32_t>(window * (1 + BETA) / 2) : window;
    return std::max(static_cast<uint32_t>(window * BETA), 2U);
}

void
CubicWindow::Resume(double now)
{
    if (m_curves && m_active)
    {
        m_epoch = std::min(m_epoch + (now - m_lastActive), now);
    }
}

void
CubicWindow::MoveOrigin(double seconds)
{
    m_epoch -= seconds;
    m_roundStart -= seconds;
    m_lastAck -= seconds;
    m_lastActive -= seconds;
}

} // namespace ns3::dml
