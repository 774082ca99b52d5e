/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several equally short paths, in both engines.

#include "dml-case-suite.h"
#include "dml-plain-network.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-error.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t PATH_STEPS = 1; // later ones depend on who was first in these

ExplicitLinkSpec
PathLink(const std::string& a, const std::string& b, const std::string& rate = "1Gbps")
{
    ExplicitLinkSpec link{{a, b}, {}};
    link.link.rate = DataRate(rate);
    return link;
}

/// Two servers and two workers at both ends of two paths of 600 Mbit/s.
NetworkSpec
TwoPaths(const MultipathSpec& multipath)
{
    NetworkSpec spec = PlainNetwork();
    spec.multipath = multipath;
    spec.topology.type = "explicit";
    spec.topology.switches = {"left", "top", "bottom", "right"};
    spec.topology.links = {PathLink("left", "top", "600Mbps"),
                           PathLink("top", "right", "600Mbps"),
                           PathLink("left", "bottom", "600Mbps"),
                           PathLink("bottom", "right", "600Mbps"),
                           PathLink("ps0", "left"),
                           PathLink("ps1", "left"),
                           PathLink("worker0", "right"),
                           PathLink("worker1", "right")};
    return spec;
}

/// The same ends of one link.
NetworkSpec
OneLink(const std::string& rate)
{
    NetworkSpec spec = TwoPaths({});
    spec.topology.switches = {"left", "right"};
    spec.topology.links.erase(spec.topology.links.begin(), spec.topology.links.begin() + 4);
    spec.topology.links.push_back(PathLink("left", "right", rate));
    return spec;
}

ProfileBuilder
PairOfTensors()
{
    ProfileBuilder builder;
    builder.Pull("a", 3000000)
        .Pull("b", 2000000)
        .Compute("forward", {0.02}, {"pull/a", "pull/b"})
        .Push("a", 3000000, {"forward"})
        .Push("b", 2000000, {"forward"})
        .Update("a", 0)
        .Update("b", 0);
    return builder;
}

/// A job on a network with queues that never drop.
ScenarioTwin
TwinOnPaths(const NetworkSpec& spec, uint32_t workers, uint32_t servers)
{
    ScenarioTwin twin;
    const NetworkSpec usual = twin.scenario.network;
    twin.scenario.network = spec;
    twin.scenario.network.mtu = usual.mtu;
    twin.scenario.network.queue = usual.queue;
    twin.AddJob(PairOfTensors(), workers, servers, PATH_STEPS);
    return twin;
}

MultipathSpec
Hashed(uint32_t seed = 1)
{
    return {"ecmp", {{"Seed", std::to_string(seed)}}};
}

const MultipathSpec SPRAYED{"spray", {}};

/// A lone connection in each direction has one path, and spraying has both: 600 Mbit/s, and the
/// hosts' 1 Gbit/s.
class LonePairCase : public TestCase
{
  public:
    LonePairCase()
        : TestCase("One worker and one server: hashed onto one of two paths, or over both")
    {
    }

  private:
    void DoRun() override
    {
        const auto step = [](const NetworkSpec& spec) {
            return MeanStep(TwinOnPaths(spec, 1, 1).RunFairShare(), 0);
        };
        const double hashed = step(TwoPaths(Hashed()));
        NS_TEST_EXPECT_MSG_EQ_TOL(hashed, step(OneLink("600Mbps")), 1e-12, "one path");
        NS_TEST_EXPECT_MSG_EQ_TOL(step(TwoPaths(SPRAYED)),
                                  step(OneLink("1200Mbps")),
                                  1e-12,
                                  "both paths");
        NS_TEST_EXPECT_MSG_GT(hashed, step(OneLink("1200Mbps")) * 1.2, "one path is slower");
    }
};

