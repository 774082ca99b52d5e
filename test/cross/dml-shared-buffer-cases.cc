/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ports that share the memory of a switch, in packets; bursts are in dml-burst-memory-gtest.cc.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double PACKET_ON_LINK = 1502; //!< bytes: an IP packet and PPP

/// Workers that push to one server through a switch whose ports share a memory.
ScenarioTwin
SharedIncast(uint32_t workers, uint64_t bytes, const QueueSpec& queue)
{
    ProfileBuilder builder;
    builder.Push("a", bytes, {}).Update("a", 0);
    ScenarioTwin twin;
    twin.scenario.network = NetworkSpec();
    twin.scenario.network.queue = queue;
    twin.AddJob(builder, workers);
    return twin;
}

QueueSpec
SharedPorts(uint64_t bytes, double alpha)
{
    QueueSpec queue{QueueSpec::Kind::SHARED, bytes};
    queue.alpha = alpha;
    return queue;
}

/// @return largest content of the queue from which a link is sent on, bytes
double
FullestOn(const PacketRunTotals& totals, const std::string& link)
{
    const auto found = std::find_if(totals.links.begin(),
                                    totals.links.end(),
                                    [&](const auto& each) { return each.link == link; });
    return found == totals.links.end() ? -1 : static_cast<double>(found->fullestQueue);
}

/// One port is full: it holds alpha B / (1 + alpha), less than a packet short of it. Small ACKs of
/// other ports may take room from it.
class FullPortCase : public TestCase
{
  public:
    FullPortCase(uint32_t workers, double alpha, const std::string& kind)
        : TestCase(std::to_string(workers) + " workers fill one port, alpha " +
                   std::to_string(alpha) + ", " + kind),
          m_workers(workers),
          m_alpha(alpha),
          m_kind(kind)
    {
    }

  private:
    void DoRun() override
    {
        constexpr double SIZE = 400000;
        QueueSpec queue = SharedPorts(static_cast<uint64_t>(SIZE), m_alpha);
        queue.wholeBursts = m_kind != "packets";
        ScenarioTwin twin = SharedIncast(m_workers, m_workers < 8 ? 4000000 : 500000, queue);
        twin.scenario.network.tcp.trains = m_kind == "trains";
        if (m_kind == "plain")
        {
            twin.scenario.network.queue.wholeBursts = false;
            twin.scenario.network.transport = "plain";
            twin.scenario.network.tcp = PlainTcp();
        }
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), m_workers, "all steps must end");
        const double limit = m_alpha * SIZE / (1 + m_alpha);
        const double piece =
            queue.wholeBursts && m_kind != "plain" ? 11 * PACKET_ON_LINK : PACKET_ON_LINK;
        const double fullest = FullestOn(twin.totals, "switch->ps0");
        NS_TEST_EXPECT_MSG_GT(twin.totals.drops, 0, "it loses packets");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(fullest, limit, "no more than its limit");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(fullest, limit - piece, "as much as fits");
    }

    uint32_t m_workers;
    double m_alpha;
    std::string m_kind;
};

/// Two ports to which 1.6 Gbit/s of datagrams come each, beside a job that sends next to nothing:
/// each holds alpha B / (1 + 2 alpha), but for a packet of its own and one of the other port.
class TwoFullPortsCase : public TestCase
{
  public:
    explicit TwoFullPortsCase(double alpha)
        : TestCase("Two full ports, alpha " + std::to_string(alpha)),
          m_alpha(alpha)
    {
    }

