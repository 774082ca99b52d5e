/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// The names of the nodes on the way between two hosts, "worker0 switch ps0".
std::string
RouteOf(const ClusterNetwork& network, const std::string& from, const std::string& to)
{
    const uint32_t source = network.FindHost(from);
    std::string names = network.GetNodes()[source].name;
    for (const DirectedLink link : network.FindRoute(source, network.FindHost(to)))
    {
        names += " " + network.GetNodes()[network.GetReceiver(link)].name;
    }
    return names;
}

/// The link between two nodes, by name.
const NetworkLink&
LinkOf(const ClusterNetwork& network, const std::string& a, const std::string& b)
{
    const auto find = [&network](const std::string& name) {
        uint32_t node = 0;
        while (network.GetNodes().at(node).name != name)
        {
            ++node;
        }
        return node;
    };
    return network.GetLinks().at(network.FindLink(find(a), find(b)));
}

/// Text of BuildNetwork()'s error, or "no error".
std::string
ErrorOf(const NetworkSpec& spec, uint32_t workers = 2, uint32_t servers = 1)
{
    try
    {
        BuildNetwork(spec, {{workers, servers}});
    }
    catch (const NetworkError& error)
    {
        return error.what();
    }
    return "no error";
}

NetworkSpec
LeafSpine(uint32_t leaves, uint32_t spines, double oversubscription)
{
    NetworkSpec spec;
    spec.topology.type = "leaf-spine";
    spec.topology.leaves = leaves;
    spec.topology.spines = spines;
    spec.topology.oversubscription = oversubscription;
    return spec;
}

ExplicitLinkSpec
Between(const std::string& a, const std::string& b, uint32_t metric = 1)
{
    return {{a, b}, {}, metric};
}

/// ps0 - a - {b, c} - d - workers, and a slow link from a to d.
NetworkSpec
Diamond(uint32_t shortcutMetric)
{
    NetworkSpec spec;
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b", "c", "d"};
    spec.topology.links = {Between("ps0", "a"),
                           Between("a", "b"),
                           Between("a", "c"),
                           Between("b", "d"),
                           Between("c", "d"),
                           Between("d", "worker0"),
                           Between("worker1", "d"),
                           Between("a", "d", shortcutMetric)};
    spec.topology.links.back().link.rate = DataRate("100Mbps");
    return spec;
}

} // namespace

TEST(Topology, AStarHasALinkPerHost)
{
    NetworkSpec spec;
    spec.extraHosts = {"x"};
    const auto network = BuildNetwork(spec, {{2, 1}, {1, 1}});
    EXPECT_EQ(network.GetNodes().size(), 7u);
    EXPECT_EQ(network.GetLinks().size(), 6u);
    EXPECT_EQ(RouteOf(network, "ps0", "worker1"), "ps0 switch worker1");
    EXPECT_EQ(RouteOf(network, "job1.worker0", "job1.ps0"), "job1.worker0 switch job1.ps0");
    EXPECT_EQ(RouteOf(network, "x", "ps0"), "x switch ps0");
    EXPECT_EQ(RouteOf(network, "x", "x"), "x");
    EXPECT_EQ(network.FindHost("worker2"), ClusterNetwork::NO_NODE);
    EXPECT_EQ(network.GetName(network.GetHostUplink(network.FindHost("x"))), "x->switch");
}

