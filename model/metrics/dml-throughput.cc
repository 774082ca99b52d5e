/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-throughput.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// Resolution of times, s: that of the Simulator, and of traces.
constexpr double LEAST_STEP = 1e-9;

/// @param seconds a time; @return it as text, such as "12.5 s"
std::string
Seconds(double seconds)
{
    return fmt::format("{:.6g} s", seconds);
}

} // namespace

ThroughputMeter::ThroughputMeter(const StepWindow::Options& window, uint32_t batch)
    : m_options(window),
      m_window(m_options, *this),
      m_batch(batch)
{
}

ThroughputMeter::ThroughputMeter(uint32_t workers,
                                 uint32_t batch,
                                 uint32_t warmup,
                                 uint32_t steps,
                                 bool inStep)
    : ThroughputMeter(StepWindow::Options{workers, warmup, steps, inStep}, batch)
{
}

void
ThroughputMeter::On(const StepRecord& record)
{
    m_window.StepEnded(record);
    ++m_seen;
}

void
ThroughputMeter::WindowRestarted()
{
    m_sum = {};
}

void
ThroughputMeter::StepInWindow(const StepRecord& step)
{
    ++m_sum.ended;
    const double share = m_options.GetShare(step);
    if (share == 0)
    {
        return;
    }
    const double duration = step.end - step.start;
    m_sum.shortest = m_sum.steps == 0 ? duration : std::min(m_sum.shortest, duration);
    m_sum.longest = std::max(m_sum.longest, duration);
    m_sum.seconds += duration;
    m_sum.samples += share * (step.batch > 0 ? step.batch : m_batch);
    ++m_sum.steps;
}

Throughput
ThroughputMeter::GetResult() const
{
    Throughput result;
    result.t0 = m_window.GetStart();
    result.t1 = m_window.GetEnd();
    const bool haveT0 = std::isfinite(result.t0);
    const bool haveT1 = std::isfinite(result.t1);
    if (!m_options.from && m_options.steps <= m_options.warmup)
    {
        result.reason = "no step is left to measure after " + std::to_string(m_options.warmup) +
                        " warm-up steps of " + std::to_string(m_options.steps);
        return result;
    }
    if (m_options.from && !(result.t1 > result.t0))
    {
        result.reason = "no step ended after the warm-up";
        return result;
    }
    if (haveT1 && (!haveT0 || result.t1 <= result.t0))
    {
        result.reason = "a worker had finished all its steps at " + Seconds(result.t1) +
                        ", before the last worker " +
                        (m_options.warmup > 0 ? "had warmed up" : "had started") +
                        (haveT0 ? " at " + Seconds(result.t0) : "") +
                        "; use more steps, fewer warm-up steps or smaller start offsets";
        return result;
    }
    if (!haveT0 || !haveT1)
    {
        result.reason =
            haveT0 ? "no worker finished its last step" : "no worker finished its warm-up";
        return result;
    }
    result.steps = m_sum.steps;
    if (m_sum.steps > 0)
    {
        result.meanStep = m_sum.seconds / m_sum.steps;
        result.shortestStep = m_sum.shortest;
        result.longestStep = m_sum.longest;
    }
    const uint32_t workers =
        m_options.workers - (m_options.from ? 0 : m_window.GetLeftOut()); // gone before t0
    if (!m_options.inRounds && m_sum.ended < workers)
    {
        result.reason = "only " + std::to_string(m_sum.ended) + " of " + std::to_string(workers) +
                        " steps, one for each worker, ended between " + Seconds(result.t0) +
                        " and " + Seconds(result.t1) + "; use more steps";
        return result;
    }
    // Ops and transfers that take no time make a throughput that rounding errors decide.
    if (m_sum.steps > 0 && result.meanStep < LEAST_STEP)
    {
        result.reason = "a step takes " + Seconds(result.meanStep) +
                        ", less than the nanosecond to which times are known: nothing in it takes "
                        "time; use ops or transfers that do";
        return result;
    }
    result.samplesPerSecond = static_cast<double>(m_sum.samples) / (result.t1 - result.t0);
    return result;
}

} // namespace ns3::dml
