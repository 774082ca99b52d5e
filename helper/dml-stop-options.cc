/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stop-options.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// @return when what starts then and lasts so long is over; if it lasts for good, when it starts
Time
GetEnd(const Time& start, const Time& duration)
{
    return duration < Time::Max() ? start + duration : start;
}

/// @return steps after which the samples of every worker come again; 0 if they are drawn at random
uint64_t
GetSamplingPeriod(const PreparedJob& job)
{
    uint64_t period = job.spec.sampling.rule == "in-order" ? job.profile->GetSampleCount() : 0;
    for (const auto& list : job.spec.sampling.lists)
    {
        period = std::max<uint64_t>(period, list.size());
    }
    return period;
}

} // namespace

double
GetLastChange(const Scenario& scenario)
{
    Time last(0);
    for (const auto& fault : scenario.network.faults)
    {
        last = Max(last, GetEnd(fault.start, fault.duration));
    }
    for (const auto& fault : scenario.processFaults)
    {
        last = Max(last, GetEnd(fault.start, fault.duration));
    }
    for (const auto& flow : scenario.network.background)
    {
        last = Max(last, flow.stop < Time::Max() ? flow.stop : flow.start);
    }
    for (const auto& offset : scenario.job.start.offsets)
    {
        last = Max(last, offset);
    }
    for (const auto& [name, device] : scenario.job.devices)
    {
        last = Max(last, device.trace.repeat);
    }
    return last.GetSeconds();
}

StopRule::Options
MakeStopOptions(const PreparedScenario& prepared, const StepWindow::Options& window)
{
    const PreparedJob& job = prepared.GetJob();
    StopRule::Options options;
    options.window = window;
    options.batch = job.profile->batchSize;
    options.target = job.spec.autoSteps.target;
    options.warmupGiven = !job.spec.autoSteps.detectWarmup;
    options.least = GetSamplingPeriod(job);
    options.notBefore = GetLastChange(prepared.scenario);
    return options;
}

} // namespace dml
} // namespace ns3
