/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bdp-estimator.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

constexpr double SLOWER_BY = 0.15; // seconds
constexpr double SLOWEST = 10;     // seconds
constexpr uint32_t STABLE_BEFORE_SLOWER = 2;

// Of the controller, in log2 of bytes and seconds.
constexpr double GAIN = 4;
constexpr double INTEGRAL_GAIN = 8;
constexpr double INTEGRAL_RANGE = 10;
constexpr double LONGEST = 0.1;
constexpr double MIN_LOG = 22; // of MIN_WINDOW
constexpr double MAX_LOG = 25; // of MAX_WINDOW

} // namespace

bool
BdpEstimator::DataArrived(uint64_t bytes, double now)
{
    if (m_due < 0)
    {
        m_due = now + m_delay;
    }
    if (m_pinging || now < m_due)
    {
        m_accumulated += bytes;
        return false;
    }
    m_pinging = true;
    m_pingSent = now;
    m_accumulated = 0;
    return true;
}

bool
BdpEstimator::PingAcknowledged(double now)
{
    if (!m_pinging)
    {
        return false; // not ours
    }
    m_pinging = false;
    const double duration = now - m_pingSent;
    const double bandwidth = duration > 0 ? static_cast<double>(m_accumulated) / duration : 0;
    const bool grows = m_accumulated > 2 * m_estimate / 3 && bandwidth > 0 &&
                       bandwidth >= (1 - BANDWIDTH_TOLERANCE) * m_bandwidth;
    if (grows)
    {
        m_estimate = std::max(m_accumulated, 2 * m_estimate);
        m_bandwidth = std::max(m_bandwidth, bandwidth);
        m_delay /= 2;
        m_stable = 0;
    }
    else if (m_delay < SLOWEST && ++m_stable >= STABLE_BEFORE_SLOWER)
    {
        m_delay += SLOWER_BY;
        m_stable = 0;
    }
    m_due = now + m_delay;
    AdjustWindow(now);
    return grows;
}

void
BdpEstimator::AdjustWindow(double now)
{
    const double elapsed = std::min(now - m_adjusted, LONGEST);
    m_adjusted = now;
    const double target = std::max(MIN_LOG, 1 + std::log2(static_cast<double>(m_estimate)));
    const double error = target - m_log;
    m_integral =
        std::clamp(m_integral + elapsed * (m_error + error) / 2, -INTEGRAL_RANGE, INTEGRAL_RANGE);
    const double slope = GAIN * error + INTEGRAL_GAIN * m_integral;
    m_log = std::clamp(m_log + elapsed * (m_slope + slope) / 2, MIN_LOG, MAX_LOG);
    m_error = error;
    m_slope = slope;
}

uint32_t
BdpEstimator::GetWindow() const
{
    uint32_t window = MIN_WINDOW;
    while (window < MAX_WINDOW && window < std::exp2(m_log))
    {
        window *= 2;
    }
    return window;
}

} // namespace ns3::dml
