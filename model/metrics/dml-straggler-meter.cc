/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-straggler-meter.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

StragglerMeter::StragglerMeter(uint32_t workers, const FirstSteps& first, bool barrier)
    : m_workers(workers),
      m_first(first),
      m_barrier(barrier),
      m_last(workers, 0),
      m_next(workers, 0)
{
}

void
StragglerMeter::StepWorked(const StepRecord& step, const StepWork& work)
{
    // without a barrier, workers of unequal speed have the same number at different times
    const uint32_t offset = m_barrier ? 0 : m_first.Of(step.worker);
    m_next[step.worker] = std::max(step.step + 1, offset) - offset;
    if (!m_first.Count(step.worker, step.step))
    {
        return;
    }
    Iteration& iteration = m_open[step.step - offset];
    const double value = m_barrier ? work.lastOwn : work.time;
    const bool first = iteration.workers == 0;
    if (first || value > iteration.last)
    {
        iteration.straggler = step.worker;
    }
    else if (value == iteration.last)
    {
        iteration.straggler = m_workers;
    }
    iteration.first = first ? value : std::min(iteration.first, value);
    iteration.last = first ? value : std::max(iteration.last, value);
    iteration.longest = std::max(iteration.longest, work.time);
    if (++iteration.workers == m_workers)
    {
        m_time.Add(iteration.longest > 0 ? (iteration.last - iteration.first) / iteration.longest
                                         : std::numeric_limits<double>::quiet_NaN());
        ++m_iterations;
        if (iteration.straggler < m_workers)
        {
            ++m_last[iteration.straggler];
        }
        m_open.erase(step.step - offset);
    }
    // what a worker has skipped stays incomplete
    m_open.erase(m_open.begin(),
                 m_open.lower_bound(*std::min_element(m_next.begin(), m_next.end())));
}

} // namespace ns3::dml
