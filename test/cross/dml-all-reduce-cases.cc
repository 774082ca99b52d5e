/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// All-reduce on ideal links, against times written down from the papers, and in packets.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"
#include "dml-stopped-job-case.h"

#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double COMPUTE = 0.1;
constexpr double UPDATE = 0.05;
constexpr double LATENCY = 0.001;
constexpr double REDUCTION = 1e-9; // seconds per byte

/// One tensor of @p bytes: computed, reduced, applied.
TwinRun
MakeTwin(const PluginSpec& algorithm, uint32_t workers, uint64_t bytes, double reduction)
{
    ProfileBuilder builder;
    builder.Pull("t", bytes).Compute("compute", {COMPUTE}, {"pull/t"});
    builder.Push("t", bytes, {"compute"}).Update("t", UPDATE);
    TwinRun twin(builder, 0);
    twin.withoutServers = CreateObject<AllReduceProtocol>();
    twin.withoutServers->SetAttribute(
        "Algorithm",
        PointerValue(CollectiveAlgorithms().Create<CollectiveAlgorithm>(algorithm)));
    twin.withoutServers->SetAttribute("ReductionTime", DoubleValue(reduction));
    twin.oneWayDelay = LATENCY;
    twin.Prepare(std::vector<double>(workers, 0), 2);
    return twin;
}

/// @return mean duration of the steps
double
MeanStep(const RunRecorder& recorder)
{
    double seconds = 0;
    for (const auto& step : recorder.steps)
    {
        seconds += step.end - step.start;
    }
    return seconds / recorder.steps.size();
}

/// The length of a step in the fair-share engine, to 1e-9.
class IdealTimeCase : public TestCase
{
  public:
    IdealTimeCase()
        : TestCase("All-reduce takes the time that its rounds and bytes take")
    {
    }

  private:
    /// @param rounds on the longest path @param sent bytes that a worker sends one after the other
    /// @param added bytes that it adds up, likewise
    void Check(const PluginSpec& algorithm,
               uint32_t workers,
               double rounds,
               double sent,
               double added)
    {
        constexpr uint64_t BYTES = 2 * 3 * 4 * 5 * 7 * 10000; // whole parts for 2 to 8, 16, 32
        for (const double reduction : {0.0, REDUCTION})
        {
            const TwinRun twin = MakeTwin(algorithm, workers, BYTES, reduction);
            const double expected = COMPUTE + UPDATE + rounds * LATENCY +
                                    sent * BYTES / twin.GetRate() + reduction * added * BYTES;
            const RunRecorder recorder = twin.RunFairShare();
            NS_TEST_EXPECT_MSG_EQ(recorder.steps.size(), 2 * workers, "all steps");
            double end = 0; // of the first step of the last worker
            for (const auto& step : recorder.steps)
            {
                end = step.step == 0 ? std::max(end, step.end) : end;
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(end,
                                      expected,
                                      1e-9 * expected,
                                      algorithm.name << " of " << workers);
        }
    }

    void DoRun() override
    {
        for (const uint32_t n : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U})
        {
            const double share = (n - 1.0) / n;
            Check({"ring", {}}, n, 2 * (n - 1), 2 * share, share);
        }
        for (uint32_t n = 1; n <= 33; ++n)
        {
            // 2^k <= n of them work in pairs; if there are more, these give all that they have to
            // others first, and get all in the end
            const double log = std::floor(std::log2(n));
            const double share = 1 - std::exp2(-log);
            const double more = n > std::exp2(log) ? 1 : 0;
            Check({"halving-doubling", {}},
                  n,
                  2 * log + 2 * more,
                  2 * share + 2 * more,
                  share + more);
            Check({"recursive-doubling", {}}, n, log + 2 * more, log + 2 * more, log + more);
        }
        // A ring of chunks of 2.1 MB in 3 segments: while one is on its way or being added up, the
        // next ones keep the link busy.
        Check({"auto", {}}, 4, 1, 1.5, 0);
        // two trees of two: each sends a half up and a half down
        Check({"ns3::dml::TreeAllReduce", {{"Chunks", "1"}}}, 2, 2, 1, 0.5);
        // 3 rounds in groups of 4, 2 between them, 3 in groups
        Check({"hierarchical", {}}, 8, 8, 2 * 0.75 + 2 * 0.125, 0.75 + 0.125);
    }
};