/// All pairs: packets within two per cent of fair-share, as where flows share a trunk, whatever the
/// hash; nothing is sent again, as packets of a connection keep their order.
class HashedCase : public TestCase
{
  public:
    explicit HashedCase(uint32_t seed)
        : TestCase("Two workers and two servers over two paths by hash " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = TwinOnPaths(TwoPaths(Hashed(m_seed)), 2, 2);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets(); // which compares the routes
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 2 * PATH_STEPS, "all steps must end");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.retransmissions, 0, "packets keep their order");
        for (uint32_t worker = 0; worker < 2; ++worker)
        {
            const double expected = MeanStep(fair, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      expected,
                                      0.02 * expected,
                                      "mean step of worker " << worker);
        }
    }

    uint32_t m_seed;
};

/// Sprayed over both paths, all connections share them as one link of 1200 Mbit/s. Packets overtake
/// each other, which costs something.
class SprayedCase : public TestCase
{
  public:
    SprayedCase()
        : TestCase("Two workers and two servers, sprayed over two paths")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = TwinOnPaths(TwoPaths(SPRAYED), 2, 2);
        const auto fair = twin.RunFairShare();
        const auto one = TwinOnPaths(OneLink("1200Mbps"), 2, 2).RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 2 * PATH_STEPS, "all steps must end");
        for (uint32_t worker = 0; worker < 2; ++worker)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker),
                                      MeanStep(one, worker),
                                      1e-12,
                                      "one link of both rates");
            NS_TEST_EXPECT_MSG_GT(MeanStep(packet, worker),
                                  0.99 * MeanStep(fair, worker),
                                  "no faster than both paths together");
            NS_TEST_EXPECT_MSG_LT(MeanStep(packet, worker),
                                  1.5 * MeanStep(fair, worker),
                                  "both paths are used");
        }
        NS_TEST_EXPECT_MSG_GT(twin.totals.tcp.retransmissions, 0, "some look as if they were lost");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "none is lost");
    }
};

/// Flowlets: after pauses that never come nothing changes its path, so nothing overtakes.
class FlowletCase : public TestCase
{
  public:
    FlowletCase()
        : TestCase("Flowlets keep their order, and fair-share refuses them")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = TwinOnPaths(TwoPaths({"flowlet", {{"Gap", "1h"}}}), 2, 2);
        std::string message;
        try
        {
            twin.RunFairShare();
        }
        catch (const KeyError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "network.multipath: found flowlet, which only the packet engine "
                              "knows; accepted: none or ecmp, or --engine=packet",
                              "flowlets");
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 2 * PATH_STEPS, "all steps must end");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.retransmissions, 0, "packets keep their order");
        twin.scenario.network.multipath.attributes["Gap"] = "1ns"; // each packet is a flowlet
        twin.RunPackets();
        NS_TEST_EXPECT_MSG_GT(twin.totals.tcp.retransmissions, 0, "as if sprayed");
    }
};

/// What cannot be one link is refused.
class UnequalSprayCase : public TestCase
{
  public:
    UnequalSprayCase()
        : TestCase("Fair-share refuses to spray over links of unequal rates")
    {
    }

  private:
    void DoRun() override
    {
        NetworkSpec spec = TwoPaths(SPRAYED);
        spec.topology.links[2].link.rate = DataRate("300Mbps");
        std::string message;
        try
        {
            TwinOnPaths(spec, 2, 2).RunFairShare();
        }
        catch (const KeyError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "network.multipath: found packets that are spread over links of "
                              "different rates, left->top and left->bottom, which the fair-share "
                              "engine cannot express; accepted: ecmp, or --engine=packet",
                              "unequal links");
    }
};

} // namespace

static std::vector<TestCase*>
MakeMultipathCases()
{
    return {new LonePairCase,
            new HashedCase(1),
            new HashedCase(2),
            new HashedCase(3),
            new SprayedCase,
            new FlowletCase,
            new UnequalSprayCase};
}

static CaseSuite g_multipathSuite("dml-multipath", MakeMultipathCases()); //!< registers itself
