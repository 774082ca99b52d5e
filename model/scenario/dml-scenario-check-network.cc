/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-congestion-keys.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-address-plan.h"
#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-topologies.h"
#include "ns3/dml-topology-builder.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

void
CheckTcp(const Scenario& scenario)
{
    const NetworkSpec& network = scenario.network;
    const TcpSpec& tcp = network.tcp;
    if (tcp.sendBuffer < 2 * uint64_t{network.mtu})
    {
        throw ScenarioError(scenario,
                            "network.tcp.send_buffer",
                            QuoteNumber(tcp.sendBuffer),
                            "at least two packets of network.mtu, " +
                                std::to_string(2 * uint64_t{network.mtu}) + " bytes");
    }
    if (tcp.receiveBuffer / 2 < tcp.sendBuffer)
    {
        const bool receiverGiven = IsGiven(scenario, "network.tcp.receive_buffer");
        throw ScenarioError(scenario,
                            receiverGiven ? "network.tcp.receive_buffer"
                                          : "network.tcp.send_buffer",
                            QuoteNumber(receiverGiven ? tcp.receiveBuffer : tcp.sendBuffer),
                            receiverGiven ? "at least twice network.tcp.send_buffer, " +
                                                std::to_string(2 * tcp.sendBuffer) + " bytes"
                                          : "at most half of network.tcp.receive_buffer, " +
                                                std::to_string(tcp.receiveBuffer / 2) + " bytes");
    }
    for (const auto& [key, control] : ListCongestionKeys(scenario))
    {
        if (IsBbr(control) && tcp.delayedAckTimeout > Time(0))
        {
            throw ScenarioError(scenario,
                                "network.tcp.delayed_ack_timeout",
                                "delayed ACKs with " + control.name +
                                    (key.rfind("network.tcp", 0) == 0 ? "" : " of " + key) +
                                    ", which takes those of small messages for a slow path",
                                "0s with bbr");
        }
    }
    if (network.transport == "ideal" && network.queue.bytes > 0)
    {
        throw ScenarioError(scenario,
                            "network.queue",
                            QuoteNumber(network.queue.bytes) +
                                " beside transport: ideal, which is without losses",
                            "0B or {fair: 0B} there, or transport: plain");
    }
}

/// DCTCP without marks would be Reno.
void
CheckDctcp(const Scenario& scenario, const ClusterNetwork& network)
{
    const auto& links = network.GetLinks();
    const bool marks = std::any_of(links.begin(), links.end(), [](const NetworkLink& link) {
        return link.queues[0].Marks() || link.queues[1].Marks();
    });
    for (const auto& [key, control] : ListCongestionKeys(scenario))
    {
        if (!marks && IsDctcp(control))
        {
            throw ScenarioError(scenario,
                                key,
                                control.name + " in a network whose queues do not mark packets",
                                "it with a network.queue such as {ecn: 1MB, threshold: 65 "
                                "packets}");
        }
    }
}

/// No two of a job's servers may live on one host, and no two of its workers, unless all hosts have
/// several.
void
CheckNeighbours(const Scenario& scenario,
                const ClusterNetwork& network,
                uint32_t job,
                uint32_t count,
                std::string (*nameOf)(uint32_t, uint32_t))
{
    std::map<uint32_t, std::string> residents;
    for (uint32_t i = 0; i < count; ++i)
    {
        const std::string name = nameOf(job, i);
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

/// Connections have ports that all engines know, and one each, where these decide on their paths.
void
CheckPorts(const Scenario& scenario, const ClusterNetwork& network)
{
    const NetworkSpec& spec = scenario.network;
    if (network.HasSharedHosts() && !AddressPlan(network).HasPorts(scenario.transfer.sockets))
    {
        throw ScenarioError(scenario,
                            "job.workers_per_host",
                            "more endpoints than TCP has ports for connections between them",
                            "fewer workers and servers, or fewer on a host");
    }
    if (!spec.multipath.IsOn())
    {
        return;
    }
    for (uint32_t node = 0; node < network.GetNodes().size(); ++node)
    {
        // packets for a host go to the subnet of its first link, which a switch is part of, too
        if (!network.GetNodes()[node].isSwitch && network.CountLinks(node) > 1 &&
            !network.HasNic(network.GetNodes()[node].name))
        {
            throw NetworkError("multipath",
                               "several paths beside '" + network.GetNodes()[node].name +
                                   "', which has " + Plural(network.CountLinks(node), "link"),
                               "none with it, or hosts with one link each");
        }
    }
    const AddressPlan plan(network);
    if (!plan.HasPorts())
    {
        throw NetworkError("multipath",
                           "more endpoints than TCP has ports for connections between them",
                           "fewer workers and servers, or fewer on a host");
    }
    if (spec.background.size() > AddressPlan::MOST_BACKGROUND)
    {
        throw NetworkError("background",
                           Plural(spec.background.size(), "flow") + " beside network.multipath",
                           "at most " + std::to_string(AddressPlan::MOST_BACKGROUND));
    }
    if (scenario.transfer.sockets > 1 && !network.SpreadsConnections())
    {
        throw ScenarioError(scenario,
                            "transfer.sockets",
                            std::to_string(scenario.transfer.sockets) +
                                " beside network.multipath " + spec.multipath.policy,
                            "1 with it: a channel has one path");
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
        if (!jobs[job].workersPerHost.AreShared())
        {
            CheckNeighbours(scenario, network, job, jobs[job].workers, WorkerName);
        }
        CheckNeighbours(scenario, network, job, jobs[job].servers, ServerName);
    }
    CheckQueues(scenario, network);
    CheckDctcp(scenario, network);
    CheckPorts(scenario, network);
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
                                       Plural(jobs[0].workers, "worker"),
                                   "workerN, psN or one of network.extra_hosts",
                                   name);
            }
        }
        if (network.FindHost(flow.from) == network.FindHost(flow.to))
        {
            throw NetworkError(key, "a flow from a host to itself", "two hosts");
        }
    }
    for (const auto& fault : spec.faults)
    {
        FindFaultLinks(network, fault);
    }
}

