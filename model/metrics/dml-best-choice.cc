/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-best-choice.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

using Values = std::vector<std::optional<double>>;

/// @return whether it has a logarithm
bool
IsPositive(const std::optional<double>& value)
{
    return value && std::isfinite(*value) && *value > 0;
}

/// @return the values of each alternative in the replications in which all have one, of those that
/// have any
std::vector<Values>
KeepCommon(const std::vector<Values>& values)
{
    std::vector<Values> common = values;
    for (const auto& candidate : values)
    {
        if (std::none_of(candidate.begin(), candidate.end(), IsPositive))
        {
            continue;
        }
        for (std::size_t i = 0; i < candidate.size(); ++i)
        {
            for (auto& row : common)
            {
                if (!IsPositive(candidate[i]) && i < row.size())
                {
                    row[i].reset();
                }
            }
        }
    }
    return common;
}

/// @return mean logarithm; nothing without a value
std::optional<double>
GetMeanLogarithm(const Values& values)
{
    Values logarithms;
    for (const auto& value : values)
    {
        logarithms.push_back(IsPositive(value) ? std::optional(std::log(*value)) : std::nullopt);
    }
    return ComputeConfidence(logarithms).mean;
}

/// @return those of the rows that have a value, by their mean logarithm, the greatest first
std::vector<std::size_t>
Rank(const std::vector<Values>& values)
{
    std::vector<std::optional<double>> means;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        means.push_back(GetMeanLogarithm(values[i]));
        if (means.back())
        {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&means](std::size_t a, std::size_t b) {
        return *means[a] > *means[b];
    });
    return order;
}

} // namespace

bool
BestChoice::IsCertain() const
{
    return next && std::count(mayBeBest.begin(), mayBeBest.end(), true) == 1;
}

BestChoice
ChooseBest(const std::vector<Values>& values, std::size_t comparisons, double level)
{
    BestChoice choice;
    choice.lead.resize(values.size());
    choice.mayBeBest.resize(values.size(), false);
    const auto common = KeepCommon(values);
    auto order = Rank(common);
    order = order.empty() ? Rank(values) : order;
    if (order.empty())
    {
        return choice;
    }
    const std::size_t best = order.front();
    choice.best = best;
    choice.mayBeBest[best] = true;
    comparisons = std::max({comparisons, order.size() - 1, std::size_t{1}});
    for (std::size_t i = 1; i < order.size(); ++i)
    {
        const std::size_t other = order[i];
        choice.next = choice.next.value_or(other);
        choice.lead[other] = EstimateDifference(PairReplications(common[best], common[other]),
                                                1 - (1 - level) / comparisons);
        choice.mayBeBest[other] = !choice.lead[other].IsSignificant();
    }
    return choice;
}

} // namespace ns3::dml
