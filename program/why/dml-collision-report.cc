/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collision-report.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-study-words.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MAX_LINKS = 5; //!< that are listed

/// @param connections by directed link @return links where too many meet, the worst first
std::vector<DirectedLink>
ListCollisions(const std::vector<LinkConnections>& connections)
{
    std::vector<DirectedLink> links;
    for (DirectedLink link = 0; link < connections.size(); ++link)
    {
        if (connections[link].IsCollision())
        {
            links.push_back(link);
        }
    }
    std::stable_sort(links.begin(), links.end(), [&](DirectedLink a, DirectedLink b) {
        return connections[a].count * connections[b].even >
               connections[b].count * connections[a].even;
    });
    return links;
}

/// @return what steps gain, or why nobody knows, in lines of at most 80 columns
std::string
FormatGain(ScenarioVariants& variants)
{
    auto scenario = variants.GetScenario();
    scenario["network"]["multipath"] = {{"spray", "packet"}};
    try
    {
        const Throughputs now = variants.RunUnchanged(EngineKind::FAIR_SHARE);
        const Throughputs then = variants.Run(scenario, EngineKind::FAIR_SHARE);
        // a step takes the inverse of the throughput
        const auto change = EstimateDifference(PairReplications(now, then));
        return fmt::format("  a step, if all paths were used alike (fair-share): {} %\n",
                           PercentText(change, 2));
    }
    catch (const InputError& error) // it has what cannot be split over paths
    {
        std::string text;
        AppendParagraph(text,
                        "  ",
                        std::string("steps, if all paths were used alike, cannot be simulated: ") +
                            error.what());
        return text;
    }
}

} // namespace

std::string
FormatCollisions(ScenarioVariants& variants)
{
    const Scenario scenario = variants.MakeScenario();
    const uint32_t workers = scenario.job.workers.front();
    const auto prepared = PrepareScenario(scenario, false);
    const auto connections = CountLinkConnections(prepared, workers);
    const auto collisions = ListCollisions(connections);
    if (collisions.empty())
    {
        return "";
    }
    const auto network = prepared.GetNetwork(workers);
    std::string text = fmt::format("connections meet by chance\n\n  {:<38} {:>11} {:>20}\n",
                                   "link",
                                   "connections",
                                   "if paths were alike");
    for (std::size_t i = 0; i < std::min(MAX_LINKS, collisions.size()); ++i)
    {
        const LinkConnections& link = connections[collisions[i]];
        text += fmt::format("  {:<38} {:>11} {:>20.1f}\n",
                            network->GetName(collisions[i]),
                            link.count,
                            link.even);
    }
    if (collisions.size() > MAX_LINKS)
    {
        text += fmt::format("  and {} more\n", collisions.size() - MAX_LINKS);
    }
    return text + FormatGain(variants);
}

} // namespace ns3::dml
