/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Hosts with several network cards, and hosts of different sizes.

#include "ns3/dml-flow-paths.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// The links from one to another, by name.
std::string
WayBetween(const ClusterNetwork& network, const std::string& from, const std::string& to)
{
    std::string names;
    for (const DirectedLink link : network.FindRoute(from, to))
    {
        names += network.GetName(link) + " ";
    }
    return names;
}

std::string
NicError(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
{
    try
    {
        BuildNetwork(spec, jobs);
    }
    catch (const NetworkError& error)
    {
        return error.what();
    }
    return "no error";
}

NetworkSpec
WithNics(uint32_t nics)
{
    NetworkSpec spec;
    spec.nicsPerHost = nics;
    return spec;
}

std::vector<std::string>
NamesOfFault(const ClusterNetwork& network, const std::vector<std::string>& ends)
{
    FaultSpec fault;
    fault.link = ends;
    std::vector<std::string> names;
    for (const DirectedLink link : FindFaultLinks(network, fault))
    {
        names.push_back(network.GetName(link));
    }
    return names;
}

} // namespace

TEST(Nics, AreTakenInTurnByWorkersAndThenByThoseWhoMoveIn)
{
    NetworkSpec spec = WithNics(2);
    spec.colocate = {{"ps0", "host0"}};
    const auto network = BuildNetwork(spec, {{6, 1, 3}});
    EXPECT_EQ(3, network.GetNodes().size()); // switch, two hosts
    EXPECT_EQ(4, network.GetLinks().size());
    EXPECT_EQ("host0.0->switch switch->host1.0 ", WayBetween(network, "worker0", "worker3"));
    EXPECT_EQ("host0.1->switch switch->host1.1 ", WayBetween(network, "worker1", "worker4"));
    EXPECT_EQ("host0.0->switch switch->host1.1 ", WayBetween(network, "worker2", "worker4"));
    // ps0 is the fourth on host0, after its workers
    EXPECT_EQ("host1.0->switch switch->host0.1 ", WayBetween(network, "worker5", "ps0"));
    EXPECT_EQ("", WayBetween(network, "worker0", "worker1"));
    EXPECT_EQ("host0.0->switch switch->host1.0 ", WayBetween(network, "host0", "host1"));
}

TEST(Nics, HaveAddressesOfTheirOwn)
{
    const auto network = BuildNetwork(WithNics(2), {{4, 1, 4}}); // links: ps0, host0.0, host0.1
    const AddressPlan plan(network);
    EXPECT_EQ((10u << 24) + 1, plan.GetAddress("ps0"));
    EXPECT_EQ((10u << 24) + 5, plan.GetAddress("worker0"));
    EXPECT_EQ((10u << 24) + 9, plan.GetAddress("worker1"));
    EXPECT_EQ((10u << 24) + 5, plan.GetAddress("worker2"));
    EXPECT_EQ((10u << 24) + 9, plan.FindChannel("worker3", "ps0").source);
}

TEST(Nics, LeadToTheLeafOfTheirHostWhichOthersReachOverAllPaths)
{
    NetworkSpec spec = WithNics(2);
    spec.topology.type = "leaf-spine";
    spec.topology.spines = 3;
    spec.multipath.policy = "ecmp";
    const auto network = BuildNetwork(spec, {{4, 0, 2}}); // host0 below leaf0, host1 below leaf1
    const FlowPaths paths(network);
    const ConnectionPath path = paths.FindChannel("worker1", "worker2");
    ASSERT_EQ(4, path.forward.size());
    EXPECT_EQ("host0.1->leaf0", network.GetName(path.forward.front()));
    EXPECT_EQ("leaf1->host1.0", network.GetName(path.forward.back()));
    EXPECT_EQ("host1.0->leaf1", network.GetName(path.reverse.front()));
    EXPECT_EQ("leaf0->host0.1", network.GetName(path.reverse.back()));
    // two cards of a host at each leaf, of 1 Gbit/s, and three trunks that all take
    const DirectedLink trunk = path.forward[1];
    EXPECT_EQ(DataRate("666666666bps"), network.GetRate(trunk));
}

