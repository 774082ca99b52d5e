/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stop-rule.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Steps in a batch that the detector of the warm-up compares, at least: the 5 of MSER-5.
constexpr uint32_t STEPS_PER_BATCH = 5;

/// Progress of a run that has not stopped.
constexpr double ALMOST_DONE = 0.99;

/// @param when something happens, s @return why a run that ends before is not sure
std::string
DescribeWait(double when)
{
    return fmt::format("something was still to happen at {:.6g} s", when);
}

} // namespace

StopRule::StopRule(const Options& options)
    : m_options(options),
      m_detector((STEPS_PER_BATCH + options.window.workers - 1) / options.window.workers,
                 LEAST_WARMUP),
      m_ready(options.window.workers, false),
      m_fronts(options.window.workers, 0)
{
    m_summary.target = options.target;
    m_summary.warmupGiven = options.warmupGiven;
    m_summary.atMost = options.window.steps;
}

void
StopRule::On(const StepRecord& record)
{
    if (record.worker >= m_options.window.workers)
    {
        throw RunError("a step of worker " + std::to_string(record.worker) +
                       " was reported, but the run has " +
                       Plural(m_options.window.workers, "worker"));
    }
    if (m_done)
    {
        return;
    }
    ++m_steps;
    ++m_inRound;
    m_fronts[record.worker] = std::max(m_fronts[record.worker], record.step + 1);
    m_front = std::max(m_front, record.step + 1);
    const uint32_t batch = record.batch > 0 ? record.batch : m_options.batch;
    m_samples += m_options.window.GetShare(record) * batch;
    if (m_options.warmupGiven && !m_summary.warm && record.step + 1 >= m_options.window.warmup)
    {
        m_ready[record.worker] = true;
        if (!IsAnyCold() && record.end >= m_options.opensNotBefore)
        {
            Open(record.end);
            return;
        }
    }
    if (m_inRound >= m_options.window.workers)
    {
        RoundEnded(record.end);
    }
}

void
StopRule::RoundEnded(double now)
{
    const uint32_t atMost = m_options.window.steps;
    if (m_samples > 0) // or else all that was done is dropped: the round goes on
    {
        const double before = m_lastEnd;
        const double seconds = now - before;
        const double samples = m_samples;
        m_lastEnd = now;
        m_samples = 0;
        m_inRound = 0;
        m_progress = std::max(m_progress, static_cast<double>(m_front) / atMost);
        if (m_summary.warm)
        {
            m_now = now;
            if (m_means.Add(samples, seconds))
            {
                const auto interval = m_means.GetInterval();
                m_summary.sure = FindDoubt(interval, now).empty();
                m_done = m_summary.sure;
                const double ratio = interval ? interval->halfWidth / m_options.target : 0;
                m_progress = std::max(m_progress, ratio > 0 ? std::min(1.0, 1 / ratio / ratio) : 0);
            }
        }
        else if (!m_options.warmupGiven && now >= m_options.opensNotBefore)
        {
            // nobody knows when the first round began: workers do not start together
            const bool whole = !m_firstRound && before >= m_options.opensNotBefore;
            const bool over = whole && m_detector.Add(seconds / samples);
            m_firstRound = false;
            m_forced = !over && 2 * static_cast<uint64_t>(m_front) > atMost;
            if (over || m_forced)
            {
                Open(now);
            }
        }
    }
    m_progress = std::min(m_progress, ALMOST_DONE);
    if (m_front >= atMost && !m_done)
    {
        m_done = true;
        m_summary.sure = m_summary.warm && FindDoubt(m_means.GetInterval(), now).empty();
    }
    m_progress = m_done ? 1 : m_progress;
}

void
StopRule::Open(double now)
{
    m_summary.warm = true;
    m_summary.warmup = m_front;
    m_start = now;
    m_now = now;
    m_lastEnd = now;
    m_samples = 0;
    m_inRound = 0;
}

std::string
StopRule::FindDoubt(const std::optional<RateInterval>& interval, double now) const
{
    if (m_forced)
    {
        return "its warm-up was not seen to end within " + Plural(m_summary.warmup, "step");
    }
    if (!interval || interval->batches < BatchMeans::LEAST_BATCHES)
    {
        return "fewer than " + std::to_string(BatchMeans::LEAST_BATCHES) +
               " rounds of all workers were measured";
    }
    if (m_means.GetCount() < m_options.least)
    {
        return "fewer than " + std::to_string(m_options.least) +
               " rounds were measured, in which all samples of the profile come";
    }
    if (now - m_start < m_options.leastSeconds)
    {
        return fmt::format("less than {:.6g} s were measured, in which what recurs comes once",
                           m_options.leastSeconds);
    }
    if (now < m_options.notBefore)
    {
        return DescribeWait(m_options.notBefore);
    }
    if (interval->correlation > MOST_CORRELATION)
    {
        return "batches of " + std::to_string(interval->observations) +
               fmt::format(" rounds still correlate ({:.2f}): it drifts", interval->correlation);
    }
    if (interval->halfWidth > m_options.target)
    {
        return fmt::format("its interval is +- {:.2g} %", 100 * interval->halfWidth);
    }
    return "";
}

void
StopRule::On(const CrashRecord& record)
{
    m_ready.at(record.worker) = true; // nobody waits for it
}

void
StopRule::On(const RejoinRecord& record)
{
    m_ready.at(record.worker) = record.step >= m_options.window.warmup;
    m_fronts[record.worker] = std::max(m_fronts[record.worker], record.step);
}

bool
StopRule::IsAnyCold() const
{
    return std::find(m_ready.begin(), m_ready.end(), false) != m_ready.end();
}

FirstSteps
StopRule::GetFreshSteps() const
{
    // where steps overlap, a worker has begun two that have not ended
    constexpr uint32_t BEGUN = 2;
    if (m_options.window.inRounds)
    {
        return m_front + BEGUN; // a worker that is late may have skipped steps to catch up
    }
    std::vector<uint32_t> fresh;
    for (const uint32_t front : m_fronts)
    {
        fresh.push_back(front + BEGUN);
    }
    return FirstSteps(std::move(fresh));
}

StopSummary
StopRule::GetSummary() const
{
    StopSummary summary = m_summary;
    summary.steps = m_front;
    if (m_summary.warm)
    {
        summary.interval = m_means.GetInterval();
    }
    if (!m_done)
    {
        summary.reason = "all workers had ended before";
    }
    else if (!summary.warm && m_lastEnd < m_options.opensNotBefore)
    {
        summary.reason = DescribeWait(m_options.opensNotBefore);
    }
    else if (!summary.warm)
    {
        summary.reason = "not all workers had done their warm-up";
    }
    else if (!summary.sure)
    {
        summary.reason = FindDoubt(summary.interval, m_now);
    }
    return summary;
}

} // namespace ns3::dml