TEST(Topology, LinksOfSingleHosts)
{
    NetworkSpec spec;
    spec.rate = DataRate("10Gbps");
    spec.delay = MicroSeconds(3);
    spec.queue = {QueueSpec::Kind::RED, 500000, 0, false};
    spec.hosts["worker1"].rate = DataRate("1Gbps");
    spec.hosts["worker1"].mtu = 9000;
    spec.hosts["ps0"].delay = MilliSeconds(2);
    spec.hosts["ps0"].queue = QueueSpec{QueueSpec::Kind::FAIR, 70000, 0, false};
    spec.hosts["worker7"].rate = DataRate("1bps"); // not in this cluster
    const auto network = BuildNetwork(spec, {{2, 1}});
    const auto& slow = LinkOf(network, "worker1", "switch");
    EXPECT_EQ(slow.rates[0], DataRate("1Gbps"));
    EXPECT_EQ(slow.mtu, 9000u);
    EXPECT_EQ(slow.delay, MicroSeconds(3));
    const auto& far = LinkOf(network, "ps0", "switch");
    EXPECT_EQ(far.rates[0], DataRate("10Gbps"));
    EXPECT_EQ(far.delay, MilliSeconds(2));
    EXPECT_EQ(far.mtu, 1500u);
    // queues: of the host's port and of the switch's
    EXPECT_EQ(network.GetNodes()[far.ends[0]].name, "ps0");
    EXPECT_EQ(far.queues[0].kind, QueueSpec::Kind::FAIR);
    EXPECT_EQ(far.queues[0].bytes, 0u);
    EXPECT_EQ(far.queues[1].bytes, 70000u);
    EXPECT_EQ(slow.queues[1].kind, QueueSpec::Kind::RED);
    EXPECT_EQ(slow.queues[1].bytes, 500000u);
    EXPECT_EQ(network.GetSmallestMtu(), 1500u);
}

TEST(Topology, ADumbbellHasServersOnTheLeft)
{
    NetworkSpec spec;
    spec.topology.type = "dumbbell";
    spec.topology.trunk.rate = DataRate("2Gbps");
    spec.topology.trunk.queue = QueueSpec{QueueSpec::Kind::FQ_CODEL, 0, 0, true};
    spec.extraHosts = {"x", "y", "z"};
    const auto network = BuildNetwork(spec, {{2, 2}, {1, 1}});
    EXPECT_EQ(RouteOf(network, "ps1", "worker0"), "ps1 left right worker0");
    EXPECT_EQ(RouteOf(network, "job1.worker0", "job1.ps0"), "job1.worker0 right left job1.ps0");
    EXPECT_EQ(RouteOf(network, "x", "y"), "x left right y");
    EXPECT_EQ(RouteOf(network, "x", "z"), "x left z");
    EXPECT_EQ(LinkOf(network, "left", "right").rates[0], DataRate("2Gbps"));
    EXPECT_TRUE(LinkOf(network, "left", "right").queues[1].Marks());
    EXPECT_EQ(LinkOf(network, "left", "ps0").rates[0], DataRate("1Gbps"));
}

TEST(Topology, LeavesAreDealtTheirHosts)
{
    auto spec = LeafSpine(2, 2, 1);
    spec.extraHosts = {"x"};
    const auto network = BuildNetwork(spec, {{3, 1}, {1, 1}});
    // in turn: ps0, job1.ps0, worker0, worker1, worker2, job1.worker0, x
    EXPECT_EQ(RouteOf(network, "ps0", "worker0"), "ps0 leaf0 worker0");
    EXPECT_EQ(RouteOf(network, "job1.ps0", "worker1"), "job1.ps0 leaf1 worker1");
    EXPECT_EQ(RouteOf(network, "x", "worker2"), "x leaf0 worker2");
    // leaf k sends over spine k, so that there and back differ
    EXPECT_EQ(RouteOf(network, "ps0", "worker1"), "ps0 leaf0 spine0 leaf1 worker1");
    EXPECT_EQ(RouteOf(network, "worker1", "ps0"), "worker1 leaf1 spine1 leaf0 ps0");
    const auto racks = FindRacks(network, 0);
    EXPECT_EQ(racks[0], racks[2]);
    EXPECT_NE(racks[0], racks[1]);
    EXPECT_EQ(FindRacks(network, 1), std::vector<uint32_t>{racks[1]});
}