TEST(Nics, OfSingleHostsMayBeOthers)
{
    NetworkSpec spec = WithNics(2);
    spec.hosts["host1"].nics = 1;
    spec.hosts["host1"].rate = DataRate("5Gbps");
    spec.hosts["host2"].nics = 3;
    const auto network = BuildNetwork(spec, {{12, 0, 4}});
    EXPECT_EQ(2 + 1 + 3, network.GetLinks().size());
    EXPECT_EQ("host0.1->switch switch->host1 ", WayBetween(network, "worker1", "worker7"));
    EXPECT_EQ("host1->switch switch->host2.0 ", WayBetween(network, "worker4", "worker11"));
    EXPECT_EQ(DataRate("5Gbps"), network.GetRate(network.FindUplink("worker5")));
}

TEST(Nics, AreNamedByFaultsAloneOrTogether)
{
    const auto network = BuildNetwork(WithNics(2), {{2, 1, 2}});
    const std::vector<std::string> second{"host0.1->switch", "switch->host0.1"};
    EXPECT_EQ(second, NamesOfFault(network, {"host0.1"}));
    EXPECT_EQ(second, NamesOfFault(network, {"worker1"}));
    EXPECT_EQ(4, NamesOfFault(network, {"host0"}).size());
    EXPECT_EQ(4, NamesOfFault(network, {"host0", "switch"}).size());
    EXPECT_EQ(2, NamesOfFault(network, {"ps0"}).size());
    EXPECT_EQ(6, NamesOfFault(network, {}).size());
}

TEST(Nics, AreLinksOfAListToo)
{
    NetworkSpec spec = WithNics(2);
    spec.topology.type = "explicit";
    spec.topology.switches = {"s", "t"};
    spec.topology.links = {{{"s", "host0"}, {}, 1}, {{"s", "ps0"}, {}, 1}, {{"s", "t"}, {}, 1}};
    EXPECT_EQ("ps0->s s->host0.1 ", WayBetween(BuildNetwork(spec, {{2, 1, 2}}), "ps0", "worker1"));
    spec.topology.links.push_back({{"host0", "t"}, {}, 1});
    EXPECT_EQ("network.nics_per_host: found several network cards of host0, which has links to s, "
              "t; accepted: hosts with links to one switch",
              NicError(spec, {{2, 1, 2}}));
}

TEST(Nics, NeedWorkersThatShareThem)
{
    EXPECT_EQ("network.nics_per_host: found 2 network cards of hosts with one worker each, which "
              "send over one; accepted: 1, or job.workers_per_host above 1",
              NicError(WithNics(2), {{2, 1, 1}}));
    NetworkSpec spec;
    spec.hosts["worker0"].nics = 2;
    EXPECT_EQ("network.hosts.worker0.nics: found network cards of a host that workers do not "
              "share; accepted: hostN, jobK.hostN, hosts of several workers (job.workers_per_host)",
              NicError(spec, {{2, 1, 1}}));
    spec = WithNics(2);
    spec.extraHosts = {"host0.1"};
    EXPECT_EQ("network.extra_hosts[0]: found 'host0.1', as a network card of host0 may be called; "
              "accepted: names that no worker, server or other host has",
              NicError(spec, {{2, 1, 2}}));
}

TEST(HostSizes, DealWorkersHostByHost)
{
    const WorkersPerHost sizes(std::vector<uint32_t>{3, 1, 2});
    EXPECT_TRUE(sizes.AreShared());
    EXPECT_EQ(6, sizes.GetTotal());
    std::vector<uint32_t> hosts;
    for (uint32_t worker = 0; worker < 6; ++worker)
    {
        hosts.push_back(sizes.FindHost(worker));
    }
    EXPECT_EQ((std::vector<uint32_t>{0, 0, 0, 1, 2, 2}), hosts);
    EXPECT_EQ(3, sizes.FindFirstWorker(1));
    EXPECT_EQ(4, sizes.FindFirstWorker(2));
    EXPECT_EQ(6, sizes.FindFirstWorker(7));
    EXPECT_FALSE(WorkersPerHost(std::vector<uint32_t>{1, 1}).AreShared());
    EXPECT_EQ(0, WorkersPerHost(8).GetTotal());
    EXPECT_EQ(2, WorkersPerHost(8).FindHost(16));
    const auto network = BuildNetwork({}, {{6, 0, sizes}});
    EXPECT_EQ(1 + 3, network.GetNodes().size());
    EXPECT_EQ("host1->switch switch->host2 ", WayBetween(network, "worker3", "worker5"));
    EXPECT_EQ((std::vector<uint32_t>{0, 0, 0, 1, 2, 2}), FindRacks(network, 0));
}
