/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What jobs of different kinds can have: with servers or without, of training or inference; and
// what may happen to their workers and servers.

#include "dml-job-plugins.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-all-reduce-protocol.h"
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

/// @return whether the job's workers agree in cycles which gradients are reduced
bool
Negotiates(const JobSpec& job)
{
    const auto protocol = DynamicCast<AllReduceProtocol>(MakeProtocol(job));
    return protocol && protocol->Negotiates();
}

/// All workers must start the same collective at the same time: an order of the user's needs
/// somebody who decides for all.
void
CheckCollectiveOrder(const Scenario& scenario, const JobSpec& job)
{
    const std::string& policy = scenario.transfer.policy;
    const bool agreed = Negotiates(job);
    const bool orders = policy == "p3" || policy == "bytescheduler" || IsOwnPolicy(policy);
    if (policy == "fifo" || policy == "http2-window" || (agreed && orders))
    {
        return;
    }
    const std::string reason =
        orders                  ? "where workers start collectives in one fixed order"
        : IsOrderPolicy(policy) ? "whose order is one of pulls, which there are not"
        : policy == "prophet"   ? "whose blocks are made for one connection and its rate"
                                : "whose unit is not a gradient";
    throw ScenarioError(scenario,
                        "transfer.policy",
                        "'" + policy + "' with job.protocol " + job.protocol + ", " + reason,
                        IsSharded(job)
                            ? "http2-window, fifo, or a protocol with servers"
                            : "http2-window, fifo, with job.gradient_groups {horovod: {}}, "
                              "where the first worker decides for all, p3 or bytescheduler, "
                              "or a protocol with servers");
}

/// What is agreed on in cycles, and what only all-reduce can group.
void
CheckNegotiation(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    const GradientGroupSpec& groups = job.gradientGroups;
    if ((job.parameterServers > 0 || IsSharded(job)) &&
        (groups.rule == "horovod" || groups.findUnused))
    {
        const std::string rule = groups.findUnused ? "find_unused" : "horovod";
        checked.Refuse(".gradient_groups",
                       rule + " with job.protocol " + job.protocol,
                       rule + " with all-reduce, or another rule");
    }
    if (!Negotiates(job))
    {
        return;
    }
    const bool named = groups.rule == "horovod";
    const std::string cycles = named ? "horovod" : "Cycle";
    if (!job.allReduce.rebuild.IsZero())
    {
        checked.Refuse(named ? ".gradient_groups" : ".protocol",
                       cycles + " with " + key +
                           ".all_reduce.on_crash {rebuild: DURATION}, where the worker that "
                           "decides may be gone",
                       named ? "other gradient_groups, or on_crash stop"
                             : "it without Cycle, or on_crash stop");
    }
    if (DynamicCast<AllReduceProtocol>(MakeProtocol(job))->ChoosesBySize())
    {
        checked.Refuse(".all_reduce.algorithm",
                       "'" + job.allReduce.algorithm + "' with " + key +
                           (named ? ".gradient_groups horovod" : ".protocol with Cycle") +
                           ", whose buffers have no size before they are reduced",
                       named ? "another algorithm, or other gradient_groups"
                             : "another algorithm, or a protocol without Cycle");
    }
}

/// What only switches that add up can have, and what they cannot.
void
CheckAggregation(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    const std::string path = key + ".all_reduce.";
    const std::string& name = job.allReduce.algorithm;
    for (const std::string own : {"slots", "chunk", "root"})
    {
        if (name != "in-network" && IsMisplaced(scenario, path + own, path + "algorithm"))
        {
            checked.Refuse(".all_reduce." + own,
                           "the key with " + path + "algorithm " + name,
                           "it with in-network");
        }
    }
    if (!UsesAggregators(job))
    {
        return;
    }
    if (!job.allReduce.rebuild.IsZero())
    {
        checked.Refuse(".all_reduce.on_crash",
                       "{rebuild: DURATION} with " + path + "algorithm " + name +
                           ", whose switches would have to learn who is left",
                       "stop, or another algorithm");
    }
    if (job.allReduce.reduction > 0)
    {
        checked.Refuse(".all_reduce.reduction",
                       "a time with " + path + "algorithm " + name +
                           ", where switches add up at the rate of their ports, and workers "
                           "nothing",
                       "0, or another algorithm");
    }
    if (scenario.network.multipath.IsOn())
    {
        throw ScenarioError(scenario,
                            "network.multipath",
                            "several paths with " + path + "algorithm " + name +
                                ", whose tree has one to each switch",
                            "none, or another algorithm");
    }
    if (scenario.packet.fastForward.on)
    {
        throw ScenarioError(scenario,
                            "packet.fast_forward",
                            "true with " + path + "algorithm " + name +
                                ", whose chunks follow each other too closely to be skipped",
                            "false, or another algorithm");
    }
}

