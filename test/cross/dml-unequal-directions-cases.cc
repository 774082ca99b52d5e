/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Links with a rate for each direction: pulls take that of one, pushes that of the other, in all
// engines.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-goodput.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint64_t UNEQUAL_BYTES = 20000000; //!< of the tensor that is pulled and pushed
const DataRate FAST_WAY("800Mbps");
const DataRate SLOW_WAY("200Mbps");

/// Workers that pull a tensor and push its gradient at once.
ProfileBuilder
PullThenPush()
{
    ProfileBuilder builder;
    builder.Pull("a", UNEQUAL_BYTES)
        .Compute("forward", {0}, {"pull/a"})
        .Push("a", UNEQUAL_BYTES, {"forward"})
        .Update("a", 0);
    return builder;
}

/// Seconds that so many bytes take on a link of a twin.
double
SecondsOn(const ScenarioTwin& twin, const DataRate& rate, double bytes = UNEQUAL_BYTES)
{
    const NetworkSpec& network = twin.scenario.network;
    return bytes / GetGoodput(rate, GetWireFormat(network.mtu, network.tcp.timestamps));
}

/// How many workers share which link whose directions are unequal.
struct UnequalLink
{
    std::string name;                    //!< of the case
    uint32_t workers;                    //!< that share it
    bool pullsAreFast;                   //!< whether pulls go the fast way
    void (*apply)(NetworkSpec& network); //!< makes the link
};

void
MakeWorkerSlowDown(NetworkSpec& network)
{
    network.hosts["worker0"].rate = LinkRates(FAST_WAY, SLOW_WAY);
}

void
MakeServerSlowDown(NetworkSpec& network)
{
    network.hosts["ps0"].rate = LinkRates(FAST_WAY, SLOW_WAY);
}

void
MakeTrunkSlowDown(NetworkSpec& network)
{
    network.topology.type = "dumbbell";
    network.topology.trunk.rate = LinkRates(FAST_WAY, SLOW_WAY);
}

void
MakeSwitchFirst(NetworkSpec& network)
{
    network.topology.type = "explicit";
    network.topology.switches = {"s"};
    network.topology.links = {{{"s", "ps0"}, {}}, {{"worker0", "s"}, {}}, {{"worker1", "s"}, {}}};
    network.topology.links[0].link.rate = LinkRates(FAST_WAY, SLOW_WAY); // to the server
}

/// Closed form: n pulls and then n pushes share a link of which each direction has its rate.
/// Fair-share to the last digits, packets and bursts within two per cent, and no direction carries
/// more than it can.
class UnequalLinkCase : public TestCase
{
  public:
    explicit UnequalLinkCase(const UnequalLink& link)
        : TestCase("Unequal directions: " + link.name),
          m_link(link)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin;
        m_link.apply(twin.scenario.network);
        twin.AddJob(PullThenPush(), m_link.workers);
        const double pull =
            m_link.workers * SecondsOn(twin, m_link.pullsAreFast ? FAST_WAY : SLOW_WAY);
        const double push =
            m_link.workers * SecondsOn(twin, m_link.pullsAreFast ? SLOW_WAY : FAST_WAY);
        const auto fair = twin.RunFairShare();
        NS_TEST_ASSERT_MSG_EQ(fair.transfers.size(), 2 * m_link.workers, "all transfers");
        NS_TEST_EXPECT_MSG_EQ_TOL(fair.transfers.front().lastByte, pull, 1e-9 * pull, "pull");
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, 0), pull + push, 1e-9 * (pull + push), "step");
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(packet.transfers.front().lastByte, pull, 0.02 * pull, "pull");
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, 0), pull + push, 0.02 * (pull + push), "step");
        uint32_t slow = 0;
        for (const auto& link : twin.totals.links)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(link.utilisation, 1, "no more than it can: " << link.link);
            slow += link.rate == SLOW_WAY.GetBitRate() ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(slow, 1, "one direction is slow");
        ScenarioTwin bursts;
        bursts.scenario.network = NetworkSpec();
        bursts.scenario.network.queue = {QueueSpec::Kind::FAIR, 0};
        bursts.scenario.fairShare.oneWayDelay.reset();
        bursts.scenario.fairShare.sharing = "bursts";
        m_link.apply(bursts.scenario.network);
        bursts.AddJob(PullThenPush(), m_link.workers);
        const double seconds =
            m_link.workers * (SecondsOn(bursts, FAST_WAY) + SecondsOn(bursts, SLOW_WAY));
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(bursts.RunFairShare(), 0),
                                  seconds,
                                  0.02 * seconds,
                                  "bursts");
    }

    UnequalLink m_link;
};

/// A fault gives both directions its rate, after which each has its own again: a pull at 200 Mbit/s
/// for 0.2 s, at 50 Mbit/s for 0.4 s, then at 200 Mbit/s.
class UnequalFaultCase : public TestCase
{
  public:
    UnequalFaultCase()
        : TestCase("Unequal directions come back after a fault of their rate")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin;
        MakeWorkerSlowDown(twin.scenario.network);
        FaultSpec fault;
        fault.kind = FaultSpec::Kind::RATE;
        fault.link = {"worker0"};
        fault.rate = DataRate("50Mbps");
        fault.start = MilliSeconds(200);
        fault.duration = MilliSeconds(400);
        twin.scenario.network.faults = {fault};
        twin.AddJob(PullThenPush(), 1);
        const double lost = 0.4 * (1 - 50.0 / 200);
        const double pull = SecondsOn(twin, SLOW_WAY) + lost;
        const double push = SecondsOn(twin, FAST_WAY);
        const auto fair = twin.RunFairShare();
        NS_TEST_EXPECT_MSG_EQ_TOL(fair.transfers.front().lastByte, pull, 1e-9 * pull, "pull");
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(fair, 0), pull + push, 1e-9 * (pull + push), "step");
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet, 0), pull + push, 0.02 * (pull + push), "step");
    }
};

} // namespace

static std::vector<TestCase*>
MakeUnequalCases()
{
    std::vector<TestCase*> cases;
    for (const UnequalLink& link :
         {UnequalLink{"a worker's link", 1, false, MakeWorkerSlowDown},
          UnequalLink{"the server's link, two workers", 2, true, MakeServerSlowDown},
          UnequalLink{"a trunk, two workers", 2, true, MakeTrunkSlowDown},
          UnequalLink{"a link list, the switch first", 2, false, MakeSwitchFirst}})
    {
        cases.push_back(new UnequalLinkCase(link));
    }
    cases.push_back(new UnequalFaultCase);
    return cases;
}

static CaseSuite g_unequalSuite("dml-unequal-directions", MakeUnequalCases()); //!< registers itself
