/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the launcher of a job without servers has done when a worker crashes or is back.

#include "dml-fair-share-engine.h"

#include "ns3/dml-repeatable-error.h"

#include <algorithm>

namespace ns3::dml
{

void
FairShareEngine::Crash(uint32_t worker, bool forGood)
{
    WorkerLoop& loop = m_workers[worker].loop;
    const bool dies = !loop.IsDown() && !loop.IsFinished();
    loop.Crash(forGood);
    if (dies && m_launcher)
    {
        m_launcher->Crashed(worker, GetNow());
    }
}

void
FairShareEngine::WorkerStopped(uint32_t worker)
{
    m_launcher->Stopped(worker);
}

void
FairShareEngine::WakeLauncher(double delay, uint64_t call)
{
    Pending launch{Pending::Kind::LAUNCH};
    launch.op = call;
    Schedule(m_now + delay, launch);
}

void
FairShareEngine::EndWorker(uint32_t worker)
{
    m_workers[worker].loop.End();
}

void
FairShareEngine::EndAfterStep(const std::vector<uint32_t>& workers)
{
    // they learn it from each other, which takes no time
    uint32_t last = 0;
    for (const uint32_t worker : workers)
    {
        last = std::max(last, m_workers[worker].loop.GetBegun());
    }
    for (const uint32_t worker : workers)
    {
        m_workers[worker].loop.EndAfter(last);
    }
}

void
FairShareEngine::StartWorkers(const Membership& membership)
{
    uint32_t step = 0;
    for (const uint32_t worker : membership.workers)
    {
        step = std::max(step, m_workers[worker].loop.GetLearnt());
    }
    Job& job = m_jobs.front();
    const std::size_t plan = job.run.elastic->Find(membership.workers);
    for (const uint32_t worker : membership.workers)
    {
        MakeExecutor(worker, step, plan);
    }
    for (const uint32_t worker : membership.workers)
    {
        job.sync->Enter(worker);
        m_workers[worker].loop.Restart(step);
    }
}

void
FairShareEngine::NothingLeft(uint32_t worker)
{
    m_workers[worker].loop.Restart(m_jobs.front().run.steps);
}

void
FairShareEngine::ModelLost(const std::string& text)
{
    throw RepeatableError(text);
}

} // namespace ns3::dml
