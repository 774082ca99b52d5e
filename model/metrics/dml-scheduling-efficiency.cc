/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scheduling-efficiency.h"

#include <algorithm>

namespace ns3::dml
{

MakespanBounds
ComputeMakespanBounds(const std::vector<double>& busy)
{
    MakespanBounds bounds;
    for (const double seconds : busy)
    {
        bounds.upper += seconds;
        bounds.lower = std::max(bounds.lower, seconds);
    }
    return bounds;
}

std::optional<double>
ComputeSchedulingEfficiency(const MakespanBounds& bounds, double makespan)
{
    if (bounds.upper == bounds.lower)
    {
        return std::nullopt;
    }
    return (bounds.upper - makespan) / (bounds.upper - bounds.lower);
}

double
ComputeSchedulingSpeedup(const MakespanBounds& bounds)
{
    return bounds.lower == 0 ? 0 : (bounds.upper - bounds.lower) / bounds.lower;
}

} // namespace ns3::dml
