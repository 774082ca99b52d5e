/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-aggregation-switches.h"
#include "ns3/dml-error.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return "root(leaf1(worker1)leaf0(worker0))": the aggregators, and who sends to each
std::string
DescribeTree(const ClusterNetwork& network, const AggregationTree& tree, uint32_t aggregator = 0)
{
    std::string text = network.GetNodes()[tree.switches[aggregator]].name + "(";
    for (uint32_t other = 0; other < tree.parents.size(); ++other)
    {
        text += tree.parents[other] == aggregator ? DescribeTree(network, tree, other) : "";
    }
    std::string workers;
    for (uint32_t worker = 0; worker < tree.leaves.size(); ++worker)
    {
        if (tree.leaves[worker] == aggregator)
        {
            workers += (workers.empty() ? "" : " ") + std::to_string(worker);
        }
    }
    return text + workers + ")";
}

/// @return the tree of so many workers
std::string
TreeOf(const NetworkSpec& spec, uint32_t workers, const std::string& root = "")
{
    const auto network = BuildNetwork(spec, {{workers, 0}});
    return DescribeTree(network, FindAggregationTree(network, 0, root));
}

NetworkSpec
SpecOf(const std::string& type)
{
    NetworkSpec spec;
    spec.topology.type = type;
    spec.topology.leaves = 3;
    spec.topology.spines = 2;
    return spec;
}

ExplicitLinkSpec
LinkBetween(const std::string& a, const std::string& b, uint32_t metric = 1)
{
    return {{a, b}, {}, metric};
}

} // namespace

TEST(AggregationSwitches, OfAStarIsTheSwitch)
{
    EXPECT_EQ(TreeOf(SpecOf("star"), 2), "switch(0 1)");
    EXPECT_EQ(TreeOf(SpecOf("star"), 5), "switch(0 1 2 3 4)");
}

/// Hosts are dealt to the leaves in turn. A leaf with one worker has nothing to add up, and where
/// all are at one leaf, so has a spine.
TEST(AggregationSwitches, OfALeafSpineAreTheLeavesAndOneSpine)
{
    EXPECT_EQ(TreeOf(SpecOf("leaf-spine"), 6), "spine0(leaf0(0 3)leaf1(1 4)leaf2(2 5))");
    EXPECT_EQ(TreeOf(SpecOf("leaf-spine"), 4), "spine0(leaf0(0 3)1 2)");
    EXPECT_EQ(TreeOf(SpecOf("leaf-spine"), 3), "spine0(0 1 2)");
    EXPECT_EQ(TreeOf(SpecOf("leaf-spine"), 6, "spine1"), "spine1(leaf0(0 3)leaf1(1 4)leaf2(2 5))");
    NetworkSpec one = SpecOf("leaf-spine");
    one.topology.leaves = 1;
    EXPECT_EQ(TreeOf(one, 3), "leaf0(0 1 2)");
    EXPECT_EQ(TreeOf(one, 3, "spine1"), "leaf0(0 1 2)") << "all are below leaf0";
}

/// A leaf as the root adds up its own hosts with what comes over the spine of its number.
TEST(AggregationSwitches, RootMayBeALeaf)
{
    EXPECT_EQ(TreeOf(SpecOf("leaf-spine"), 6, "leaf1"), "leaf1(spine1(leaf0(0 3)leaf2(2 5))1 4)");
}

/// Metrics count, not numbers of links: c is 1 from every worker's switch, a and b are 1 and 2 from
/// each other over c.
TEST(AggregationSwitches, RootIsNearestToTheFurthestWorker)
{
    NetworkSpec spec;
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b", "c"};
    spec.topology.links = {LinkBetween("worker0", "a"),
                           LinkBetween("worker1", "a"),
                           LinkBetween("worker2", "b"),
                           LinkBetween("worker3", "b"),
                           LinkBetween("a", "b", 9),
                           LinkBetween("a", "c"),
                           LinkBetween("c", "b")};
    EXPECT_EQ(TreeOf(spec, 4), "c(a(0 1)b(2 3))");
    spec.topology.links[4].metric = 1; // now it is 2 to the furthest one from a, b and c
    EXPECT_EQ(TreeOf(spec, 4), "a(b(2 3)0 1)") << "of 6 together from a and b, and 8 from c";
}

/// Workers of one host are two children of the switch; a host in between forwards only.
TEST(AggregationSwitches, HostsAddNothingUp)
{
    NetworkSpec spec;
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b"};
    spec.colocate = {{"worker1", "worker0"}};
    spec.topology.links = {LinkBetween("worker0", "a"),
                           LinkBetween("a", "b"),
                           LinkBetween("b", "worker2"),
                           LinkBetween("worker2", "worker3")};
    EXPECT_EQ(TreeOf(spec, 4, "a"), "a(b(2 3)0 1)");
}

TEST(AggregationSwitches, AreNamedAsTheirSwitchesAre)
{
    auto network = BuildNetwork(SpecOf("leaf-spine"), {{6, 0}, {6, 0}});
    for (const uint32_t job : {0U, 1U})
    {
        network.SetAggregation(job, FindAggregationTree(network, job, ""));
        EXPECT_EQ(network.GetJobs()[job].aggregators, 4U);
    }
    EXPECT_EQ(network.GetAggregatorName(0, 0), "spine0");
    EXPECT_EQ(network.GetAggregatorName(1, 1), "job1.leaf0");
    EXPECT_EQ(network.FindHost("job1.leaf0"), network.GetAggregation(0).switches[1]);
}

TEST(AggregationSwitches, UnknownRootIsRefused)
{
    for (const std::string name : {"worker0", "spine2"})
    {
        try
        {
            TreeOf(SpecOf("leaf-spine"), 3, name);
            FAIL() << name;
        }
        catch (const KeyError& error)
        {
            EXPECT_EQ(error.GetKey(), "all_reduce.root");
            EXPECT_EQ(error.GetReason(),
                      "found '" + name +
                          "'; accepted: the name of a switch: leaf0, leaf1, leaf2, spine0, "
                          "spine1");
        }
    }
    NetworkSpec wire;
    wire.topology.type = "explicit";
    wire.topology.links = {LinkBetween("worker0", "worker1")};
    EXPECT_THROW(TreeOf(wire, 2), KeyError) << "no switch";
}
