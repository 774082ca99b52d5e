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

namespace
{

/// @param freedom degrees of it @param level of a two-sided interval @return quantile of Student's
/// t
double
GetQuantile(double freedom, double level)
{
    return boost::math::quantile(boost::math::students_t(freedom), 0.5 + level / 2);
}

/// @param values undefined ones are left out @param mean of the others @return sum of their squared
/// deviations, in a second pass: the formula for one pass cancels when they are small
double
SumSquares(const std::vector<std::optional<double>>& values, double mean)
{
    double squares = 0;
    for (const auto& value : values)
    {
        if (value && std::isfinite(*value))
        {
            squares += (*value - mean) * (*value - mean);
        }
    }
    return squares;
}

/// @return logarithms of the values that are above 0
std::vector<std::optional<double>>
TakeLogarithms(const std::vector<std::optional<double>>& values)
{
    std::vector<std::optional<double>> logarithms;
    for (const auto& value : values)
    {
        if (value && *value > 0)
        {
            logarithms.emplace_back(std::log(*value));
        }
    }
    return logarithms;
}

} // namespace

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
    result.halfWidth = GetQuantile(result.count - 1, level) *
                       std::sqrt(SumSquares(values, mean) / (result.count - 1) / result.count);
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

RelativeDifference
EstimateUnpairedDifference(const std::vector<std::optional<double>>& what,
                           const std::vector<std::optional<double>>& against,
                           double level)
{
    const auto numerators = TakeLogarithms(what);
    const auto denominators = TakeLogarithms(against);
    const Confidence one = ComputeConfidence(numerators, level);
    const Confidence other = ComputeConfidence(denominators, level);
    RelativeDifference result;
    result.paired = false;
    result.pairs = std::min(one.count, other.count);
    if (result.pairs == 0)
    {
        return result;
    }
    const double difference = *one.mean - *other.mean;
    result.value = std::expm1(difference);
    if (result.pairs < LEAST_FOR_INTERVAL)
    {
        if (result.pairs > 1)
        {
            const bool fewer = one.count < other.count;
            result.low = std::expm1(fewer ? *one.least - *other.mean : *one.mean - *other.greatest);
            result.high =
                std::expm1(fewer ? *one.greatest - *other.mean : *one.mean - *other.least);
        }
        return result;
    }
    const double square = SumSquares(numerators, *one.mean) / (one.count - 1) / one.count;
    const double otherSquare =
        SumSquares(denominators, *other.mean) / (other.count - 1) / other.count;
    const double sum = square + otherSquare; // the squared standard error
    double half = 0;
    if (sum > 0)
    {
        const double freedom =
            sum * sum /
            (square * square / (one.count - 1) + otherSquare * otherSquare / (other.count - 1));
        half = GetQuantile(freedom, level) * std::sqrt(sum);
    }
    result.low = std::expm1(difference - half);
    result.high = std::expm1(difference + half);
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
