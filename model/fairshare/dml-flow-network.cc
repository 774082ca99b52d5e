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

namespace ns3::dml
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

std::vector<PeerChannel>
ListServerChannels(uint32_t servers)
{
    std::vector<PeerChannel> channels;
    for (uint32_t i = 0; i < servers; ++i)
    {
        const Peer server = Peer::Server(i);
        channels.push_back({server, SELF});
        channels.push_back({SELF, server});
    }
    return channels;
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
    if (!(flow.returnDelay >= 0) || std::isinf(flow.returnDelay))
    {
        Refuse(name + ": delay of messages the other way", flow.returnDelay, "seconds from 0");
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

JobShape
MakeJobShape(const std::vector<std::shared_ptr<const StepPlan>>& plans, uint32_t workers)
{
    const StepPlan& first = *plans.front();
    JobShape shape{workers, first.servers, 1, first.aggregators};
    const auto add = [](const StepPlan& plan, std::vector<PeerChannel>& channels) {
        for (const uint32_t channel : plan.ListSentChannels())
        {
            const PlannedResource& resource = plan.resources[channel];
            channels.push_back({resource.at, resource.to});
        }
    };
    for (const auto& plan : plans)
    {
        add(*plan, shape.channels);
    }
    if (first.aggregation)
    {
        add(*first.aggregation, shape.aggregation);
    }
    return shape;
}

std::vector<TransferChannel>
ListTrainingFlows(const std::vector<JobShape>& jobs)
{
    std::vector<TransferChannel> flows;
    JobShape before{0, 0};
    for (const auto& job : jobs)
    {
        const auto number = [&before](Endpoint endpoint) {
            endpoint.index += endpoint.role == Role::SERVER   ? before.servers
                              : endpoint.role == Role::WORKER ? before.workers
                                                              : before.aggregators;
            return endpoint;
        };
        const auto channels = job.channels.empty() ? ListServerChannels(job.servers) : job.channels;
        for (uint32_t participant = 0; participant < job.workers + job.aggregators; ++participant)
        {
            for (const auto& peers : participant < job.workers ? channels : job.aggregation)
            {
                const TransferChannel channel = peers.Resolve(participant, job.workers);
                flows.push_back({number(channel.from), number(channel.to)});
            }
        }
        before.workers += job.workers;
        before.servers += job.servers;
        before.aggregators += job.aggregators;
    }
    return flows;
}

FlowNetwork
MakeStarFlowNetwork(const JobShape& job, double workerRate, double serverRate, double oneWayDelay)
{
    FlowNetwork network;
    network.capacities.assign(2 * job.servers, serverRate);
    network.capacities.insert(network.capacities.end(), 2 * job.workers, workerRate);
    const auto from = [&job](const Endpoint& endpoint) {
        return 2 * (endpoint.role == Role::SERVER ? endpoint.index : job.servers + endpoint.index);
    };
    const auto to = [&from](const Endpoint& endpoint) { return from(endpoint) + 1; };
    for (uint32_t i = 0; i < job.servers; ++i)
    {
        const Endpoint server{Role::SERVER, i};
        network.serverLinks.push_back({{server, AccessLink::Way::OUT}, from(server)});
        network.serverLinks.push_back({{server, AccessLink::Way::IN}, to(server)});
    }
    network.training = ListTrainingFlows({job});
    for (const auto& channel : network.training)
    {
        NetworkFlow route;
        if (!(channel.from == channel.to)) // else it is nobody's
        {
            if (channel.from.role != Role::AGGREGATOR) // which is the switch
            {
                route.forward.push_back(from(channel.from));
                route.reverse.push_back(to(channel.from));
            }
            if (channel.to.role != Role::AGGREGATOR)
            {
                route.forward.push_back(to(channel.to));
                route.reverse.insert(route.reverse.begin(), from(channel.to));
            }
            route.delay = oneWayDelay;
            route.returnDelay = oneWayDelay;
        }
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
        CheckLinks("link of server " + std::to_string(server.access.endpoint.index),
                   {server.link},
                   links);
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

} // namespace ns3::dml
