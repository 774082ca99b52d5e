/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-flow-paths.h"
#include "ns3/dml-multipath-policies.h"
#include "ns3/dml-topology-builder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two leaves: ps0 and the even workers are on the first one, the odd ones on the other.
NetworkSpec
LeafSpine(uint32_t spines, const std::string& multipath = "ecmp")
{
    NetworkSpec spec;
    spec.topology.type = "leaf-spine";
    spec.topology.leaves = 2;
    spec.topology.spines = spines;
    spec.multipath.policy = multipath;
    return spec;
}

/// Names of the nodes at which links end.
std::set<std::string>
EndsOf(const ClusterNetwork& network, const std::vector<DirectedLink>& links)
{
    std::set<std::string> names;
    for (const DirectedLink link : links)
    {
        names.insert(network.GetNodes()[network.GetReceiver(link)].name);
    }
    return names;
}

uint32_t
NodeOf(const ClusterNetwork& network, const std::string& name)
{
    uint32_t node = 0;
    while (network.GetNodes().at(node).name != name)
    {
        ++node;
    }
    return node;
}

/// Text of an InputError, or "no error".
template <typename Function>
std::string
ErrorOf(const Function& function)
{
    try
    {
        function();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "no error";
}

using Names = std::set<std::string>;

TEST(EqualPaths, SwitchesShareOutAlike)
{
    const ClusterNetwork network = BuildNetwork(LeafSpine(4), {{4, 1}});
    const EqualPaths paths(network);
    // worker0 is below leaf1, ps0 below leaf0: four spines lie between
    const auto shares = paths.FindShares(NodeOf(network, "worker0"), NodeOf(network, "ps0"));
    std::map<std::string, double> ends;
    for (const auto& [link, share] : shares)
    {
        ends[network.GetName(link)] = share;
    }
    EXPECT_EQ(ends,
              (std::map<std::string, double>{{"worker0->leaf1", 1},
                                             {"leaf1->spine0", 0.25},
                                             {"leaf1->spine1", 0.25},
                                             {"leaf1->spine2", 0.25},
                                             {"leaf1->spine3", 0.25},
                                             {"spine0->leaf0", 0.25},
                                             {"spine1->leaf0", 0.25},
                                             {"spine2->leaf0", 0.25},
                                             {"spine3->leaf0", 0.25},
                                             {"leaf0->ps0", 1}}));
    const uint32_t server = NodeOf(network, "ps0");
    EXPECT_TRUE(paths.FindShares(server, server).empty());
}

/// Of two equally long ways from a, one leads to b at once and one by c.
TEST(EqualPaths, SharesAddUpWherePathsMeetAgain)
{
    NetworkSpec spec;
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b", "c"};
    const auto link = [](const std::string& one, const std::string& other, uint32_t metric) {
        ExplicitLinkSpec made{{one, other}, {}};
        made.link.rate = DataRate("1Gbps");
        made.metric = metric;
        return made;
    };
    spec.topology.links = {link("worker0", "a", 1),
                           link("a", "b", 2),
                           link("a", "c", 1),
                           link("c", "b", 1),
                           link("b", "ps0", 1)};
    spec.multipath.policy = "ecmp";
    const ClusterNetwork network = BuildNetwork(spec, {{1, 1}});
    const EqualPaths paths(network);
    std::map<std::string, double> ends;
    for (const auto& [each, share] :
         paths.FindShares(NodeOf(network, "worker0"), NodeOf(network, "ps0")))
    {
        ends[network.GetName(each)] = share;
    }
    EXPECT_EQ(ends,
              (std::map<std::string, double>{{"worker0->a", 1},
                                             {"a->b", 0.5},
                                             {"a->c", 0.5},
                                             {"c->b", 0.5},
                                             {"b->ps0", 1}}));
}

TEST(EqualPaths, AllSpinesAreEquallyNear)
{
    const ClusterNetwork network = BuildNetwork(LeafSpine(3), {{4, 1}});
    const EqualPaths paths(network);
    const uint32_t ps0 = network.FindHost("ps0");
    const uint32_t worker0 = network.FindHost("worker0"); // on the other leaf
    EXPECT_EQ(EndsOf(network, paths.GetNext(ps0, worker0)), (Names{"leaf0"}));
    EXPECT_EQ(EndsOf(network, paths.GetNext(NodeOf(network, "leaf0"), worker0)),
              (Names{"spine0", "spine1", "spine2"}));
    EXPECT_EQ(EndsOf(network, paths.GetNext(NodeOf(network, "spine1"), worker0)), (Names{"leaf1"}));
    EXPECT_TRUE(paths.GetNext(worker0, worker0).empty());
    const auto layers = paths.FindLayers(ps0, worker0);
    ASSERT_EQ(layers.size(), 4U);
    EXPECT_EQ(layers[1].size(), 3U);
    EXPECT_EQ(EndsOf(network, layers[2]), (Names{"leaf1"}));
    EXPECT_EQ(layers[2].size(), 3U);
    EXPECT_EQ(paths.FindAll(ps0, worker0).size(), 1 + 3 + 3 + 1U);
}

TEST(EqualPaths, ThereIsOnePathWithoutMultipath)
{
    const ClusterNetwork network = BuildNetwork(LeafSpine(3, "none"), {{4, 1}});
    const FlowPaths paths(network);
    const uint32_t ps0 = network.FindHost("ps0");
    const uint32_t worker0 = network.FindHost("worker0");
    EXPECT_EQ(paths.GetEqual().FindAll(ps0, worker0).size(), 4U);
    EXPECT_EQ(paths.FindChannel("ps0", "worker0").forward, network.FindRoute(ps0, worker0));
}

TEST(EqualPaths, RefusesPathsOfDifferentNumbersOfLinks)
{
    NetworkSpec spec;
    spec.multipath.policy = "spray";
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b", "c"};
    const auto link = [&spec](const std::string& from, const std::string& to, uint32_t metric) {
        spec.topology.links.push_back({{from, to}, {}, metric});
    };
    link("ps0", "a", 1);
    link("a", "b", 1);
    link("b", "c", 1);
    link("a", "c", 2); // as long as by b
    link("c", "worker0", 1);
    const ClusterNetwork network = BuildNetwork(spec, {{1, 1}});
    const EqualPaths paths(network);
    EXPECT_EQ(
        ErrorOf([&] { paths.FindLayers(network.FindHost("ps0"), network.FindHost("worker0")); }),
        "equally short paths of different numbers of links from ps0 to worker0");
    EXPECT_EQ(paths.GetNext(NodeOf(network, "a"), network.FindHost("worker0")).size(), 2U);
}

TEST(EqualPaths, TrunksOfALeafShareWhatItsHostsMaySend)
{
    const auto rateOf = [](const std::string& multipath) {
        const ClusterNetwork network =
            BuildNetwork(LeafSpine(4, multipath), {{7, 1}}); // four on a leaf
        const uint32_t trunk =
            network.FindLink(NodeOf(network, "leaf0"), NodeOf(network, "spine0"));
        return network.GetLinks()[trunk].rates[0].GetBitRate();
    };
    EXPECT_EQ(rateOf("none"), 4000000000U);
    EXPECT_EQ(rateOf("ecmp"), 1000000000U);
}

TEST(EqualPaths, ConnectionsKeepTheirPath)
{
    const ClusterNetwork network = BuildNetwork(LeafSpine(8), {{40, 2}});
    const FlowPaths paths(network);
    const FlowPaths again(network);
    std::set<std::vector<DirectedLink>> found;
    for (uint32_t worker = 0; worker < 40; worker += 2) // on the other leaf than ps1
    {
        const auto path = paths.FindChannel("ps1", WorkerName(0, worker));
        EXPECT_EQ(path.forward, again.FindChannel("ps1", WorkerName(0, worker)).forward);
        EXPECT_EQ(network.GetSender(path.forward.front()), network.FindHost("ps1"));
        EXPECT_EQ(network.GetReceiver(path.reverse.back()), network.FindHost("ps1"));
        found.insert({path.forward[1]});
    }
    EXPECT_GT(found.size(), 4U) << "of 20 connections over 8 spines";
}

/// @return the probability that no bin has more than @p most of @p balls: by the coefficients of
/// (sum of x^j / j!)^bins
double
ProbabilityOfAtMost(uint32_t most, uint32_t balls, uint32_t bins)
{
    std::vector<double> power(balls + 1, 0);
    power[0] = 1;
    for (uint32_t bin = 0; bin < bins; ++bin)
    {
        std::vector<double> next(balls + 1, 0);
        for (uint32_t i = 0; i <= balls; ++i)
        {
            for (uint32_t j = 0; j <= std::min(most, balls - i); ++j)
            {
                next[i + j] += power[i] / std::tgamma(j + 1.0);
            }
        }
        power = next;
    }
    return power[balls] * std::tgamma(balls + 1.0) / std::pow(bins, balls);
}

TEST(EqualPaths, TheFullestSpineHasAsManyConnectionsAsTheFullestOfBins)
{
    constexpr uint32_t SEEDS = 10000;
    for (const auto& [connections, spines] :
         {std::pair{2U, 2U}, {4U, 2U}, {4U, 4U}, {8U, 4U}, {16U, 4U}, {32U, 8U}})
    {
        // workers with odd numbers, and ps0, are on the same leaf; ask for those on the other one
        const ClusterNetwork network = BuildNetwork(LeafSpine(spines), {{2 * connections, 1}});
        const FlowPaths paths(network);
        const uint32_t ps0 = network.FindHost("ps0");
        std::vector<uint32_t> fullest(connections + 1, 0);
        for (uint32_t seed = 1; seed <= SEEDS; ++seed)
        {
            std::map<DirectedLink, uint32_t> flows;
            const auto hash = MakeMultipathPolicy({"ecmp", {{"Seed", std::to_string(seed)}}});
            for (uint32_t i = 0; i < connections; ++i)
            {
                const std::string worker = WorkerName(0, 2 * i);
                const auto path =
                    paths.GetEqual().FindChosen(ps0,
                                                network.FindHost(worker),
                                                paths.GetPlan().FindChannel("ps0", worker),
                                                *hash);
                ASSERT_EQ(path.size(), 4U);
                ++flows[path[1]];
            }
            uint32_t most = 0;
            for (const auto& [link, number] : flows)
            {
                most = std::max(most, number);
            }
            ++fullest[most];
        }
        double below = 0;
        double chiSquare = 0;
        uint32_t classes = 0;
        double rest = 0;
        double restExpected = 0;
        for (uint32_t most = 1; most <= connections; ++most)
        {
            const double upTo = ProbabilityOfAtMost(most, connections, spines);
            const double expected = SEEDS * (upTo - below);
            below = upTo;
            if (expected >= 10)
            {
                chiSquare += std::pow(fullest[most] - expected, 2) / expected;
                ++classes;
            }
            else
            {
                rest += fullest[most];
                restExpected += expected;
            }
        }
        EXPECT_NEAR(below, 1, 1e-9);
        EXPECT_NEAR(rest, restExpected, 5 + 4 * std::sqrt(restExpected));
        // mean: classes - 1; five standard deviations above
        EXPECT_LT(chiSquare, classes - 1 + 5 * std::sqrt(2.0 * classes))
            << connections << " connections over " << spines << " spines";
    }
}

TEST(FiveTuple, EveryPartCounts)
{
    const FiveTuple tuple{1, 2, 3, 4, FiveTuple::TCP};
    const uint64_t hash = HashFiveTuple(tuple, 1, 0);
    EXPECT_EQ(hash, HashFiveTuple(tuple, 1, 0));
    EXPECT_NE(hash, HashFiveTuple(tuple, 2, 0));
    EXPECT_NE(hash, HashFiveTuple(tuple, 1, 1));
    EXPECT_NE(hash, HashFiveTuple({2, 2, 3, 4, FiveTuple::TCP}, 1, 0));
    EXPECT_NE(hash, HashFiveTuple({1, 3, 3, 4, FiveTuple::TCP}, 1, 0));
    EXPECT_NE(hash, HashFiveTuple({1, 2, 4, 4, FiveTuple::TCP}, 1, 0));
    EXPECT_NE(hash, HashFiveTuple({1, 2, 3, 5, FiveTuple::TCP}, 1, 0));
    EXPECT_NE(hash, HashFiveTuple({1, 2, 3, 4, FiveTuple::UDP}, 1, 0));
    EXPECT_NE(hash, HashFiveTuple(tuple.Reverse(), 1, 0));
    EXPECT_EQ(ChooseByHash(0, 3), 0U);
    EXPECT_EQ(ChooseByHash(UINT64_MAX, 3), 2U);
}

TEST(AddressPlan, ConnectionsOfAHostHavePortsOfTheirOwn)
{
    NetworkSpec spec;
    spec.colocate = {{"ps0", "worker0"}, {"ps1", "worker1"}};
    const ClusterNetwork network = BuildNetwork(spec, {{3, 2}});
    const AddressPlan plan(network);
    const std::vector<std::string> names{"ps0", "ps1", "worker0", "worker1", "worker2"};
    std::map<uint32_t, std::set<uint16_t>> ports;
    std::map<uint32_t, uint32_t> connections;
    for (const auto& name : names)
    {
        const uint32_t node = network.FindHost(name);
        ports[node].insert(plan.GetPort(name));
        ++connections[node];
        for (const auto& peer : names)
        {
            if (network.FindHost(peer) != node)
            {
                ports[node].insert(plan.GetClientPort(name, peer));
                ++connections[node];
            }
        }
    }
    for (const auto& [node, number] : connections)
    {
        EXPECT_EQ(ports[node].size(), number);
    }
    const FiveTuple tuple = plan.FindChannel("ps0", "worker2");
    EXPECT_EQ(tuple.source, plan.GetAddress(network.FindHost("worker0")));
    EXPECT_EQ(tuple.sourcePort, plan.GetPort("ps0"));
    EXPECT_EQ(tuple.destinationPort, plan.GetClientPort("worker2", "ps0"));
    EXPECT_TRUE(plan.HasPorts());
}

} // namespace