/// What only jobs with servers can have.
void
CheckWithoutServers(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    if (job.parameterServers > 0)
    {
        return;
    }
    const std::string with = " with job.protocol " + job.protocol;
    const std::string others = "a protocol with servers";
    if (job.shedding.on)
    {
        checked.Refuse(".shedding", "a map" + with, "off, or " + others);
    }
    if (!job.serverDevices.empty())
    {
        checked.Refuse(".server_devices", "a list" + with, others);
    }
    const OverheadSpec& overhead = scenario.overhead;
    if (overhead.alpha > 0 || overhead.beta > 0 || overhead.GetServerAlpha() > 0 ||
        overhead.GetServerBeta() > 0)
    {
        throw ScenarioError(scenario,
                            "overhead",
                            "parsing" + with,
                            "no overhead, job.all_reduce.reduction, or " + others);
    }
    if (job.batchControl.rule != "off" && !job.allReduce.rebuild.IsZero())
    {
        checked.Refuse(".batch_control",
                       "'" + job.batchControl.rule + "' with " + key +
                           ".all_reduce.on_crash {rebuild: DURATION}, where the worker that "
                           "chooses may be gone",
                       "off, or on_crash stop");
    }
    if (!job.allReduce.barrier && !job.allReduce.rebuild.IsZero())
    {
        checked.Refuse(".all_reduce.barrier",
                       "false with " + key +
                           ".all_reduce.on_crash {rebuild: DURATION}, which "
                           "begins again between two steps",
                       "true, or on_crash stop");
    }
    CheckCollectiveOrder(scenario, job);
    if (IsSharded(job))
    {
        CheckSharded(checked);
    }
    CheckAggregation(checked);
}

/// What only training has: gradients, and batches that follow them.
void
CheckInference(const CheckedJob& checked)
{
    const JobSpec& job = checked.job;
    if (job.workload != "inference")
    {
        return;
    }
    const auto refuse = [&checked](const std::string& name, const std::string& found) {
        checked.Refuse("." + name,
                       found + " with " + checked.key +
                           ".workload inference, which has no gradients",
                       "another one with workload training");
    };
    if (job.protocol != "run-graph")
    {
        refuse("protocol", "'" + job.protocol + "'");
    }
    if (job.gradientGroups.rule != "off" && job.gradientGroups.rule != "auto")
    {
        refuse("gradient_groups", job.gradientGroups.rule);
    }
    if (job.batchControl.rule != "off")
    {
        refuse("batch_control", "'" + job.batchControl.rule + "'");
    }
    if (job.shedding.on)
    {
        refuse("shedding", "a map");
    }
}

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
                            IsSharded(scenario.job)
                                ? "a crash for good, or another protocol"
                                : "a crash for good, or job.all_reduce.on_crash {rebuild: "
                                  "DURATION}");
    }
    if (protocol->StepsOverlap())
    {
        throw ScenarioError(scenario,
                            HostKey(crash),
                            "a crash with job.protocol " + scenario.job.protocol +
                                ", whose steps overlap",
                            "crashes with job.protocol run-graph, or with all-reduce and "
                            "job.all_reduce.barrier: true");
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
CheckWorkload(const CheckedJob& checked)
{
    CheckNegotiation(checked);
    CheckWithoutServers(checked);
    CheckInference(checked);
}

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
