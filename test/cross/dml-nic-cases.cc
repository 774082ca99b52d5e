/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Hosts with several network cards, in both engines.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-cluster.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t WORKERS = 4;
constexpr uint64_t MODEL_BYTES = 4000000; // of all parameters
constexpr double COMPUTING = 0.02;

/// Four equal tensors, pulled, used and pushed.
ProfileBuilder
EqualTensors()
{
    ProfileBuilder builder;
    const std::vector<std::string> names{"a", "b", "c", "d"};
    std::vector<std::string> pulls;
    for (const auto& name : names)
    {
        builder.Pull(name, MODEL_BYTES / names.size());
        pulls.push_back("pull/" + name);
    }
    builder.Compute("compute", {COMPUTING}, pulls);
    for (const auto& name : names)
    {
        builder.Push(name, MODEL_BYTES / names.size(), {"compute"}).Update(name, 0);
    }
    return builder;
}

/// @param perHost workers of a host @param nics of its network cards
ScenarioTwin
NicTwin(uint32_t perHost, uint32_t nics, uint32_t servers = WORKERS)
{
    ScenarioTwin twin;
    twin.AddJob(EqualTensors(), WORKERS, servers, 2);
    twin.scenario.job.workersPerHost = perHost;
    twin.scenario.network.nicsPerHost = nics;
    return twin;
}

/// Bytes of each link, by its name.
std::map<std::string, double>
BytesOf(const PacketRunTotals& totals)
{
    std::map<std::string, double> bytes;
    for (const auto& link : totals.links)
    {
        bytes[link.link] = link.bytes;
    }
    return bytes;
}

/// A host with a network card for each of its workers is a host for each of them.
class CardEachCase : public TestCase
{
  public:
    explicit CardEachCase(const std::string& topology)
        : TestCase("A network card for each worker is a host for each worker, on a " + topology),
          m_topology(topology)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin together = NicTwin(WORKERS, WORKERS);
        ScenarioTwin apart = NicTwin(1, 1);
        for (auto* twin : {&together, &apart})
        {
            twin->scenario.network.topology.type = m_topology;
            twin->scenario.network.topology.trunk.rate = LinkRates(DataRate("3Gbps"));
        }
        const auto fair = together.RunFairShare();
        const auto fairApart = apart.RunFairShare();
        const auto packet = together.RunPackets();
        const auto packetApart = apart.RunPackets();
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            const double expected = MeanStep(fairApart, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker),
                                      expected,
                                      1e-9 * expected,
                                      "fair-share, worker " << worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      MeanStep(packetApart, worker),
                                      0.01 * expected,
                                      "packets, worker " << worker);
        }
        const auto bytes = BytesOf(together.totals);
        const std::string neighbour = m_topology == "star" ? "switch" : "right";
        for (const auto& [name, sent] : BytesOf(apart.totals))
        {
            std::string card = name;
            const std::size_t at = card.find("worker");
            if (at != std::string::npos)
            {
                card.replace(at, std::string("worker").size(), "host0.");
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(bytes.at(card), sent, 0.03 * sent, name);
        }
        NS_TEST_EXPECT_MSG_EQ(bytes.count("host0.3->" + neighbour), 1, "a link for each card");
    }

    std::string m_topology;
};

/// Every sharing rule takes a network card for what the link of a host is.
class CardEachByRuleCase : public TestCase
{
  public:
    explicit CardEachByRuleCase(const std::string& rule)
        : TestCase("A network card for each worker is a host for each worker, by the rule " + rule),
          m_rule(rule)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin together = NicTwin(WORKERS, WORKERS);
        ScenarioTwin apart = NicTwin(1, 1);
        ScenarioTwin shared = NicTwin(WORKERS, 1);
        for (auto* twin : {&together, &apart, &shared})
        {
            UseTransport("linux", twin->scenario.network);
            twin->scenario.network.queue = {QueueSpec::Kind::DROP_TAIL, 200000, 0, false};
            twin->scenario.fairShare.sharing = m_rule;
            twin->scenario.fairShare.oneWayDelay.reset();
        }
        const auto cards = together.RunFairShare();
        const auto hosts = apart.RunFairShare();
        const auto one = shared.RunFairShare();
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            const double expected = MeanStep(hosts, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(cards, worker),
                                      expected,
                                      1e-9 * expected,
                                      "worker " << worker);
            NS_TEST_EXPECT_MSG_GT(MeanStep(one, worker), 1.5 * expected, "one card is slower");
        }
    }

    std::string m_rule;
};

/// Two workers on each of two cards take as long as two workers on each of two hosts.
class CardOfTwoCase : public TestCase
{
  public:
    CardOfTwoCase()
        : TestCase("Workers share the network cards of their host, two each")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = NicTwin(WORKERS, 2);
        const double goodput = GetGoodput(twin.scenario.network.rate,
                                          GetWireFormat(twin.scenario.network.mtu,
                                                        twin.scenario.network.tcp.timestamps,
                                                        GetMessageFraming(twin.scenario.transfer)));
        // each card carries two models each way, while the servers' links carry one
        const double expected = COMPUTING + 2 * 2 * MODEL_BYTES / goodput;
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker), expected, 1e-9 * expected, "fair");
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      expected,
                                      0.02 * expected,
                                      "packets");
        }
    }
};