TEST(Topology, LeavesSendOverTheSpineOfTheirNumber)
{
    constexpr uint32_t LEAVES = 5;
    constexpr uint32_t SPINES = 3;
    const auto network = BuildNetwork(LeafSpine(LEAVES, SPINES, 1), {{LEAVES - 1, 1}});
    const auto hostOf = [](uint32_t leaf) {
        return leaf == 0 ? std::string("ps0") : WorkerName(0, leaf - 1);
    };
    for (uint32_t from = 0; from < LEAVES; ++from)
    {
        for (uint32_t to = 0; to < LEAVES; ++to)
        {
            const std::string spine =
                " leaf" + std::to_string(from) + " spine" + std::to_string(from % SPINES) + " leaf";
            EXPECT_TRUE(from == to ||
                        RouteOf(network, hostOf(from), hostOf(to)) ==
                            hostOf(from) + spine + std::to_string(to) + " " + hostOf(to))
                << from << " to " << to << ": " << RouteOf(network, hostOf(from), hostOf(to));
        }
    }
}

TEST(Topology, OversubscriptionIsThatOfTheOneTrunkOnWhichALeafSends)
{
    // 3 + 1 hosts: two on each leaf; a leaf sends on one trunk, however many spines there are
    for (const uint32_t spines : {1, 2, 3})
    {
        const auto network = BuildNetwork(LeafSpine(2, spines, 4), {{3, 1}});
        EXPECT_EQ(LinkOf(network, "leaf0", "spine0").rates[0], DataRate("500Mbps"));
        EXPECT_EQ(LinkOf(network, "leaf1", "spine0").rates[0], DataRate("500Mbps"));
    }
    // 4 + 1: three on leaf 0
    EXPECT_EQ(LinkOf(BuildNetwork(LeafSpine(2, 1, 1), {{4, 1}}), "leaf1", "spine0").rates[0],
              DataRate("3Gbps"));
    // ps0 and worker1 on leaf 0, worker0 and worker2 on leaf 1
    auto spec = LeafSpine(2, 2, 2);
    spec.hosts["worker2"].rate = DataRate("10Gbps");
    EXPECT_EQ(LinkOf(BuildNetwork(spec, {{3, 1}}), "leaf0", "spine1").rates[0],
              DataRate("5500Mbps"));
    spec.topology.trunk.rate = DataRate("7Gbps");
    EXPECT_EQ(LinkOf(BuildNetwork(spec, {{3, 1}}), "leaf0", "spine1").rates[0], DataRate("7Gbps"));
}

TEST(Topology, AnExplicitListIsTakenAsItIs)
{
    auto spec = Diamond(1);
    spec.topology.links[1].link.delay = MicroSeconds(70);
    spec.topology.links[1].link.mtu = 4000;
    spec.topology.links[1].link.queue = QueueSpec{QueueSpec::Kind::FAIR, 0, 0, false};
    spec.topology.links.push_back(Between("d", "worker2")); // not in this cluster
    spec.hosts["worker0"].rate = DataRate("300Mbps");
    const auto network = BuildNetwork(spec, {{2, 1}});
    EXPECT_EQ(network.GetLinks().size(), 8u);
    EXPECT_EQ(RouteOf(network, "ps0", "worker0"), "ps0 a d worker0"); // slow, but shortest
    const auto& link = LinkOf(network, "b", "a");
    EXPECT_EQ(link.delay, MicroSeconds(70));
    EXPECT_EQ(link.mtu, 4000u);
    EXPECT_EQ(link.queues[0].kind, QueueSpec::Kind::FAIR);
    EXPECT_EQ(link.rates[0], DataRate("1Gbps"));
    EXPECT_EQ(LinkOf(network, "d", "worker0").rates[0], DataRate("300Mbps"));
    EXPECT_EQ(LinkOf(network, "d", "worker1").rates[0], DataRate("1Gbps"));
}

TEST(Topology, MetricsChooseThePath)
{
    // the shortcut counts for three links, the other ways for two; of these one is chosen, and
    // another one when it is made longer
    auto spec = Diamond(3);
    const std::string chosen = RouteOf(BuildNetwork(spec, {{2, 1}}), "ps0", "worker0");
    EXPECT_TRUE(chosen == "ps0 a b d worker0" || chosen == "ps0 a c d worker0") << chosen;
    const bool overB = chosen == "ps0 a b d worker0";
    spec.topology.links[overB ? 1 : 2].metric = 2; // and so does the shortcut
    EXPECT_EQ(RouteOf(BuildNetwork(spec, {{2, 1}}), "ps0", "worker0"),
              overB ? "ps0 a c d worker0" : "ps0 a b d worker0");
}

