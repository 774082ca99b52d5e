/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-means.h"

#include "dml-quantiles.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Spread, over the mean, below which batches are equal: it is the rounding of times that differ.
constexpr double ROUNDING = 1e-9;

} // namespace

bool
BatchMeans::Add(double amount, double seconds)
{
    m_open.amount += amount;
    m_open.seconds += seconds;
    if (++m_inOpen < m_size)
    {
        return false;
    }
    m_batches.push_back(m_open);
    m_open = {};
    m_inOpen = 0;
    if (m_batches.size() == 2 * LEAST_BATCHES)
    {
        for (std::size_t i = 0; i < LEAST_BATCHES; ++i)
        {
            const Batch& left = m_batches[2 * i];
            const Batch& right = m_batches[2 * i + 1];
            m_batches[i] = {left.amount + right.amount, left.seconds + right.seconds};
        }
        m_batches.resize(LEAST_BATCHES);
        m_size *= 2;
    }
    return m_batches.size() >= LEAST_BATCHES && m_batches.size() % CHECK_EVERY == 0;
}

std::optional<RateInterval>
BatchMeans::GetInterval() const
{
    const std::size_t n = m_batches.size();
    Batch all;
    for (const Batch& batch : m_batches)
    {
        all.amount += batch.amount;
        all.seconds += batch.seconds;
    }
    if (n < 2 || all.amount <= 0 || all.seconds <= 0)
    {
        return std::nullopt;
    }
    RateInterval interval;
    interval.rate = all.amount / all.seconds;
    interval.batches = n;
    interval.observations = m_size;
    const double mean = all.amount / n;
    double squares = 0;
    double products = 0;
    double last = 0; // the deviations add up to 0, so their mean need not be taken off
    for (const Batch& batch : m_batches)
    {
        const double deviation = batch.amount - interval.rate * batch.seconds;
        squares += deviation * deviation;
        products += deviation * last;
        last = deviation;
    }
    const double spread = std::sqrt(squares / (n - 1));
    if (spread <= ROUNDING * mean)
    {
        return interval;
    }
    interval.correlation = products / squares;
    const double r = std::clamp(interval.correlation, 0.0, 1 - ROUNDING);
    interval.halfWidth =
        GetStudentQuantile(n - 1) * spread * std::sqrt((1 + r) / (1 - r) / n) / mean;
    return interval;
}

} // namespace ns3::dml
