/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rate-meter.h"

namespace ns3::dml
{

void
RateMeter::Count(int64_t bytes, double now)
{
    m_integral += m_count * (now - m_last);
    m_last = now;
    m_count += static_cast<double>(bytes);
}

void
RateMeter::Mark(double now)
{
    Count(0, now);
    m_marks.push_back(m_integral);
}

void
RateMeter::Thin()
{
    std::vector<double> kept;
    for (std::size_t i = 0; i < m_marks.size(); i += 2)
    {
        kept.push_back(m_marks[i]);
    }
    m_marks = kept;
}

double
RateMeter::GetRate(std::size_t span, std::size_t ago, double seconds) const
{
    const std::size_t last = m_marks.size() - 1 - ago;
    const double length = static_cast<double>(span) * seconds;
    return (m_marks[last] - 2 * m_marks[last - span] + m_marks[last - 2 * span]) /
           (length * length);
}

double
RateMeter::GetMean(std::size_t span, double seconds) const
{
    const std::size_t last = m_marks.size() - 1;
    return (m_marks[last] - m_marks[last - span]) / (static_cast<double>(span) * seconds);
}

} // namespace ns3::dml