TEST(Topology, TiesAreBrokenTheSameWayEachTime)
{
    const auto spec = Diamond(3);
    const auto network = BuildNetwork(spec, {{2, 1}});
    for (uint32_t i = 0; i < 3; ++i)
    {
        const auto again = BuildNetwork(spec, {{2, 1}});
        for (const auto& [from, to] : {std::pair{"ps0", "worker0"}, std::pair{"worker1", "ps0"}})
        {
            EXPECT_EQ(RouteOf(again, from, to), RouteOf(network, from, to));
        }
    }
    // whoever sends it: one way from a to d
    EXPECT_EQ(RouteOf(network, "ps0", "worker0").substr(0, 9),
              RouteOf(network, "ps0", "worker1").substr(0, 9));
}

TEST(Topology, ColocatedHostsShareANode)
{
    NetworkSpec spec;
    spec.colocate = {{"ps0", "worker0"}, {"job1.worker0", "x"}, {"ps3", "worker7"}};
    spec.extraHosts = {"x"};
    const auto network = BuildNetwork(spec, {{2, 1}, {1, 1}});
    EXPECT_EQ(network.FindHost("ps0"), network.FindHost("worker0"));
    EXPECT_EQ(RouteOf(network, "ps0", "worker0"), "worker0");
    EXPECT_EQ(RouteOf(network, "ps0", "worker1"), "worker0 switch worker1");
    EXPECT_EQ(RouteOf(network, "job1.worker0", "job1.ps0"), "x switch job1.ps0");
    EXPECT_EQ(network.GetLinks().size(), 4u);
}

TEST(TopologyErrors, Names)
{
    const std::string accepted =
        "; accepted: workerN, psN, jobK.workerN, jobK.psN or one of extra_hosts";
    NetworkSpec spec;
    spec.extraHosts = {"x", "worker3"};
    EXPECT_EQ(ErrorOf(spec),
              "network.extra_hosts[1]: found 'worker3'; accepted: names that no worker, server or "
              "other host has");
    spec.extraHosts = {"x", "x"};
    EXPECT_EQ(ErrorOf(spec),
              "network.extra_hosts[1]: found 'x'; accepted: names that no worker, server or other "
              "host has");
    spec.extraHosts = {"job2.ps10"};
    EXPECT_NE(ErrorOf(spec), "no error");
    spec.extraHosts = {"job.ps10", "workers", "worker", "ps1x", "job1worker2"};
    EXPECT_EQ(ErrorOf(spec), "no error");
    spec.extraHosts = {};
    spec.hosts["wroker1"].mtu = 1500;
    EXPECT_EQ(ErrorOf(spec), "network.hosts.wroker1: found no such host" + accepted);
}

TEST(TopologyErrors, Colocation)
{
    const auto error = [](std::map<std::string, std::string> colocate, bool link = false) {
        NetworkSpec spec;
        spec.extraHosts = {"x"};
        spec.colocate = std::move(colocate);
        if (link)
        {
            spec.hosts["ps0"].rate = DataRate("1Gbps");
        }
        return ErrorOf(spec);
    };
    EXPECT_EQ(error({{"x", "worker0"}}),
              "network.colocate.x: found no such worker or server; accepted: workerN, psN, "
              "jobK.psN, ...");
    EXPECT_EQ(error({{"ps0", "y"}}),
              "network.colocate.ps0: found 'y', no such host; accepted: workerN, psN, "
              "jobK.workerN, jobK.psN or one of extra_hosts");
    EXPECT_EQ(error({{"ps0", "worker0"}, {"worker0", "x"}}),
              "network.colocate.ps0: found 'worker0', which lives with another one itself; "
              "accepted: a host with a node of its own");
    EXPECT_EQ(error({{"ps0", "ps0"}}),
              "network.colocate.ps0: found 'ps0', which lives with another one itself; accepted: a "
              "host with a node of its own");
    EXPECT_EQ(error({{"ps0", "worker0"}}, true),
              "network.hosts.ps0: found a link of its own for one that lives with worker0; "
              "accepted: links of hosts with a node of their own");
    EXPECT_EQ(error({{"ps0", "worker2"}}),
              "network.colocate.ps0: found 'worker2', which a cluster of 2 workers and 1 server "
              "does not have; accepted: a host that every run has");
}

