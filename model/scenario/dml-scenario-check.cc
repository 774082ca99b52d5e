/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-check.h"

#include "dml-scenario-check-network.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Largest window that `bdp` grows to, in bytes (BdpEstimator::MAX_WINDOW).
constexpr uint64_t MAX_BDP_WINDOW = 33554432;
/// Room that a message's header needs beside the tensor, in bytes.
constexpr uint64_t MESSAGE_OVERHEAD = 64;

std::string
Quoted(uint64_t number)
{
    return "\"" + std::to_string(number) + "\"";
}

/// Path of the map or list around a key, empty for a key of the root.
std::string
ParentOf(const std::string& key)
{
    const std::size_t end = key.find_last_of(".[");
    return end == std::string::npos ? "" : key.substr(0, end);
}

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
                                Quoted(workers[i]) + " a second time",
                                "each number of workers once");
        }
    }
}

void
CheckSteps(const Scenario& scenario)
{
    const JobSpec& job = scenario.job;
    if (job.warmup < job.steps)
    {
        return;
    }
    if (IsGiven(scenario, "job.warmup") || !IsGiven(scenario, "job.steps"))
    {
        throw ScenarioError(scenario,
                            "job.warmup",
                            Quoted(job.warmup),
                            "an integer less than job.steps, which is " +
                                std::to_string(job.steps));
    }
    throw ScenarioError(scenario,
                        "job.steps",
                        Quoted(job.steps),
                        "an integer above job.warmup, which is " + std::to_string(job.warmup) +
                            " unless given");
}

void
CheckPerWorkerLists(const Scenario& scenario, const std::string& key, const JobSpec& job)
{
    const uint32_t most = *std::max_element(job.workers.begin(), job.workers.end());
    if (job.start.rule == "explicit" && job.start.offsets.size() < most)
    {
        throw ScenarioError(scenario,
                            key + ".start",
                            "a list of " + std::to_string(job.start.offsets.size()),
                            "a time for each of " + std::to_string(most) + " workers");
    }
    if (job.sampling.rule == "explicit" && job.sampling.lists.size() < most)
    {
        throw ScenarioError(scenario,
                            key + ".sampling",
                            "a list of " + std::to_string(job.sampling.lists.size()),
                            "a list of sample indices for each of " + std::to_string(most) +
                                " workers");
    }
}

void
CheckServers(const Scenario& scenario, const std::string& key, const JobSpec& job)
{
    for (const auto& [tensor, server] : job.placement.table)
    {
        if (server >= job.parameterServers)
        {
            throw ScenarioError(scenario,
                                key + ".placement." + tensor,
                                Quoted(server),
                                "an integer from 0 to " +
                                    std::to_string(job.parameterServers - 1) + " (" + key +
                                    ".parameter_servers is " +
                                    std::to_string(job.parameterServers) + ")");
        }
    }
}

void
CheckConnections(const Scenario& scenario)
{
    const auto& workers = scenario.job.workers;
    const uint32_t most = *std::max_element(workers.begin(), workers.end());
    const std::string path = "transfer.window.connections";
    const auto& connections = scenario.transfer.connections;
    if (!connections.empty() && scenario.transfer.grant == "bdp")
    {
        throw ScenarioError(scenario,
                            path,
                            "beside transfer.grant bdp",
                            "another grant, as bdp makes its own windows");
    }
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (std::size_t i = 0; i < connections.size(); ++i)
    {
        const std::string item = path + "[" + std::to_string(i) + "]";
        const auto& [worker, server, downlink, uplink] = connections[i];
        if (worker >= most)
        {
            throw ScenarioError(scenario,
                                item + ".worker",
                                Quoted(worker),
                                "an integer from 0 to " + std::to_string(most - 1));
        }
        if (server >= scenario.job.parameterServers)
        {
            throw ScenarioError(scenario,
                                item + ".server",
                                Quoted(server),
                                "an integer from 0 to " +
                                    std::to_string(scenario.job.parameterServers - 1));
        }
        if (!seen.insert({worker, server}).second)
        {
            throw ScenarioError(scenario,
                                item,
                                "worker " + std::to_string(worker) + " and server " +
                                    std::to_string(server) + " a second time",
                                "each connection once");
        }
    }
}

void
CheckTransfer(const Scenario& scenario)
{
    CheckConnections(scenario);
    const TransferSpec& transfer = scenario.transfer;
    const uint64_t largest = std::max(transfer.window, transfer.windowMax);
    if (transfer.grant == "bdp" && largest > MAX_BDP_WINDOW)
    {
        throw ScenarioError(
            scenario,
            "transfer.window",
            Quoted(largest),
            "at most " + std::to_string(MAX_BDP_WINDOW) +
                " with transfer.grant bdp, where it is what connections start with");
    }
    if (transfer.rejoin != "end" && transfer.policy != "http2-window")
    {
        throw ScenarioError(scenario,
                            "transfer.rejoin",
                            "'" + transfer.rejoin + "'",
                            "end, unless transfer.policy is http2-window");
    }
}

} // namespace

