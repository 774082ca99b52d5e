/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stop-options.h"

#include "ns3/dml-scenario-check.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Adds a change from @p start on that lasts until @p end; the largest Time: for good.
void
AddChange(const Time& start, const Time& end, ScheduledChanges& changes)
{
    const bool lasts = end == Time::Max();
    changes.last = std::max(changes.last, (lasts ? start : end).GetSeconds());
    if (lasts)
    {
        changes.lasting = std::max(changes.lasting, start.GetSeconds());
    }
}

/// @return when what starts then and lasts so long is over; the largest Time: never
Time
GetEnd(const Time& start, const Time& duration)
{
    return duration < Time::Max() ? start + duration : duration;
}

/// Adds a flow that is not of a job.
void
AddFlow(const BackgroundSpec& flow, ScheduledChanges& changes)
{
    const bool endless = flow.stop == Time::Max();
    if (endless && flow.kind == BackgroundSpec::Kind::BULK && flow.bytes > 0)
    {
        AddChange(flow.start, flow.start, changes); // how long it takes is not known beforehand
        return;
    }
    AddChange(flow.start, flow.stop, changes);
    if (endless && flow.kind == BackgroundSpec::Kind::ON_OFF)
    {
        changes.period = std::max(changes.period, (flow.on + flow.off).GetSeconds());
    }
}

/// Adds the starts and the devices of a job with so many workers.
void
AddJob(const JobSpec& job, uint32_t workers, ScheduledChanges& changes)
{
    const auto& offsets = job.start.offsets;
    for (std::size_t worker = 0; worker < std::min<std::size_t>(workers, offsets.size()); ++worker)
    {
        AddChange(offsets[worker], Time::Max(), changes);
    }
    for (const auto& [name, device] : job.devices)
    {
        for (const Time& period : {device.trace.repeat,
                                   device.changes.every + device.changes.length,
                                   device.spikes.every + device.spikes.length})
        {
            changes.period = std::max(changes.period, period.GetSeconds());
        }
    }
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

ScheduledChanges
FindScheduledChanges(const Scenario& scenario, uint32_t workers)
{
    ScheduledChanges changes;
    for (const auto& fault : scenario.network.faults)
    {
        AddChange(fault.start, GetEnd(fault.start, fault.duration), changes);
    }
    for (const auto& fault : scenario.processFaults)
    {
        const bool crash = fault.kind == ProcessFaultSpec::Kind::CRASH;
        const Time start = fault.start + (crash ? scenario.job.allReduce.rebuild : Time(0));
        AddChange(start, GetEnd(start, fault.duration), changes);
    }
    for (const auto& flow : scenario.network.background)
    {
        AddFlow(flow, changes);
    }
    const std::vector<JobSize> sizes = GetJobSizes(scenario, workers);
    for (uint32_t index = 0; index < sizes.size(); ++index)
    {
        AddJob(GetJob(scenario, index), sizes[index].workers, changes);
    }
    return changes;
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
    const ScheduledChanges changes = FindScheduledChanges(prepared.scenario, window.workers);
    options.leastSeconds = changes.period;
    options.notBefore = changes.last;
    options.opensNotBefore = changes.lasting;
    return options;
}

} // namespace ns3::dml
