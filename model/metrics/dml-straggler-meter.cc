/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-straggler-meter.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dml
{

StragglerMeter::StragglerMeter(uint32_t workers, uint32_t warmup, bool barrier)
    : m_workers(workers),
      m_warmup(warmup),
      m_barrier(barrier)
{
}

void
StragglerMeter::StepWorked(const StepRecord& step, const StepWork& work)
{
    if (step.step < m_warmup)
    {
        return;
    }
    Iteration& iteration = m_open[step.step];
    const double value = m_barrier ? work.lastOwn : work.time;
    iteration.first = iteration.workers == 0 ? value : std::min(iteration.first, value);
    iteration.last = iteration.workers == 0 ? value : std::max(iteration.last, value);
    iteration.longest = std::max(iteration.longest, work.time);
    if (++iteration.workers == m_workers)
    {
        m_time.Add(iteration.longest > 0 ? (iteration.last - iteration.first) / iteration.longest
                                         : std::numeric_limits<double>::quiet_NaN());
        m_open.erase(step.step);
    }
}

const Distribution&
StragglerMeter::GetTime() const
{
    return m_time;
}

} // namespace dml
} // namespace ns3
