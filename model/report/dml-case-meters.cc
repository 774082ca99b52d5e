/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-meters.h"

#include <limits>

namespace ns3::dml
{

CaseMeters::CaseMeters(const Options& options)
    : m_workers(options.window.workers),
      m_throughput(options.window, options.profile.batchSize),
      m_sync(options.window, options.profile.batchSize),
      m_tensors(options.window.workers, options.profile.tensors.size(), options.first),
      m_schedule(options.profile,
                 {options.window.workers,
                  options.servers,
                  options.first,
                  options.window.inRounds,
                  options.gradients}),
      m_timeline(options.first.Of(0)),
      m_gradients(options.engine, options.first.Of(0)),
      m_devices(options.engine, options.profile, options.first.Of(0))
{
    for (RunObserver* meter :
         std::initializer_list<RunObserver*>{&m_throughput, &m_sync, &m_tensors, &m_schedule})
    {
        Add(meter);
    }
    if (options.detailed)
    {
        Add(&m_timeline);
        Add(&m_gradients);
        Add(&m_devices);
    }
}

void
CaseMeters::Summarise(ReplicationSummary& summary) const
{
    summary.throughput = m_throughput.GetResult();
    *summary.schedule = m_schedule.GetSummary();
    summary.sync = m_sync.GetSummary();
    summary.sync.SetStragglers(m_schedule.GetStragglers());
    summary.completions = m_tensors.GetMeanCompletions();
    summary.completionStep = m_tensors.GetMeanStep();
}

void
CaseMeters::Draw(const std::string& engine, CaseResult& result) const
{
    result.timeline = m_timeline.GetSeries(engine, m_workers);
    result.gradients = m_gradients.GetSeries();
    result.devices = m_devices.GetSeries();
}

AutoMeters::AutoMeters(const CaseMeters::Options& options, const StopRule::Options& rule)
    : m_options(options),
      m_rule(rule)
{
}

void
AutoMeters::Observe(const RunRecord& record)
{
    if (CaseMeters* meters = GetOpen()) // also of the step with which the rule ends the run
    {
        meters->Observe(record);
    }
    m_rule.Observe(record);
    if (!m_meters && m_rule.IsWarm())
    {
        Open(m_rule.GetStart());
    }
}

const CaseMeters&
AutoMeters::GetMeters()
{
    if (!m_meters)
    {
        Open(std::numeric_limits<double>::quiet_NaN());
    }
    return *m_meters;
}

void
AutoMeters::Open(double from)
{
    m_options.window.from = from;
    m_options.first = m_rule.GetFreshSteps();
    m_meters = std::make_unique<CaseMeters>(m_options);
}

CaseMeters*
AutoMeters::GetOpen() const
{
    return m_rule.IsDone() ? nullptr : m_meters.get();
}

} // namespace ns3::dml
