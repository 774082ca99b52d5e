/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cluster-network.h"

#include "dml-multipath-policies.h"
#include "dml-shortest-paths.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <utility>

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
ClusterNetwork::AddLocalPort(const std::string& name, const LocalLinkSpec& local)
{
    const uint32_t host = FindHost(name);
    NetworkLink link;
    link.ends = {host, host};
    link.rates.fill(local.rate);
    link.delay = local.delay / int64_t(2); // a path has two ports
    link.mtu = GetSmallestMtu();
    link.queues.fill({QueueSpec::Kind::DROP_TAIL, 0});
    link.metrics.fill(1); // it leads nowhere else, and is on no shortest path
    link.resident = name;
    m_localPorts[name] = m_links.size();
    m_links.push_back(link);
}

void
ClusterNetwork::SetNic(const std::string& name, uint32_t link)
{
    m_nics[name] = link;
}

DirectedLink
ClusterNetwork::FindUplink(const std::string& name) const
{
    const uint32_t node = FindHost(name);
    const auto nic = m_nics.find(name);
    if (nic == m_nics.end())
    {
        return GetHostUplink(node);
    }
    const DirectedLink first = 2 * nic->second;
    return GetSender(first) == node ? first : first + 1;
}

void
ClusterNetwork::SetHost(const std::string& name, uint32_t node)
{
    m_hosts[name] = node;
}

bool
ClusterNetwork::HasSharedHosts() const
{
    return std::any_of(m_jobs.begin(), m_jobs.end(), [](const JobSize& job) {
        return job.workersPerHost.AreShared();
    });
}

void
ClusterNetwork::SetAggregation(uint32_t job, AggregationTree tree)
{
    m_jobs[job].aggregators = tree.switches.size();
    m_aggregation[job] = std::move(tree);
    for (uint32_t i = 0; i < m_jobs[job].aggregators; ++i)
    {
        const std::string name = GetAggregatorName(job, i);
        const uint32_t node = m_aggregation[job].switches[i];
        if (!m_hosts.emplace(name, node).second)
        {
            throw KeyError("all_reduce.algorithm",
                           "found one whose aggregator on switch " + m_nodes[node].name +
                               " is called " + name +
                               ", as a host is; accepted: hosts with other names");
        }
    }
}

const AggregationTree&
ClusterNetwork::GetAggregation(uint32_t job) const
{
    static const AggregationTree NONE;
    const auto found = m_aggregation.find(job);
    return found == m_aggregation.end() ? NONE : found->second;
}

std::string
ClusterNetwork::GetAggregatorName(uint32_t job, uint32_t index) const
{
    return AggregatorName(job, m_nodes[GetAggregation(job).switches[index]].name);
}

uint32_t
ClusterNetwork::GetDirectedLinks() const
{
    return 2 * m_links.size();
}

void
ClusterNetwork::SetMultipath(const MultipathSpec& multipath)
{
    m_multipath = multipath;
    m_policy = MakeMultipathPolicy(multipath);
}

bool
ClusterNetwork::SpreadsConnections() const
{
    return m_policy && m_policy->GetSpread() != MultipathPolicy::Spread::BY_CONNECTION;
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

std::vector<uint32_t>
ClusterNetwork::ListLinks(uint32_t node) const
{
    std::vector<uint32_t> links;
    for (uint32_t link = 0; link < m_links.size(); ++link)
    {
        const auto& [a, b] = m_links[link].ends;
        if (m_links[link].resident.empty() && (a == node || b == node))
        {
            links.push_back(link);
        }
    }
    return links;
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
    const std::string& resident = m_links[direction / 2].resident;
    const auto name = [&](uint32_t node) {
        const auto& nic = m_links[direction / 2].nic;
        return m_nodes[node].name +
               (nic && !m_nodes[node].isSwitch ? "." + std::to_string(*nic) : "");
    };
    const std::string from = name(GetSender(direction));
    const std::string to = name(GetReceiver(direction));
    return (IsLocal(direction) && direction % 2 == 0 ? resident : from) + "->" +
           (IsLocal(direction) && direction % 2 == 1 ? resident : to);
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

std::vector<DirectedLink>
ClusterNetwork::FindRoute(const std::string& from, const std::string& to) const
{
    const uint32_t source = FindHost(from);
    const uint32_t target = FindHost(to);
    if (source != target || from == to)
    {
        return FindRoute(from, to, [this](uint32_t a, uint32_t b) { return FindRoute(a, b); });
    }
    const DirectedLink out = FindLocalPort(from);
    const DirectedLink in = FindLocalPort(to);
    return out == NO_LINK || in == NO_LINK ? std::vector<DirectedLink>{}
                                           : std::vector<DirectedLink>{out, in ^ 1};
}

std::vector<DirectedLink>
ClusterNetwork::FindRoute(const std::string& from,
                          const std::string& to,
                          const PathFinder& find) const
{
    uint32_t source = FindHost(from);
    uint32_t target = FindHost(to);
    std::vector<DirectedLink> route;
    if (source == target)
    {
        return route;
    }
    if (HasNic(from))
    {
        route.push_back(FindUplink(from));
        source = GetReceiver(route.back());
    }
    const DirectedLink last = HasNic(to) ? FindUplink(to) ^ 1 : NO_LINK;
    target = last == NO_LINK ? target : GetSender(last);
    const std::vector<DirectedLink> between = find(source, target);
    route.insert(route.end(), between.begin(), between.end());
    if (last != NO_LINK)
    {
        route.push_back(last);
    }
    return route;
}

DirectedLink
ClusterNetwork::FindLocalPort(const std::string& name) const
{
    const auto port = m_localPorts.find(name);
    return port == m_localPorts.end() ? NO_LINK : 2 * port->second;
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
    std::vector<uint32_t> hosts;
    for (uint32_t worker = 0; worker < network.GetJobs()[job].workers; ++worker)
    {
        hosts.push_back(network.FindHost(WorkerName(job, worker)));
        racks.push_back(network.GetReceiver(network.GetHostUplink(hosts.back())));
    }
    if (!network.GetJobs()[job].workersPerHost.AreShared())
    {
        return racks;
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers; // by rack and host
    for (std::size_t worker = 0; worker < hosts.size(); ++worker)
    {
        numbers[{racks[worker], hosts[worker]}] = 0;
    }
    uint32_t next = 0;
    for (auto& each : numbers)
    {
        each.second = next++;
    }
    for (std::size_t worker = 0; worker < hosts.size(); ++worker)
    {
        racks[worker] = numbers.at({racks[worker], hosts[worker]});
    }
    return racks;
}

CollectivePlaces
FindPlaces(const ClusterNetwork& network, uint32_t job)
{
    return {FindRacks(network, job), network.GetAggregation(job)};
}

} // namespace ns3::dml
