/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-splitter.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

JobSplitter::JobSplitter(const std::vector<JobSize>& jobs, RunObserver& next)
    : m_firstWorkers{0},
      m_servers(jobs.front().servers),
      m_next(next),
      m_stepEnds(jobs.size())
{
    for (const auto& job : jobs)
    {
        m_firstWorkers.push_back(m_firstWorkers.back() + job.workers);
    }
}

void
JobSplitter::StepEnded(const StepRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.StepEnded(record);
        return;
    }
    const auto after =
        std::upper_bound(m_firstWorkers.begin(), m_firstWorkers.end(), record.worker);
    m_stepEnds[after - m_firstWorkers.begin() - 1].push_back(record.end);
}

void
JobSplitter::WorkerCrashed(const CrashRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.WorkerCrashed(record);
    }
}

void
JobSplitter::WorkerRejoined(const RejoinRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.WorkerRejoined(record);
    }
}

void
JobSplitter::TransferEnded(const TransferRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.TransferEnded(record);
    }
}

void
JobSplitter::TransferSent(const TransferRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.TransferSent(record);
    }
}

void
JobSplitter::ChunkEnded(const ChunkRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.ChunkEnded(record);
    }
}

void
JobSplitter::LinkUsed(const LinkRecord& record)
{
    if (record.server < m_servers)
    {
        m_next.LinkUsed(record);
    }
}

void
JobSplitter::FlowUsed(const FlowRecord& record)
{
    if (record.worker < m_firstWorkers[1])
    {
        m_next.FlowUsed(record);
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

} // namespace dml
} // namespace ns3
