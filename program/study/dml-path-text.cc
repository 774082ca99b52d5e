/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-path-text.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @param links that switches choose from
/// @return those that are crossed, those with most connections first
std::vector<MultipathLink>
ListCrossed(std::vector<MultipathLink> links)
{
    links.erase(
        std::remove_if(links.begin(),
                       links.end(),
                       [](const MultipathLink& link) { return link.connections.count == 0; }),
        links.end());
    std::stable_sort(links.begin(),
                     links.end(),
                     [](const MultipathLink& a, const MultipathLink& b) {
                         return a.connections.count > b.connections.count;
                     });
    return links;
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
    const auto crossed =
        ListCrossed(ListMultipathLinks(cluster, CountLinkConnections(prepared, most)));
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
                            crossed[i].name,
                            crossed[i].connections.count);
    }
    if (crossed.size() > MOST)
    {
        const uint32_t least = crossed.back().connections.count;
        const uint32_t next = crossed[MOST].connections.count;
        text += fmt::format(";\n              {} more links between switches have {}{}",
                            crossed.size() - MOST,
                            least,
                            least == next ? "" : fmt::format(" to {}", next));
    }
    return text + "\n";
}

std::string
FormatPaths(const PreparedScenario& prepared)
{
    const auto& workers = prepared.scenario.job.workers;
    const uint32_t most = *std::max_element(workers.begin(), workers.end());
    const auto network = prepared.GetNetwork(most);
    const auto jobs = prepared.ListShapes(*network);
    std::string text = fmt::format("paths with {}\n\n", Plural(most, "worker"));
    if (network->SpreadsConnections())
    {
        text += "  packets of a connection take several; one of these:\n";
    }
    for (const auto& [from, to, path] : ListChannelPaths(*network, jobs))
    {
        std::string links;
        for (const DirectedLink link : path)
        {
            links += (links.empty() ? "" : ", ") + network->GetName(link);
        }
        AppendParagraph(text,
                        "  " + from + " to " + to + ": ",
                        links.empty() ? "within their host" : links);
    }
    const auto links = ListMultipathLinks(*network, CountLinkConnections(*network, jobs));
    if (!links.empty())
    {
        text +=
            fmt::format("\n  {:<38} {:>11} {:>20}\n", "link", "connections", "if paths were alike");
    }
    for (const auto& [link, name, connections] : links)
    {
        text +=
            fmt::format("  {:<38} {:>11} {:>20.1f}\n", name, connections.count, connections.even);
    }
    return text;
}

} // namespace ns3::dml
