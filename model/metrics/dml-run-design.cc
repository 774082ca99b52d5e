/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-design.h"

#include "dml-confidence.h"
#include "dml-quantiles.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

double
ThroughputSpread::GetDeviation(double count) const
{
    return deviation * std::pow(count / steps, -exponent);
}

ThroughputSpread
FitSpread(double deviation, double longer, double steps, double more)
{
    constexpr double INDEPENDENT = 0.5;
    if (!(deviation > 0))
    {
        return {longer, more, INDEPENDENT}; // short runs that are alike tell nothing of long ones
    }
    ThroughputSpread spread{deviation, steps, INDEPENDENT};
    if (longer > 0)
    {
        spread.exponent =
            std::clamp(std::log(deviation / longer) / std::log(more / steps), 0.0, INDEPENDENT);
    }
    return spread;
}

double
GetRelativeHalfWidth(double deviation, uint32_t runs)
{
    return std::expm1(GetStudentQuantile(runs - 1) * deviation / std::sqrt(runs));
}

std::optional<RunDesign>
DesignRuns(double budget,
           double cost,
           uint32_t warmup,
           uint32_t least,
           const ThroughputSpread& spread)
{
    constexpr uint32_t MOST_RUNS = 1000;
    constexpr double MOST_STEPS = 99999; // so many are as good as any more
    std::optional<RunDesign> best;
    for (uint32_t runs = LEAST_FOR_INTERVAL; runs <= MOST_RUNS; ++runs)
    {
        const double steps = std::min(std::floor(budget / runs / cost), MOST_STEPS);
        if (steps < std::max(warmup + 1.0, static_cast<double>(least)))
        {
            break;
        }
        const double half = GetRelativeHalfWidth(spread.GetDeviation(steps - warmup), runs);
        if (!best || half < best->halfWidth)
        {
            best = RunDesign{runs, static_cast<uint32_t>(steps), half};
        }
    }
    return best;
}

} // namespace ns3::dml
