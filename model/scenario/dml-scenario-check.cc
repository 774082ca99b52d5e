/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-check.h"

#include "dml-job-plugins.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-transfer-spec.h"

#include <algorithm>
#include <cstdint>
#include <fmt/core.h>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

void
CheckWorkers(const Scenario& scenario)
{
    const auto& workers = scenario.job.workers;
    if (workers.empty())
    {
        throw ScenarioError(scenario,
                            "job.workers",
                            "an empty list",
                            "an integer of at least 1, or a list of them");
    }
    std::set<uint32_t> seen;
    for (std::size_t i = 0; i < workers.size(); ++i)
    {
        if (!seen.insert(workers[i]).second)
        {
            throw ScenarioError(scenario,
                                "job.workers[" + std::to_string(i) + "]",
                                QuoteNumber(workers[i]) + " a second time",
                                "each number of workers once");
        }
    }
}

/// A list of workers for each host tells how many there are.
void
CheckHosts(const CheckedJob& checked)
{
    const uint64_t total = checked.job.workersPerHost.GetTotal();
    for (const uint32_t workers : checked.job.workers)
    {
        if (total > 0 && workers != total)
        {
            checked.Refuse(".workers",
                           QuoteNumber(workers) + " beside hosts of " + std::to_string(total) +
                               " workers in all (" + checked.key + ".workers_per_host)",
                           std::to_string(total) + ", or one number of workers_per_host for all "
                                                   "hosts");
        }
    }
}

void
CheckSteps(const Scenario& scenario)
{
    const JobSpec& job = scenario.job;
    if (job.warmup < job.steps || (job.autoSteps.on && job.autoSteps.detectWarmup))
    {
        return;
    }
    if (job.autoSteps.on || IsGiven(scenario, "job.warmup") || !IsGiven(scenario, "job.steps"))
    {
        throw ScenarioError(scenario,
                            "job.warmup",
                            QuoteNumber(job.warmup),
                            (job.autoSteps.on ? "auto, or an integer less than job.steps.at_most"
                                              : "an integer less than job.steps") +
                                (", which is " + std::to_string(job.steps)));
    }
    throw ScenarioError(scenario,
                        "job.steps",
                        QuoteNumber(job.steps),
                        "an integer above job.warmup, which is " + std::to_string(job.warmup) +
                            " unless given");
}

void
CheckPerWorkerLists(const CheckedJob& checked)
{
    const JobSpec& job = checked.job;
    const uint32_t most = *std::max_element(job.workers.begin(), job.workers.end());
    if (job.start.rule == "explicit" && job.start.offsets.size() < most)
    {
        checked.Refuse(".start",
                       "a list of " + std::to_string(job.start.offsets.size()),
                       "a time for each of " + Plural(most, "worker"));
    }
    if (job.sampling.rule == "explicit" && job.sampling.lists.size() < most)
    {
        checked.Refuse(".sampling",
                       "a list of " + std::to_string(job.sampling.lists.size()),
                       "a list of sample indices for each of " + Plural(most, "worker"));
    }
}

/// At least one gradient must make an update, with the fewest workers too.
void
CheckBackups(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    const uint32_t fewest = *std::min_element(job.workers.begin(), job.workers.end());
    if (job.sync.rule == "backup" && job.sync.backups >= fewest)
    {
        checked.Refuse(".sync.backup",
                       QuoteNumber(job.sync.backups),
                       "fewer than the " + Plural(fewest, "worker") + " of " + key + ".workers");
    }
}

void
CheckServers(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    for (const auto& [tensor, server] : job.placement.table)
    {
        if (server >= job.parameterServers)
        {
            checked.Refuse(".placement." + tensor,
                           QuoteNumber(server),
                           fmt::format("an integer from 0 to {} ({}.parameter_servers is {})",
                                       job.parameterServers - 1,
                                       key,
                                       job.parameterServers));
        }
    }
}

