/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cluster-network.h"

#include "dml-shortest-paths.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3::dml
{

uint32_t
ClusterNetwork::AddNode(const std::string& name, bool isSwitch)
{
    m_nodes.push_back({name, isSwitch});
    m_ports.emplace_back();
    m_trees.clear();
    return m_nodes.size() - 1;
}

uint32_t
ClusterNetwork::AddLink(const NetworkLink& link)
{
    for (const uint32_t end : link.ends)
    {
        Ports& ports = m_ports[end];
        ports.first = ports.count++ == 0 ? m_links.size() : ports.first;
    }
    m_links.push_back(link);
    m_trees.clear();
    return m_links.size() - 1;
}

void
ClusterNetwork::SetHost(const std::string& name, uint32_t node)
{
    m_hosts[name] = node;
}

uint32_t
ClusterNetwork::GetDirectedLinks() const
{
    return 2 * m_links.size();
}

uint32_t
ClusterNetwork::FindHost(const std::string& name) const
{
    const auto host = m_hosts.find(name);
    return host == m_hosts.end() ? NO_NODE : host->second;
}

uint32_t
ClusterNetwork::FindLink(uint32_t a, uint32_t b) const
{
    const auto found = std::find_if(m_links.begin(), m_links.end(), [&](const NetworkLink& link) {
        return (link.ends[0] == a && link.ends[1] == b) || (link.ends[0] == b && link.ends[1] == a);
    });
    return found == m_links.end() ? NO_LINK : found - m_links.begin();
}

uint32_t
ClusterNetwork::GetHostLink(uint32_t node) const
{
    return m_ports[node].first;
}

DirectedLink
ClusterNetwork::GetHostUplink(uint32_t node) const
{
    const DirectedLink first = 2 * GetHostLink(node);
    return GetSender(first) == node ? first : first + 1;
}

uint32_t
ClusterNetwork::GetSender(DirectedLink direction) const
{
    return m_links[direction / 2].ends[direction % 2];
}

uint32_t
ClusterNetwork::GetReceiver(DirectedLink direction) const
{
    return m_links[direction / 2].ends[1 - direction % 2];
}

std::string
ClusterNetwork::GetName(DirectedLink direction) const
{
    return m_nodes[GetSender(direction)].name + "->" + m_nodes[GetReceiver(direction)].name;
}

const ClusterNetwork::Tree&
ClusterNetwork::GetTree(uint32_t from) const
{
    const auto known = m_trees.find(from);
    if (known != m_trees.end())
    {
        return known->second;
    }
    const auto [distance, previous] = FindShortestPaths(*this, from, PathDirection::FROM);
    Tree tree;
    tree.last.assign(m_nodes.size(), NO_LINK);
    for (DirectedLink link = 0; link < GetDirectedLinks(); ++link)
    {
        const uint32_t sender = GetSender(link);
        const uint32_t receiver = GetReceiver(link);
        const bool shortest =
            receiver != from && sender != receiver &&
            distance[receiver] == distance[sender] + m_links[link / 2].metrics[link % 2];
        // of parallel links the one that Dijkstra took: the first of the right length
        if (shortest && previous[receiver] == sender && tree.last[receiver] == NO_LINK)
        {
            tree.last[receiver] = link;
        }
        tree.isUnique = tree.isUnique && (!shortest || previous[receiver] == sender);
    }
    return m_trees[from] = std::move(tree);
}

uint32_t
ClusterNetwork::FindRoot(uint32_t from) const
{
    if (m_ports[from].count != 1)
    {
        return from;
    }
    const uint32_t neighbour = GetReceiver(GetHostUplink(from));
    // where paths are equally long, the choice may depend on where the search begins
    return GetTree(neighbour).isUnique ? neighbour : from;
}

std::vector<DirectedLink>
ClusterNetwork::FindRoute(uint32_t from, uint32_t to) const
{
    std::vector<DirectedLink> route;
    if (from == to)
    {
        return route;
    }
    const uint32_t root = FindRoot(from);
    const Tree& tree = GetTree(root);
    for (uint32_t node = to; node != root; node = GetSender(route.back()))
    {
        if (tree.last[node] == NO_LINK)
        {
            throw InputError("no path from " + m_nodes[from].name + " to " + m_nodes[to].name);
        }
        route.push_back(tree.last[node]);
    }
    if (root != from)
    {
        route.push_back(GetHostUplink(from));
    }
    std::reverse(route.begin(), route.end());
    return route;
}

uint32_t
ClusterNetwork::GetSmallestMtu() const
{
    uint32_t smallest = UINT32_MAX;
    for (const auto& link : m_links)
    {
        smallest = std::min(smallest, link.mtu);
    }
    return smallest;
}

std::vector<uint32_t>
FindRacks(const ClusterNetwork& network, uint32_t job)
{
    std::vector<uint32_t> racks;
    for (uint32_t worker = 0; worker < network.GetJobs()[job].workers; ++worker)
    {
        const uint32_t host = network.FindHost(WorkerName(job, worker));
        racks.push_back(network.GetReceiver(network.GetHostUplink(host)));
    }
    return racks;
}

} // namespace ns3::dml