/// What stays on a host takes no network card, whichever its ends have.
class CardsAndLocalLinkCase : public TestCase
{
  public:
    CardsAndLocalLinkCase()
        : TestCase("Workers with different network cards of a host exchange over its local link")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin cards = NicTwin(WORKERS, 2, 1);
        ScenarioTwin card = NicTwin(WORKERS, 1, 1);
        for (auto* twin : {&cards, &card})
        {
            twin->scenario.network.colocate = {{"ps0", "host0"}};
            twin->scenario.network.local = {DataRate("2Gbps"), MicroSeconds(40)};
        }
        const auto fair = cards.RunFairShare();
        const auto fairOne = card.RunFairShare();
        const auto packet = cards.RunPackets();
        const auto packetOne = card.RunPackets();
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            const double expected = MeanStep(fairOne, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker), expected, 1e-9 * expected, "fair");
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      MeanStep(packetOne, worker),
                                      0.01 * expected,
                                      "packets");
        }
        const auto bytes = BytesOf(cards.totals);
        for (const std::string link : {"host0.0", "host0.1"})
        {
            NS_TEST_EXPECT_MSG_EQ(bytes.at(link + "->switch") + bytes.at("switch->" + link),
                                  0,
                                  link + " carries nothing");
        }
    }
};

/// Connections of cards are hashed to the same paths in both engines (which the run compares), and
/// leave over their cards.
class CardsAndPathsCase : public TestCase
{
  public:
    explicit CardsAndPathsCase(const std::string& policy)
        : TestCase("Network cards below a leaf with several spines, " +
                   std::string(policy == "ecmp" ? "hashed" : "sprayed")),
          m_policy(policy)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = NicTwin(2, 2);
        twin.scenario.network.topology.type = "leaf-spine";
        twin.scenario.network.topology.leaves = 3;
        twin.scenario.network.topology.spines = 2;
        twin.scenario.network.topology.trunk.rate = LinkRates(DataRate("10Gbps"));
        twin.scenario.network.multipath.policy = m_policy;
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        // servers and cards have the same rate and load, and trunks more than enough
        const double expected = MeanStep(NicTwin(1, 1).RunFairShare(), 0);
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker), expected, 1e-9 * expected, "fair");
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      expected,
                                      0.05 * expected,
                                      "packets");
        }
        double least = 1e300;
        double most = 0;
        for (const auto& [name, bytes] : BytesOf(twin.totals))
        {
            if (name.find("->host") != std::string::npos)
            {
                least = std::min(least, bytes);
                most = std::max(most, bytes);
            }
        }
        NS_TEST_EXPECT_MSG_GT(least, 2.0 * MODEL_BYTES, "every card brings a worker its model");
        NS_TEST_EXPECT_MSG_LT(most, 1.1 * least, "and no other's");
    }

    std::string m_policy;
};

/// Where ns-3's nodes send what comes from and goes to cards: 10.0.0.0/30 is the link of ps0,
/// 10.0.0.4/30 and 10.0.0.8/30 are those of the cards, and hosts have the first address of each.
class CardRoutesCase : public TestCase
{
  public:
    CardRoutesCase()
        : TestCase("Packets leave over the card of their address, and switches keep their name")
    {
    }

  private:
    /// Check a route. @param expected source address and number of the outgoing interface
    void Check(Ptr<Node> node,
               const char* from,
               const char* to,
               const std::pair<const char*, uint32_t>& expected)
    {
        Ipv4Header header;
        header.SetSource(Ipv4Address(from));
        header.SetDestination(Ipv4Address(to));
        Socket::SocketErrno error = Socket::ERROR_NOTERROR;
        const auto ipv4 = node->GetObject<Ipv4>();
        const auto route =
            ipv4->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
        NS_TEST_ASSERT_MSG_NE(route, nullptr, from << " to " << to);
        NS_TEST_EXPECT_MSG_EQ(route->GetSource(),
                              Ipv4Address(expected.first),
                              from << " to " << to);
        NS_TEST_EXPECT_MSG_EQ(ipv4->GetInterfaceForDevice(route->GetOutputDevice()),
                              static_cast<int32_t>(expected.second),
                              from << " to " << to);
    }

    void DoRun() override
    {
        NetworkSpec spec;
        spec.nicsPerHost = 2;
        Cluster cluster(TcpSpec(),
                        std::make_shared<ClusterNetwork>(BuildNetwork(spec, {{2, 1, 2}})));
        cluster.Create();
        const auto host = cluster.GetNode("host0");
        Check(host, "10.0.0.5", "10.0.0.1", {"10.0.0.5", 1});
        Check(host, "10.0.0.9", "10.0.0.1", {"10.0.0.9", 2});
        Check(host, "0.0.0.0", "10.0.0.1", {"10.0.0.5", 1}); // no card: the first one
        Check(host, "0.0.0.0", "10.0.0.9", {"10.0.0.9", 0}); // stays there
        const auto node =
            cluster.GetNode(uint32_t{0}); // the switch, whose first link is that of ps0
        Check(node, "10.0.0.1", "10.0.0.5", {"10.0.0.2", 2});
        Check(node, "10.0.0.1", "10.0.0.9", {"10.0.0.2", 3});
        Simulator::Destroy();
    }
};

} // namespace

static std::vector<TestCase*>
MakeNicCases()
{
    return {new CardEachCase("star"),
            new CardEachCase("dumbbell"),
            new CardEachByRuleCase("max-min"),
            new CardEachByRuleCase("drop-tail"),
            new CardEachByRuleCase("fifo"),
            new CardEachByRuleCase("bursts"),
            new CardRoutesCase,
            new CardOfTwoCase,
            new CardsAndLocalLinkCase,
            new CardsAndPathsCase("ecmp"),
            new CardsAndPathsCase("spray")};
}

static CaseSuite g_nicSuite("dml-nics", MakeNicCases()); //!< registers itself
