/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-warmup-detector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Standard error, over the largest value, below which values are equal: the rounding of times.
constexpr double ROUNDING = 1e-9;

} // namespace

std::size_t
FindTruncation(const std::vector<double>& values)
{
    const std::size_t n = values.size();
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const double value : values)
    {
        largest = std::max(largest, std::abs(value));
    }
    const double rounding = ROUNDING * ROUNDING * largest * largest;
    double mean = 0;
    double squares = 0; // of the deviations from the mean, by Welford's recurrence
    for (std::size_t left = 1; left <= n; ++left)
    {
        const double value = values[n - left];
        const double before = value - mean;
        mean += before / left;
        squares += before * (value - mean);
        if (left < WarmupDetector::LEAST_LEFT)
        {
            continue;
        }
        const double error = std::max(squares / left / left, rounding);
        if (error <= least)
        {
            least = error;
            best = n - left;
        }
    }
    return best;
}

WarmupDetector::WarmupDetector(uint64_t batch, uint64_t least)
    : m_size(batch),
      m_next(std::max(least, LEAST_BATCHES * batch))
{
}

bool
WarmupDetector::Add(double value)
{
    m_open += value;
    if (++m_inOpen < m_size)
    {
        return false;
    }
    m_batches.push_back(m_open / m_size);
    m_open = 0;
    m_inOpen = 0;
    if (m_batches.size() == MOST_BATCHES)
    {
        for (std::size_t i = 0; i < MOST_BATCHES / 2; ++i)
        {
            m_batches[i] = (m_batches[2 * i] + m_batches[2 * i + 1]) / 2;
        }
        m_batches.resize(MOST_BATCHES / 2);
        m_size *= 2;
    }
    const uint64_t count = GetCount();
    if (count < m_next)
    {
        return false;
    }
    m_next = count + count / 10;
    return 2 * FindTruncation(m_batches) < m_batches.size();
}

} // namespace ns3::dml