bool
IsGiven(const Scenario& scenario, const std::string& key)
{
    return scenario.locations.count(key) > 0;
}

InputError
ScenarioError(const Scenario& scenario,
              const std::string& key,
              const std::string& found,
              const std::string& accepted)
{
    std::string given = key;
    while (!given.empty() && !IsGiven(scenario, given))
    {
        given = ParentOf(given);
    }
    const auto location = scenario.locations.find(given);
    const std::string where =
        location != scenario.locations.end() ? location->second : scenario.file;
    return InputError((where.empty() ? "" : where + ": ") + key + ": found " + found +
                      "; accepted: " + accepted);
}

const JobSpec&
GetJob(const Scenario& scenario, uint32_t index)
{
    return index == 0 ? scenario.job : scenario.otherJobs[index - 1];
}

std::vector<JobSize>
GetJobSizes(const Scenario& scenario, uint32_t workers)
{
    std::vector<JobSize> sizes{{workers, scenario.job.parameterServers}};
    for (const auto& job : scenario.otherJobs)
    {
        sizes.push_back({job.workers.front(), job.parameterServers});
    }
    return sizes;
}

std::string
JobKey(uint32_t index)
{
    return index == 0 ? "job" : "other_jobs[" + std::to_string(index - 1) + "]";
}

std::string
WindowRuleOf(const std::string& grant)
{
    return grant == "message" ? "two-turns" : "every-window";
}

void
CheckScenario(const Scenario& scenario)
{
    CheckWorkers(scenario);
    CheckSteps(scenario);
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        const JobSpec& job = GetJob(scenario, index);
        CheckPerWorkerLists(scenario, JobKey(index), job);
        CheckServers(scenario, JobKey(index), job);
    }
    CheckTransfer(scenario);
    if (scenario.packet.replications > scenario.replications)
    {
        throw ScenarioError(scenario,
                            "packet.replications",
                            Quoted(scenario.packet.replications),
                            "an integer from 0 (all) to replications, which is " +
                                std::to_string(scenario.replications));
    }
    CheckNetwork(scenario);
}

void
CheckAgainstProfile(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const JobSpec& job = GetJob(scenario, index);
    const std::string key = JobKey(index);
    const uint32_t samples = profile.GetSampleCount();
    const auto& lists = job.sampling.lists;
    for (std::size_t worker = 0; worker < lists.size(); ++worker)
    {
        for (std::size_t i = 0; i < lists[worker].size(); ++i)
        {
            if (lists[worker][i] >= samples)
            {
                throw ScenarioError(
                    scenario,
                    key + ".sampling[" + std::to_string(worker) + "][" + std::to_string(i) + "]",
                    Quoted(lists[worker][i]),
                    "an integer from 0 to " + std::to_string(samples - 1) + " (the profile has " +
                        std::to_string(samples) + " measured steps)");
            }
        }
    }
    if (job.placement.rule != "explicit")
    {
        return;
    }
    const auto& table = job.placement.table;
    std::set<std::string> names;
    for (const auto& tensor : profile.tensors)
    {
        names.insert(tensor.name);
        if (table.count(tensor.name) == 0)
        {
            throw ScenarioError(scenario,
                                key + ".placement",
                                "no server for tensor '" + tensor.name + "'",
                                "a server for each of the profile's " +
                                    std::to_string(profile.tensors.size()) + " tensors");
        }
    }
    for (const auto& entry : table)
    {
        if (names.count(entry.first) == 0)
        {
            throw ScenarioError(scenario,
                                key + ".placement." + entry.first,
                                "a tensor that the profile does not have",
                                "names of tensors in " + job.profile);
        }
    }
}

void
CheckForPacketEngine(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    constexpr uint64_t MOST = std::numeric_limits<uint32_t>::max() - MESSAGE_OVERHEAD;
    for (const auto& tensor : profile.tensors)
    {
        if (tensor.bytes > MOST)
        {
            throw ScenarioError(scenario,
                                JobKey(index) + ".profile",
                                "tensor '" + tensor.name + "' of " + std::to_string(tensor.bytes) +
                                    " bytes",
                                "tensors of at most " + std::to_string(MOST) +
                                    " bytes in the packet engine (a gRPC message has a length of "
                                    "32 bits)");
        }
    }
}

} // namespace dml
} // namespace ns3
