/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-connections.h"

#include "ns3/dml-flow-paths.h"
#include "ns3/dml-host-names.h"

#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return names of all endpoints by role, as ListTrainingFlows() numbers them
std::map<Role, std::vector<std::string>>
ListNames(const ClusterNetwork& network)
{
    std::map<Role, std::vector<std::string>> names;
    const auto& jobs = network.GetJobs();
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            names[Role::WORKER].push_back(WorkerName(job, worker));
        }
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            names[Role::SERVER].push_back(ServerName(job, server));
        }
        for (uint32_t i = 0; i < jobs[job].aggregators; ++i)
        {
            names[Role::AGGREGATOR].push_back(network.GetAggregatorName(job, i));
        }
    }
    return names;
}

} // namespace

std::vector<ChannelPath>
ListChannelPaths(const ClusterNetwork& network, const std::vector<JobShape>& jobs)
{
    const FlowPaths paths(network);
    const auto names = ListNames(network);
    std::vector<ChannelPath> channels;
    for (const auto& [from, to] : ListTrainingFlows(jobs))
    {
        const std::string& sender = names.at(from.role).at(from.index);
        const std::string& receiver = names.at(to.role).at(to.index);
        channels.push_back({sender, receiver, paths.FindChannel(sender, receiver).forward});
    }
    return channels;
}

std::vector<LinkConnections>
CountLinkConnections(const ClusterNetwork& network, const std::vector<JobShape>& jobs)
{
    if (network.SpreadsConnections())
    {
        return {};
    }
    std::vector<LinkConnections> links(network.GetDirectedLinks());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> between; // switches: connections
    for (const auto& [from, to, path] : ListChannelPaths(network, jobs))
    {
        for (const DirectedLink link : path)
        {
            ++links[link].count;
        }
        if (path.empty())
        {
            continue;
        }
        // which links of hosts it takes is not chosen by switches
        ++links[path.front()].even;
        if (path.size() > 1)
        {
            ++links[path.back()].even;
            ++between[{network.GetReceiver(path.front()), network.GetSender(path.back())}];
        }
    }
    const FlowPaths paths(network);
    for (const auto& [ends, connections] : between)
    {
        for (const auto& [link, share] : paths.GetEqual().FindShares(ends.first, ends.second))
        {
            links[link].even += share * connections;
        }
    }
    return links;
}

std::vector<LinkConnections>
CountLinkConnections(const PreparedScenario& prepared, uint32_t workers)
{
    const auto network = prepared.GetNetwork(workers);
    return CountLinkConnections(*network, prepared.ListShapes(*network));
}

std::vector<MultipathLink>
ListMultipathLinks(const ClusterNetwork& network, const std::vector<LinkConnections>& connections)
{
    std::vector<MultipathLink> links;
    if (!network.GetPathPolicy())
    {
        return links;
    }
    const auto& nodes = network.GetNodes();
    for (DirectedLink link = 0; link < connections.size(); ++link)
    {
        if (connections[link].even > 0 && nodes[network.GetSender(link)].isSwitch &&
            nodes[network.GetReceiver(link)].isSwitch)
        {
            links.push_back({link, network.GetName(link), connections[link]});
        }
    }
    return links;
}

} // namespace ns3::dml
