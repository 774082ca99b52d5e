/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ratio-interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace ns3::dml
{

std::optional<double>
EstimateRatioInterval(const std::vector<std::pair<double, double>>& blocks)
{
    if (blocks.size() < LEAST_FOR_INTERVAL)
    {
        return std::nullopt;
    }
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
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
    {
        squares += (value - mean) * (value - mean);
    }
    const boost::math::students_t distribution(count - 1);
    return boost::math::quantile(distribution, 0.975) * std::sqrt(squares * (count - 1) / count);
}

Confidence
CombineRuns(const std::vector<std::pair<double, std::optional<double>>>& runs)
{
    std::vector<std::optional<double>> values;
    double squares = 0; // of the half-widths within runs
    bool known = true;
    for (const auto& [value, half] : runs)
    {
        values.emplace_back(value);
        known = known && half;
        squares += std::pow(half.value_or(0), 2);
    }
    Confidence result = ComputeConfidence(values);
    if (known && result.count > 0)
    {
        const double within = std::sqrt(squares) / result.count;
        result.halfWidth = std::max(result.halfWidth.value_or(0), within);
    }
    return result;
}

} // namespace ns3::dml
