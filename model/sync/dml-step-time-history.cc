/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-time-history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dml
{

StepTimeHistory::StepTimeHistory(uint32_t steps)
    : m_seconds(steps)
{
}

void
StepTimeHistory::Record(std::vector<double> seconds)
{
    const std::size_t workers = seconds.size();
    m_wasSlower.resize(workers, std::vector<bool>(workers, false));
    for (std::size_t i = 0; i < workers; ++i)
    {
        const bool forgotten = std::isnan(seconds[i]);
        for (std::size_t j = 0; j < workers; ++j)
        {
            if (forgotten || std::isnan(seconds[j]))
            {
                m_wasSlower[i][j] = false;
            }
            else if (seconds[i] > seconds[j])
            {
                m_wasSlower[i][j] = true;
            }
        }
    }
    m_seconds.push_back(std::move(seconds));
}

bool
StepTimeHistory::WasAlwaysFaster(uint32_t faster, uint32_t slower, uint32_t steps) const
{
    return m_seconds.size() >= steps &&
           std::all_of(m_seconds.end() - steps, m_seconds.end(), [=](const auto& seconds) {
               return seconds[faster] < seconds[slower]; // false of NaN
           });
}

} // namespace ns3::dml
