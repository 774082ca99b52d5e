/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What shares the network with a job, and what breaks: the same in both engines.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-goodput.h"
#include "ns3/test.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Bytes of a pull that takes 0.4 s alone.
constexpr uint64_t LONG_PULL = 50000000;

/// One worker that pulls a tensor, and a host "x" beside it.
ScenarioTwin
LonePull(uint64_t bytes = LONG_PULL)
{
    ProfileBuilder builder;
    builder.Pull("a", bytes);
    ScenarioTwin twin;
    twin.scenario.network.extraHosts = {"x"};
    twin.AddJob(builder, 1);
    return twin;
}

/// A flow on the server's link, beside the pulls.
BackgroundSpec
FromServer(BackgroundSpec::Kind kind)
{
    BackgroundSpec flow;
    flow.kind = kind;
    flow.from = "ps0";
    flow.to = "x";
    return flow;
}

/// When the first transfer was there, in the fair-share engine and in the packet engine.
std::pair<double, double>
Arrivals(ScenarioTwin& twin, uint32_t replication = 0)
{
    const double fair = twin.RunFairShare(replication).transfers.front().lastByte;
    return {fair, twin.RunPackets(replication).transfers.front().lastByte};
}

/// A constant rate leaves the rest of the link to a lone pull; what takes more than its share gets
/// its share.
class ConstantRateCase : public TestCase
{
  public:
    ConstantRateCase(const std::string& rate, double left)
        : TestCase("Background at " + rate + " leaves " + std::to_string(left) + " of the link"),
          m_rate(rate),
          m_left(left)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        NetworkSpec& network = twin.scenario.network;
        network.background = {FromServer(BackgroundSpec::Kind::CONSTANT)};
        network.background[0].rate = DataRate(m_rate);
        const double goodput = GetGoodput(network.rate, GetWireFormat(network.mtu, false));
        const double expected = LONG_PULL / (goodput * m_left);
        const auto [fair, packet] = Arrivals(twin);
        NS_TEST_EXPECT_MSG_EQ_TOL(fair, expected, 0.001 * expected, "fair-share");
        NS_TEST_EXPECT_MSG_EQ_TOL(packet, expected, 0.02 * expected, "packet");
    }

    std::string m_rate;
    double m_left;
};

/// A bulk flow gets half of the link, from its start to its last byte or until it stops.
class BulkCase : public TestCase
{
  public:
    BulkCase()
        : TestCase("Bulk TCP takes half of the link, as long as it lasts")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        NetworkSpec& network = twin.scenario.network;
        const double goodput = GetGoodput(network.rate, GetWireFormat(network.mtu, false));
        const double alone = LONG_PULL / goodput;
        BackgroundSpec bulk = FromServer(BackgroundSpec::Kind::BULK);
        Check(twin, bulk, 2 * alone);
        bulk.bytes = 10000000; // which delay the pull as long as they take
        Check(twin, bulk, alone + 10e6 / goodput);
        bulk.bytes = 0;
        bulk.start = MilliSeconds(100);
        bulk.stop = MilliSeconds(300);
        Check(twin, bulk, alone + 0.1);
    }

    void Check(ScenarioTwin& twin, const BackgroundSpec& bulk, double expected)
    {
        twin.scenario.network.background = {bulk};
        const auto [fair, packet] = Arrivals(twin);
        NS_TEST_EXPECT_MSG_EQ_TOL(fair, expected, 0.001 * expected, "fair-share");
        NS_TEST_EXPECT_MSG_EQ_TOL(packet, expected, 0.02 * expected, "packet");
    }
};

/// On and off times are drawn once, for both engines.
class OnOffCase : public TestCase
{
  public:
    explicit OnOffCase(bool exponential)
        : TestCase(std::string("On-off traffic has the same ") +
                   (exponential ? "drawn" : "constant") + " times in both engines"),
          m_exponential(exponential)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        BackgroundSpec flow = FromServer(BackgroundSpec::Kind::ON_OFF);
        flow.rate = DataRate("400Mbps");
        flow.on = MilliSeconds(70);
        flow.off = MilliSeconds(50);
        flow.exponential = m_exponential;
        flow.start = MilliSeconds(30);
        twin.scenario.network.background = {flow};
        std::vector<double> ends;
        for (const uint32_t replication : {0, 1, 2})
        {
            const auto [fair, packet] = Arrivals(twin, replication);
            NS_TEST_EXPECT_MSG_EQ_TOL(packet, fair, 0.01 * fair, "replication " << replication);
            ends.push_back(fair);
        }
        NS_TEST_EXPECT_MSG_EQ((ends[0] == ends[1] && ends[1] == ends[2]),
                              !m_exponential,
                              "replications draw anew");
    }

    bool m_exponential;
};

