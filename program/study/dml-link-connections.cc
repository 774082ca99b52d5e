/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-connections.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-fair-share-network.h"

namespace ns3::dml
{

std::vector<uint32_t>
CountLinkConnections(const PreparedScenario& prepared, uint32_t workers)
{
    const auto kind = prepared.scenario.network.multipath.kind;
    if (kind == MultipathSpec::Kind::SPRAY || kind == MultipathSpec::Kind::FLOWLET)
    {
        return {};
    }
    std::vector<uint32_t> connections(prepared.GetNetwork(workers)->GetDirectedLinks());
    const auto network = prepared.GetFairShareNetwork(workers);
    for (std::size_t flow = 0; flow < network->links.training.size(); ++flow)
    {
        for (const LinkId link : network->links.flows[flow].forward)
        {
            ++connections[link];
        }
    }
    return connections;
}

} // namespace ns3::dml