/// @return numbers of the first job's workers that the scenario names, and perhaps some that it has
/// not
std::set<uint32_t>
FindNamedWorkers(const NetworkSpec& spec, const WorkersPerHost& perHost)
{
    std::vector<std::string> names;
    for (const auto& [name, link] : spec.hosts)
    {
        names.push_back(name);
    }
    for (const auto& [guest, host] : spec.colocate)
    {
        names.insert(names.end(), {guest, host});
    }
    for (const auto& flow : spec.background)
    {
        names.insert(names.end(), {flow.from, flow.to});
    }
    for (const auto& fault : spec.faults)
    {
        names.insert(names.end(), fault.link.begin(), fault.link.end());
    }
    for (const auto& link : spec.topology.links)
    {
        names.insert(names.end(), link.ends.begin(), link.ends.end());
    }
    std::set<uint32_t> workers;
    for (const auto& [prefix, hosts] :
         {std::pair<std::string, WorkersPerHost>{"worker", 1}, {"host", perHost}})
    {
        for (const auto& name : names)
        {
            const char* const end = name.data() + name.size();
            uint32_t number = 0;
            if (name.rfind(prefix, 0) == 0 &&
                std::from_chars(name.data() + prefix.size(), end, number).ec == std::errc())
            {
                workers.insert(hosts.FindFirstWorker(number));
            }
        }
    }
    return workers;
}

} // namespace

std::vector<uint32_t>
ListUnlikeClusters(const Scenario& scenario)
{
    const auto& all = scenario.job.workers;
    const auto [fewest, most] = std::minmax_element(all.begin(), all.end());
    const TopologySpec& topology = scenario.network.topology;
    const WorkersPerHost& perHost = scenario.job.workersPerHost;
    if (Topologies().HasType(topology.type) || perHost.GetTotal() > 0)
    {
        return all; // nobody knows what it does with each, or there is one number
    }
    const uint32_t leaves = topology.type == "leaf-spine" ? topology.leaves : 1;
    const auto named = FindNamedWorkers(scenario.network, perHost);
    const std::vector<uint32_t> sorted(named.begin(), named.end());
    std::set<std::pair<std::size_t, uint32_t>> kinds;
    std::vector<uint32_t> chosen;
    for (const uint32_t workers : all)
    {
        const auto beyond = std::lower_bound(sorted.begin(), sorted.end(), workers);
        const std::pair<std::size_t, uint32_t> kind{beyond - sorted.begin(),
                                                    workers % (leaves * perHost.GetEach())};
        if (kinds.insert(kind).second || workers == *fewest || workers == *most)
        {
            chosen.push_back(workers);
        }
    }
    return chosen;
}

void
CheckNetwork(const Scenario& scenario)
{
    CheckTcp(scenario);
    for (const uint32_t workers : ListUnlikeClusters(scenario))
    {
        const std::vector<JobSize> jobs = GetJobSizes(scenario, workers);
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
                                error.accepted,
                                SuggestNode(scenario, error.unknown, workers));
        }
    }
}

} // namespace ns3::dml
