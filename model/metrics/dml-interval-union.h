/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INTERVAL_UNION_H
#define DML_INTERVAL_UNION_H

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Disjoint stretches of time in order: start and end, s.
using IntervalUnion = std::vector<std::pair<double, double>>;

/**
 * @ingroup dml-metrics
 * @brief Add a stretch of time to others.
 * @param intervals disjoint, in order; stays so
 * @param start of the new one, s
 * @param end of the new one, s, no earlier than that of any other
 */
inline void
AddInterval(IntervalUnion& intervals, double start, double end)
{
    while (!intervals.empty() && intervals.back().second >= start)
    {
        start = std::min(start, intervals.back().first);
        intervals.pop_back();
    }
    intervals.emplace_back(start, end);
}

/// @param intervals disjoint @return sum of their lengths, s
inline double
GetLength(const IntervalUnion& intervals)
{
    double length = 0;
    for (const auto& [start, end] : intervals)
    {
        length += end - start;
    }
    return length;
}

} // namespace ns3::dml

#endif /* DML_INTERVAL_UNION_H */