/// A second job shares the links until the first one is done.
class SecondJobCase : public TestCase
{
  public:
    SecondJobCase()
        : TestCase("Two jobs with different profiles on one dumbbell: step times within 5 %")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t STEPS = 5;
        ProfileBuilder first;
        first.Pull("a", 8000000)
            .Compute("forward", {0.05}, {"pull/a"})
            .Push("a", 8000000, {"forward"})
            .Update("a", 0.01);
        ProfileBuilder second;
        second.Pull("b", 3000000)
            .Pull("c", 5000000)
            .Compute("forward", {0.02}, {"pull/b", "pull/c"})
            .Push("c", 5000000, {"forward"})
            .Push("b", 3000000, {"forward"});
        ScenarioTwin twin;
        twin.scenario.network.topology.type = "dumbbell";
        twin.scenario.overhead = {1e-10, 1e-5, true, {}};
        twin.AddJob(first, 2, 1, STEPS);
        twin.AddJob(second, 1, 2);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        for (uint32_t worker = 0; worker < 3; ++worker)
        {
            const uint32_t job = worker / 2;
            const double expected = MeanStep(fair.GetJob(job), worker % 2);
            NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packet.GetJob(job), worker % 2),
                                      expected,
                                      0.05 * expected,
                                      "worker " << worker);
        }
        for (const auto* recorder : {&fair, &packet})
        {
            const RunRecorder& other = recorder->GetJob(1);
            std::vector<uint32_t> steps(2);
            for (const auto& step : recorder->steps)
            {
                ++steps[step.worker];
            }
            NS_TEST_EXPECT_MSG_EQ(steps[0], STEPS, "the first job does its steps");
            NS_TEST_EXPECT_MSG_EQ(steps[1], STEPS, "the first job does its steps");
            NS_TEST_EXPECT_MSG_GT(other.steps.size(), 1, "the second job goes on");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(recorder->steps.back().end,
                                        other.steps.back().end,
                                        "the first job ends the run");
            for (uint32_t job = 0; job < 2; ++job)
            {
                for (const auto& transfer : recorder->GetJob(job).transfers)
                {
                    NS_TEST_EXPECT_MSG_LT(GetServer(transfer.channel),
                                          job + 1,
                                          "servers of its own");
                }
                for (const auto& chunk : recorder->GetJob(job).chunks)
                {
                    // of parsers, 0 is the worker's own
                    const uint32_t first =
                        GetLabel(chunk.resource) == ResourceLabel::PARSER ? 1 : 0;
                    NS_TEST_EXPECT_MSG_LT(GetLabelIndex(chunk.resource),
                                          first + job + 1,
                                          "resources of its own");
                }
            }
        }
    }
};

/// A link that is down delays what needs it: by as long as it is down where nothing else waits.
class DownCase : public TestCase
{
  public:
    DownCase()
        : TestCase("A link that is down for 0.2 s delays a pull by 0.2 s, or by more with TCP")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double DURATION = 0.2;
        ScenarioTwin twin = LonePull();
        const auto [fair, packet] = Arrivals(twin);
        FaultSpec fault;
        fault.kind = FaultSpec::Kind::DOWN;
        fault.start = MilliSeconds(150);
        fault.duration = Seconds(DURATION);
        for (const std::vector<std::string>& link :
             {std::vector<std::string>{"ps0"}, {"worker0", "switch"}, {}})
        {
            fault.link = link;
            twin.scenario.network.faults = {fault};
            const auto [fairLate, packetLate] = Arrivals(twin);
            NS_TEST_EXPECT_MSG_EQ_TOL(fairLate, fair + DURATION, 1e-9, "fair-share");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(packetLate, packet + DURATION, "packet");
            NS_TEST_EXPECT_MSG_LT(packetLate, packet + 3 * DURATION, "packet: a timeout doubles");
        }
        fault.link = {"x"}; // which nothing needs
        twin.scenario.network.faults = {fault};
        const auto [fairSame, packetSame] = Arrivals(twin);
        NS_TEST_EXPECT_MSG_EQ(fairSame, fair, "fair-share");
        NS_TEST_EXPECT_MSG_EQ(packetSame, packet, "packet");
    }
};

