/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-process-faults.h"

#include "ns3/dml-host-role.h"
#include "ns3/dml-speed-product.h"
#include "ns3/dml-speed-trace.h"

#include <algorithm>
#include <memory>

namespace ns3::dml
{

namespace
{

/// @return 1, the factor for a while, and 1 again
std::shared_ptr<const DeviceSpeed>
MakeFactor(const ProcessFaultSpec& fault)
{
    std::vector<SpeedChange> changes;
    if (fault.start > Time(0))
    {
        changes.push_back({0, 1});
    }
    changes.push_back({fault.start.GetSeconds(), fault.factor});
    if (fault.duration < Time::Max())
    {
        changes.push_back({(fault.start + fault.duration).GetSeconds(), 1});
    }
    const auto factor = std::make_shared<SpeedTrace>(changes);
    factor->SetKey(fault.key + ".to");
    return factor;
}

void
SlowDown(const ProcessFaultSpec& fault, const HostRole& victim, TrainingRun& run)
{
    if (victim.isWorker)
    {
        run.compute.resize(run.workers);
        auto& speed = run.compute[victim.index].speed;
        speed = MultiplySpeeds({speed, MakeFactor(fault)});
    }
    else
    {
        run.serverSpeeds.resize(run.plan->servers);
        auto& speed = run.serverSpeeds[victim.index];
        speed = MultiplySpeeds({speed, MakeFactor(fault)});
    }
}

WorkerCrash
MakeCrash(const ProcessFaultSpec& fault, uint32_t worker)
{
    WorkerCrash crash;
    crash.worker = worker;
    crash.at = fault.start.GetSeconds();
    if (fault.duration < Time::Max())
    {
        crash.rejoin = (fault.start + fault.duration).GetSeconds();
    }
    return crash;
}

void
Crash(const ProcessFaultSpec& fault, const HostRole& victim, TrainingRun& run)
{
    WorkerCrash crash = MakeCrash(fault, victim.index);
    if (victim.isWorker && (run.plan->servers > 0 || run.elastic))
    {
        run.crashes.push_back(crash);
        return;
    }
    if (!victim.isWorker)
    {
        run.restores.push_back(crash.at);
    }
    // collectives without one of their workers never end: the job is over; a server takes all
    // sessions with it
    for (crash.worker = 0; crash.worker < run.workers; ++crash.worker)
    {
        run.crashes.push_back(crash);
    }
}

} // namespace

std::vector<ServerCrash>
ListServerCrashes(const std::vector<ProcessFaultSpec>& faults,
                  const std::vector<JobSize>& jobs,
                  const std::optional<Time>& checkpoint)
{
    std::vector<ServerCrash> crashes;
    for (const auto& fault : faults)
    {
        const auto victim = FindHostRole(fault.host, jobs);
        if (fault.kind != ProcessFaultSpec::Kind::CRASH || !victim || victim->isWorker)
        {
            continue;
        }
        const int64_t every = checkpoint ? checkpoint->GetTimeStep() : 0;
        const int64_t saved = every > 0 ? fault.start.GetTimeStep() / every * every : 0;
        crashes.push_back({victim->index,
                           fault.start.GetSeconds(),
                           (fault.start + fault.duration).GetSeconds(),
                           TimeStep(saved).GetSeconds()});
    }
    std::sort(crashes.begin(), crashes.end(), [](const ServerCrash& a, const ServerCrash& b) {
        return a.at < b.at;
    });
    for (std::size_t i = 1; i < crashes.size(); ++i)
    {
        if (crashes[i].checkpoint < crashes[i - 1].back) // nobody saved then
        {
            crashes[i].checkpoint = crashes[i - 1].checkpoint;
        }
    }
    return crashes;
}

std::vector<WorkerCrash>
ListCrashes(const std::vector<ProcessFaultSpec>& faults, const std::vector<JobSize>& jobs)
{
    std::vector<WorkerCrash> crashes;
    for (const auto& fault : faults)
    {
        const auto victim = FindHostRole(fault.host, jobs);
        if (fault.kind == ProcessFaultSpec::Kind::CRASH && victim && victim->isWorker &&
            victim->job == 0)
        {
            crashes.push_back(MakeCrash(fault, victim->index));
        }
    }
    return crashes;
}

std::map<uint32_t, double>
ListFirstCrashes(const std::vector<ProcessFaultSpec>& faults, const std::vector<JobSize>& jobs)
{
    std::map<uint32_t, double> first;
    for (const auto& crash : ListCrashes(faults, jobs))
    {
        const auto known = first.emplace(crash.worker, crash.at).first;
        known->second = std::min(known->second, crash.at);
    }
    return first;
}

void
ApplyProcessFaults(const std::vector<ProcessFaultSpec>& faults, std::vector<TrainingRun>& runs)
{
    std::vector<JobSize> sizes;
    for (const auto& run : runs)
    {
        sizes.push_back({run.workers, run.plan->servers});
    }
    for (const auto& fault : faults)
    {
        const auto victim = FindHostRole(fault.host, sizes);
        if (!victim)
        {
            continue;
        }
        if (fault.kind == ProcessFaultSpec::Kind::SLOW)
        {
            SlowDown(fault, *victim, runs[victim->job]);
        }
        else
        {
            Crash(fault, *victim, runs[victim->job]);
        }
    }
}

} // namespace ns3::dml
