/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-equal-paths.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

std::string
HostOf(const ClusterNetwork& network, const std::string& name)
{
    return network.GetNodes().at(network.FindHost(name)).name;
}

/// The links from one to another, by name.
std::string
LinksBetween(const ClusterNetwork& network, const std::string& from, const std::string& to)
{
    std::string names;
    for (const DirectedLink link : network.FindRoute(from, to))
    {
        names += network.GetName(link) + " ";
    }
    return names;
}

std::string
SharedHostError(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
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

} // namespace

TEST(SharedHosts, HaveSoManyWorkersAndTheLastOneTheRest)
{
    const auto network = BuildNetwork({}, {{5, 1, 2}, {3, 1, 3}});
    EXPECT_EQ("host0", HostOf(network, "worker0"));
    EXPECT_EQ("host0", HostOf(network, "worker1"));
    EXPECT_EQ("host1", HostOf(network, "worker2"));
    EXPECT_EQ("host2", HostOf(network, "worker4"));
    EXPECT_EQ("job1.host0", HostOf(network, "job1.worker2"));
    EXPECT_EQ("ps0", HostOf(network, "ps0"));
    EXPECT_EQ(7, network.GetNodes().size()); // switch, two servers, four hosts
    EXPECT_EQ(6, network.GetLinks().size());
    EXPECT_EQ("host0->switch switch->host1 ", LinksBetween(network, "worker1", "worker3"));
    EXPECT_EQ("", LinksBetween(network, "worker0", "worker1"));
}

TEST(SharedHosts, HaveAPortForEachResidentOfALocalLink)
{
    NetworkSpec spec;
    spec.local = LocalLinkSpec{DataRate("100Gbps"), MicroSeconds(3)};
    spec.colocate = {{"ps0", "worker3"}};
    const auto network = BuildNetwork(spec, {{5, 1, 2}});
    EXPECT_EQ("host1", HostOf(network, "ps0"));
    EXPECT_EQ("ps0->host1 host1->worker2 ", LinksBetween(network, "ps0", "worker2"));
    EXPECT_EQ("worker1->host0 host0->worker0 ", LinksBetween(network, "worker1", "worker0"));
    EXPECT_EQ("host1->switch switch->host2 ", LinksBetween(network, "worker2", "worker4"));
    // 3 hosts, 5 residents; worker4 is alone on host2
    EXPECT_EQ(3 + 5, network.GetLinks().size());
    EXPECT_EQ(ClusterNetwork::NO_LINK, network.FindLocalPort("worker4"));
    const DirectedLink port = network.FindLocalPort("worker0");
    EXPECT_TRUE(network.IsLocal(port));
    EXPECT_FALSE(network.IsLocal(0));
    EXPECT_EQ(1, network.CountLinks(network.FindHost("worker0")));
    EXPECT_EQ(DataRate("100Gbps"), network.GetLinks().at(port / 2).rates[0]);
    EXPECT_EQ(NanoSeconds(1500), network.GetLinks().at(port / 2).delay); // of each of two ports
    FaultSpec all;
    EXPECT_EQ(2 * 3, FindFaultLinks(network, all).size()); // "all links" are those of the network
    for (const std::vector<std::string>& ends :
         {std::vector<std::string>{"worker1", "host0"}, {"worker0", "worker1"}, {"ps0", "worker2"}})
    {
        FaultSpec local;
        local.link = ends;
        try
        {
            FindFaultLinks(network, local);
            ADD_FAILURE() << ends[0];
        }
        catch (const NetworkError& error)
        {
            EXPECT_EQ(error.found,
                      "the local link of " + HostOf(network, ends[0]) + ", which has no faults");
        }
    }
}

TEST(SharedHosts, HaveTheirPathsWhereThereAreSeveral)
{
    NetworkSpec spec;
    spec.local = LocalLinkSpec{DataRate("100Gbps"), MicroSeconds(3)};
    spec.multipath.policy = "ecmp";
    spec.topology.type = "leaf-spine";
    spec.topology.spines = 3;
    const auto network = BuildNetwork(spec, {{4, 0, 2}}); // host0 below leaf0, host1 below leaf1
    const EqualPaths paths(network);
    const uint32_t from = network.FindHost("worker0");
    const uint32_t to = network.FindHost("worker2");
    ASSERT_EQ(1, paths.GetNext(from, to).size());
    EXPECT_EQ(network.GetHostUplink(from), paths.GetNext(from, to).front());
    EXPECT_EQ(3, paths.GetNext(network.GetReceiver(network.GetHostUplink(from)), to).size());
    EXPECT_EQ("worker0->host0 host0->worker1 ", LinksBetween(network, "worker0", "worker1"));
}

TEST(SharedHosts, AreGroupsInOrderOfTheirRacks)
{
    NetworkSpec spec;
    spec.topology.type = "leaf-spine"; // leaf0: host0, host2; leaf1: host1, host3
    const auto network = BuildNetwork(spec, {{8, 0, 2}});
    EXPECT_EQ((std::vector<uint32_t>{0, 0, 2, 2, 1, 1, 3, 3}), FindRacks(network, 0));
}

TEST(SharedHosts, HaveLinksOfTheirOwnAndWorkersHaveNot)
{
    NetworkSpec spec;
    spec.hosts["host1"].rate = DataRate("5Gbps");
    const auto network = BuildNetwork(spec, {{4, 1, 2}});
    EXPECT_EQ(DataRate("5Gbps"),
              network.GetLinks()[network.GetHostLink(network.FindHost("worker2"))].rates[0]);
    EXPECT_EQ("no error", SharedHostError(spec, {{2, 1, 2}})); // a smaller cluster of a sweep
    EXPECT_EQ(
        "network.hosts.host1: found no such host; accepted: workerN, psN, jobK.workerN, jobK.psN "
        "or one of extra_hosts",
        SharedHostError(spec, {{4, 1, 1}}));
    spec.hosts.clear();
    spec.hosts["worker3"].rate = DataRate("5Gbps");
    EXPECT_EQ("network.hosts.worker3: found a link of its own for one that shares host1; accepted: "
              "the link of host1",
              SharedHostError(spec, {{4, 1, 2}}));
}

TEST(SharedHosts, CannotBeLeftByTheirWorkers)
{
    NetworkSpec spec;
    spec.colocate = {{"worker3", "worker0"}};
    EXPECT_EQ("network.colocate.worker3: found a worker that shares host1 (job.workers_per_host); "
              "accepted: parameter servers, or workers with a host of their own",
              SharedHostError(spec, {{4, 1, 2}}));
    spec.colocate.clear();
    spec.extraHosts = {"host7"};
    EXPECT_EQ("network.extra_hosts[0]: found 'host7'; accepted: names that no worker, server or "
              "other host has",
              SharedHostError(spec, {{4, 1, 2}}));
    EXPECT_EQ("no error", SharedHostError(spec, {{4, 1, 1}}));
    spec.extraHosts.clear();
    spec.topology.type = "explicit";
    spec.topology.switches = {"s"};
    spec.topology.links = {{{"worker1", "s"}, {}, 1}};
    EXPECT_EQ("network.topology.links[0].between: found 'worker1', which shares host0; accepted: "
              "nodes of their own",
              SharedHostError(spec, {{2, 0, 2}}));
}
