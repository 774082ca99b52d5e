/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INTERVAL_SPREAD_H
#define DML_INTERVAL_SPREAD_H

#include <algorithm>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Spread a count evenly over a span of time, in the intervals that it touches.
 * @param from begin of the span, in steps of time @param to its end, after its begin
 * @param interval length of an interval, steps; intervals begin at multiples of it
 * @param count what to spread
 * @param take called with a time of each interval and its part, in the order of time
 */
template <typename Take>
void
SpreadOverIntervals(int64_t from, int64_t to, int64_t interval, uint64_t count, const Take& take)
{
    uint64_t given = 0;
    for (int64_t begin = from; begin < to;)
    {
        const int64_t end = std::min(to, (begin / interval + 1) * interval);
        const double share = static_cast<double>(end - from) / static_cast<double>(to - from);
        const auto until = end == to ? count : static_cast<uint64_t>(share * count);
        take(begin, until - given);
        given = until;
        begin = end;
    }
}

} // namespace ns3::dml

#endif /* DML_INTERVAL_SPREAD_H */