/// @return what the job's synchronisation is, to be asked what it does
Ptr<SyncPolicy>
MakeSync(const JobSpec& job)
{
    return MakeSyncFactory(job.sync).Create<SyncPolicy>();
}

/// Batch sizes change where all workers wait for each other: at the end of a step.
void
CheckBatchControl(const Scenario& scenario)
{
    const JobSpec& job = scenario.job;
    const bool overlap = MakeProtocol(job)->StepsOverlap();
    if (job.batchControl.rule != "off" && (overlap || !WaitsForAll(*MakeSync(job))))
    {
        throw ScenarioError(
            scenario,
            "job.batch_control",
            "'" + job.batchControl.rule + "' with " +
                (overlap ? "job.protocol " + job.protocol : "job.sync " + job.sync.rule),
            "off, or job.sync bsp with job.protocol run-graph, or all-reduce with a barrier");
    }
}

/// Samples move between workers that wait for each other, and whose time goes by their samples.
void
CheckShedding(const Scenario& scenario)
{
    const JobSpec& job = scenario.job;
    if (!job.shedding.on)
    {
        return;
    }
    const auto refuse = [&scenario](const std::string& found, const std::string& accepted) {
        throw ScenarioError(scenario, "job.shedding", "a map with " + found, "off, or " + accepted);
    };
    if (MakeProtocol(job)->StepsOverlap())
    {
        refuse("job.protocol " + job.protocol, "job.protocol run-graph");
    }
    const auto sync = MakeSync(job);
    if (!WaitsForAll(*sync) && (sync->Aggregates() || !MakesWorkersWait(*sync)))
    {
        refuse("job.sync " + job.sync.rule, "job.sync bsp or ssp");
    }
    if (job.batchControl.rule != "off")
    {
        refuse("job.batch_control " + job.batchControl.rule, "job.batch_control off");
    }
    for (const auto& name : job.workerDevices)
    {
        const auto device = job.devices.find(name);
        if (device != job.devices.end() && device->second.kind == DeviceSpec::Kind::GPU)
        {
            refuse("'" + name + "' in job.worker_devices, whose time does not go by samples",
                   "devices with speed or rate");
        }
    }
}

/// Refuse what would have to be seen or drawn at random in the time that is skipped.
void
CheckFastForward(const Scenario& scenario)
{
    if (!scenario.packet.fastForward.on)
    {
        return;
    }
    const auto refuse = [&scenario](const std::string& key, const std::string& found) {
        throw ScenarioError(scenario,
                            key,
                            found + " beside packet.fast_forward",
                            "packet.fast_forward: false with it");
    };
    if (scenario.network.multipath.IsOn())
    {
        refuse("network.multipath", "several paths");
    }
    if (scenario.network.local)
    {
        refuse("network.local", "links within hosts");
    }
    if (const auto key = scenario.network.FindNicsKey(); !key.empty())
    {
        refuse(key, "several network cards of a host");
    }
    for (const auto& [wanted, key] : {std::pair(scenario.output.pcap, "output.pcap"),
                                      std::pair(scenario.output.netanim, "output.netanim"),
                                      std::pair(scenario.output.flows, "output.flows")})
    {
        if (wanted)
        {
            refuse(key, "true");
        }
    }
    for (const auto& fault : scenario.network.faults)
    {
        if (fault.kind == FaultSpec::Kind::LOSS)
        {
            refuse(fault.key, "random losses");
        }
    }
    if (scenario.transfer.sockets > 1)
    {
        refuse("transfer.sockets", QuoteNumber(scenario.transfer.sockets));
    }
}

} // namespace

std::string
QuoteNumber(uint64_t number)
{
    return "\"" + std::to_string(number) + "\"";
}

