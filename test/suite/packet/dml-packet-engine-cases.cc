/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-error-of.h"
#include "dml-packet-fixture.h"
#include "dml-small-step.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-cluster.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-parameter-server.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/dml-training-worker.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <tuple>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Every op of every step runs once, and nothing starts before what it waits for.
class CompletenessCase : public TestCase
{
  public:
    CompletenessCase(uint32_t workers, uint32_t servers)
        : TestCase("W = " + std::to_string(workers) + ", M = " + std::to_string(servers) +
                   ": every op of every step, in an order that respects the graph"),
          m_workers(workers),
          m_servers(servers)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t STEPS = 3;
        TwinRun twin(SmallStep(), m_servers);
        twin.overhead = {1e-9, 1e-5, false};
        twin.Prepare(std::vector<double>(m_workers, 0.001), STEPS);
        const auto packet = twin.RunPackets();
        const Profile profile = twin.builder.Build();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), m_workers * STEPS, "steps");
        NS_TEST_ASSERT_MSG_EQ(packet.transfers.size(), m_workers * STEPS * 4, "transfers");

        using Key = std::tuple<uint32_t, uint32_t, uint32_t, bool>;
        std::map<Key, std::pair<double, double>> span; // start and end of each op
        for (const auto& chunk : packet.chunks)
        {
            if (GetLabel(chunk.resource) != ResourceLabel::DOWNLINK &&
                GetLabel(chunk.resource) != ResourceLabel::UPLINK)
            {
                const bool isNew =
                    span.insert({Key{chunk.worker, chunk.step, chunk.op, chunk.parse},
                                 {chunk.start, chunk.end}})
                        .second;
                NS_TEST_EXPECT_MSG_EQ(isNew, true, "an op ran twice");
            }
        }
        for (const auto& transfer : packet.transfers)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(transfer.ready, transfer.firstByte, "ready, then sent");
            NS_TEST_EXPECT_MSG_LT(transfer.firstByte, transfer.lastByte, "sent, then arrived");
            span[{GetWorker(transfer.channel), transfer.step, transfer.op, false}] = {
                transfer.firstByte,
                transfer.lastByte};
        }
        // nine ops and the parsing of four transfers
        NS_TEST_ASSERT_MSG_EQ(span.size(), m_workers * STEPS * (9 + 4), "ops");
        for (const auto& [key, times] : span)
        {
            const auto& [worker, step, op, parse] = key;
            for (const OpIndex before : profile.graph.GetDependencies(op))
            {
                const bool afterParse = IsTransfer(profile.graph.Get(before).kind);
                NS_TEST_EXPECT_MSG_LT_OR_EQ((span[{worker, step, before, afterParse}].second),
                                            times.first + 1e-9,
                                            profile.graph.Get(op).name
                                                << " waits for " << profile.graph.Get(before).name);
            }
        }
    }

    uint32_t m_workers;
    uint32_t m_servers;
};

/// The same run twice gives the same records.
class DeterminismCase : public TestCase
{
  public:
    DeterminismCase()
        : TestCase("The same run twice is the same to the nanosecond")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep(), 2);
        twin.Prepare({0, 0.0007, 0.0003}, 4);
        const auto first = twin.RunPackets();
        const auto second = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(first.transfers.size(), second.transfers.size(), "transfers");
        for (std::size_t i = 0; i < first.transfers.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(first.transfers[i].lastByte,
                                  second.transfers[i].lastByte,
                                  "transfer " << i);
        }
    }
};

/// What arrives of each worker's data is measured, and workers that push together share equally.
class ShareCase : public TestCase
{
  public:
    ShareCase()
        : TestCase("Two workers that push at once get half of the link each")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 20000000;
        ProfileBuilder builder;
        builder.Push("a", BYTES).Update("a", 0.0001);
        TwinRun twin(builder);
        twin.Prepare({0, 0}, 1);
        ShareMeter meter(2, 1);
        FlowCounter flows;
        ObserverList observers{&meter, &flows};
        PacketEngine(twin.run, twin.network, twin.transfer, &observers).Run();
        for (const uint32_t worker : {0, 1})
        {
            // HTTP/2's and gRPC's headers are included
            const double up = flows.bytes[{worker, Direction::UPLINK}];
            NS_TEST_EXPECT_MSG_GT_OR_EQ(up, BYTES, "worker " << worker << " pushes all of it");
            NS_TEST_EXPECT_MSG_LT(up, 1.001 * BYTES, "worker " << worker << " pushes it once");
            const double down = flows.bytes[{worker, Direction::DOWNLINK}];
            NS_TEST_EXPECT_MSG_GT(down, 0, "requests");
            NS_TEST_EXPECT_MSG_LT(down, 0.001 * BYTES, "and no more");
        }
        const ShareSummary summary = meter.Summarise(0, 1);
        NS_TEST_EXPECT_MSG_GT(summary.intervals, 20, "0.33 s of 10 ms");
        NS_TEST_EXPECT_MSG_LT(summary.mean, 0.1, "mean deviation from one half");
    }

    /// Sums up what arrived.
    struct FlowCounter : RunListener<FlowCounter>
    {
        void On(const FlowRecord& record)
        {
            bytes[{GetWorker(record.channel), GetDirection(record.channel)}] += record.bytes;
        }

        std::map<std::pair<uint32_t, Direction>, double> bytes; //!< by worker and direction
    };
};

