/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-flow-network.h"

#include "ns3/dml-error.h"
#include "ns3/dml-op.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cmath>
#include <string>

namespace ns3
{
namespace dml
{

namespace
{

[[noreturn]] void
Refuse(const std::string& what, double found, const std::string& accepted)
{
    throw InputError("network: " + what + ": found " + std::to_string(found) +
                     "; accepted: " + accepted);
}

void
CheckLinks(const std::string& what, const std::vector<LinkId>& links, std::size_t known)
{
    for (auto link = links.begin(); link != links.end(); ++link)
    {
        if (*link >= known)
        {
            Refuse(what, *link, "links from 0 to " + std::to_string(known) + ", exclusive");
        }
        if (std::find(links.begin(), link, *link) != link)
        {
            Refuse(what, *link, "each link once on a route");
        }
    }
}

void
CheckFlow(const NetworkFlow& flow, const std::string& name, std::size_t links)
{
    CheckLinks(name + ": links", flow.forward, links);
    CheckLinks(name + ": links of its ACKs", flow.reverse, links);
    if (!(flow.delay >= 0) || std::isinf(flow.delay))
    {
        Refuse(name + ": delay", flow.delay, "seconds from 0");
    }
    if (!(flow.cap >= 0) || std::isinf(flow.cap))
    {
        Refuse(name + ": cap", flow.cap, "bytes per second above 0, or 0 for none");
    }
    if (!(flow.window > 0) || std::isinf(flow.window))
    {
        Refuse(name + ": window", flow.window, "bytes above 0");
    }
    if (!(flow.roundTrip >= 0) || std::isinf(flow.roundTrip))
    {
        Refuse(name + ": round-trip time", flow.roundTrip, "seconds from 0");
    }
}

} // namespace

std::vector<TrainingFlow>
ListTrainingFlows(const std::vector<JobShape>& jobs)
{
    std::vector<TrainingFlow> flows;
    JobShape before{0, 0};
    for (const auto& job : jobs)
    {
        for (uint32_t worker = 0; worker < job.workers; ++worker)
        {
            for (uint32_t server = 0; server < job.servers; ++server)
            {
                for (const auto direction : {Direction::DOWNLINK, Direction::UPLINK})
                {
                    flows.push_back({before.workers + worker, before.servers + server, direction});
                }
            }
        }
        before.workers += job.workers;
        before.servers += job.servers;
    }
    return flows;
}

FlowNetwork
MakeStarFlowNetwork(uint32_t workers,
                    uint32_t servers,
                    double workerRate,
                    double serverRate,
                    double oneWayDelay)
{
    FlowNetwork network;
    network.capacities.assign(2 * servers, serverRate);
    network.capacities.insert(network.capacities.end(), 2 * workers, workerRate);
    const auto from = [](uint32_t host) { return 2 * host; };
    const auto to = [](uint32_t host) { return 2 * host + 1; };
    for (uint32_t server = 0; server < servers; ++server)
    {
        network.serverLinks.push_back({Direction::DOWNLINK, server, from(server)});
        network.serverLinks.push_back({Direction::UPLINK, server, to(server)});
    }
    network.training = ListTrainingFlows({{workers, servers}});
    for (const auto& flow : network.training)
    {
        const bool down = flow.direction == Direction::DOWNLINK;
        const uint32_t source = down ? flow.server : servers + flow.worker;
        const uint32_t sink = down ? servers + flow.worker : flow.server;
        NetworkFlow route;
        route.forward = {from(source), to(sink)};
        route.reverse = {from(sink), to(source)};
        route.delay = oneWayDelay;
        network.flows.push_back(route);
    }
    return network;
}

void
CheckFlowNetwork(const FlowNetwork& network)
{
    const std::size_t links = network.capacities.size();
    for (std::size_t link = 0; link < links; ++link)
    {
        const double capacity = network.capacities[link];
        if (!(capacity > 0) || std::isinf(capacity))
        {
            Refuse("capacity of link " + std::to_string(link),
                   capacity,
                   "bytes per second above 0");
        }
    }
    if (network.flows.size() < network.training.size())
    {
        Refuse("routes", network.flows.size(), "one for each flow of training");
    }
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
    {
        CheckFlow(network.flows[flow], "flow " + std::to_string(flow), links);
    }
    for (const auto& server : network.serverLinks)
    {
        CheckLinks("link of server " + std::to_string(server.server), {server.link}, links);
    }
}

std::vector<uint32_t>
FindFlowDomains(const FlowNetwork& network, bool acks)
{
    const std::size_t flows = network.flows.size();
    boost::disjoint_sets_with_storage<> sets(flows + network.capacities.size());
    for (std::size_t flow = 0; flow < flows; ++flow)
    {
        for (const LinkId link : network.flows[flow].forward)
        {
            sets.union_set(flow, flows + link);
        }
        for (std::size_t i = 0; acks && i < network.flows[flow].reverse.size(); ++i)
        {
            sets.union_set(flow, flows + network.flows[flow].reverse[i]);
        }
    }
    std::vector<uint32_t> number(flows + network.capacities.size(), NO_INDEX);
    std::vector<uint32_t> domains;
    uint32_t next = 0;
    for (std::size_t flow = 0; flow < flows; ++flow)
    {
        uint32_t& domain = number[sets.find_set(flow)];
        if (domain == NO_INDEX)
        {
            domain = next++;
        }
        domains.push_back(domain);
    }
    return domains;
}

} // namespace dml
} // namespace ns3
