/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tensor-error.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @param sorted values, at least one @param fraction 0 to 1 @return the nearest rank's value
double
GetQuantile(const std::vector<double>& sorted, double fraction)
{
    const double rank = std::ceil(fraction * sorted.size());
    return sorted[std::max<std::size_t>(static_cast<std::size_t>(rank), 1) - 1];
}

} // namespace

std::optional<TensorError>
ComputeTensorError(const CaseSummary& item, const EngineComparison& comparison)
{
    const EngineSummary* what = item.FindEngine(comparison.what);
    const EngineSummary* against = item.FindEngine(comparison.against);
    if (!what || !against)
    {
        return std::nullopt;
    }
    TensorError result;
    std::vector<double> errors; // sums over the pairs; NaN where a transfer does not exist
    for (const auto& measured : against->replications)
    {
        for (const auto& predicted : what->replications)
        {
            const std::size_t size = measured.completions.size();
            if (predicted.replication != measured.replication ||
                predicted.completions.size() != size || !(measured.completionStep > 0))
            {
                continue;
            }
            errors.resize(size, 0);
            for (std::size_t i = 0; i < size; ++i)
            {
                errors[i] +=
                    (predicted.completions[i] - measured.completions[i]) / measured.completionStep;
            }
            ++result.pairs;
        }
    }
    std::vector<double> magnitudes;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        const double error = errors[i] / result.pairs;
        if (!std::isfinite(error))
        {
            continue;
        }
        if (magnitudes.empty() || std::abs(error) > std::abs(result.worst))
        {
            result.worst = error;
            result.worstTensor = i / 2;
            result.worstDirection = i % 2 == 0 ? Direction::DOWNLINK : Direction::UPLINK;
        }
        result.bias += error;
        magnitudes.push_back(std::abs(error));
    }
    if (magnitudes.empty())
    {
        return std::nullopt;
    }
    std::sort(magnitudes.begin(), magnitudes.end());
    result.bias /= magnitudes.size();
    result.median = GetQuantile(magnitudes, 0.5);
    result.p90 = GetQuantile(magnitudes, 0.9);
    result.max = magnitudes.back();
    return result;
}

} // namespace ns3::dml
