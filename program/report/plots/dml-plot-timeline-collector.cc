/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-timeline-collector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
{

TimelineCollector::TimelineCollector(uint32_t firstStep, uint32_t steps)
    : m_count(std::max<uint32_t>(1, steps)),
      m_open(firstStep == 0)
{
    m_series.firstStep = firstStep;
    m_series.start = std::numeric_limits<double>::infinity();
}

void
TimelineCollector::On(const StepRecord& record)
{
    const uint32_t end = m_series.firstStep + m_count;
    if (record.worker == 0)
    {
        if (record.step >= m_series.firstStep && record.step < end)
        {
            m_series.start = std::min(m_series.start, record.start);
            m_series.end = record.end;
        }
        // The window opens with the end of the step before: whatever ended earlier is outside.
        m_open = m_open || record.step + 1 == m_series.firstStep;
        m_closed = m_closed || record.step + 1 >= end;
    }
    if (m_open && (!m_closed || record.start < m_series.end))
    {
        m_series.steps.push_back(record);
    }
}

void
TimelineCollector::On(const ChunkRecord& record)
{
    if (record.worker == 0 && record.step >= m_series.firstStep &&
        record.step < m_series.firstStep + m_count)
    {
        m_series.chunks.push_back(record);
    }
}

TimelineSeries
TimelineCollector::GetSeries(const std::string& engine, uint32_t workers) const
{
    TimelineSeries series = m_series;
    series.engine = engine;
    series.workers = workers;
    series.start = std::isfinite(series.start) ? series.start : 0;
    auto& steps = series.steps;
    steps.erase(std::remove_if(steps.begin(),
                               steps.end(),
                               [&series](const auto& step) { return !(step.end > series.start); }),
                steps.end());
    return series;
}

} // namespace ns3::dml