/// What packets make of it, and how many bytes cross each network interface.
class PacketTimeCase : public TestCase
{
  public:
    PacketTimeCase()
        : TestCase("All-reduce in packets takes two per cent more at most than on ideal links")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 40000000;
        for (const char* transport : {"tcp", "grpc"})
        {
            for (const auto& [name, workers] :
                 std::vector<std::pair<std::string, uint32_t>>{{"ring", 2},
                                                               {"ring", 3},
                                                               {"ring", 5},
                                                               {"halving-doubling", 4},
                                                               {"halving-doubling", 3},
                                                               {"recursive-doubling", 4},
                                                               {"tree", 5},
                                                               {"hierarchical", 6}})
            {
                TwinRun twin = MakeTwin({name, {}}, workers, BYTES, 0);
                twin.oneWayDelay = 0;
                twin.transfer.transport = transport;
                twin.network.mtu = 9000;
                const double ideal = MeanStep(twin.RunFairShare());
                const RunRecorder packets = twin.RunPackets();
                const std::string what = name + " of " + std::to_string(workers) + ", " + transport;
                NS_TEST_EXPECT_MSG_EQ(packets.steps.size(), 2 * workers, what);
                NS_TEST_EXPECT_MSG_EQ_TOL(MeanStep(packets), ideal, 0.02 * ideal, what);
            }
        }
    }
};

/// Each network interface sends 2 (N-1)/N of the buffer, chunk after chunk.
class WireCase : public TestCase
{
  public:
    WireCase()
        : TestCase("On a ring chunks go round in order")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t WORKERS = 4;
        constexpr uint64_t BYTES = 4000002; // which four do not divide
        TwinRun twin = MakeTwin({"ring", {}}, WORKERS, BYTES, 0);
        for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
        {
            NS_TEST_EXPECT_MSG_EQ(recorder.transfers.size(), 2 * WORKERS * 6, "6 rounds of each");
            std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> arrivals;
            for (const auto& transfer : recorder.transfers)
            {
                const auto& [from, to] = transfer.channel;
                NS_TEST_EXPECT_MSG_EQ(to.index, (from.index + 1) % WORKERS, "to the next one");
                NS_TEST_EXPECT_MSG_GT(transfer.ready, 0.09, "known, and after computing");
                NS_TEST_EXPECT_MSG_GT_OR_EQ(transfer.firstByte, transfer.ready, "in its turn");
                NS_TEST_EXPECT_MSG_GT(transfer.lastByte, transfer.firstByte, "takes time");
                auto& list = arrivals[{from.index, transfer.step}];
                // moves are numbered round after round, a send before a receive
                NS_TEST_EXPECT_MSG_EQ(transfer.part, 2 * list.size() + 1, "in order");
                list.push_back(transfer.lastByte);
            }
            std::map<uint32_t, uint64_t> sent;
            for (const auto& chunk : recorder.chunks)
            {
                if (chunk.resource.kind == ResourceKind::CHANNEL && chunk.step == 0)
                {
                    sent[chunk.resource.at.index] += chunk.bytes;
                }
            }
            for (uint32_t worker = 0; worker < WORKERS; ++worker)
            {
                // parts are of 1000000 and 1000001 bytes; messages have headers
                NS_TEST_EXPECT_MSG_EQ_TOL(sent[worker] / 6e6, 1, 1e-4, "worker " << worker);
            }
        }
    }
};

/// Two gradients: the one that a step generates first is reduced first, the other one waits.
class OrderCase : public TestCase
{
  public:
    OrderCase()
        : TestCase("Collectives start in the order in which a step generates gradients")
    {
    }

