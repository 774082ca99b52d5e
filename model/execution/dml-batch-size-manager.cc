/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-size-manager.h"

#include <utility>

namespace ns3::dml
{

BatchSizeManager::BatchSizeManager(Ptr<BatchSizeControl> control,
                                   uint32_t workers,
                                   BatchSizeListener& listener)
    : m_control(std::move(control)),
      m_listener(listener),
      m_present(workers, true),
      m_assigned(workers, 0),
      m_reports(workers)
{
}

void
BatchSizeManager::Report(uint32_t worker, uint32_t step, const WorkerReport& report)
{
    m_present[worker] = true;
    if (step < m_step)
    {
        m_listener.SetBatchSize(worker, report.batch);
        return;
    }
    m_asked = step;
    m_reports[worker] = report;
    TryUpdate();
}

void
BatchSizeManager::Leave(uint32_t worker)
{
    m_present[worker] = false;
    m_reports[worker].reset();
    TryUpdate();
}

void
BatchSizeManager::TryUpdate()
{
    std::vector<WorkerReport> reports(m_present.size());
    uint32_t present = 0;
    for (uint32_t worker = 0; worker < m_present.size(); ++worker)
    {
        if (m_present[worker] && !m_reports[worker])
        {
            return;
        }
        reports[worker].present = m_present[worker];
        if (m_present[worker])
        {
            reports[worker] = *m_reports[worker];
            if (!m_control->IsBlocking() && m_assigned[worker] > 0)
            {
                reports[worker].batch = m_assigned[worker]; // which may still be on its way
            }
            ++present;
        }
    }
    if (present == 0)
    {
        return;
    }
    const auto batches = m_control->Update(reports);
    m_reports.assign(m_reports.size(), std::nullopt);
    m_step = m_asked + 1;
    for (uint32_t worker = 0; worker < reports.size(); ++worker)
    {
        if (reports[worker].present)
        {
            m_assigned[worker] = batches[worker];
            m_listener.SetBatchSize(worker, batches[worker]);
        }
    }
}

Ptr<BatchSizeControl>
CreateBatchSizeControl(const TrainingRun& run)
{
    return run.batchControl ? run.batchControl->Create<BatchSizeControl>() : nullptr;
}

WorkerReport
MakeWorkerReport(const WorkerCompute& compute, uint32_t batch, double seconds, double now)
{
    WorkerReport report;
    report.batch = batch;
    report.seconds = seconds;
    if (compute.speed)
    {
        const SpeedPhase phase = compute.speed->At(now);
        report.cpu = phase.cpu;
        report.memory = phase.memory;
    }
    if (compute.model && compute.model->GetLargestBatch() < BatchModel::UNLIMITED)
    {
        report.largest = compute.model->GetLargestBatch();
        report.used = static_cast<double>(batch) / report.largest;
    }
    return report;
}

} // namespace ns3::dml
