/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-time-bins.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

TimeBins::TimeBins(std::size_t rows, uint32_t maxBins)
    : m_maxBins(maxBins + maxBins % 2),
      m_amounts(rows, std::vector<double>(m_maxBins, 0))
{
}

void
TimeBins::Widen()
{
    for (auto& bins : m_amounts)
    {
        for (uint32_t i = 0; i < m_maxBins / 2; ++i)
        {
            bins[i] = bins[2 * i] + bins[2 * i + 1];
        }
        std::fill(bins.begin() + m_maxBins / 2, bins.end(), 0);
    }
    m_width *= 2;
}

void
TimeBins::Add(std::size_t row, double start, double end, double rate)
{
    while (end > m_width * m_maxBins)
    {
        Widen();
    }
    m_end = std::max(m_end, end);
    auto& bins = m_amounts[row];
    const auto first = static_cast<uint32_t>(start / m_width);
    for (uint32_t i = first; i < m_maxBins && i * m_width < end; ++i)
    {
        const double from = std::max(start, i * m_width);
        const double to = std::min(end, (i + 1) * m_width);
        bins[i] += std::max(0.0, to - from) * rate;
    }
}

uint32_t
TimeBins::GetCount() const
{
    return std::min<uint32_t>(m_maxBins, std::ceil(m_end / m_width));
}

std::vector<double>
TimeBins::GetRates(std::size_t row) const
{
    const auto& bins = Get(row);
    std::vector<double> rates(GetCount());
    for (uint32_t i = 0; i < rates.size(); ++i)
    {
        rates[i] = bins[i] / std::min(m_width, m_end - i * m_width);
    }
    return rates;
}

} // namespace ns3::dml
