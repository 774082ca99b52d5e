/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-timeline-collector.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3::dml
{

TimelineCollector::TimelineCollector(uint32_t firstStep, uint32_t steps)
    : m_firstStep(firstStep),
      m_count(std::max<uint32_t>(1, steps)),
      m_open(firstStep == 0)
{
}

void
TimelineCollector::On(const StepRecord& record)
{
    if (record.worker == 0)
    {
        if (record.step >= m_firstStep && record.step < m_firstStep + m_count)
        {
            m_start = std::min(m_start, record.start);
            m_end = record.end;
        }
        // The window opens with the end of the step before: whatever ended earlier is outside.
        m_open = m_open || record.step + 1 == m_firstStep;
        m_closed = m_closed || record.step + 1 >= m_firstStep + m_count;
    }
    if (m_open && (!m_closed || record.start < m_end))
    {
        m_steps.push_back(record);
    }
}

void
TimelineCollector::On(const ChunkRecord& record)
{
    if (record.worker == 0 && record.step >= m_firstStep && record.step < m_firstStep + m_count)
    {
        m_chunks.push_back(record);
    }
}

uint32_t
TimelineCollector::GetFirstStep() const
{
    return m_firstStep;
}

uint32_t
TimelineCollector::GetSteps() const
{
    return m_count;
}

double
TimelineCollector::GetStart() const
{
    return std::isfinite(m_start) ? m_start : 0;
}

double
TimelineCollector::GetEnd() const
{
    return m_end;
}

const std::vector<ChunkRecord>&
TimelineCollector::GetChunks() const
{
    return m_chunks;
}

std::vector<StepRecord>
TimelineCollector::GetStepRecords() const
{
    std::vector<StepRecord> result;
    std::copy_if(m_steps.begin(),
                 m_steps.end(),
                 std::back_inserter(result),
                 [this](const StepRecord& step) { return step.end > GetStart(); });
    return result;
}

} // namespace ns3::dml
