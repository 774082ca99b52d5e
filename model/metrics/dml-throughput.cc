/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-throughput.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cstdio>

namespace ns3
{
namespace dml
{

namespace
{

/// @param seconds a time; @return it as text, such as "12.5 s"
std::string
Seconds(double seconds)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.6g s", seconds);
    return text;
}

} // namespace

ThroughputMeter::ThroughputMeter(uint32_t workers,
                                 uint32_t batch,
                                 uint32_t warmup,
                                 uint32_t steps,
                                 bool inStep)
    : m_workers(workers),
      m_batch(batch),
      m_warmup(warmup),
      m_steps(steps),
      m_inStep(inStep),
      m_t1(inStep ? 0 : std::numeric_limits<double>::infinity())
{
}

void
ThroughputMeter::StepEnded(const StepRecord& record)
{
    if (record.worker >= m_workers)
    {
        throw RunError("throughput: a step of worker " + std::to_string(record.worker) +
                       " was reported, but the run has " + std::to_string(m_workers) + " workers");
    }
    ++m_seen;
    const bool wasOpen = m_warm == m_workers;
    if (m_warmup == 0 && record.step == 0)
    {
        m_t0 = std::max(m_t0, record.start);
        ++m_warm;
    }
    else if (m_warmup > 0 && record.step == m_warmup - 1)
    {
        m_t0 = std::max(m_t0, record.end);
        ++m_warm;
    }
    if (record.step + 1 == m_steps)
    {
        m_t1 = m_inStep ? std::max(m_t1, record.end) : std::min(m_t1, record.end);
        ++m_finished;
    }
    const double duration = record.end - record.start;
    if (m_inStep)
    {
        if (record.step >= m_warmup)
        {
            Count(duration);
        }
    }
    else if (m_warm == m_workers)
    {
        if (!wasOpen)
        {
            for (const auto& [end, pendingDuration] : m_pending)
            {
                CountInWindow(end, pendingDuration);
            }
            m_pending = {};
        }
        CountInWindow(record.end, duration);
    }
    else if (m_warmup == 0)
    {
        m_pending.emplace_back(record.end, duration);
    }
    // With warm-up, t0 is the end of a step still to come: no step seen before it can count.
}

void
ThroughputMeter::CountInWindow(double end, double duration)
{
    if (end > m_t0 && end <= m_t1)
    {
        Count(duration);
    }
}

void
ThroughputMeter::Count(double duration)
{
    m_shortest = m_count == 0 ? duration : std::min(m_shortest, duration);
    m_longest = std::max(m_longest, duration);
    m_sum += duration;
    ++m_count;
}

Throughput
ThroughputMeter::GetResult() const
{
    Throughput result;
    const bool haveT0 = m_warm == m_workers;
    const bool haveT1 = m_inStep ? m_finished == m_workers : m_finished > 0;
    if (haveT0)
    {
        result.t0 = m_t0;
    }
    if (haveT1)
    {
        result.t1 = m_t1;
    }
    if (m_steps <= m_warmup)
    {
        result.reason = "no step is left to measure after " + std::to_string(m_warmup) +
                        " warm-up steps of " + std::to_string(m_steps);
        return result;
    }
    if (haveT1 && (!haveT0 || m_t1 <= m_t0))
    {
        result.reason = "a worker had finished all its steps at " + Seconds(m_t1) +
                        ", before the last worker " +
                        (m_warmup > 0 ? "had warmed up" : "had started") +
                        (haveT0 ? " at " + Seconds(m_t0) : "") +
                        "; use more steps, fewer warm-up steps or smaller start offsets";
        return result;
    }
    if (!haveT0 || !haveT1)
    {
        result.reason = haveT0 ? "no worker finished its last step"
                               : "not every worker finished its warm-up";
        return result;
    }
    result.steps = m_count;
    if (m_count > 0)
    {
        result.meanStep = m_sum / m_count;
        result.shortestStep = m_shortest;
        result.longestStep = m_longest;
    }
    result.samplesPerSecond = static_cast<double>(m_batch) * m_count / (m_t1 - m_t0);
    return result;
}

uint64_t
ThroughputMeter::GetStepCount() const
{
    return m_seen;
}

} // namespace dml
} // namespace ns3