  private:
    void DoRun() override
    {
        // b is generated at 0.1 s and takes 0.2 s on the wire; a is generated at 0.2 s
        ProfileBuilder builder;
        TwinRun twin(builder, 0);
        const auto bytes = static_cast<uint64_t>(0.2 * twin.GetRate());
        twin.builder.Pull("a", bytes).Pull("b", bytes);
        twin.builder.Compute("forward", {0.05}, {"pull/a", "pull/b"});
        twin.builder.Compute("backward/b", {0.05}, {"forward"});
        twin.builder.Compute("backward/a", {0.1}, {"backward/b"});
        twin.builder.Push("a", bytes, {"backward/a"}).Push("b", bytes, {"backward/b"});
        twin.builder.Update("a", 0.02).Update("b", 0.03);
        twin.withoutServers = CreateObject<AllReduceProtocol>();
        for (const uint32_t concurrent : {1U, 2U})
        {
            twin.withoutServers->SetAttribute("Concurrent", UintegerValue(concurrent));
            twin.Prepare({0, 0}, 1);
            // of two workers each sends half of a buffer twice: 0.2 s for each buffer
            std::map<uint32_t, double> last;
            for (const auto& transfer : twin.RunFairShare().transfers)
            {
                last[transfer.tensor] = std::max(last[transfer.tensor], transfer.lastByte);
            }
            // one after the other: b until 0.3, then a. At the same time: a's first half waits for
            // the channel at 0.2, as b's second one came first; it is sent from 0.3 to 0.4
            NS_TEST_EXPECT_MSG_EQ_TOL(last[1], 0.3, 1e-6, "b");
            NS_TEST_EXPECT_MSG_EQ_TOL(last[0], 0.5, 1e-6, "a");
            for (const auto& step : twin.RunFairShare().steps)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(step.end, 0.55, 1e-6, "both updates after both");
            }
        }
    }
};

/// LB-BSP's Algorithm 1 with the last speed: reports must not count the time that a worker waits
/// for others in a collective.
class BatchSizeCase : public TestCase
{
  public:
    BatchSizeCase()
        : TestCase("Batch sizes go by the speed of computing, with all-reduce too")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<double> speeds = {2, 1.2, 0.7};
        // 24 samples in these shares are 12.31, 7.38 and 4.31: the largest remainder is the second
        const std::vector<uint32_t> expected = {12, 8, 4};
        for (const char* algorithm : {"ring", "tree", "in-network"})
        {
            TwinRun twin = MakeTwin({algorithm, {}}, 3, 420000, 0);
            twin.run.batchSize = 8;
            for (const double speed : speeds)
            {
                twin.run.compute.push_back(
                    {nullptr,
                     std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, speed, 1, 1}}),
                     8});
            }
            twin.run.batchControl.emplace("ns3::dml::AnalyticalBatchSize");
            twin.run.batchControl->Set("Predictor",
                                       ObjectFactoryValue(ObjectFactory("ns3::dml::LastSpeed")));
            twin.Prepare({0, 0, 0}, 5);
            for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
            {
                NS_TEST_EXPECT_MSG_EQ(recorder.steps.size(), 15, algorithm << ": all steps");
                for (const auto& step : recorder.steps)
                {
                    const uint32_t batch = step.step == 0 ? 8 : expected[step.worker];
                    NS_TEST_EXPECT_MSG_EQ(step.batch, batch, algorithm << ": batch");
                    NS_TEST_EXPECT_MSG_EQ_TOL(step.done - step.start,
                                              COMPUTE * batch / 8 / speeds[step.worker],
                                              1e-6,
                                              algorithm << ": own time");
                }
            }
        }
    }
};

/// @return the cases of this file
std::vector<TestCase*>
MakeAllReduceCases()
{
    return {new IdealTimeCase,
            new PacketTimeCase,
            new WireCase,
            new OrderCase,
            new BatchSizeCase,
            new StoppedJobCase(
                "When a worker crashes, the job stops",
                [] {
                    return MakeTwin({"ring", {}}, 3, 420000, 0);
                },
                300) /* a step takes 0.16 s */};
}

static CaseSuite g_allReduceSuite("dml-all-reduce", MakeAllReduceCases()); //!< registers itself

} // namespace