/// Random losses are repaired; they are the same for the same seed and replication only.
class LossCase : public TestCase
{
  public:
    LossCase()
        : TestCase("1 % of packets lost: all arrives, and each replication loses others")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull(5000000);
        twin.scenario.network.mtu = 1500;
        FaultSpec fault;
        fault.probability = 0.01;
        twin.scenario.network.faults = {fault};
        std::vector<double> ends;
        for (const auto& [seed, replication] :
             {std::pair{1, 0}, std::pair{1, 0}, std::pair{1, 1}, std::pair{2, 0}})
        {
            twin.scenario.seed = seed;
            const auto packet = twin.RunPackets(replication);
            NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 1, "it ends");
            NS_TEST_EXPECT_MSG_GT(twin.totals.tcp.retransmissions, 10, "of some 70 losses");
            ends.push_back(packet.transfers.front().lastByte);
        }
        NS_TEST_EXPECT_MSG_EQ(ends[0], ends[1], "the same once more");
        NS_TEST_EXPECT_MSG_NE(ends[0], ends[2], "another replication");
        NS_TEST_EXPECT_MSG_NE(ends[0], ends[3], "another seed");
        // connections are made before anything is lost, or 3 s would pass before they are
        ProfileBuilder builder;
        builder.Pull("a", 100000);
        ScenarioTwin many;
        many.AddJob(builder, 8);
        fault.probability = 0.2;
        many.scenario.network.faults = {fault};
        NS_TEST_EXPECT_MSG_EQ(many.RunPackets().steps.size(), 8, "all end");
    }
};

/// How many packets random losses take.
class LossShareCase : public TestCase
{
  public:
    LossShareCase()
        : TestCase("A link loses the share of packets that its faults say")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull(20000000);
        twin.scenario.network.mtu = 1500;
        FaultSpec everywhere;
        everywhere.probability = 0.01;
        FaultSpec worker = everywhere;
        worker.link = {"worker0"};
        twin.scenario.network.faults = {everywhere, worker};
        twin.RunPackets();
        uint64_t all = 0;
        for (const auto& link : twin.totals.links)
        {
            // two independent losses take 1 - 0.99^2
            const bool both = link.link.find("worker0") != std::string::npos;
            const double expected = (both ? 0.0199 : 0.01) * link.packets;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(link.lost),
                                      expected,
                                      4 * std::sqrt(expected),
                                      link.link);
            all += link.lost;
        }
        NS_TEST_EXPECT_MSG_EQ(all, twin.totals.lost, "of all links");
        NS_TEST_EXPECT_MSG_GT(all, 400, "enough to tell half of it");
    }
};

/// What receivers tell of the bytes that come, over short intervals.
class FlowTimesCase : public TestCase
{
  public:
    FlowTimesCase()
        : TestCase("Bytes of a flow are counted from the start of the run")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull(5000000);
        const auto packet = twin.RunPackets();
        std::vector<FlowRecord> pulled;
        uint64_t bytes = 0;
        for (const auto& flow : packet.flows)
        {
            if (flow.channel.to.role == Role::WORKER)
            {
                pulled.push_back(flow);
                bytes += flow.bytes;
            }
        }
        NS_TEST_ASSERT_MSG_GT(pulled.size(), 2, "several intervals");
        NS_TEST_EXPECT_MSG_EQ_TOL(pulled.front().start, 0, 1e-9, "the first one");
        const double last = packet.transfers.front().lastByte;
        NS_TEST_EXPECT_MSG_LT(pulled.back().start,
                              last,
                              "the last one begins before the last byte");
        NS_TEST_EXPECT_MSG_GT(pulled.back().end, last, "and ends behind it");
        NS_TEST_EXPECT_MSG_EQ_TOL(bytes, 5e6, 5e4, "headers and messages are few");
    }
};

} // namespace

static std::vector<TestCase*>
MakeTrafficCases()
{
    // datagrams fill packets of 9000 + 2 bytes with 9000 - 28
    const double left = 1 - 0.4 * 9002 / 8972;
    return {new ConstantRateCase("400Mbps", left),
            new ConstantRateCase("800Mbps", 0.5),
            new BulkCase(),
            new OnOffCase(false),
            new OnOffCase(true),
            new SecondJobCase(),
            new DownCase(),
            new LossCase(),
            new LossShareCase(),
            new FlowTimesCase()};
}

static CaseSuite g_trafficSuite("dml-traffic", MakeTrafficCases()); //!< registers itself