/// Two workers that push at once, and the cores and parsers of the server.
class ServerCoresCase : public TestCase
{
  public:
    ServerCoresCase(const std::string& name,
                    uint32_t cores,
                    double update,
                    const ParseOverhead& overhead,
                    double end)
        : TestCase(name),
          m_cores(cores),
          m_update(update),
          m_overhead(overhead),
          m_end(end)
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 1000);
        if (m_update > 0)
        {
            builder.Update("a", m_update);
        }
        TwinRun twin(builder);
        twin.run.serverCores = m_cores;
        twin.overhead = m_overhead;
        twin.Prepare({0, 0}, 1);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(packet.steps.back().end, m_end, 0.01, "the last step");
    }

    uint32_t m_cores;
    double m_update; //!< seconds; 0: there is none
    ParseOverhead m_overhead;
    double m_end; //!< of the last step, seconds
};

/// Start offsets hold however long it takes to connect.
class LongDelayCase : public TestCase
{
  public:
    LongDelayCase()
        : TestCase("Workers start at their offsets on long links")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep());
        twin.network.delay = MilliSeconds(60);
        twin.Prepare({0, 0.02, 0.5}, 1);
        const auto packet = twin.RunPackets();
        for (const auto& step : packet.steps)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(step.start,
                                      twin.run.startOffsets[step.worker],
                                      1e-9,
                                      "worker " << step.worker);
        }
    }
};

/// A dependency that no message carries is refused before anything runs.
class ImpossibleDependencyCase : public TestCase
{
  public:
    ImpossibleDependencyCase()
        : TestCase("A worker's op that waits for a server's update is refused")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 1000).Update("a", 0.5).Compute("after", {1}, {"update/a"});
        TwinRun twin(builder);
        twin.Prepare({0}, 1);
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { RestrictStepPlan(*twin.run.plan, SELF); }),
                              "op 'after' waits for 'update/a', which completes on parameter "
                              "server 0, and no transfer carries that: the packet engine cannot "
                              "run it; accepted: dependencies between sites that go through a pull "
                              "or push",
                              "the error names both ops");
    }
};

/// A worker on the network of a run, for a server beside it.
struct LoneWorker
{
    LoneWorker(const TwinRun& twin, uint32_t steps)
        : cluster(twin.network.tcp,
                  std::make_shared<ClusterNetwork>(BuildNetwork(twin.network, {{1, 1}})))
    {
        cluster.Create();
        worker->SetAttribute("Steps", UintegerValue(steps));
        worker->SetSettings(MakeWorkerSettings(twin.run, 0));
        worker->SetPeers({{{Role::SERVER, 0}, cluster.GetAddress("ps0")}});
        worker->SetPlan(twin.run.plan, 1);
        cluster.Install(worker, "worker0");
    }

    Cluster cluster;
    Ptr<TrainingWorker> worker{CreateObject<TrainingWorker>()};
};

/// A worker that cannot reach its server is an error, not a hang.
class UnreachableServerCase : public TestCase
{
  public:
    UnreachableServerCase()
        : TestCase("A server that cannot be reached ends the run with a reason")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep());
        twin.Prepare({0}, 1);
        const LoneWorker lone(twin, 1); // and no ParameterServer
        Simulator::Stop(Seconds(1000)); // ns-3 gives up after six doubled timeouts from 3 s: 189 s
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(lone.worker->GetError(),
                              "/job:worker/replica:0/task:0/device:CPU:0: "
                              "/job:ps/replica:0/task:0/device:CPU:0 cannot be reached at "
                              "189.000000 s",
                              "reason");
        NS_TEST_EXPECT_MSG_EQ(lone.worker->GetStepsDone(), 0, "no step");
        Simulator::Destroy();
    }
};

/// Stopping the applications in mid-step leaves nothing that could still fire into them.
class StopInMidStepCase : public TestCase
{
  public:
    StopInMidStepCase()
        : TestCase("Applications can be stopped in mid-step")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep());
        twin.Prepare({0}, 50);
        LoneWorker lone(twin, 50);
        auto server = CreateObject<ParameterServer>();
        server->SetPeers({{{Role::WORKER, 0}, lone.cluster.GetAddress("worker0")}});
        server->SetPlan(twin.run.plan, 1);
        lone.cluster.Install(server, "ps0");
        lone.worker->SetStopTime(MilliSeconds(100));
        server->SetStopTime(MilliSeconds(103));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(lone.worker->GetStepsDone(), 3, "it ran");
        NS_TEST_EXPECT_MSG_LT(lone.worker->GetStepsDone(), 50, "and was stopped");
        Simulator::Destroy();
    }
};

} // namespace

static std::vector<TestCase*>
MakePacketEngineCases()
{
    std::vector<TestCase*> cases;
    for (const uint32_t workers : {1, 3})
    {
        for (const uint32_t servers : {1, 2, 5}) // with 5 some servers hold nothing
        {
            cases.push_back(new CompletenessCase(workers, servers));
        }
    }
    cases.push_back(new DeterminismCase());
    cases.push_back(new ShareCase());
    cases.push_back(new ServerCoresCase("ps_cores: 0: both update at once", 0, 0.5, {}, 0.5));
    cases.push_back(new ServerCoresCase("ps_cores: 1: one updates, then the other", 1, 0.5, {}, 1));
    cases.push_back(new ServerCoresCase("Shared cores do not share parsers: both parse at once",
                                        2,
                                        0,
                                        {0, 1.0, true},
                                        1));
    cases.push_back(new LongDelayCase());
    cases.push_back(new ImpossibleDependencyCase());
    cases.push_back(new UnreachableServerCase());
    cases.push_back(new StopInMidStepCase());
    return cases;
}

static CaseSuite g_packetEngineSuite("dml-packet", MakePacketEngineCases()); //!< registers itself
