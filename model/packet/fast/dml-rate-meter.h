/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RATE_METER_H
#define DML_RATE_METER_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief The rate of something that is counted in bursts, such as acknowledged bytes.
 *
 * Differences of the count alone would be off by a burst over the span. This one takes the second
 * difference of its integral I over time, which is the count averaged over one span less that over
 * the span before: R = (I(t) - 2 I(t-L) + I(t-2L)) / L^2, exact for whatever repeats every L.
 */
class RateMeter
{
  public:
    /// @param now when it begins, seconds
    explicit RateMeter(double now = 0)
        : m_last(now)
    {
    }

    /// @param bytes more of what is counted, now; less where below 0 @param now seconds
    void Count(int64_t bytes, double now)
    {
        m_integral += m_count * (now - m_last);
        m_last = now;
        m_count += static_cast<double>(bytes);
    }

    /// @brief Note the integral, for GetRate(). @param now seconds
    void Mark(double now)
    {
        Count(0, now);
        m_marks.push_back(m_integral);
    }

    /// @brief Forget every other mark; the first one stays.
    void Thin()
    {
        std::vector<double> kept;
        for (std::size_t i = 0; i < m_marks.size(); i += 2)
        {
            kept.push_back(m_marks[i]);
        }
        m_marks = kept;
    }

    /**
     * @param span of the rate, in marks, which have the same distance
     * @param ago so many marks before the last
     * @param seconds from one mark to the next
     * @return bytes per second; there must be ago + 2 span + 1 marks
     */
    double GetRate(std::size_t span, std::size_t ago, double seconds) const
    {
        const std::size_t last = m_marks.size() - 1 - ago;
        const double length = static_cast<double>(span) * seconds;
        return (m_marks[last] - 2 * m_marks[last - span] + m_marks[last - 2 * span]) /
               (length * length);
    }

    /// @param span so many marks back to the last one, at least 1 @param seconds from one mark to
    /// the next @return the count's mean over that time, bytes
    double GetMean(std::size_t span, double seconds) const
    {
        const std::size_t last = m_marks.size() - 1;
        return (m_marks[last] - m_marks[last - span]) / (static_cast<double>(span) * seconds);
    }

  private:
    double m_count{0};           //!< bytes
    double m_integral{0};        //!< of the count, until m_last
    double m_last;               //!< seconds
    std::vector<double> m_marks; //!< integrals
};

} // namespace ns3::dml

#endif /* DML_RATE_METER_H */
