/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Both engines on the same topologies: the same routes, and with fair queues the same times.

#include "dml-case-suite.h"
#include "dml-plain-network.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-cluster.h"
#include "ns3/dml-error.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two tensors, one for each of two servers.
ProfileBuilder
TwoTensors()
{
    ProfileBuilder builder;
    builder.Pull("a", 8000000)
        .Pull("b", 6000000)
        .Compute("forward", {0.03}, {"pull/a", "pull/b"})
        .Push("b", 6000000, {"forward"})
        .Compute("backward", {0.02}, {"forward"})
        .Push("a", 8000000, {"backward"})
        .Update("b", 0.005)
        .Update("a", 0.005);
    return builder;
}

ExplicitLinkSpec
Between(const std::string& a, const std::string& b)
{
    return {{a, b}, {}, 1};
}

NetworkSpec
UnequalStar()
{
    NetworkSpec spec = PlainNetwork();
    spec.hosts["worker1"].rate = DataRate("300Mbps");
    spec.hosts["ps1"].rate = DataRate("2Gbps");
    return spec;
}

NetworkSpec
Dumbbell()
{
    NetworkSpec spec = PlainNetwork();
    spec.topology.type = "dumbbell";
    spec.topology.trunk.rate = DataRate("1500Mbps");
    return spec;
}

NetworkSpec
LeafSpine()
{
    NetworkSpec spec = PlainNetwork();
    spec.topology.type = "leaf-spine";
    spec.topology.spines = 2;
    spec.topology.oversubscription = 4;
    return spec;
}

/// Three spines, over which connections are hashed.
NetworkSpec
Ecmp(uint32_t seed)
{
    NetworkSpec spec = LeafSpine();
    spec.topology.spines = 3;
    spec.multipath.policy = "ecmp";
    spec.multipath.attributes = {{"Seed", std::to_string(seed)}};
    return spec;
}

/// Servers and workers at opposite corners; the direct link is slow, and as the shortest is taken.
NetworkSpec
Diamond()
{
    NetworkSpec spec = PlainNetwork();
    spec.topology.type = "explicit";
    spec.topology.switches = {"left", "top", "bottom", "right"};
    spec.topology.links = {Between("left", "top"),
                           Between("left", "bottom"),
                           Between("top", "right"),
                           Between("bottom", "right"),
                           Between("left", "right"),
                           Between("ps0", "left"),
                           Between("ps1", "top"),
                           Between("worker0", "right"),
                           Between("worker1", "right"),
                           Between("worker2", "bottom")};
    spec.topology.links[4].link.rate = DataRate("400Mbps");
    return spec;
}

NetworkSpec
Colocated()
{
    NetworkSpec spec = PlainNetwork();
    spec.colocate["ps0"] = "worker0";
    return spec;
}

/// Hosts with two links, which reach different peers over different ones, and one that forwards.
NetworkSpec
TwoLinksEach()
{
    NetworkSpec spec = PlainNetwork();
    spec.topology.type = "explicit";
    spec.topology.switches = {"a", "b"};
    spec.topology.links = {Between("ps0", "a"),
                           Between("ps0", "b"),
                           Between("ps1", "b"),
                           Between("worker0", "a"),
                           Between("worker0", "b"),
                           Between("worker1", "ps0"),
                           Between("worker2", "b"),
                           Between("worker2", "ps1")};
    return spec;
}

/// A small job: steps and bytes are the same, and the mean step times agree. Measured: 2 per mille
/// apart, and 18 and 12 where all flows share the dumbbell's trunk or the fabric's.
class TopologyCase : public TestCase
{
  public:
    TopologyCase(const std::string& name, const NetworkSpec& spec, double tolerance)
        : TestCase("W = 3, M = 2 on " + name + ": step times within " +
                   std::to_string(static_cast<int>(std::lround(1000 * tolerance))) + " per mille"),
          m_spec(spec),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t STEPS = 4;
        ScenarioTwin twin;
        const NetworkSpec usual = twin.scenario.network;
        twin.scenario.network = m_spec;
        twin.scenario.network.mtu = usual.mtu;
        twin.scenario.network.queue = usual.queue;
        twin.AddJob(TwoTensors(), 3, 2, STEPS);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets(); // which compares the routes
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 3 * STEPS, "all steps must end");
        NS_TEST_ASSERT_MSG_EQ(fair.steps.size(), 3 * STEPS, "all steps must end");
        NS_TEST_EXPECT_MSG_EQ(packet.transfers.size(), fair.transfers.size(), "transfers");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "the queues hold everything");
        for (uint32_t worker = 0; worker < 3; ++worker)
        {
            const double expected = MeanStep(fair, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      expected,
                                      m_tolerance * expected,
                                      "mean step of worker " << worker);
        }
    }

    NetworkSpec m_spec{PlainNetwork()};
    double m_tolerance;
};

/// Were ns-3 to take another way than the fair-share engine, the run would be refused.
class OtherRouteCase : public TestCase
{
  public:
    OtherRouteCase()
        : TestCase("A route of ns-3 that is not the fair-share engine's is refused")
    {
    }

  private:
    void DoRun() override
    {
        Cluster cluster(TcpSpec(),
                        std::make_shared<ClusterNetwork>(BuildNetwork(Diamond(), {{3, 2}})));
        cluster.Create();
        cluster.CheckRoute("ps0", "worker1");
        const Ptr<NetDevice> shortcut = cluster.GetDevice(2 * 4);
        const Ptr<Ipv4> left = shortcut->GetNode()->GetObject<Ipv4>();
        left->SetMetric(left->GetInterfaceForDevice(shortcut), 10000);
        Ipv4GlobalRoutingHelper::RecomputeRoutingTables();
        std::string message;
        try
        {
            cluster.CheckRoute("ps0", "worker1");
        }
        catch (const RunError& error)
        {
            message = error.what();
        }
        Simulator::Destroy();
        const std::string start = "the route from ps0 to worker1 is not unique: ns-3 takes left->";
        NS_TEST_EXPECT_MSG_EQ(message.substr(0, start.size()), start, "which way ns-3 takes");
        NS_TEST_EXPECT_MSG_NE(message.find(" where the fair-share engine takes left->right; "),
                              std::string::npos,
                              message);
    }
};

} // namespace

static std::vector<TestCase*>
MakeTopologyCases()
{
    return {new TopologyCase("a star with unequal links", UnequalStar(), 0.005),
            new TopologyCase("a dumbbell", Dumbbell(), 0.02),
            new TopologyCase("a leaf-spine fabric", LeafSpine(), 0.02),
            new TopologyCase("a fabric with three spines, by hash 1", Ecmp(1), 0.02),
            new TopologyCase("a fabric with three spines, by hash 2", Ecmp(2), 0.02),
            new TopologyCase("an explicit diamond", Diamond(), 0.005),
            new TopologyCase("a star with ps0 on worker0's host", Colocated(), 0.005),
            new TopologyCase("hosts with several links", TwoLinksEach(), 0.005),
            new OtherRouteCase()};
}

static CaseSuite g_topologySuite("dml-topology", MakeTopologyCases()); //!< registers itself
