/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Links with a rate for each direction.

#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

const LinkRates SLOW_DOWN{DataRate("800Mbps"), DataRate("200Mbps")};

/// Rate of what a node sends to a neighbour, Mbit/s.
double
RateFromTo(const ClusterNetwork& network, const std::string& from, const std::string& to)
{
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        if (network.GetName(link) == from + "->" + to)
        {
            return network.GetRate(link).GetBitRate() / 1e6;
        }
    }
    return 0;
}

TEST(LinkRates, UpIsWhatTheHostSends)
{
    NetworkSpec spec;
    spec.hosts["worker0"].rate = SLOW_DOWN;
    const auto network = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(RateFromTo(network, "worker0", "switch"), 800);
    EXPECT_EQ(RateFromTo(network, "switch", "worker0"), 200);
    EXPECT_EQ(RateFromTo(network, "worker1", "switch"), 1000);
    EXPECT_EQ(RateFromTo(network, "switch", "worker1"), 1000);
    const auto fair = MakeFairShareNetwork(Scenario(), network);
    const DirectedLink up = network.GetHostUplink(network.FindHost("worker0"));
    const WireFormat format = GetWireFormat(1500, true);
    EXPECT_EQ(fair.links.capacities[up], GetGoodput(DataRate("800Mbps"), format));
    EXPECT_EQ(fair.links.capacities[up ^ 1], GetGoodput(DataRate("200Mbps"), format));
}

TEST(LinkRates, OfALinkListAreInTheOrderOfItsEnds)
{
    NetworkSpec spec;
    spec.topology.type = "explicit";
    spec.topology.switches = {"s"};
    spec.topology.links = {{{"ps0", "s"}, {}}, {{"s", "worker0"}, {}}, {{"s", "worker1"}, {}}};
    spec.topology.links[0].link.rate = SLOW_DOWN;
    spec.topology.links[1].link.rate = SLOW_DOWN;
    spec.hosts["worker0"].rate = DataRate("1Mbps"); // the link says otherwise
    spec.hosts["worker1"].rate = SLOW_DOWN; // up is what the host sends, whichever end it is
    const auto network = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(RateFromTo(network, "ps0", "s"), 800);
    EXPECT_EQ(RateFromTo(network, "s", "ps0"), 200);
    EXPECT_EQ(RateFromTo(network, "s", "worker0"), 800);
    EXPECT_EQ(RateFromTo(network, "worker0", "s"), 200);
    EXPECT_EQ(RateFromTo(network, "worker1", "s"), 800);
    EXPECT_EQ(RateFromTo(network, "s", "worker1"), 200);
}

TEST(LinkRates, OfTrunksLeadFromLeftToRightAndFromLeafToSpine)
{
    NetworkSpec spec;
    spec.topology.type = "dumbbell";
    spec.topology.trunk.rate = SLOW_DOWN;
    const auto dumbbell = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(RateFromTo(dumbbell, "left", "right"), 800);
    EXPECT_EQ(RateFromTo(dumbbell, "right", "left"), 200);
    spec.topology.type = "leaf-spine";
    const auto fabric = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(RateFromTo(fabric, "leaf1", "spine0"), 800);
    EXPECT_EQ(RateFromTo(fabric, "spine0", "leaf1"), 200);
}

// ps0 and worker1 are below leaf0, worker0 below leaf1: up 800 + 1000 Mbit/s and down 200 + 1000,
// by 2.
TEST(LinkRates, OversubscriptionIsOfEachDirection)
{
    NetworkSpec spec;
    spec.topology.type = "leaf-spine";
    spec.topology.oversubscription = 2;
    spec.hosts["ps0"].rate = SLOW_DOWN;
    const auto network = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(RateFromTo(network, "leaf1", "spine0"), 900);
    EXPECT_EQ(RateFromTo(network, "spine0", "leaf1"), 600);
}

} // namespace
