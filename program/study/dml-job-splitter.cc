/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-splitter.h"

#include <algorithm>

namespace ns3::dml
{

JobSplitter::JobSplitter(std::size_t jobs, RunObserver& next)
    : m_next(next),
      m_stepEnds(jobs)
{
}

void
JobSplitter::Observe(const RunRecord& record)
{
    if (record.job == 0)
    {
        m_next.Observe(record);
    }
    else if (const auto* step = std::get_if<StepRecord>(&record.event))
    {
        m_stepEnds[record.job].push_back(step->end);
    }
}

double
JobSplitter::GetStepRate(uint32_t job, double t0, double t1) const
{
    const auto& ends = m_stepEnds[job]; // in order, as time goes on
    const auto first = std::upper_bound(ends.begin(), ends.end(), t0);
    const auto last = std::upper_bound(ends.begin(), ends.end(), t1);
    return (last - first) / (t1 - t0);
}

} // namespace ns3::dml
