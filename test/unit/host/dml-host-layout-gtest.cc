/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-host-layout.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// The scenario's star, or another topology.
ClusterNetwork
MakeLayoutNetwork(const std::string& topology, uint32_t workers, uint32_t servers, uint32_t spines)
{
    NetworkSpec spec;
    spec.topology.type = topology;
    spec.topology.spines = spines;
    return BuildNetwork(spec, {{workers, servers}});
}

/// The way of a packet by the nodes' tables alone, or "lost" after 20 hops.
std::vector<DirectedLink>
FollowTables(const HostLayout& layout, uint32_t from, uint32_t to)
{
    std::vector<DirectedLink> way;
    for (uint32_t node = from; node != to && way.size() < 20;)
    {
        way.push_back(layout.GetRoutes(node).at(to));
        node = layout.GetNetwork().GetReceiver(way.back());
    }
    return way;
}

/// Switches s0 to s4, hosts h0 to h2, links of equal length.
ClusterNetwork
MakeDiamond()
{
    ClusterNetwork network;
    for (const auto* name : {"s0", "s1", "s2", "s3", "s4", "h0", "h1", "h2"})
    {
        network.AddNode(name, name[0] == 's');
    }
    // h1 is at s0, to which two ways of two links lead from s4; h0 is at s4, h2 a switch further
    constexpr uint32_t LINKS[][2] =
        {{5, 4}, {6, 0}, {7, 3}, {1, 0}, {0, 2}, {4, 1}, {2, 4}, {3, 4}};
    for (const auto& ends : LINKS)
    {
        NetworkLink link;
        link.ends = {ends[0], ends[1]};
        link.rates = {DataRate("1Gbps"), DataRate("1Gbps")};
        link.metrics = {1, 1};
        network.AddLink(link);
    }
    return network;
}

} // namespace

// The star's nodes are the switch, ps0 and worker0; its links switch-ps0 and switch-worker0, or the
// other way round. Addresses count the ends of links from 10.1.0.0.
TEST(HostLayoutTest, NamesAndAddresses)
{
    const ClusterNetwork network = MakeLayoutNetwork("star", 1, 1, 1);
    const HostLayout layout(network);
    const uint32_t server = network.FindHost("ps0");
    const uint32_t worker = network.FindHost("worker0");
    for (const uint32_t host : {server, worker})
    {
        const DirectedLink up = network.GetHostUplink(host);
        ASSERT_EQ(layout.GetPorts(host).size(), 1U);
        EXPECT_EQ(layout.GetPorts(host)[0], up);
        EXPECT_EQ(layout.GetDevice(up), "eth0");
        EXPECT_EQ(layout.GetDevice(up ^ 1), "eth" + std::to_string(up / 2));
        EXPECT_EQ(layout.GetEndAddress(up).Get(), 0x0a010000 + up);
        EXPECT_EQ(layout.GetAddress(host), layout.GetEndAddress(up));
        EXPECT_EQ(layout.GetMac(up),
                  "02:00:00:00:0" + std::to_string(up / 2) + ":0" + std::to_string(up % 2));
    }
    EXPECT_EQ(HostLayout::ToText(Ipv4Address(0x0a010003)), "10.1.0.3");
    // each uplink carries what its host sends to the other one, each downlink the reverse
    const HostLayout::Pair pair{worker, server};
    EXPECT_EQ(layout.GetPairs(network.GetHostUplink(worker)),
              (std::vector<HostLayout::Pair>{pair}));
    EXPECT_EQ(layout.GetPairs(network.GetHostUplink(server) ^ 1),
              (std::vector<HostLayout::Pair>{pair}));
}

// Tables that disagreed with the other engines' routes would show as another way, loops as a long
// one.
TEST(HostLayoutTest, TablesFollowTheRoutes)
{
    for (const auto& [topology, spines] :
         {std::pair<const char*, uint32_t>{"star", 1}, {"dumbbell", 1}, {"leaf-spine", 2}})
    {
        const ClusterNetwork network = MakeLayoutNetwork(topology, 6, 2, spines);
        const HostLayout layout(network);
        uint32_t hosts = 0;
        for (uint32_t from = 0; from < network.GetNodes().size(); ++from)
        {
            hosts += network.GetNodes()[from].isSwitch ? 0 : 1;
            for (uint32_t to = 0; to < network.GetNodes().size(); ++to)
            {
                if (!network.GetNodes()[to].isSwitch && from != to)
                {
                    EXPECT_EQ(FollowTables(layout, from, to), network.FindRoute(from, to))
                        << topology << " " << network.GetNodes()[from].name << " "
                        << network.GetNodes()[to].name;
                }
            }
        }
        EXPECT_EQ(hosts, 8U);
    }
}

// A leaf-spine network of two leaves and two spines: both spines are used, or what is tested above
// could not go wrong.
TEST(HostLayoutTest, BothSpinesCarryPairs)
{
    const ClusterNetwork network = MakeLayoutNetwork("leaf-spine", 6, 2, 2);
    const HostLayout layout(network);
    std::size_t pairs = 0;
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        const auto& nodes = network.GetNodes();
        if (nodes[network.GetSender(link)].isSwitch && nodes[network.GetReceiver(link)].isSwitch)
        {
            pairs += layout.GetPairs(link).size();
        }
    }
    // 4 hosts on each leaf: 16 pairs in each direction, two links between switches each
    EXPECT_EQ(pairs, 2U * 16 * 2);
}

TEST(HostLayoutTest, RefusesRoutesThatDependOnTheSource)
{
    const ClusterNetwork network = MakeDiamond();
    EXPECT_EQ(ErrorOf([&] { HostLayout layout(network); }),
              "network.topology: packets to h1 leave s4 on s4->s2 if they come from h2 and on "
              "s4->s1 if they come from another host; the host engine accepts networks where the "
              "way depends on the destination alone");
}