TEST(TopologyErrors, ExplicitLists)
{
    const auto error = [](const ExplicitLinkSpec& link) {
        auto spec = Diamond(1);
        spec.topology.links.push_back(link);
        spec.colocate["ps1"] = "worker0";
        return ErrorOf(spec, 2, 2);
    };
    const std::string place = "network.topology.links[8].between: found ";
    EXPECT_EQ(error(Between("a", "e")),
              place + "'e', no such node; accepted: one of topology.switches, workerN, psN or "
                      "extra_hosts");
    EXPECT_EQ(error(Between("d", "a")),
              place + "'d' and 'a'; accepted: each pair of different nodes once");
    EXPECT_EQ(error(Between("a", "a")),
              place + "'a' and 'a'; accepted: each pair of different nodes once");
    EXPECT_EQ(error(Between("ps1", "a")),
              place + "'ps1', which lives with worker0; accepted: nodes of their own");
    auto spec = Diamond(1);
    EXPECT_EQ(ErrorOf(spec, 3),
              "network.topology.links: found no path from ps0 to worker2; accepted: links that "
              "connect all hosts");
    spec.topology.switches[3] = "b";
    EXPECT_EQ(ErrorOf(spec),
              "network.topology.switches[3]: found 'b'; accepted: names that no other node has");
    spec.topology.switches[3] = "worker9";
    EXPECT_EQ(ErrorOf(spec),
              "network.topology.switches[3]: found 'worker9'; accepted: names that no other node "
              "has");
}

TEST(TopologyErrors, TrunksThatNs3CannotHave)
{
    auto spec = LeafSpine(2, 1, 1e-12);
    EXPECT_EQ(ErrorOf(spec),
              "network.topology.oversubscription: found 1e-12, which makes trunks of 2e+21 bit/s; "
              "accepted: a ratio that gives trunks of 1 to 1e+13 bit/s");
    spec = LeafSpine(2, 1, 1000);
    spec.rate = DataRate(100);
    EXPECT_EQ(ErrorOf(spec),
              "network.topology.oversubscription: found 1000, which makes trunks of 0.2 bit/s; "
              "accepted: a ratio that gives trunks of 1 to 1e+13 bit/s");
}

TEST(Faults, HitBothDirectionsOfALink)
{
    const auto network = BuildNetwork(Diamond(1), {{2, 1}});
    FaultSpec fault;
    EXPECT_EQ(FindFaultLinks(network, fault).size(), 16u);
    fault.link = {"worker1"}; // the seventh link
    EXPECT_EQ(FindFaultLinks(network, fault), (std::vector<DirectedLink>{12, 13}));
    fault.link = {"d", "b"}; // the fourth
    EXPECT_EQ(FindFaultLinks(network, fault), (std::vector<DirectedLink>{6, 7}));
    const auto error = [&](const std::vector<std::string>& link) {
        fault.link = link;
        try
        {
            FindFaultLinks(network, fault);
        }
        catch (const NetworkError& caught)
        {
            return caught.found + "; " + caught.accepted;
        }
        return std::string("no error");
    };
    EXPECT_EQ(error({"e"}), "'e', no such node; a host, or two neighbours");
    EXPECT_EQ(error({"b", "c"}), "no such link; a host, or two nodes with a link between them");
    EXPECT_EQ(error({"b"}), "no such link; a host, or two nodes with a link between them");
    EXPECT_EQ(error({"ps0", "ps0"}), "no such link; a host, or two nodes with a link between them");
}
