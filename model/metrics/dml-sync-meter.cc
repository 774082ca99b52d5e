/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-meter.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace ns3::dml
{

namespace
{

/// @return sum / number, NaN if the number is 0
double
Mean(double sum, double number)
{
    return number > 0 ? sum / number : std::numeric_limits<double>::quiet_NaN();
}

/// Least length of SyncMeter's history at which it is worth shortening.
constexpr std::size_t SHORTEST_FRONT = 1024;

} // namespace

void
WorkerSync::Merge(const WorkerSync& other)
{
    steps += other.steps;
    updates += other.updates;
    dropped += other.dropped;
    samples += other.samples;
    seconds += other.seconds;
    knownSeconds += other.knownSeconds;
    known += other.known;
    waiting += other.waiting;
    last += other.last;
}

double
WorkerSync::GetMeanStep() const
{
    return Mean(seconds, steps);
}

double
WorkerSync::GetMeanWaiting() const
{
    return Mean(waiting, known);
}

double
WorkerSync::GetWaitingShare() const
{
    return Mean(waiting, knownSeconds);
}

double
WorkerSync::GetMeanBatch() const
{
    return Mean(samples, steps);
}

WorkerSync
SyncSummary::GetAll() const
{
    WorkerSync all;
    for (const auto& worker : workers)
    {
        all.Merge(worker);
    }
    return all;
}

double
SyncSummary::GetUpdateTime() const
{
    return Mean(window, GetAll().updates);
}

void
SyncSummary::SetStragglers(const StragglerMeter& meter)
{
    rounds = meter.GetIterations();
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
    {
        workers[worker].last = meter.GetLast().at(worker);
    }
}

void
SyncSummary::Merge(const SyncSummary& other)
{
    workers.resize(std::max(workers.size(), other.workers.size()));
    for (std::size_t worker = 0; worker < other.workers.size(); ++worker)
    {
        workers[worker].Merge(other.workers[worker]);
    }
    rounds += other.rounds;
    leftOut = std::max(leftOut, other.leftOut);
    window += other.window;
    largestLead = std::max(largestLead, other.largestLead); // nothing is less than 0
}

SyncMeter::SyncMeter(const StepWindow::Options& window, uint32_t batch)
    : m_options(window),
      m_window(window, *this),
      m_batch(batch),
      m_workers(window.workers),
      m_forgetAt(SHORTEST_FRONT),
      m_asksFrom(window.workers, 0)
{
}

void
SyncMeter::On(const StepRecord& record)
{
    m_window.StepEnded(record);
    if (record.done != UNKNOWN_TIME)
    {
        // Steps come in order of their end, so what could be started before this end is known.
        const auto after =
            std::lower_bound(m_front.begin(),
                             m_front.end(),
                             record.done,
                             [](const auto& front, double time) { return front.first < time; });
        const uint32_t front = after == m_front.begin() ? 0 : std::prev(after)->second;
        m_lead = std::max(m_lead.value_or(0), front > record.step ? front - record.step : 0);
        m_asksFrom[record.worker] = record.done; // its steps are done one after the other
    }
    if (m_front.empty() || m_front.back().second < record.step + 1)
    {
        m_front.emplace_back(record.end, record.step + 1);
        if (m_front.size() >= m_forgetAt)
        {
            ForgetFront();
        }
    }
}

void
SyncMeter::On(const CrashRecord& record)
{
    if (record.worker < m_asksFrom.size())
    {
        m_asksFrom[record.worker] = std::numeric_limits<double>::infinity();
    }
}

void
SyncMeter::On(const RejoinRecord& record)
{
    if (record.worker < m_asksFrom.size())
    {
        m_asksFrom[record.worker] = record.time;
    }
}

void
SyncMeter::ForgetFront()
{
    const double from = *std::min_element(m_asksFrom.begin(), m_asksFrom.end());
    const auto after =
        std::lower_bound(m_front.begin(), m_front.end(), from, [](const auto& front, double time) {
            return front.first < time;
        });
    if (after != m_front.begin())
    {
        m_front.erase(m_front.begin(), std::prev(after));
    }
    m_forgetAt = std::max(SHORTEST_FRONT, 2 * m_front.size());
}

SyncSummary
SyncMeter::GetSummary() const
{
    SyncSummary summary;
    summary.workers.resize(m_workers.size());
    summary.largestLead = m_lead;
    summary.leftOut = m_window.GetLeftOut();
    const double length = m_window.GetEnd() - m_window.GetStart();
    if (length > 0) // not if a bound is NaN
    {
        summary.workers = m_workers;
        summary.window = length;
    }
    return summary;
}

void
SyncMeter::WindowRestarted()
{
    std::fill(m_workers.begin(), m_workers.end(), WorkerSync());
}

void
SyncMeter::StepInWindow(const StepRecord& step)
{
    WorkerSync& worker = m_workers[step.worker];
    const double duration = step.end - step.start;
    ++worker.steps;
    worker.updates += m_options.GetShare(step);
    worker.dropped += step.dropped;
    worker.samples += step.batch > 0 ? step.batch : m_batch;
    worker.seconds += duration;
    if (step.done != UNKNOWN_TIME)
    {
        ++worker.known;
        worker.knownSeconds += duration;
        worker.waiting += std::max(0.0, step.end - step.done);
    }
}

} // namespace ns3::dml