  private:
    void DoRun() override
    {
        constexpr double SIZE = 600000;
        ScenarioTwin twin =
            SharedIncast(1, 2000000, SharedPorts(static_cast<uint64_t>(SIZE), m_alpha));
        NetworkSpec& network = twin.scenario.network;
        network.extraHosts = {"a0", "a1", "b0", "b1", "a", "b"};
        for (const std::string side : {"a", "b"})
        {
            for (const std::string number : {"0", "1"})
            {
                BackgroundSpec flow;
                flow.from = side + number;
                flow.to = side;
                flow.rate = DataRate("800Mbps");
                network.background.push_back(flow);
            }
        }
        twin.RunPackets();
        const double limit = m_alpha * SIZE / (1 + 2 * m_alpha);
        for (const std::string side : {"a", "b"})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(FullestOn(twin.totals, "switch->" + side),
                                      limit,
                                      2 * PACKET_ON_LINK,
                                      "port to " << side);
        }
        NS_TEST_EXPECT_MSG_LT(FullestOn(twin.totals, "switch->ps0"),
                              40 * PACKET_ON_LINK,
                              "it has room");
    }

    double m_alpha;
};

/// What fits is not dropped, and then nothing differs from ports of a fixed size: so are ports that
/// mark above a threshold, for DCTCP, which keep to it.
class RoomForAllCase : public TestCase
{
  public:
    RoomForAllCase()
        : TestCase("Nothing is lost where all fits")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin shared = SharedIncast(4, 300000, SharedPorts(4000000, 1));
        ScenarioTwin fixed = SharedIncast(4, 300000, {QueueSpec::Kind::DROP_TAIL, 2000000});
        const auto one = shared.RunPackets();
        const auto other = fixed.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(shared.totals.drops, 0, "nothing is lost");
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            NS_TEST_EXPECT_MSG_EQ(MeanStep(one, worker), MeanStep(other, worker), "the same bytes");
        }
        QueueSpec marking = SharedPorts(4000000, 1);
        marking.threshold = 100000;
        ScenarioTwin marked = SharedIncast(4, 3000000, marking);
        marked.scenario.network.tcp.variant = "dctcp";
        marked.scenario.network.tcp.delayedAckTimeout = MilliSeconds(40);
        marked.RunPackets();
        uint64_t marks = 0;
        for (const auto& link : marked.totals.links)
        {
            marks += link.marked;
        }
        NS_TEST_EXPECT_MSG_GT(marks, 0, "it marks");
        NS_TEST_EXPECT_MSG_EQ(marked.totals.drops, 0, "and loses nothing");
        const double fullest = FullestOn(marked.totals, "switch->ps0");
        NS_TEST_EXPECT_MSG_GT(fullest, 100000, "above the threshold");
        NS_TEST_EXPECT_MSG_LT(fullest, 1000000, "DCTCP keeps near it");
    }
};

/// A marking port that is full drops as others do.
class FullMarkingPortCase : public TestCase
{
  public:
    FullMarkingPortCase()
        : TestCase("A port that marks holds its part of the memory")
    {
    }

  private:
    void DoRun() override
    {
        QueueSpec queue = SharedPorts(400000, 1);
        queue.threshold = 199000; // too late for cubic to heed it before the port is full
        ScenarioTwin twin = SharedIncast(16, 500000, queue);
        twin.RunPackets();
        NS_TEST_EXPECT_MSG_GT(twin.totals.drops, 0, "it loses packets");
        const double fullest = FullestOn(twin.totals, "switch->ps0");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(fullest, 200000, "no more than its limit");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(fullest, 200000 - PACKET_ON_LINK, "as much as fits");
    }
};

} // namespace

static std::vector<TestCase*>
MakeSharedBufferCases()
{
    std::vector<TestCase*> cases;
    for (const uint32_t workers : {2, 4, 16, 64})
    {
        cases.push_back(new FullPortCase(workers, 1, "packets"));
    }
    for (const double alpha : {0.25, 4.0})
    {
        cases.push_back(new FullPortCase(8, alpha, "packets"));
        cases.push_back(new TwoFullPortsCase(alpha));
    }
    for (const std::string kind : {"bursts", "trains", "plain"})
    {
        cases.push_back(new FullPortCase(16, 1, kind));
    }
    cases.insert(cases.end(),
                 {new TwoFullPortsCase(1), new RoomForAllCase, new FullMarkingPortCase});
    return cases;
}

static CaseSuite g_sharedBufferSuite("dml-shared-buffer",
                                     MakeSharedBufferCases()); //!< registers itself
