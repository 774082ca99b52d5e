/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-analytical-batch-size.h"

#include "dml-ema-speed.h"
#include "dml-sample-shares.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(AnalyticalBatchSize);

TypeId
AnalyticalBatchSize::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::AnalyticalBatchSize")
            .SetParent<BatchSizeControl>()
            .SetGroupName("Dml")
            .AddConstructor<AnalyticalBatchSize>()
            .AddAttribute("Predictor",
                          "Makes the SpeedPredictor of a worker.",
                          ObjectFactoryValue(ObjectFactory(EmaSpeed::GetTypeId().GetName())),
                          MakeObjectFactoryAccessor(&AnalyticalBatchSize::m_predictor),
                          MakeObjectFactoryChecker());
    return tid;
}

void
AnalyticalBatchSize::Observe(uint32_t index, const WorkerReport& report)
{
    Worker& worker = m_workers[index];
    if (!worker.predictor)
    {
        worker.predictor = m_predictor.Create<SpeedPredictor>();
        worker.predictor->Prepare(index);
        worker.cpu = report.cpu; // of its first step, nothing nearer is known
        worker.memory = report.memory;
    }
    if (report.seconds > 0)
    {
        worker.predictor->Observe(report.batch / report.seconds, worker.cpu, worker.memory);
        worker.observed = true;
    }
    worker.cpu = report.cpu;
    worker.memory = report.memory;
}

std::vector<uint32_t>
AnalyticalBatchSize::Update(const std::vector<WorkerReport>& reports)
{
    m_workers.resize(reports.size());
    std::vector<uint32_t> batches(reports.size(), 0);
    std::vector<uint32_t> sharing; // workers
    std::vector<double> speeds;
    std::vector<uint32_t> largest;
    uint64_t total = 0;
    for (uint32_t i = 0; i < reports.size(); ++i)
    {
        const WorkerReport& report = reports[i];
        if (!report.present)
        {
            m_workers[i] = Worker();
            continue;
        }
        batches[i] = report.batch;
        Observe(i, report);
        if (m_workers[i].observed)
        {
            sharing.push_back(i);
            speeds.push_back(m_workers[i].predictor->Predict(report.cpu, report.memory));
            largest.push_back(report.largest);
            total += report.batch;
        }
    }
    const auto shares = ShareSamples(speeds, total, largest);
    for (std::size_t i = 0; i < shares.size(); ++i)
    {
        batches[sharing[i]] = shares[i];
    }
    return batches;
}

} // namespace ns3::dml
