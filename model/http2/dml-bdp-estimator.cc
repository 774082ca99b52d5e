/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bdp-estimator.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

constexpr double SLOWER_BY = 0.15; // seconds
constexpr double SLOWEST = 10;     // seconds
constexpr uint32_t STABLE_BEFORE_SLOWER = 2;

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
    return grows;
}

uint64_t
BdpEstimator::GetEstimate() const
{
    return m_estimate;
}

uint32_t
BdpEstimator::GetWindow() const
{
    uint32_t window = MIN_WINDOW;
    while (window < MAX_WINDOW && window < 2 * m_estimate)
    {
        window *= 2;
    }
    return window;
}

} // namespace dml
} // namespace ns3
