/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-aggregation-switches.h"

#include "dml-network-builder.h"
#include "dml-shortest-paths.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Who sends to an aggregator: a worker, or another aggregator.
struct Child
{
    bool isWorker;  //!< else an aggregator
    uint32_t index; //!< of the worker, or of the aggregator in the order in which they are found
};

/// @return node of each worker's host
std::vector<uint32_t>
ListHosts(const ClusterNetwork& network, uint32_t job)
{
    std::vector<uint32_t> hosts;
    for (uint32_t worker = 0; worker < network.GetJobs()[job].workers; ++worker)
    {
        hosts.push_back(network.FindHost(WorkerName(job, worker)));
    }
    return hosts;
}

/// @return how far the furthest host is from a node, and all together; nothing: one is not reached
std::optional<std::pair<uint64_t, uint64_t>>
Measure(const ClusterNetwork& network, uint32_t node, const std::vector<uint32_t>& hosts)
{
    const auto paths = FindShortestPaths(network, node, PathDirection::FROM);
    std::pair<uint64_t, uint64_t> length{0, 0};
    for (const uint32_t host : hosts)
    {
        if (paths.distance[host] == ShortestPaths::FAR)
        {
            return std::nullopt;
        }
        uint64_t sum = 0;
        for (const DirectedLink link : network.FindRoute(node, host))
        {
            // without what tells equal paths apart
            sum += network.GetLinks()[link / 2].metrics[link % 2] / NetworkBuilder::UNIT_METRIC;
        }
        length = {std::max(length.first, sum), length.second + sum};
    }
    return length;
}

/// @return node of the root
uint32_t
FindRoot(const ClusterNetwork& network, const std::vector<uint32_t>& hosts, const std::string& name)
{
    std::string names;
    uint32_t best = ClusterNetwork::NO_NODE;
    std::pair<uint64_t, uint64_t> least;
    for (uint32_t node = 0; node < network.GetNodes().size(); ++node)
    {
        const auto& [own, isSwitch] = network.GetNodes()[node];
        if (!isSwitch || network.CountLinks(node) == 0)
        {
            continue;
        }
        const auto length = Measure(network, node, hosts);
        if (!length)
        {
            continue;
        }
        if (own == name)
        {
            return node;
        }
        names += (names.empty() ? "" : ", ") + own;
        if (best == ClusterNetwork::NO_NODE || *length < least)
        {
            best = node;
            least = *length;
        }
    }
    if (names.empty())
    {
        throw KeyError("all_reduce.algorithm",
                       "found one with switches that add up, in a network without a switch that "
                       "reaches all workers; accepted: another algorithm, or a network with such "
                       "a switch");
    }
    if (!name.empty())
    {
        throw KeyError("all_reduce.root",
                       "found '" + name + "'; accepted: the name of a switch: " + names);
    }
    return best;
}

} // namespace

AggregationTree
FindAggregationTree(const ClusterNetwork& network, uint32_t job, const std::string& rootName)
{
    const std::vector<uint32_t> hosts = ListHosts(network, job);
    const uint32_t root = FindRoot(network, hosts, rootName);
    std::map<uint32_t, uint32_t> above; // node before a node on the way from the root
    std::map<uint32_t, std::vector<Child>> children;
    std::set<std::pair<uint32_t, uint32_t>, std::greater<>> open; // depth and node, deepest first
    for (uint32_t worker = 0; worker < hosts.size(); ++worker)
    {
        children[hosts[worker]].push_back({true, worker});
        uint32_t depth = 0;
        for (const DirectedLink link : network.FindRoute(root, hosts[worker]))
        {
            above[network.GetReceiver(link)] = network.GetSender(link);
            open.emplace(++depth, network.GetReceiver(link));
        }
    }
    open.emplace(0, root);
    AggregationTree tree;
    tree.leaves.resize(hosts.size());
    std::vector<std::vector<Child>> found; // children of each aggregator, the root the last
    for (const auto& [depth, node] : open)
    {
        std::vector<Child> below = std::move(children[node]);
        if (network.GetNodes()[node].isSwitch && below.size() > 1)
        {
            tree.switches.push_back(node);
            found.push_back(std::move(below));
            below = {{false, static_cast<uint32_t>(found.size() - 1)}};
        }
        if (node != root)
        {
            auto& target = children[above[node]];
            target.insert(target.end(), below.begin(), below.end());
        }
    }
    std::reverse(tree.switches.begin(), tree.switches.end());
    tree.parents.assign(found.size(), AggregationTree::NO_PARENT);
    for (uint32_t place = 0; place < found.size(); ++place)
    {
        const uint32_t last = found.size() - 1;
        for (const auto& [isWorker, index] : found[place])
        {
            (isWorker ? tree.leaves[index] : tree.parents[last - index]) = last - place;
        }
    }
    return tree;
}

} // namespace ns3::dml
