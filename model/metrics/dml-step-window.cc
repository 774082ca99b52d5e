/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-window.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::dml
{

namespace
{

/// @param time s, infinite while it is not known @return the same, NaN while it is not known
double
OrNan(double time)
{
    return std::isfinite(time) ? time : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

StepWindow::StepWindow(const Options& options, StepWindowListener& listener)
    : m_options(options),
      m_listener(listener),
      m_warm(options.workers, false),
      m_left(options.workers),
      m_ends(options.inRounds ? options.workers : 0, std::numeric_limits<double>::infinity()),
      m_t0(options.from.value_or(-std::numeric_limits<double>::infinity())),
      m_t1(options.inRounds ? -std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::infinity())
{
}

void
StepWindow::StepEnded(const StepRecord& record)
{
    if (record.worker >= m_options.workers)
    {
        throw RunError("a step of worker " + std::to_string(record.worker) +
                       " was reported, but the run has " + Plural(m_options.workers, "worker"));
    }
    if (m_options.from)
    {
        m_left -= m_warm[record.worker] ? 0 : 1;
        m_warm[record.worker] = true;
        m_t1 = record.end;
        m_listener.StepInWindow(record);
        return;
    }
    if (m_options.inRounds)
    {
        RoundStepEnded(record);
        return;
    }
    const bool warmup = m_options.warmup > 0;
    if (!m_warm[record.worker] && record.step + 1 >= m_options.warmup)
    {
        m_warm[record.worker] = true;
        --m_left;
        MoveStart(warmup ? record.end : record.start);
        if (m_left == 0)
        {
            m_early = {};
        }
    }
    if (record.step + 1 >= m_options.steps)
    {
        m_t1 = std::min(m_t1, record.end);
    }
    // With warm-up t0 only moves to the end of a step still to come: no step seen before counts
    // then.
    if (m_warm[record.worker] && Tell(record) && !warmup && m_left > 0)
    {
        m_early.push_back(record);
    }
}

void
StepWindow::RoundStepEnded(const StepRecord& record)
{
    const bool last = record.step + 1 == m_options.steps;
    const bool single = m_options.steps == m_options.warmup + 1;
    const bool counts = m_options.GetShare(record) > 0;
    if (record.step == m_options.warmup && counts)
    {
        // With t1 at an end, what makes a step begin late is before its start.
        m_t0 =
            std::max(m_t0, single ? std::min(record.start, m_ends[record.worker]) : record.start);
    }
    m_ends[record.worker] = record.end;
    if (last && counts)
    {
        m_t1 = std::max(m_t1, single ? record.end : record.start);
    }
    if (record.step < m_options.warmup)
    {
        return;
    }
    if (!m_warm[record.worker])
    {
        m_warm[record.worker] = true;
        --m_left;
    }
    if (single || !last)
    {
        m_listener.StepInWindow(record);
    }
}

void
StepWindow::MoveStart(double t0)
{
    if (t0 <= m_t0)
    {
        return;
    }
    m_t0 = t0;
    m_listener.WindowRestarted();
    std::vector<StepRecord> early;
    early.swap(m_early);
    for (const auto& record : early)
    {
        if (Tell(record))
        {
            m_early.push_back(record);
        }
    }
}

bool
StepWindow::Tell(const StepRecord& record)
{
    if (record.end <= m_t0 || record.end > m_t1)
    {
        return false;
    }
    m_listener.StepInWindow(record);
    return true;
}

double
StepWindow::GetStart() const
{
    return OrNan(m_t0);
}

double
StepWindow::GetEnd() const
{
    return OrNan(m_t1);
}

} // namespace ns3::dml
