/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a worker agrees on the batch size of its steps, and on its share of their samples.

#include "dml-batch-size-messages.h"
#include "dml-batch-size-service.h"
#include "dml-training-worker.h"

namespace ns3::dml
{

void
TrainingWorker::SetBatchSizeControl(Ptr<BatchSizeControl> control)
{
    m_control = control;
}

void
TrainingWorker::AskForBatchSize([[maybe_unused]] uint32_t worker,
                                uint32_t step,
                                const WorkerReport& report)
{
    if (m_batches)
    {
        m_batches->Report(m_index, step, report);
        return;
    }
    const uint32_t manager = GetServers() > 0 ? 0 : FindPeer({Role::WORKER, 0});
    SendRunGraph(manager, step, BATCH_GRAPH, ToValues(report));
}

void
TrainingWorker::SetBatchSize(uint32_t worker, int32_t stream, uint32_t batch)
{
    if (worker == m_index)
    {
        m_loop->SetBatchSize(batch);
        return;
    }
    AnswerRunGraph(FindPeer({Role::WORKER, worker}), stream, {{BATCH_VALUE, batch}});
}

void
TrainingWorker::ReportProgress([[maybe_unused]] uint32_t worker, const SampleReport& report)
{
    SendRunGraph(0, report.step, PROGRESS_GRAPH, ToValues(report));
}

void
TrainingWorker::GiveSamples([[maybe_unused]] uint32_t worker, uint32_t step, uint32_t given)
{
    SendRunGraph(0, step, GIVE_GRAPH, {{GIVEN_VALUE, given}});
}

void
TrainingWorker::StepsSkipped([[maybe_unused]] uint32_t worker, [[maybe_unused]] uint32_t from)
{
    // the servers see it when the worker asks for the step that it goes on with
}

} // namespace ns3::dml