bool
IsMisplaced(const Scenario& scenario, const std::string& key, const std::string& chooser)
{
    const auto& variant = scenario.variant;
    const auto isOverride = [&scenario](const std::string& name) {
        const auto place = scenario.locations.find(name);
        return place != scenario.locations.end() && place->second.rfind("--set", 0) == 0;
    };
    const bool swept = std::any_of(variant.begin(), variant.end(), [&chooser](const auto& value) {
        return value.first == chooser;
    });
    return IsGiven(scenario, key) && !swept && (isOverride(key) || !isOverride(chooser));
}

bool
IsGiven(const Scenario& scenario, const std::string& key)
{
    return scenario.locations.count(key) > 0;
}

InputError
ScenarioError(const Scenario& scenario,
              const std::string& key,
              const std::string& found,
              const std::string& accepted,
              const std::string& meant)
{
    return InputError(LocateKey(scenario, key) + "found " + found + AcceptedText(meant, accepted));
}

std::string
LocateKey(const Scenario& scenario, const std::string& key)
{
    std::string given = key;
    while (!given.empty() && !IsGiven(scenario, given))
    {
        const std::size_t end = given.find_last_of(".["); // of the map or list around it
        given.resize(end == std::string::npos ? 0 : end);
    }
    const std::string where =
        IsGiven(scenario, given) ? scenario.locations.at(given) : scenario.file;
    return (where.empty() ? "" : where + ": ") + key + ": ";
}

std::string
SuggestNode(const Scenario& scenario, const std::string& name, uint32_t workers)
{
    if (name.empty())
    {
        return "";
    }
    const auto numberOf = [](const std::string& node) {
        return node.substr(std::min(node.find_last_not_of("0123456789") + 1, node.size()));
    };
    std::vector<std::string> nodes =
        HostNames(scenario.network, GetJobSizes(scenario, workers)).GetAll();
    const auto& switches = scenario.network.topology.switches;
    nodes.insert(nodes.end(), switches.begin(), switches.end());
    nodes.erase(std::remove_if(nodes.begin(),
                               nodes.end(),
                               [&](const auto& node) { return numberOf(node) != numberOf(name); }),
                nodes.end());
    return Suggest(name, nodes);
}

const JobSpec&
GetJob(const Scenario& scenario, uint32_t index)
{
    return index == 0 ? scenario.job : scenario.otherJobs[index - 1];
}

std::vector<JobSize>
GetJobSizes(const Scenario& scenario, uint32_t workers)
{
    std::vector<JobSize> sizes{
        {workers, scenario.job.parameterServers, scenario.job.workersPerHost}};
    for (const auto& job : scenario.otherJobs)
    {
        sizes.push_back({job.workers.front(), job.parameterServers, job.workersPerHost});
    }
    return sizes;
}

std::string
JobKey(uint32_t index)
{
    return index == 0 ? "job" : "other_jobs[" + std::to_string(index - 1) + "]";
}

void
CheckScenario(const Scenario& scenario)
{
    CheckWorkers(scenario);
    CheckSteps(scenario);
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        CheckWorkload({scenario, JobKey(index), GetJob(scenario, index)});
    }
    CheckBatchControl(scenario);
    CheckShedding(scenario);
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        const CheckedJob job{scenario, JobKey(index), GetJob(scenario, index)};
        CheckHosts(job);
        CheckPerWorkerLists(job);
        CheckServers(job);
        CheckBackups(job);
    }
    CheckTransfer(scenario);
    for (const auto& [key, replications] : {std::pair("packet", scenario.packet.replications),
                                            std::pair("host", scenario.host.replications)})
    {
        if (replications > scenario.replications)
        {
            throw ScenarioError(scenario,
                                key + std::string(".replications"),
                                QuoteNumber(replications),
                                "an integer from 0 (all) to replications, which is " +
                                    std::to_string(scenario.replications));
        }
    }
    CheckNetwork(scenario);
    CheckProcessFaults(scenario);
    CheckFastForward(scenario);
}

} // namespace ns3::dml
