/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several workers on a host, in both engines.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-goodput.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t CROWD = 4;             // workers on the host
constexpr uint64_t CROWD_BYTES = 6000000; // of all parameters
constexpr double CROWD_COMPUTE = 0.02;

/// Four equal tensors, pulled, used and pushed.
ProfileBuilder
FourTensors()
{
    ProfileBuilder builder;
    const std::vector<std::string> names{"a", "b", "c", "d"};
    std::vector<std::string> pulls;
    for (const auto& name : names)
    {
        builder.Pull(name, CROWD_BYTES / names.size());
        pulls.push_back("pull/" + name);
    }
    builder.Compute("compute", {CROWD_COMPUTE}, pulls);
    for (const auto& name : names)
    {
        builder.Push(name, CROWD_BYTES / names.size(), {"compute"}).Update(name, 0);
    }
    return builder;
}

ScenarioTwin
CrowdedTwin(uint32_t perHost, uint32_t servers)
{
    ScenarioTwin twin;
    twin.AddJob(FourTensors(), CROWD, servers, 1);
    twin.scenario.job.workersPerHost = perHost;
    return twin;
}

/// @return bytes of tensors per second that pass a link of the scenario
double
GoodputOf(const Scenario& scenario, const DataRate& rate)
{
    return GetGoodput(rate,
                      GetWireFormat(scenario.network.mtu,
                                    scenario.network.tcp.timestamps,
                                    GetMessageFraming(scenario.transfer)));
}

/// Workers 0 to 3 of four hosts, two or one share the hosts' links: with four servers the fullest
/// host is what a step waits for.
class SharedLinkCase : public TestCase
{
  public:
    explicit SharedLinkCase(uint32_t perHost)
        : TestCase("Workers share the link of their host, " + std::to_string(perHost) + " each"),
          m_perHost(perHost)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = CrowdedTwin(m_perHost, 4);
        const double phase = static_cast<double>(CROWD_BYTES) * m_perHost /
                             GoodputOf(twin.scenario, twin.scenario.network.rate);
        const double expected = CROWD_COMPUTE + 2 * phase;
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        double end = 0;
        double packetEnd = 0;
        for (uint32_t worker = 0; worker < CROWD; ++worker)
        {
            end = std::max(end, MeanStep(fair, worker));
            packetEnd = std::max(packetEnd, MeanStep(packet, worker));
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(end, expected, 1e-9 * expected, "two phases of all bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(packetEnd, expected, 0.02 * expected, "in packets");
    }

    uint32_t m_perHost;
};

/// A host whose workers and server exchange over its local link only is a star of links of that
/// rate.
class LocalLinkCase : public TestCase
{
  public:
    LocalLinkCase()
        : TestCase("A local link is as fast as a star of such links")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin local = CrowdedTwin(CROWD, 1);
        local.scenario.network.colocate = {{"ps0", "host0"}};
        local.scenario.network.local = {DataRate("2Gbps"), MicroSeconds(40)};
        ScenarioTwin star = CrowdedTwin(1, 1);
        star.scenario.network.rate = DataRate("2Gbps");
        star.scenario.network.delay = MicroSeconds(20);
        star.scenario.network.queue = {QueueSpec::Kind::DROP_TAIL, 0, 0, false}; // in FIFO order
        star.scenario.network.hostQueue = star.scenario.network.queue;
        for (auto* twin : {&local, &star})
        {
            twin->scenario.fairShare.oneWayDelay.reset();
        }
        const auto fair = local.RunFairShare();
        const auto fairStar = star.RunFairShare();
        const auto packet = local.RunPackets();
        const auto packetStar = star.RunPackets();
        for (uint32_t worker = 0; worker < CROWD; ++worker)
        {
            const double expected = MeanStep(fairStar, worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, worker),
                                      expected,
                                      1e-9 * expected,
                                      "fair-share, worker " << worker);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, worker),
                                      MeanStep(packetStar, worker),
                                      0.01 * expected,
                                      "packets, worker " << worker);
        }
        CheckBytes(local.totals, star.totals);
    }

    /// What crosses the local link is what crosses the star, and nothing crosses the host's link.
    void CheckBytes(const PacketRunTotals& local, const PacketRunTotals& star)
    {
        std::map<std::string, double> bytes;
        for (const auto& link : local.links)
        {
            bytes[link.link] = link.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(bytes.size(), 12, "one link of the host, and five ports");
        NS_TEST_EXPECT_MSG_EQ(bytes.at("host0->switch") + bytes.at("switch->host0"), 0, "nothing");
        double sent = 0;
        double received = 0;
        for (const std::string name : {"ps0", "worker0", "worker1", "worker2", "worker3"})
        {
            sent += bytes.at(name + "->host0");
            received += bytes.at("host0->" + name);
        }
        NS_TEST_EXPECT_MSG_EQ(sent, received, "what comes was sent");
        for (const auto& link : star.links)
        {
            std::string name = link.link;
            name.replace(name.find("switch"), 6, "host0");
            NS_TEST_EXPECT_MSG_EQ_TOL(bytes.at(name), link.bytes, 0.03 * link.bytes, name);
        }
    }
};

/// Without a rate, what stays on a host takes no time.
class FreeLocalCase : public TestCase
{
  public:
    FreeLocalCase()
        : TestCase("Without network.local, what stays on a host takes no time")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = CrowdedTwin(CROWD, 1);
        twin.scenario.network.colocate = {{"ps0", "worker2"}}; // who lives on host0
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, 0), CROWD_COMPUTE, 1e-12, "fair-share");
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, 0),
                                  CROWD_COMPUTE,
                                  0.02 * CROWD_COMPUTE,
                                  "packets");
    }
};

} // namespace

static std::vector<TestCase*>
MakeSharedHostCases()
{
    return {new SharedLinkCase(1),
            new SharedLinkCase(2),
            new SharedLinkCase(4),
            new LocalLinkCase,
            new FreeLocalCase};
}

static CaseSuite g_sharedHostSuite("dml-shared-hosts", MakeSharedHostCases()); //!< registers itself
