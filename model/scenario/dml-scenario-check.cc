/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-check.h"

#include "ns3/dml-topology-builder.h"

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

/// Bytes beside the payload of a frame on the link (Ethernet header and checksum).
constexpr uint64_t FRAME_OVERHEAD = 18;
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

/// A value that may be short ("tcp: cubic") or a map; the key that is at fault.
bool
IsGiven(const Scenario& scenario, const std::string& key)
{
    return scenario.locations.count(key) > 0;
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

void
CheckTcp(const Scenario& scenario)
{
    const NetworkSpec& network = scenario.network;
    const TcpSpec& tcp = network.tcp;
    if (tcp.sendBuffer < 2 * uint64_t{network.mtu})
    {
        throw ScenarioError(scenario,
                            "network.tcp.send_buffer",
                            Quoted(tcp.sendBuffer),
                            "at least two packets of network.mtu, " +
                                std::to_string(2 * uint64_t{network.mtu}) + " bytes");
    }
    if (tcp.receiveBuffer / 2 < tcp.sendBuffer)
    {
        const bool receiverGiven = IsGiven(scenario, "network.tcp.receive_buffer");
        throw ScenarioError(scenario,
                            receiverGiven ? "network.tcp.receive_buffer"
                                          : "network.tcp.send_buffer",
                            Quoted(receiverGiven ? tcp.receiveBuffer : tcp.sendBuffer),
                            receiverGiven ? "at least twice network.tcp.send_buffer, " +
                                                std::to_string(2 * tcp.sendBuffer) + " bytes"
                                          : "at most half of network.tcp.receive_buffer, " +
                                                std::to_string(tcp.receiveBuffer / 2) + " bytes");
    }
    if (tcp.variant == "bbr" && tcp.delayedAckTimeout > Time(0))
    {
        throw ScenarioError(scenario,
                            "network.tcp.delayed_ack_timeout",
                            "delayed ACKs with bbr, which takes those of small messages for a slow "
                            "path",
                            "0s with bbr");
    }
    if (tcp.variant == "dctcp" && !network.queue.Marks())
    {
        throw ScenarioError(scenario,
                            "network.tcp",
                            "dctcp with a network.queue that does not mark packets",
                            "dctcp with a queue such as {ecn: 1MB, threshold: 100KB}");
    }
}

void
CheckQueue(const Scenario& scenario,
           const std::string& key,
           const QueueSpec& queue,
           uint32_t mtu)
{
    const uint64_t packet = mtu + FRAME_OVERHEAD;
    if (queue.bytes > 0 && queue.bytes < packet)
    {
        throw ScenarioError(scenario,
                            key,
                            Quoted(queue.bytes),
                            "at least one packet, " + std::to_string(packet) +
                                " bytes (network.mtu and " + std::to_string(FRAME_OVERHEAD) +
                                "), or 0 for a queue that never drops");
    }
    if (queue.kind == QueueSpec::Kind::ECN && queue.bytes > 0 && queue.threshold >= queue.bytes)
    {
        throw ScenarioError(scenario,
                            key,
                            "a threshold of " + std::to_string(queue.threshold) + " bytes",
                            "less than the queue, " + std::to_string(queue.bytes) + " bytes");
    }
}

/// @return the key that gives the queues of a link's switch ports
std::string
SwitchQueueKey(const NetworkSpec& spec, const ClusterNetwork& network, const NetworkLink& link)
{
    const auto& a = network.GetNodes()[link.ends[0]];
    const auto& b = network.GetNodes()[link.ends[1]];
    const auto& links = spec.topology.links;
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const std::set<std::string> ends(links[i].ends.begin(), links[i].ends.end());
        if (links[i].link.queue && ends == std::set<std::string>{a.name, b.name})
        {
            return "network.topology.links[" + std::to_string(i) + "].queue";
        }
    }
    for (const auto& node : {a, b})
    {
        const auto host = spec.hosts.find(node.name);
        if (host != spec.hosts.end() && host->second.queue)
        {
            return "network.hosts." + node.name + ".queue";
        }
    }
    const bool trunk = a.isSwitch && b.isSwitch && spec.topology.trunk.queue;
    return trunk ? "network.topology.trunk.queue" : "network.queue";
}

/// No two of a job's servers, and no two of its workers, may live on one host.
void
CheckNeighbours(const Scenario& scenario,
                const ClusterNetwork& network,
                const std::vector<std::string>& names)
{
    std::map<uint32_t, std::string> residents;
    for (const auto& name : names)
    {
        const auto [other, fresh] = residents.insert({network.FindHost(name), name});
        if (!fresh)
        {
            throw ScenarioError(scenario,
                                "network.colocate",
                                name + " and " + other->second + " on one host",
                                "a parameter server with a worker, or hosts of different jobs");
        }
    }
}

/// Whatever names hosts and links, in the network of one number of workers.
void
CheckCluster(const Scenario& scenario, const std::vector<JobSize>& jobs)
{
    const NetworkSpec& spec = scenario.network;
    const ClusterNetwork network = BuildNetwork(spec, jobs);
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        std::vector<std::string> workers;
        std::vector<std::string> servers;
        for (uint32_t i = 0; i < jobs[job].workers; ++i)
        {
            workers.push_back(WorkerName(job, i));
        }
        for (uint32_t i = 0; i < jobs[job].servers; ++i)
        {
            servers.push_back(ServerName(job, i));
        }
        CheckNeighbours(scenario, network, workers);
        CheckNeighbours(scenario, network, servers);
    }
    for (const auto& link : network.GetLinks())
    {
        for (uint32_t side = 0; side < 2; ++side)
        {
            const bool isSwitch = network.GetNodes()[link.ends[side]].isSwitch;
            CheckQueue(scenario,
                       isSwitch ? SwitchQueueKey(spec, network, link) : "network.host_queue",
                       link.queues[side],
                       link.mtu);
        }
    }
    for (std::size_t i = 0; i < spec.background.size(); ++i)
    {
        const BackgroundSpec& flow = spec.background[i];
        const std::string key = "background[" + std::to_string(i) + "]";
        for (const auto& [end, name] : {std::pair{".from", flow.from}, std::pair{".to", flow.to}})
        {
            if (network.FindHost(name) == ClusterNetwork::NO_NODE)
            {
                throw NetworkError(key + end,
                                   "'" + name + "', no such host in a cluster of " +
                                       std::to_string(jobs[0].workers) + " workers",
                                   "workerN, psN or one of network.extra_hosts");
            }
        }
        if (network.FindHost(flow.from) == network.FindHost(flow.to))
        {
            throw NetworkError(key, "a flow from a host to itself", "two hosts");
        }
    }
    for (std::size_t i = 0; i < spec.faults.size(); ++i)
    {
        FindFaultLinks(network, spec.faults[i], "faults[" + std::to_string(i) + "].link");
    }
}

void
CheckNetwork(const Scenario& scenario)
{
    CheckTcp(scenario);
    for (const uint32_t workers : scenario.job.workers)
    {
        std::vector<JobSize> jobs{{workers, scenario.job.parameterServers}};
        for (const auto& job : scenario.otherJobs)
        {
            jobs.push_back({job.workers.front(), job.parameterServers});
        }
        try
        {
            CheckCluster(scenario, jobs);
        }
        catch (const NetworkError& error)
        {
            const bool fault = error.key.rfind("faults", 0) == 0;
            throw ScenarioError(scenario,
                                (fault ? "" : "network.") + error.key,
                                error.found,
                                error.accepted);
        }
    }
}

} // namespace

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
