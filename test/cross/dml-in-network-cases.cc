/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Switches that add up, in packets: against the fair-share engine on ideal links.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"
#include "dml-stopped-job-case.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint64_t SUM_BYTES = 20000000;
constexpr double SUM_COMPUTE = 0.1;

/// One tensor: computed, reduced by the switch of a star, applied.
TwinRun
MakeAggregatedTwin(uint32_t workers, const std::string& slots, bool barrier = true)
{
    ProfileBuilder builder;
    builder.Pull("t", SUM_BYTES).Compute("compute", {SUM_COMPUTE}, {"pull/t"});
    builder.Push("t", SUM_BYTES, {"compute"}).Update("t", 0.05);
    TwinRun twin(builder, 0);
    twin.withoutServers = CreateObject<AllReduceProtocol>();
    twin.withoutServers->SetAttribute(
        "Algorithm",
        PointerValue(CollectiveAlgorithms().Create<CollectiveAlgorithm>(
            {"ns3::dml::InNetworkAllReduce", {{"Slots", slots}}})));
    twin.withoutServers->SetAttribute("Barrier", BooleanValue(barrier));
    twin.Prepare(std::vector<double>(workers, 0), 3);
    twin.network.mtu = 9000;
    return twin;
}

/// @return when the last step ended
double
FindLastEnd(const RunRecorder& recorder)
{
    double end = 0;
    for (const auto& step : recorder.steps)
    {
        end = std::max(end, step.end);
    }
    return end;
}

/// Packets take what the fair-share engine says, over both transports.
class AggregatedPacketsCase : public TestCase
{
  public:
    AggregatedPacketsCase()
        : TestCase("Switches add up packets in two per cent more time than on ideal links")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string transport : {"tcp", "grpc"})
        {
            for (const uint32_t workers : {1U, 3U, 5U})
            {
                TwinRun twin = MakeAggregatedTwin(workers, "16");
                twin.transfer.transport = transport;
                const double ideal = FindLastEnd(twin.RunFairShare());
                const RunRecorder packets = twin.RunPackets();
                const std::string what = transport + ", " + std::to_string(workers);
                NS_TEST_EXPECT_MSG_EQ(packets.steps.size(), 3 * workers, what);
                NS_TEST_EXPECT_MSG_EQ_TOL(FindLastEnd(packets), ideal, 0.02 * ideal, what);
                NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, what);
            }
        }
    }
};

/// Every link carries the tensor once each way, with headers: what the wire says.
class AggregatedBytesCase : public TestCase
{
  public:
    AggregatedBytesCase()
        : TestCase("Every worker's link carries the tensor up once and down once")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t WORKERS = 4;
        TwinRun twin = MakeAggregatedTwin(WORKERS, "16");
        twin.transfer.transport = "tcp";
        const RunRecorder recorder = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(twin.totals.links.size(), 2 * WORKERS, "each way of each link");
        for (const auto& link : twin.totals.links)
        {
            // acknowledgements of the other way, requests and headers are 3 % of packets of 9000
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(link.bytes) / (3.0 * SUM_BYTES),
                                      1.015,
                                      0.015,
                                      link.link);
        }
        std::map<std::pair<Role, Role>, uint32_t> transfers;
        for (const auto& transfer : recorder.transfers)
        {
            ++transfers[{transfer.channel.from.role, transfer.channel.to.role}];
            NS_TEST_EXPECT_MSG_GT_OR_EQ(transfer.firstByte, transfer.ready, "known, in its turn");
        }
        constexpr uint32_t CHUNKS = 306; // of 65536 B, rounded up
        NS_TEST_EXPECT_MSG_EQ((transfers[{Role::WORKER, Role::AGGREGATOR}]),
                              3 * WORKERS * CHUNKS,
                              "up");
        NS_TEST_EXPECT_MSG_EQ((transfers[{Role::AGGREGATOR, Role::WORKER}]),
                              3 * WORKERS * CHUNKS,
                              "down");
    }
};

/// With one slot a chunk goes up and down before the next one: half the rate, and delays besides.
class AggregatedSlotsCase : public TestCase
{
  public:
    AggregatedSlotsCase()
        : TestCase("Too few slots limit the rate of packets as that of the fair-share engine")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun many = MakeAggregatedTwin(3, "16");
        TwinRun one = MakeAggregatedTwin(3, "1");
        one.oneWayDelay = 2 * one.network.delay.GetSeconds() / 2; // of one link
        const double ideal = FindLastEnd(one.RunFairShare());
        const double packets = FindLastEnd(one.RunPackets());
        NS_TEST_EXPECT_MSG_GT(ideal, 1.5 * FindLastEnd(many.RunFairShare()), "one after the other");
        // slow start after each pause, and requests, cost more than 2 %
        NS_TEST_EXPECT_MSG_EQ_TOL(packets, ideal, 0.1 * ideal, "packets");
    }
};

/// The next step computes while the sum of the last one comes.
class AggregatedOverlapCase : public TestCase
{
  public:
    AggregatedOverlapCase()
        : TestCase("Without a barrier, and over several sockets, switches add up all steps")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeAggregatedTwin(3, "4", false);
        twin.transfer.transport = "tcp";
        const double ideal = FindLastEnd(twin.RunFairShare());
        for (const uint32_t sockets : {1U, 3U})
        {
            twin.transfer.sockets = sockets;
            const RunRecorder packets = twin.RunPackets();
            NS_TEST_EXPECT_MSG_EQ(packets.steps.size(), 9, sockets);
            NS_TEST_EXPECT_MSG_EQ_TOL(FindLastEnd(packets), ideal, 0.03 * ideal, sockets);
        }
    }
};

/// @return the cases of this file
std::vector<TestCase*>
MakeInNetworkCases()
{
    return {new AggregatedPacketsCase,
            new AggregatedBytesCase,
            new AggregatedSlotsCase,
            new AggregatedOverlapCase,
            new StoppedJobCase(
                "When a worker of a switch that adds up crashes, the job stops",
                [] { return MakeAggregatedTwin(3, "16"); },
                400) /* in the sum of the second step */};
}

static CaseSuite g_inNetworkSuite("dml-in-network", MakeInNetworkCases()); //!< registers itself

} // namespace
