/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The end of a worker: a crash and what follows, or its last step.

#include "dml-parameter-server.h"
#include "dml-training-worker.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

NS_LOG_COMPONENT_DEFINE("DmlTrainingWorkerLife");

void
TrainingWorker::Crash(bool forGood)
{
    NS_LOG_FUNCTION(this << m_index);
    if (m_down || m_finished)
    {
        return;
    }
    m_down = true;
    m_start.Cancel();
    m_executors.back()->Abandon();
    if (m_samples)
    {
        m_samples->Forget();
    }
    if (m_observer)
    {
        const double start = GetNow() - (Simulator::Now() - m_open[m_done % 2].start).GetSeconds();
        m_observer->WorkerCrashed(
            {m_index, GetNow(), m_done, m_begun > m_done ? start : UNKNOWN_TIME});
    }
    m_begun = m_done;
    CloseAll();
    if (forGood)
    {
        Finish();
    }
}

bool
TrainingWorker::WillCrash() const
{
    return std::any_of(m_crashes.begin(), m_crashes.end(), [this](const WorkerCrash& crash) {
        return crash.at > GetNow();
    });
}

void
TrainingWorker::Rejoin()
{
    NS_LOG_FUNCTION(this << m_index);
    if (!m_down)
    {
        return; // it had done all its steps
    }
    m_down = false;
    m_rejoins = true;
    m_connected = 0;
    MakeExecutors();
    Open();
}

void
TrainingWorker::GoOn()
{
    m_rejoins = false;
    m_done = std::max(m_done, m_next);
    m_begun = m_done;
    m_allowed = m_done + 1;
    if (m_done >= m_steps)
    {
        Leave();
        Finish();
        return;
    }
    m_executors.back()->SkipTo(m_done);
    if (m_observer)
    {
        m_observer->WorkerRejoined({m_index, GetNow(), m_done});
    }
    BeginStep();
}

void
TrainingWorker::Leave()
{
    // the servers know that it is done only if it has done the last step
    for (uint32_t server = 0; server < GetPeers(); ++server)
    {
        SendRunGraph(server, m_done, ParameterServer::LEAVE_GRAPH);
    }
}

void
TrainingWorker::Finish()
{
    if (!m_finished)
    {
        m_finished = true;
        m_finishedTrace(m_index);
    }
}

} // namespace dml
} // namespace ns3
