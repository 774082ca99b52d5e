/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-distribution.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ns3::dml
{

namespace
{

constexpr double LEAST = 1e-9; //!< magnitude that is told from 0
constexpr uint32_t SHIFT = 45; //!< leaves a double's exponent and the first 7 bits of its fraction

/// @return the bits of a positive number that say in which bin it is
int64_t
GetHead(double magnitude)
{
    int64_t bits = 0;
    std::memcpy(&bits, &magnitude, sizeof bits);
    return bits >> SHIFT;
}

int32_t
GetBin(double value)
{
    const double magnitude = std::abs(value);
    if (magnitude < LEAST)
    {
        return 0;
    }
    const auto bin = static_cast<int32_t>(GetHead(magnitude) - GetHead(LEAST) + 1);
    return value < 0 ? -bin : bin;
}

/// @return where the magnitudes of a bin begin; not of bin 0
double
GetEdge(int32_t bin)
{
    const int64_t bits = (bin - 1 + GetHead(LEAST)) << SHIFT;
    double edge = 0;
    std::memcpy(&edge, &bits, sizeof edge);
    return edge;
}

/// @return the middle of a bin
double
GetValue(int32_t bin)
{
    if (bin == 0)
    {
        return 0;
    }
    const double magnitude = (GetEdge(std::abs(bin)) + GetEdge(std::abs(bin) + 1)) / 2;
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
    Count(GetBin(value), 1);
}

void
Distribution::Count(int32_t bin, uint64_t number)
{
    if (bins.empty())
    {
        firstBin = bin;
    }
    if (bin < firstBin)
    {
        bins.insert(bins.begin(), firstBin - bin, 0);
        firstBin = bin;
    }
    const auto place = static_cast<std::size_t>(bin - firstBin);
    if (place >= bins.size())
    {
        bins.resize(place + 1, 0);
    }
    bins[place] += number;
}

void
Distribution::Merge(const Distribution& other)
{
    count += other.count;
    undefined += other.undefined;
    sum += other.sum;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    for (std::size_t i = 0; i < other.bins.size(); ++i)
    {
        if (other.bins[i] > 0)
        {
            Count(other.firstBin + static_cast<int32_t>(i), other.bins[i]);
        }
    }
}

std::vector<std::pair<double, uint64_t>>
Distribution::GetValues() const
{
    std::vector<std::pair<double, uint64_t>> values;
    for (std::size_t i = 0; i < bins.size(); ++i)
    {
        if (bins[i] > 0)
        {
            const double value = GetValue(firstBin + static_cast<int32_t>(i));
            values.emplace_back(std::clamp(value, min, max), bins[i]);
        }
    }
    return values;
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
    if (rank <= 1 || rank >= count)
    {
        return rank <= 1 ? min : max;
    }
    uint64_t seen = 0;
    for (const auto& [value, number] : GetValues())
    {
        seen += number;
        if (seen >= rank)
        {
            return value;
        }
    }
    return max;
}

} // namespace ns3::dml
