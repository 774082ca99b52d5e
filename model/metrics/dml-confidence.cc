/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-confidence.h"

#include "dml-quantiles.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

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
    result.halfWidth = GetStudentQuantile(result.count - 1, level) *
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
EstimateDifference(
    const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs,
    const std::vector<std::optional<double>>& values,
    const std::vector<std::optional<double>>& references,
    double level)
{
    const RelativeDifference paired = EstimateDifference(pairs, level);
    const auto numerators = TakeLogarithms(values);
    const auto denominators = TakeLogarithms(references);
    const bool swapped = denominators.size() > numerators.size();
    const auto& many = swapped ? denominators : numerators;
    if (paired.pairs < LEAST_FOR_REGRESSION || many.size() <= paired.pairs)
    {
        return paired;
    }
    std::vector<std::optional<double>> cheap;
    std::vector<std::optional<double>> dear;
    for (const auto& [value, reference] : pairs)
    {
        if (value && reference && *value > 0 && *reference > 0)
        {
            cheap.emplace_back(std::log(swapped ? *reference : *value));
            dear.emplace_back(std::log(swapped ? *value : *reference));
        }
    }
    const auto count = static_cast<double>(cheap.size());
    const double cheapMean = *ComputeConfidence(cheap).mean;
    const double dearMean = *ComputeConfidence(dear).mean;
    const double squares = SumSquares(cheap, cheapMean);
    if (!(squares > 0))
    {
        return paired;
    }
    double products = 0;
    for (std::size_t i = 0; i < cheap.size(); ++i)
    {
        products += (*cheap[i] - cheapMean) * (*dear[i] - dearMean);
    }
    const double slope = products / squares;
    const double unexplained =
        std::max(0.0, SumSquares(dear, dearMean) - slope * products) / (count - 2);
    const double mean = *ComputeConfidence(many).mean;
    const double total = static_cast<double>(many.size());
    const double shift = mean - cheapMean;
    const double difference = mean - dearMean - slope * shift;
    const double known = SumSquares(many, mean) / (total - 1) / total; // squared error of the mean
    const double half =
        std::hypot(GetStudentQuantile(count - 2, level) *
                       std::sqrt(unexplained * (1 / count + shift * shift / squares)),
                   GetStudentQuantile(total - 1, level) * (1 - slope) * std::sqrt(known));
    RelativeDifference result = paired;
    const double sign = swapped ? -1 : 1;
    result.further = static_cast<uint32_t>(many.size()) - paired.pairs;
    result.value = std::expm1(sign * difference);
    result.low = std::expm1(sign * difference - half);
    result.high = std::expm1(sign * difference + half);
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
