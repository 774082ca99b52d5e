/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANDOM_NETWORK_H
#define DML_RANDOM_NETWORK_H

#include "dml-channel-words.h"

#include "ns3/dml-flow-network.h"

#include <cstdint>
#include <random>
#include <vector>

namespace ns3::dml
{

/// Each link with a chance of one third, at least one.
inline std::vector<LinkId>
RandomRoute(std::mt19937& random, uint32_t links)
{
    std::vector<LinkId> route;
    for (LinkId link = 0; link < links; ++link)
    {
        if (random() % 3 == 0)
        {
            route.push_back(link);
        }
    }
    if (route.empty())
    {
        route.push_back(random() % links);
    }
    return route;
}

/// Links of 1 to 10 bytes/s in any topology; all flows are background, some have caps.
inline FlowNetwork
RandomNetwork(std::mt19937& random, bool caps)
{
    FlowNetwork network;
    const uint32_t links = 2 + random() % 8;
    for (LinkId link = 0; link < links; ++link)
    {
        network.capacities.push_back(1 + random() % 10);
        network.serverLinks.push_back({MakeServerLink(Direction::DOWNLINK, link), link});
    }
    const uint32_t flows = 1 + random() % 10;
    for (FlowId id = 0; id < flows; ++id)
    {
        NetworkFlow flow;
        flow.forward = RandomRoute(random, links);
        flow.reverse = RandomRoute(random, links);
        flow.window = 1 + random() % 4;
        flow.cap = caps && random() % 3 == 0 ? 0.1 * (1 + random() % 20) : 0;
        network.flows.push_back(flow);
    }
    return network;
}

/// All flows of a network.
inline std::vector<FlowId>
AllFlows(const FlowNetwork& network)
{
    std::vector<FlowId> all;
    for (FlowId flow = 0; flow < network.flows.size(); ++flow)
    {
        all.push_back(flow);
    }
    return all;
}

/// Bytes per second that links carry at given rates of all flows.
inline std::vector<double>
LoadsOf(const FlowNetwork& network, const std::vector<double>& rates)
{
    std::vector<double> loads(network.capacities.size(), 0);
    for (FlowId flow = 0; flow < network.flows.size(); ++flow)
    {
        for (const LinkId link : network.flows[flow].forward)
        {
            loads[link] += rates[flow];
        }
    }
    return loads;
}

} // namespace ns3::dml

#endif /* DML_RANDOM_NETWORK_H */
