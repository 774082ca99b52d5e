/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topology-builder.h"

#include "dml-topologies.h"
#include "dml-topology.h"

namespace ns3::dml
{

namespace
{

/// Networks that were built.
uint64_t g_built = 0;

/// @param name of a host with several network cards, of one of these or of who uses it
/// @return both directions of its links; none: it is no such name
std::vector<DirectedLink>
FindHostLinks(const ClusterNetwork& network, const std::string& name)
{
    std::vector<DirectedLink> links;
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        const auto& nic = network.GetLinks()[link / 2].nic;
        const NetworkNode& host = network.GetNodes()[network.GetSender(link)];
        if (nic && !host.isSwitch &&
            (name == host.name || name == host.name + "." + std::to_string(*nic) ||
             (network.HasNic(name) && network.FindUplink(name) == link)))
        {
            links.insert(links.end(), {link, link ^ 1});
        }
    }
    return links;
}

} // namespace

ClusterNetwork
BuildNetwork(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
{
    ++g_built;
    NetworkBuilder builder(spec, jobs);
    Topologies().Create<Topology>({spec.topology.type, spec.topology.attributes})->Build(builder);
    return builder.Finish();
}

uint64_t
CountBuiltNetworks()
{
    return g_built;
}

std::vector<DirectedLink>
FindFaultLinks(const ClusterNetwork& network, const FaultSpec& fault)
{
    const std::string key = fault.key + ".link";
    std::vector<DirectedLink> links;
    if (fault.link.empty())
    {
        for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
        {
            if (!network.IsLocal(link))
            {
                links.push_back(link);
            }
        }
        return links;
    }
    if (fault.link.size() == 1)
    {
        const auto ofHost = FindHostLinks(network, fault.link.front());
        if (!ofHost.empty())
        {
            return ofHost;
        }
    }
    std::vector<uint32_t> nodes;
    for (const auto& name : fault.link)
    {
        uint32_t node = network.FindHost(name);
        for (uint32_t i = 0; i < network.GetNodes().size() && node == ClusterNetwork::NO_NODE; ++i)
        {
            node = network.GetNodes()[i].name == name ? i : node;
        }
        if (node == ClusterNetwork::NO_NODE)
        {
            throw NetworkError(key,
                               "'" + name + "', no such node",
                               "a host, or two neighbours",
                               name);
        }
        nodes.push_back(node);
    }
    const uint32_t link =
        nodes.size() == 1 ? network.GetHostLink(nodes[0]) : network.FindLink(nodes[0], nodes[1]);
    if (link == ClusterNetwork::NO_LINK ||
        (nodes.size() == 1 && network.GetNodes()[nodes[0]].isSwitch))
    {
        throw NetworkError(key, "no such link", "a host, or two nodes with a link between them");
    }
    if (network.IsLocal(2 * link))
    {
        throw NetworkError(key,
                           "the local link of " + network.GetNodes()[nodes[0]].name +
                               ", which has no faults",
                           "a host, or two nodes with a link between them");
    }
    const NetworkLink& first = network.GetLinks()[link];
    for (uint32_t other = 0; other < network.GetLinks().size(); ++other)
    {
        // all network cards of a host
        if (other == link || (first.nic && network.GetLinks()[other].ends == first.ends))
        {
            links.insert(links.end(), {2 * other, 2 * other + 1});
        }
    }
    return links;
}

} // namespace ns3::dml
