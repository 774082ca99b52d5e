/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rate-monitor.h"

#include <cmath>

namespace ns3::dml
{

RateMonitor::RateMonitor(double rate, double interval)
    : m_rate(rate),
      m_interval(interval),
      m_nextLook(interval)
{
}

void
RateMonitor::Sent(uint64_t bytes, double start, double end)
{
    if (m_interval > 0 && end > m_nextLook)
    {
        Look();
        m_nextLook = m_interval * std::ceil(end / m_interval);
    }
    m_bytes += bytes;
    m_busy += end - start;
}

double
RateMonitor::GetRate(double now)
{
    if (now >= m_nextLook)
    {
        Look();
        m_nextLook = m_interval > 0 ? m_interval * (std::floor(now / m_interval) + 1) : now;
    }
    return m_rate;
}

void
RateMonitor::Look()
{
    if (m_bytes > 0 && m_busy > 0)
    {
        m_rate = m_bytes / m_busy;
    }
    m_bytes = 0;
    m_busy = 0;
}

} // namespace ns3::dml
