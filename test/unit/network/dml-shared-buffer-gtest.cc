/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-shared-buffer.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

QueueSpec
SharedQueue(uint64_t bytes, double alpha = 1)
{
    QueueSpec queue{QueueSpec::Kind::SHARED, bytes};
    queue.alpha = alpha;
    return queue;
}

/// Names of the links that ports of a memory send on.
std::set<std::string>
PortsOf(const ClusterNetwork& network, const SharedBuffer& buffer)
{
    std::set<std::string> names;
    for (const DirectedLink port : buffer.ports)
    {
        names.insert(network.GetName(port));
    }
    return names;
}

TEST(SharedBuffer, EachSwitchHasItsOwn)
{
    NetworkSpec spec;
    spec.topology.type = "dumbbell";
    spec.queue = SharedQueue(1000000);
    const auto network = BuildNetwork(spec, {{2, 1}});
    const auto buffers = FindSharedBuffers(network);
    ASSERT_EQ(buffers.size(), 2u);
    EXPECT_EQ(network.GetNodes()[buffers[0].node].name, "left");
    EXPECT_EQ(buffers[0].bytes, 1000000u);
    EXPECT_EQ(PortsOf(network, buffers[0]), (std::set<std::string>{"left->ps0", "left->right"}));
    EXPECT_EQ(PortsOf(network, buffers[1]),
              (std::set<std::string>{"right->left", "right->worker0", "right->worker1"}));
}

TEST(SharedBuffer, APortWithAnotherQueueHasAMemoryOfItsOwn)
{
    NetworkSpec spec;
    spec.queue = SharedQueue(1000000);
    spec.hosts["worker0"].queue = QueueSpec{QueueSpec::Kind::DROP_TAIL, 50000};
    spec.hosts["ps0"].queue = SharedQueue(1000000, 4);
    const auto network = BuildNetwork(spec, {{2, 1}});
    const auto buffers = FindSharedBuffers(network);
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_EQ(PortsOf(network, buffers[0]),
              (std::set<std::string>{"switch->ps0", "switch->worker1"}));
}

TEST(SharedBuffer, HasOneSize)
{
    NetworkSpec spec;
    spec.queue = SharedQueue(1000000);
    spec.hosts["worker0"].queue = SharedQueue(2000000);
    const auto network = BuildNetwork(spec, {{2, 1}});
    try
    {
        FindSharedBuffers(network);
        FAIL();
    }
    catch (const NetworkError& error)
    {
        EXPECT_STREQ(error.what(),
                     "network.queue: found one switch that has 1000000 shared bytes for "
                     "switch->ps0 and 2000000 for switch->worker0; accepted: the same size for all "
                     "ports of a switch that share its memory; alpha may differ");
    }
}

// q = alpha (B - others - q), and for all that are full together with F free bytes: q_i = alpha_i F
// and F = B - sum of q_i
TEST(SharedBuffer, LimitsAreThoseOfDynamicThresholds)
{
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 2, 0), 60);
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 2, 30), 40);
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 2, 90), 0);
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 2, 100), 0);
    EXPECT_DOUBLE_EQ(GetSteadyLimit(90, 2, 2), GetDynamicLimit(90, 2, 0));
    const double first = GetSteadyLimit(90, 2, 2 + 0.5);
    const double second = GetSteadyLimit(90, 0.5, 2 + 0.5);
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 2, second), first);
    EXPECT_DOUBLE_EQ(GetDynamicLimit(90, 0.5, first), second);
    EXPECT_DOUBLE_EQ(GetLargestContent(SharedQueue(90, 2)), 60);
    EXPECT_DOUBLE_EQ(GetLargestContent(QueueSpec{QueueSpec::Kind::DROP_TAIL, 90}), 90);
}

/// @return bytes that the rule drop-tail takes for the port on which "switch" sends to a host
double
RoomTowards(uint32_t workers, uint32_t servers, const std::string& host, double alpha = 1)
{
    Scenario scenario;
    scenario.network.queue = SharedQueue(1000000, alpha);
    const auto network = BuildNetwork(scenario.network, {{workers, servers}});
    const auto links = MakeFairShareNetwork(scenario, network).links;
    return links.GetDropTail(network.GetHostUplink(network.FindHost(host)) ^ 1);
}

// The ports of the switch at which connections would have their bottleneck if all sent at once:
// those of M servers, where there are more workers. Pulls have theirs in the servers' own ports.
TEST(SharedBuffer, TheRuleDropTailTakesTheSteadyLimit)
{
    EXPECT_DOUBLE_EQ(RoomTowards(4, 1, "ps0"), 1e6 / 2);
    EXPECT_DOUBLE_EQ(RoomTowards(4, 1, "ps0", 3), 3e6 / 4);
    EXPECT_DOUBLE_EQ(RoomTowards(4, 1, "worker0"), 1e6 / 3) << "beside that of the server";
    EXPECT_DOUBLE_EQ(RoomTowards(4, 2, "ps1"), 1e6 / 3);
    EXPECT_DOUBLE_EQ(RoomTowards(4, 2, "worker3"), 1e6 / 4);
    EXPECT_DOUBLE_EQ(RoomTowards(1, 1, "ps0"), 1e6 / 2) << "no bottleneck: alone";
}

TEST(SharedBuffer, FairShareRefusesSprayingBesideIt)
{
    Scenario scenario;
    scenario.network.queue = SharedQueue(1000000);
    scenario.network.topology.type = "leaf-spine";
    scenario.network.topology.spines = 2;
    scenario.network.multipath.policy = "spray";
    const auto network = BuildNetwork(scenario.network, {{4, 1}});
    try
    {
        MakeFairShareNetwork(scenario, network);
        FAIL();
    }
    catch (const KeyError& error)
    {
        EXPECT_STREQ(error.what(),
                     "network.multipath: found spray beside ports that share a buffer, which the "
                     "fair-share engine cannot express; accepted: none or ecmp, or "
                     "--engine=packet");
    }
}

} // namespace
