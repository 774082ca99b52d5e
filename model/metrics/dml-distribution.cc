/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-distribution.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace dml
{

namespace
{

constexpr double LEAST = 1e-9;        //!< magnitude that is told from 0
constexpr double LOG_WIDTH = 0.00995; //!< of a bin: its edges are a factor of 1.01 apart
constexpr int32_t FIRST = 3000; //!< added to the bins of magnitudes, so that they are positive

int32_t
GetBin(double value)
{
    const double magnitude = std::abs(value);
    if (magnitude < LEAST)
    {
        return 0;
    }
    const int32_t bin = FIRST + static_cast<int32_t>(std::floor(std::log(magnitude) / LOG_WIDTH));
    return value < 0 ? -bin : bin;
}

/// @return the middle of a bin, in the logarithm
double
GetValue(int32_t bin)
{
    if (bin == 0)
    {
        return 0;
    }
    const double magnitude = std::exp((std::abs(bin) - FIRST + 0.5) * LOG_WIDTH);
    return bin < 0 ? -magnitude : magnitude;
}

} // namespace

void
Distribution::Add(double value)
{
    if (!std::isfinite(value))
    {
        ++undefined;
        return;
    }
    ++count;
    sum += value;
    min = std::min(min, value);
    max = std::max(max, value);
    ++bins[GetBin(value)];
}

void
Distribution::Merge(const Distribution& other)
{
    count += other.count;
    undefined += other.undefined;
    sum += other.sum;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    for (const auto& [bin, number] : other.bins)
    {
        bins[bin] += number;
    }
}

double
Distribution::GetMean() const
{
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double
Distribution::GetQuantile(double fraction) const
{
    if (count == 0)
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto rank = std::max<uint64_t>(1, std::ceil(fraction * count));
    if (rank >= count)
    {
        return max;
    }
    uint64_t seen = 0;
    for (const auto& [bin, number] : bins)
    {
        seen += number;
        if (seen >= rank)
        {
            return std::clamp(GetValue(bin), min, max);
        }
    }
    return max;
}

} // namespace dml
} // namespace ns3
