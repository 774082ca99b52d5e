/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topologies.h"

#include <map>
#include <set>

namespace ns3::dml
{

namespace
{

using NodesByName = std::map<std::string, uint32_t>;

NodesByName
AddNodes(NetworkBuilder& builder)
{
    NodesByName nodes;
    const auto& switches = builder.GetSpec().topology.switches;
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        const std::string& name = switches[i];
        const std::string key = "topology.switches[" + std::to_string(i) + "]";
        HostNames::CheckLetters(key, name);
        if (HostNames::IsJobName(name) || builder.GetHosts().IsPresent(name) ||
            nodes.count(name) > 0)
        {
            throw NetworkError(key, "'" + name + "'", "names that no other node has");
        }
        nodes[name] = builder.AddSwitch(name);
    }
    for (const auto& name : builder.GetHosts().GetOwnNodes())
    {
        nodes[name] = builder.AddHost(name);
    }
    return nodes;
}

/// @return the ends of a link that this cluster has
std::vector<uint32_t>
FindEnds(const NetworkBuilder& builder,
         const NodesByName& nodes,
         const ExplicitLinkSpec& link,
         const std::string& key)
{
    const auto& colocate = builder.GetSpec().colocate;
    const auto& shared = builder.GetHosts().GetSharedHosts();
    std::vector<uint32_t> ends;
    for (const auto& name : link.ends)
    {
        if (nodes.count(name) > 0)
        {
            ends.push_back(nodes.at(name));
        }
        else if (!HostNames::IsJobName(name) && !builder.GetHosts().IsSharedHostName(name))
        {
            throw NetworkError(key,
                               "'" + name + "', no such node",
                               "one of topology.switches, workerN, psN or extra_hosts",
                               name);
        }
        else if (colocate.count(name) > 0)
        {
            throw NetworkError(key,
                               "'" + name + "', which lives with " + colocate.at(name),
                               "nodes of their own");
        }
        else if (shared.count(name) > 0)
        {
            throw NetworkError(key,
                               "'" + name + "', which shares " + shared.at(name),
                               "nodes of their own");
        }
    }
    return ends;
}

/// @return a link, with what `network.hosts` says of its ends
LinkSpec
MergeLinks(const NetworkBuilder& builder, const ExplicitLinkSpec& link)
{
    LinkSpec own = link.link;
    for (std::size_t end = 0; end < link.ends.size(); ++end)
    {
        const LinkSpec host = builder.GetHostLink(link.ends[end]);
        if (!own.rate && host.rate)
        {
            own.rate = end == 0 ? *host.rate : host.rate->Reverse(); // up is what the host sends
        }
        own.delay = own.delay ? own.delay : host.delay;
        own.queue = own.queue ? own.queue : host.queue;
        own.mtu = own.mtu ? own.mtu : host.mtu;
    }
    return own;
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ExplicitTopology);

TypeId
ExplicitTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::ExplicitTopology")
                            .SetParent<Topology>()
                            .SetGroupName("Dml")
                            .AddConstructor<ExplicitTopology>();
    return tid;
}

void
ExplicitTopology::Build(NetworkBuilder& builder) const
{
    const auto nodes = AddNodes(builder);
    const auto& links = builder.GetSpec().topology.links;
    std::set<std::set<uint32_t>> seen;
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const ExplicitLinkSpec& link = links[i];
        const std::string key = "topology.links[" + std::to_string(i) + "].between";
        const auto ends = FindEnds(builder, nodes, link, key);
        if (ends.size() < 2)
        {
            continue; // of a worker or server that this cluster does not have
        }
        if (ends[0] == ends[1] || !seen.insert({ends[0], ends[1]}).second)
        {
            throw NetworkError(key,
                               "'" + link.ends[0] + "' and '" + link.ends[1] + "'",
                               "each pair of different nodes once");
        }
        builder.Connect(builder.MakeLink(ends[0], ends[1], MergeLinks(builder, link), link.metric));
    }
}

} // namespace ns3::dml
