/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-equal-paths.h"

#include "dml-shortest-paths.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <set>

namespace ns3::dml
{

const EqualPaths::Tree&
EqualPaths::GetTree(uint32_t to) const
{
    const auto known = m_trees.find(to);
    if (known != m_trees.end())
    {
        return known->second;
    }
    const auto& links = m_network.GetLinks();
    const auto distance = FindShortestPaths(m_network, to, PathDirection::TO).distance;
    Tree tree(m_network.GetNodes().size());
    for (DirectedLink link = 0; link < m_network.GetDirectedLinks(); ++link)
    {
        const uint32_t sender = m_network.GetSender(link);
        const uint64_t after = distance[m_network.GetReceiver(link)];
        if (sender != to && after != ShortestPaths::FAR &&
            distance[sender] == after + links[link / 2].metrics[link % 2])
        {
            tree[sender].push_back(link);
        }
    }
    return m_trees[to] = std::move(tree);
}

const std::vector<DirectedLink>&
EqualPaths::GetNext(uint32_t node, uint32_t to) const
{
    return GetTree(to)[node];
}

const std::vector<DirectedLink>&
EqualPaths::Require(uint32_t node, uint32_t to) const
{
    const auto& next = GetNext(node, to);
    if (next.empty())
    {
        throw InputError("no path from " + m_network.GetNodes()[node].name + " to " +
                         m_network.GetNodes()[to].name);
    }
    return next;
}

std::vector<DirectedLink>
EqualPaths::FindChosen(uint32_t from,
                       uint32_t to,
                       const FiveTuple& tuple,
                       MultipathPolicy& policy) const
{
    std::vector<DirectedLink> path;
    for (uint32_t node = from; node != to; node = m_network.GetReceiver(path.back()))
    {
        const auto& next = Require(node, to);
        const uint32_t choices = next.size();
        const uint32_t chosen =
            choices == 1 ? 0 : ChoosePath(policy, PathQuestion{tuple, node, choices});
        path.push_back(next[chosen]);
    }
    return path;
}

std::vector<DirectedLink>
EqualPaths::FindAll(uint32_t from, uint32_t to) const
{
    std::set<DirectedLink> links;
    std::set<uint32_t> open{from};
    while (!open.empty())
    {
        const uint32_t node = *open.begin();
        open.erase(open.begin());
        for (const DirectedLink link : GetNext(node, to))
        {
            if (links.insert(link).second)
            {
                open.insert(m_network.GetReceiver(link));
            }
        }
    }
    return {links.begin(), links.end()};
}

std::map<DirectedLink, double>
EqualPaths::FindShares(uint32_t from, uint32_t to) const
{
    std::map<DirectedLink, double> shares;
    std::map<uint32_t, double> here{{from, 1}}; // by node, after as many hops
    here.erase(to);
    while (!here.empty())
    {
        std::map<uint32_t, double> next;
        for (const auto& [node, share] : here)
        {
            const auto& links = Require(node, to);
            for (const DirectedLink link : links)
            {
                shares[link] += share / links.size();
                next[m_network.GetReceiver(link)] += share / links.size();
            }
        }
        next.erase(to);
        here = std::move(next);
    }
    return shares;
}

std::vector<std::vector<DirectedLink>>
EqualPaths::FindLayers(uint32_t from, uint32_t to) const
{
    std::vector<std::vector<DirectedLink>> layers;
    std::set<uint32_t> nodes{from};
    while (nodes != std::set<uint32_t>{to})
    {
        std::set<DirectedLink> layer;
        std::set<uint32_t> reached;
        for (const uint32_t node : nodes)
        {
            if (node == to)
            {
                throw InputError("equally short paths of different numbers of links from " +
                                 m_network.GetNodes()[from].name + " to " +
                                 m_network.GetNodes()[to].name);
            }
            for (const DirectedLink link : Require(node, to))
            {
                layer.insert(link);
                reached.insert(m_network.GetReceiver(link));
            }
        }
        layers.emplace_back(layer.begin(), layer.end());
        nodes = std::move(reached);
    }
    return layers;
}

} // namespace ns3::dml
