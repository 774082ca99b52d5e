/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-trace.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ns3::dml
{

SpeedTrace::SpeedTrace(const std::vector<SpeedChange>& changes, std::optional<double> period)
    : m_period(period)
{
    const double end = period.value_or(std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < changes.size(); ++i)
    {
        const SpeedChange& change = changes[i];
        m_phases.Append({i + 1 < changes.size() ? changes[i + 1].start : end,
                         change.speed,
                         change.cpu,
                         change.memory});
    }
}

SpeedPhase
SpeedTrace::At(double time) const
{
    if (!m_period)
    {
        return m_phases.Find(time);
    }
    double origin = std::floor(time / *m_period) * *m_period;
    double within = std::max(0.0, time - origin);
    while (true)
    {
        if (within >= *m_period)
        {
            origin += *m_period;
            within = 0;
        }
        SpeedPhase phase = m_phases.Find(within);
        const double end = origin + phase.end;
        if (end > time) // not so where rounding made a phase of the sum end at once
        {
            phase.end = end;
            return phase;
        }
        within = phase.end;
    }
}

} // namespace ns3::dml
