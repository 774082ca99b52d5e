/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-connections.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-equal-paths.h"
#include "ns3/dml-fair-share-network.h"

#include <map>
#include <utility>

namespace ns3::dml
{

std::vector<LinkConnections>
CountLinkConnections(const PreparedScenario& prepared, uint32_t workers)
{
    const auto kind = prepared.scenario.network.multipath.kind;
    if (kind == MultipathSpec::Kind::SPRAY || kind == MultipathSpec::Kind::FLOWLET)
    {
        return {};
    }
    const auto cluster = prepared.GetNetwork(workers);
    const auto network = prepared.GetFairShareNetwork(workers);
    std::vector<LinkConnections> links(cluster->GetDirectedLinks());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> between; // nodes: connections
    for (std::size_t flow = 0; flow < network->links.training.size(); ++flow)
    {
        const auto& path = network->links.flows[flow].forward;
        for (const LinkId link : path)
        {
            ++links[link].count;
        }
        if (!path.empty())
        {
            ++between[{cluster->GetSender(path.front()), cluster->GetReceiver(path.back())}];
        }
    }
    const EqualPaths paths(*cluster);
    for (const auto& [ends, connections] : between)
    {
        for (const auto& [link, share] : paths.FindShares(ends.first, ends.second))
        {
            links[link].even += share * connections;
        }
    }
    return links;
}

} // namespace ns3::dml
