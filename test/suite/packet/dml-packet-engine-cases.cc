/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"
#include "dml-schedule-call.h"

#include "ns3/config.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-cluster.h"
#include "ns3/dml-error.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-parameter-server.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/dml-training-worker.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
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

/// A branched step with two tensors, parse and update times, and two samples.
ProfileBuilder
SmallStep()
{
    ProfileBuilder builder;
    builder.Pull("a", 300000)
        .Pull("b", 1000)
        .Compute("left", {0.004, 0.002}, {"pull/a"})
        .Compute("right", {0.001}, {"pull/b"})
        .Compute("join", {0.003}, {"left", "right"})
        .Push("b", 1000, {"right"})
        .Push("a", 300000, {"join"})
        .Update("a", 0.0005)
        .Update("b", 0.0001);
    return builder;
}

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

/// A switch queue that is too small drops, TCP repairs it, and all of that is counted.
class LossCase : public TestCase
{
  public:
    explicit LossCase(uint32_t mtu)
        : TestCase("MTU " + std::to_string(mtu) +
                   ": a shallow queue drops, everything arrives all the same"),
          m_mtu(mtu)
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Compute("x", {0.001}).Push("a", 2000000, {"x"}).Update("a", 0.0001);
        TwinRun twin(builder);
        twin.network.queue.bytes = 60000;
        twin.network.mtu = m_mtu;
        twin.Prepare({0, 0, 0, 0}, 2);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(packet.steps.size(), 8, "all steps end");
        NS_TEST_EXPECT_MSG_GT(twin.totals.drops, 0, "four senders overflow 60 kB");
        // only data is in the queue that overflows, and what is dropped must be sent again
        const TcpCounts& tcp = twin.totals.tcp;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(tcp.retransmissions, twin.totals.drops, "repairs");
        NS_TEST_EXPECT_MSG_GT(tcp.timeouts + tcp.recoveries, 0, "reasons to repair");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(tcp.timeouts + tcp.recoveries,
                                    tcp.retransmissions,
                                    "each repairs something");
        CheckLinks(twin.totals);
    }

    /// What enters the switch leaves it, or was dropped before the server's link.
    void CheckLinks(const PacketRunTotals& totals)
    {
        uint64_t entered = 0;
        uint64_t left = 0;
        uint64_t dropped = 0;
        for (const auto& link : totals.links)
        {
            const bool out = link.link.rfind("switch->", 0) == 0;
            (out ? left : entered) += link.packets;
            dropped += link.dropped;
            NS_TEST_EXPECT_MSG_EQ((link.dropped > 0), (link.link == "switch->ps0"), link.link);
            NS_TEST_EXPECT_MSG_EQ(link.lost + link.marked, 0, "no faults, no ECN");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(link.utilisation, 1, "no link does more than it can");
            if (link.link == "switch->ps0")
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(link.fullestQueue, 60000, "as large as it may be");
                NS_TEST_EXPECT_MSG_GT(link.fullestQueue, 60000 - m_mtu - 18, "it was full");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(dropped, totals.drops, "the sum");
        // the run ends while its last ACKs are on their way
        NS_TEST_EXPECT_MSG_LT_OR_EQ(left + dropped, entered, "nothing comes from nowhere");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(left + dropped + 20, entered, "nothing stays");
    }

    uint32_t m_mtu;
};

/// Without losses nothing is counted.
class LosslessCase : public TestCase
{
  public:
    LosslessCase()
        : TestCase("An unlimited queue: no drop, no retransmission, no timeout")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep(), 2);
        twin.Prepare({0, 0, 0, 0}, 5);
        twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.retransmissions, 0, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.timeouts, 0, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.recoveries, 0, "recoveries");
    }
};

/// Where nothing arrives for a while, repeated timeouts count, too.
class OutageCase : public TestCase
{
  public:
    OutageCase()
        : TestCase("Nothing arrives for 2 s: timeouts after 0.2, 0.6, 1.4 and 3 s")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 20000000).Update("a", 0.0001); // takes 0.16 s
        TwinRun twin(builder);
        twin.Prepare({0}, 1);
        auto broken = CreateObject<RateErrorModel>();
        broken->SetRate(1);
        broken->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        broken->Disable();
        ScheduleCall(Seconds(0), [broken] {
            Config::Set("/NodeList/*/DeviceList/*/$ns3::PointToPointNetDevice/ReceiveErrorModel",
                        PointerValue(broken));
        });
        const double start = 0.15; // workers start after some 0.1 s
        Simulator::Schedule(Seconds(start), &ErrorModel::Enable, broken);
        Simulator::Schedule(Seconds(start + 2), &ErrorModel::Disable, broken);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_GT(packet.steps.back().end, 3, "the last timeout ends the outage");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.timeouts, 4, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.recoveries, 0, "nothing else tells of a loss");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "no queue is to blame");
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

