/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-plugins.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-host-role.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

namespace ns3::dml
{

namespace
{

/// @return where the name of the host stands
std::string
HostKey(const ProcessFaultSpec& fault)
{
    return fault.key + (fault.kind == ProcessFaultSpec::Kind::CRASH ? ".crash" : ".slow");
}

/// @return who it is that the fault hits, in a cluster of some size
HostRole
FindVictim(const Scenario& scenario, const ProcessFaultSpec& fault, uint32_t workers)
{
    const auto role = FindHostRole(fault.host, GetJobSizes(scenario, workers));
    if (!role)
    {
        throw ScenarioError(
            scenario,
            HostKey(fault),
            "'" + fault.host + "', no such worker or server in a cluster of " +
                Plural(workers, "worker"),
            "workerN or psN; of other jobs than the first, jobK.workerN or jobK.psN",
            SuggestNode(scenario, fault.host, workers));
    }
    return *role;
}

void
CheckCrash(const Scenario& scenario, const ProcessFaultSpec& crash, const HostRole& victim)
{
    if (victim.job > 0)
    {
        throw ScenarioError(scenario,
                            HostKey(crash),
                            "'" + crash.host + "'",
                            "a worker or server of the first job, workerN or psN");
    }
    if (!victim.isWorker && crash.duration == Time::Max())
    {
        throw ScenarioError(scenario,
                            HostKey(crash),
                            "a server, '" + crash.host + "', without which nothing goes on",
                            "rejoin: DURATION with it");
    }
    const Ptr<Protocol> protocol = MakeProtocol(scenario.job);
    const bool stops = !protocol->HasServers() && scenario.job.allReduce.rebuild.IsZero();
    if (stops && crash.duration < Time::Max())
    {
        throw ScenarioError(scenario,
                            HostKey(crash),
                            "a crash with rejoin and job.protocol " + scenario.job.protocol +
                                ", whose workers stop with it",
                            "a crash for good, or job.all_reduce.on_crash {rebuild: DURATION}");
    }
    if (protocol->StepsOverlap())
    {
        throw ScenarioError(scenario,
                            HostKey(crash),
                            "a crash with job.protocol " + scenario.job.protocol,
                            "crashes with job.protocol run-graph");
    }
}

/// @param lives crashes of a worker so far, by time; gets another one
void
CheckLife(const Scenario& scenario,
          const ProcessFaultSpec& fault,
          std::map<Time, const ProcessFaultSpec*>& lives)
{
    const auto [place, fresh] = lives.insert({fault.start, &fault});
    const auto next = std::next(place);
    const auto isBack = [](const ProcessFaultSpec& crash, const Time& time) {
        return crash.duration < time - crash.start;
    };
    const bool fits = fresh &&
                      (place == lives.begin() || isBack(*std::prev(place)->second, fault.start)) &&
                      (next == lives.end() || isBack(fault, next->first));
    if (!fits)
    {
        const bool all = std::all_of(lives.begin(), lives.end(), [&fault](const auto& life) {
            return life.second->host == fault.host;
        });
        throw ScenarioError(scenario,
                            HostKey(fault),
                            "'" + fault.host +
                                (all ? "', which has crashed already and not rejoined by then"
                                     : "', whose crash overlaps another one"),
                            "crashes of a worker one after the other; that of a server is one of "
                            "all workers");
    }
}

/// A worker dies once at a time, with a server too.
void
CheckLives(const Scenario& scenario)
{
    const uint32_t workers =
        *std::max_element(scenario.job.workers.begin(), scenario.job.workers.end());
    std::map<uint32_t, std::map<Time, const ProcessFaultSpec*>> crashes;
    for (const auto& fault : scenario.processFaults)
    {
        if (fault.kind != ProcessFaultSpec::Kind::CRASH)
        {
            continue;
        }
        const HostRole victim = FindVictim(scenario, fault, workers);
        for (uint32_t worker = 0; worker < workers; ++worker)
        {
            if (!victim.isWorker || victim.index == worker)
            {
                CheckLife(scenario, fault, crashes[worker]);
            }
        }
    }
}

} // namespace

void
CheckProcessFaults(const Scenario& scenario)
{
    const Ptr<Protocol> protocol = MakeProtocol(scenario.job);
    if (scenario.job.checkpoint && (!protocol->HasServers() || protocol->StepsOverlap()))
    {
        throw ScenarioError(scenario,
                            "job.checkpoint",
                            "a time with job.protocol " + scenario.job.protocol +
                                ", with which no server can crash",
                            "no checkpoint, or job.protocol run-graph");
    }
    for (const auto& fault : scenario.processFaults)
    {
        for (const uint32_t workers : scenario.job.workers)
        {
            const HostRole victim = FindVictim(scenario, fault, workers);
            if (fault.kind == ProcessFaultSpec::Kind::CRASH)
            {
                CheckCrash(scenario, fault, victim);
            }
        }
    }
    CheckLives(scenario);
}

} // namespace ns3::dml
