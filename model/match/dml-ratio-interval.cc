/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ratio-interval.h"

#include "ns3/dml-quantiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// @param blocks of a run @return the ratio of the sums of all but one of them, by the one that is
/// left out
std::vector<double>
LeaveOneOut(const RatioBlocks& blocks)
{
    std::pair<double, double> all;
    for (const auto& [above, below] : blocks)
    {
        all.first += above;
        all.second += below;
    }
    std::vector<double> values;
    for (const auto& [above, below] : blocks)
    {
        values.push_back((all.first - above) / (all.second - below));
    }
    return values;
}

/// @param values with one block after the other left out @return half of the 95 % interval of a
/// jackknife
double
GetJackknifeHalf(const std::vector<double>& values)
{
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
    {
        squares += (value - mean) * (value - mean);
    }
    return GetStudentQuantile(count - 1) * std::sqrt(squares * (count - 1) / count);
}

/// @param runs as of CombineRuns() @return half of the interval of their mean that follows from
/// those within them; nothing where one of these is not known
std::optional<double>
CombineHalves(const std::vector<std::pair<double, std::optional<double>>>& runs)
{
    double squares = 0;
    for (const auto& [value, half] : runs)
    {
        if (!half)
        {
            return std::nullopt;
        }
        squares += std::pow(*half, 2);
    }
    return runs.empty() ? std::nullopt
                        : std::optional(std::sqrt(squares) / static_cast<double>(runs.size()));
}

/// @param runs as of CombineRuns() @return their mean, and its interval between them
Confidence
CombineValues(const std::vector<std::pair<double, std::optional<double>>>& runs)
{
    std::vector<std::optional<double>> values;
    for (const auto& [value, half] : runs)
    {
        values.emplace_back(value);
    }
    return ComputeConfidence(values);
}

} // namespace

std::optional<double>
EstimateRatioInterval(const RatioBlocks& blocks)
{
    return blocks.size() < LEAST_FOR_INTERVAL
               ? std::nullopt
               : std::optional(GetJackknifeHalf(LeaveOneOut(blocks)));
}

std::optional<double>
EstimateDifferenceInterval(const RatioBlocks& one, const RatioBlocks& other)
{
    if (std::min(one.size(), other.size()) < LEAST_FOR_INTERVAL)
    {
        return std::nullopt;
    }
    const auto get = [](const std::vector<double>& values, std::size_t block) {
        // nothing is left out of the shorter run where only the longer one has a block
        return block < values.size()
                   ? values[block]
                   : std::accumulate(values.begin(), values.end(), 0.0) / values.size();
    };
    const auto ones = LeaveOneOut(one);
    const auto others = LeaveOneOut(other);
    std::vector<double> differences;
    for (std::size_t block = 0; block < std::max(ones.size(), others.size()); ++block)
    {
        differences.push_back(get(ones, block) - get(others, block));
    }
    return GetJackknifeHalf(differences);
}

Confidence
CombineRuns(const std::vector<std::pair<double, std::optional<double>>>& runs)
{
    Confidence result = CombineValues(runs);
    if (const auto within = CombineHalves(runs))
    {
        result.halfWidth = std::max(result.halfWidth.value_or(0), *within);
    }
    return result;
}

Confidence
CombinePairs(const std::vector<std::pair<double, std::optional<double>>>& pairs)
{
    Confidence result = CombineValues(pairs);
    if (!result.halfWidth)
    {
        result.halfWidth = CombineHalves(pairs);
    }
    return result;
}

} // namespace ns3::dml
