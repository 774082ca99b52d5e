/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-confidence.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ns3::dml
{

std::string
Confidence::GetRemark() const
{
    if (skipped == 0)
    {
        return "";
    }
    return std::to_string(skipped) + " of " + std::to_string(count + skipped) +
           " replications undefined";
}

std::optional<std::pair<double, double>>
Confidence::GetBounds() const
{
    if (halfWidth)
    {
        return std::pair(*mean - *halfWidth, *mean + *halfWidth);
    }
    return IsRange() ? std::optional(std::pair(*least, *greatest)) : std::nullopt;
}

Confidence
ComputeConfidence(const std::vector<std::optional<double>>& values, double level)
{
    Confidence result;
    double sum = 0;
    for (const auto& value : values)
    {
        if (value && std::isfinite(*value))
        {
            sum += *value;
            result.least = std::min(result.least.value_or(*value), *value);
            result.greatest = std::max(result.greatest.value_or(*value), *value);
            ++result.count;
        }
        else
        {
            ++result.skipped;
        }
    }
    if (result.count == 0)
    {
        return result;
    }
    const double mean = sum / result.count;
    result.mean = mean;
    if (result.count < LEAST_FOR_INTERVAL)
    {
        return result;
    }
    // Second pass over the deviations: the one-pass formula cancels when they are small.
    double squares = 0;
    for (const auto& value : values)
    {
        if (value && std::isfinite(*value))
        {
            squares += (*value - mean) * (*value - mean);
        }
    }
    const boost::math::students_t distribution(result.count - 1);
    const double quantile = boost::math::quantile(distribution, 0.5 + level / 2);
    result.halfWidth = quantile * std::sqrt(squares / (result.count - 1) / result.count);
    return result;
}

bool
RelativeDifference::IsSignificant() const
{
    constexpr double ROUNDING = 1e-9; // of engines that add up times in another order
    return HasInterval() && (*low > ROUNDING || *high < -ROUNDING);
}

RelativeDifference
EstimateDifference(
    const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs,
    double level)
{
    std::vector<std::optional<double>> logarithms;
    for (const auto& [value, reference] : pairs)
    {
        logarithms.emplace_back(value && reference && *value > 0 && *reference > 0
                                    ? std::optional<double>(std::log(*value / *reference))
                                    : std::nullopt);
    }
    const Confidence mean = ComputeConfidence(logarithms, level);
    RelativeDifference result;
    result.pairs = mean.count;
    if (mean.mean)
    {
        result.value = std::expm1(*mean.mean);
    }
    if (const auto bounds = mean.GetBounds())
    {
        result.low = std::expm1(bounds->first);
        result.high = std::expm1(bounds->second);
    }
    return result;
}

std::vector<std::pair<std::optional<double>, std::optional<double>>>
PairReplications(const std::vector<std::optional<double>>& one,
                 const std::vector<std::optional<double>>& other)
{
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    {
        pairs.emplace_back(one[i], other[i]);
    }
    return pairs;
}

} // namespace ns3::dml
