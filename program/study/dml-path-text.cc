/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-path-text.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// A link, and how many connections cross it.
using Crossed = std::pair<DirectedLink, uint32_t>;

/// @param connections by directed link
/// @return links between switches that are crossed, those with most connections first
std::vector<Crossed>
ListCrossed(const ClusterNetwork& cluster, const std::vector<LinkConnections>& connections)
{
    const auto& nodes = cluster.GetNodes();
    std::vector<Crossed> crossed;
    for (DirectedLink link = 0; link < connections.size(); ++link)
    {
        if (connections[link].count > 0 && nodes[cluster.GetSender(link)].isSwitch &&
            nodes[cluster.GetReceiver(link)].isSwitch)
        {
            crossed.emplace_back(link, connections[link].count);
        }
    }
    std::stable_sort(crossed.begin(), crossed.end(), [](const Crossed& a, const Crossed& b) {
        return a.second > b.second;
    });
    return crossed;
}

} // namespace

std::string
DescribePaths(const PreparedScenario& prepared)
{
    constexpr std::size_t MOST = 3;
    const auto& workers = prepared.scenario.job.workers;
    const uint32_t most = *std::max_element(workers.begin(), workers.end());
    const auto network = prepared.GetNetwork(most);
    const ClusterNetwork& cluster = *network;
    const auto& policy = cluster.GetPathPolicy();
    if (!policy)
    {
        return "";
    }
    const std::string how = "  paths       " + policy->Describe();
    if (cluster.SpreadsConnections())
    {
        return how + "\n";
    }
    const auto crossed = ListCrossed(cluster, CountLinkConnections(prepared, most));
    if (crossed.empty())
    {
        return "  paths       no connection crosses links between switches\n";
    }
    std::string text =
        fmt::format("{}; with {}, most connections cross", how, Plural(most, "worker"));
    for (std::size_t i = 0; i < std::min(MOST, crossed.size()); ++i)
    {
        text += fmt::format("{}\n              {} ({})",
                            i == 0 ? "" : ",",
                            cluster.GetName(crossed[i].first),
                            crossed[i].second);
    }
    if (crossed.size() > MOST)
    {
        text += fmt::format(";\n              {} more links between switches have {} to {}",
                            crossed.size() - MOST,
                            crossed.back().second,
                            crossed[MOST].second);
    }
    return text + "\n";
}

} // namespace ns3::dml
