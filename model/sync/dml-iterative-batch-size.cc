/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-iterative-batch-size.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(IterativeBatchSize);

TypeId
IterativeBatchSize::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::IterativeBatchSize")
            .SetParent<BatchSizeControl>()
            .SetGroupName("Dml")
            .AddConstructor<IterativeBatchSize>()
            .AddAttribute("Step",
                          "Samples that move at a time.",
                          UintegerValue(DEFAULT_STEP),
                          MakeUintegerAccessor(&IterativeBatchSize::m_step),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Window",
                          "Steps in which the leader must have preceded the straggler.",
                          UintegerValue(DEFAULT_WINDOW),
                          MakeUintegerAccessor(&IterativeBatchSize::m_window),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("FineStep",
                          "Step of fine-tuning.",
                          UintegerValue(DEFAULT_FINE_STEP),
                          MakeUintegerAccessor(&IterativeBatchSize::m_fineStep),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("FineWindow",
                          "Window of fine-tuning.",
                          UintegerValue(DEFAULT_FINE_WINDOW),
                          MakeUintegerAccessor(&IterativeBatchSize::m_fineWindow),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("MemoryGuard",
                          "Share of a worker's memory in use above which it does not lead.",
                          DoubleValue(DEFAULT_MEMORY_GUARD),
                          MakeDoubleAccessor(&IterativeBatchSize::m_memoryGuard),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

void
IterativeBatchSize::NotifyConstructionCompleted()
{
    BatchSizeControl::NotifyConstructionCompleted();
    m_history = StepTimeHistory(std::max(m_window, m_fineWindow));
}

std::vector<uint32_t>
IterativeBatchSize::Update(const std::vector<WorkerReport>& reports)
{
    std::vector<uint32_t> batches;
    std::vector<double> seconds;
    std::optional<uint32_t> leader;
    std::optional<uint32_t> straggler;
    for (uint32_t i = 0; i < reports.size(); ++i)
    {
        const WorkerReport& report = reports[i];
        batches.push_back(report.present ? report.batch : 0);
        if (!report.present || report.seconds <= 0)
        {
            seconds.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        seconds.push_back(report.seconds);
        const bool hasRoom =
            report.used <= m_memoryGuard && uint64_t{report.batch} + m_step <= report.largest;
        if (hasRoom && (!leader || report.seconds < seconds[*leader]))
        {
            leader = i;
        }
        if (!straggler || report.seconds > seconds[*straggler])
        {
            straggler = i;
        }
    }
    m_history.Record(std::move(seconds));
    if (!leader || leader == straggler)
    {
        return batches;
    }
    if (batches[*straggler] <= m_step) // line 8
    {
        ++m_smallStragglers;
    }
    else if (m_history.WasAlwaysFaster(*leader, *straggler, m_window)) // line 10
    {
        batches[*leader] += m_step;
        batches[*straggler] -= m_step;
    }
    else if (m_history.WasEverSlower(*leader, *straggler)) // line 12
    {
        m_fineTuning = true;
        m_step = m_fineStep;
        m_window = m_fineWindow;
    }
    return batches;
}

} // namespace ns3::dml