/// Shared cores of a server serialise the updates of two workers.
class SharedCoresCase : public TestCase
{
  public:
    SharedCoresCase()
        : TestCase("ps_cores: 1 makes updates of different workers wait for each other")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 1000).Update("a", 0.5);
        for (const auto& [cores, last] : {std::pair{0u, 0.5}, std::pair{1u, 1.0}})
        {
            TwinRun twin(builder);
            twin.run.serverCores = cores;
            twin.Prepare({0, 0}, 1);
            const auto packet = twin.RunPackets();
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.steps.back().end, last, 0.01, cores << " cores");
        }
    }
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

/// With parallel parsing each worker has a parser at the server, whether or not it shares cores.
class ParallelParsingCase : public TestCase
{
  public:
    ParallelParsingCase()
        : TestCase("Shared cores do not share parsers")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 1000);
        TwinRun twin(builder);
        twin.run.serverCores = 2;
        twin.overhead = {0, 1.0, true};
        twin.Prepare({0, 0}, 1);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(packet.steps.back().end, 1.0, 0.01, "both parse at once");
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
        std::string message;
        try
        {
            RestrictStepPlan(*twin.run.plan, SELF);
        }
        catch (const InputError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "op 'after' waits for 'update/a', which completes on parameter "
                              "server 0, and no transfer carries that: the packet engine cannot "
                              "run it; accepted: dependencies between sites that go through a pull "
                              "or push",
                              "the error names both ops");
    }
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
        Cluster cluster(twin.network.tcp,
                        std::make_shared<ClusterNetwork>(BuildNetwork(twin.network, {{1, 1}})));
        cluster.Create();
        auto worker = CreateObject<TrainingWorker>();
        worker->SetPlan(twin.run.plan, 1);
        worker->SetPeers({{{Role::SERVER, 0}, cluster.GetAddress("ps0")}});
        worker->SetSettings(MakeWorkerSettings(twin.run, 0));
        cluster.Install(worker, "worker0"); // and no ParameterServer
        Simulator::Stop(Seconds(1000)); // ns-3 gives up after six doubled timeouts from 3 s: 189 s
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(worker->GetError(),
                              "/job:worker/replica:0/task:0/device:CPU:0: "
                              "/job:ps/replica:0/task:0/device:CPU:0 cannot be reached at "
                              "189.000000 s",
                              "reason");
        NS_TEST_EXPECT_MSG_EQ(worker->GetStepsDone(), 0, "no step");
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
        Cluster cluster(twin.network.tcp,
                        std::make_shared<ClusterNetwork>(BuildNetwork(twin.network, {{1, 1}})));
        cluster.Create();
        auto worker = CreateObject<TrainingWorker>();
        auto server = CreateObject<ParameterServer>();
        worker->SetAttribute("Steps", UintegerValue(50));
        worker->SetSettings(MakeWorkerSettings(twin.run, 0));
        worker->SetPeers({{{Role::SERVER, 0}, cluster.GetAddress("ps0")}});
        server->SetPeers({{{Role::WORKER, 0}, cluster.GetAddress("worker0")}});
        worker->SetPlan(twin.run.plan, 1);
        server->SetPlan(twin.run.plan, 1);
        cluster.Install(worker, "worker0");
        cluster.Install(server, "ps0");
        worker->SetStopTime(MilliSeconds(100));
        server->SetStopTime(MilliSeconds(103));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(worker->GetStepsDone(), 3, "it ran");
        NS_TEST_EXPECT_MSG_LT(worker->GetStepsDone(), 50, "and was stopped");
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
    for (const uint32_t mtu : {1500, 9000})
    {
        cases.push_back(new LossCase(mtu));
    }
    cases.push_back(new LosslessCase());
    cases.push_back(new OutageCase());
    cases.push_back(new ShareCase());
    cases.push_back(new SharedCoresCase());
    cases.push_back(new LongDelayCase());
    cases.push_back(new ParallelParsingCase());
    cases.push_back(new ImpossibleDependencyCase());
    cases.push_back(new UnreachableServerCase());
    cases.push_back(new StopInMidStepCase());
    return cases;
}

static CaseSuite g_packetEngineSuite("dml-packet", MakePacketEngineCases()); //!< registers itself
