/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-size-service.h"

#include "dml-batch-size-messages.h"

#include <utility>

namespace ns3::dml
{

BatchSizeService::BatchSizeService(Ptr<BatchSizeControl> control, uint32_t workers, Answer answer)
    : m_manager(std::move(control), workers, static_cast<BatchSizeListener&>(*this)),
      m_answer(std::move(answer)),
      m_calls(workers, 0)
{
}

bool
BatchSizeService::Take(uint32_t worker, int32_t call, const RunGraphRequest& request)
{
    const auto report = ReportFromValues(request.send);
    if (!report || request.stepId < 0)
    {
        return false;
    }
    m_calls[worker] = call;
    m_manager.Report(worker, request.stepId, *report);
    return true;
}

void
BatchSizeService::Report(uint32_t worker, uint32_t step, const WorkerReport& report)
{
    m_manager.Report(worker, step, report);
}

void
BatchSizeService::Leave(uint32_t worker)
{
    m_manager.Leave(worker);
}

void
BatchSizeService::SetBatchSize(uint32_t worker, uint32_t batch)
{
    m_answer(worker, m_calls[worker], batch);
}

} // namespace ns3::dml
