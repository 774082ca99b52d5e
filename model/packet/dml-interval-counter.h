/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INTERVAL_COUNTER_H
#define DML_INTERVAL_COUNTER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>

namespace ns3::dml
{

class DeferredEffects;

/**
 * @ingroup dml-packet
 * @brief Counts bytes over short intervals. Intervals without a byte are not reported.
 */
class IntervalCounter
{
  public:
    /// Told the bytes of an interval: its begin and end, seconds from the origin.
    using Report = std::function<void(double from, double to, uint64_t bytes)>;

    /**
     * @param interval length of an interval
     * @param origin simulation time from which records count
     * @param effects where to count; null: at once
     * @param report told of each interval
     */
    IntervalCounter(Time interval, Time origin, DeferredEffects* effects, Report report);
    IntervalCounter(const IntervalCounter&) = delete;
    IntervalCounter& operator=(const IntervalCounter&) = delete;

    /// @param bytes that have come now
    void Count(uint64_t bytes);

    /// @brief Count bytes that were not simulated, evenly over a span of time. @param from time of
    /// the model @param to later time @param bytes between them
    void Credit(Time from, Time to, uint64_t bytes);

    /// @brief Report the last interval.
    void Flush();

    /// @return all bytes, also those before the origin
    uint64_t GetTotal() const
    {
        return m_total;
    }

  private:
    void CountAt(int64_t time, uint64_t bytes);

    int64_t m_interval;         //!< time steps
    int64_t m_origin;           //!< time steps
    DeferredEffects* m_effects; //!< may be null
    Report m_report;            //!< told of each interval
    int64_t m_current{-1};      //!< number of the interval
    uint64_t m_bytes{0};        //!< in it
    uint64_t m_total{0};        //!< bytes
};

} // namespace ns3::dml

#endif /* DML_INTERVAL_COUNTER_H */
