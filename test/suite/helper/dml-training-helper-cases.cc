/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-error-of.h"
#include "dml-one-layer-profile.h"
#include "dml-routed-hosts.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-training-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint64_t BYTES = 1000000;
constexpr double TRAIN = 0.1;   // s
constexpr double UPDATE = 0.02; // s

Profile
MakeProfile()
{
    return MakeOneLayerProfile(BYTES, TRAIN, UPDATE);
}

/// Counts what the trace sources tell.
struct Heard
{
    void Turn(const ChunkRecord& record)
    {
        turnBytes += record.bytes;
    }

    void Chunk(const ChunkRecord& record)
    {
        seconds += record.end - record.start;
        ++chunks;
    }

    void Sent(const TransferRecord&)
    {
        ++sent;
    }

    void Received(const TransferRecord&)
    {
        ++received;
    }

    void StepDone(uint32_t, uint32_t, Time start, Time end)
    {
        starts.push_back(start.GetSeconds());
        ends.push_back(end.GetSeconds());
    }

    /// @param applications whose trace sources
    void Listen(const ApplicationContainer& applications)
    {
        for (uint32_t i = 0; i < applications.GetN(); ++i)
        {
            const auto application = applications.Get(i);
            application->TraceConnectWithoutContext("Turn", MakeCallback(&Heard::Turn, this));
            application->TraceConnectWithoutContext("Chunk", MakeCallback(&Heard::Chunk, this));
            application->TraceConnectWithoutContext("Sent", MakeCallback(&Heard::Sent, this));
            application->TraceConnectWithoutContext("Received",
                                                    MakeCallback(&Heard::Received, this));
        }
    }

    /// @param worker whose steps
    void ListenToSteps(const Ptr<Application>& worker)
    {
        worker->TraceConnectWithoutContext("StepDone", MakeCallback(&Heard::StepDone, this));
    }

    uint64_t turnBytes{0};
    double seconds{0};
    uint32_t chunks{0};
    uint32_t sent{0};
    uint32_t received{0};
    std::vector<double> starts;
    std::vector<double> ends;
};

/// Two workers, a server, a tensor: steps take as long as the links need, at least,
/// and the trace sources tell of every transfer and op.
class TracesCase : public TestCase
{
  public:
    TracesCase()
        : TestCase("steps on a script's own network, and what the trace sources tell")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t STEPS = 3;
        const RoutedHosts hosts(3);
        TrainingJob job(MakeTrainingRun(MakeProfile(), 2, 1, STEPS));
        const Endpoints endpoints(job, hosts, 2, Seconds(1));
        Heard heard;
        heard.Listen(endpoints.servers);
        heard.Listen(endpoints.workers);
        heard.ListenToSteps(endpoints.workers.Get(0));
        uint32_t finished = 0;
        job.SetFinishedCallback([&finished] { ++finished; });
        RoutedHosts::Run();
        job.Check();

        NS_TEST_EXPECT_MSG_EQ(finished, 1, "told once, when both are done");
        NS_TEST_ASSERT_MSG_EQ(heard.ends.size(), STEPS, "a step each");
        NS_TEST_EXPECT_MSG_GT(heard.starts[0], 1, "connections first");
        NS_TEST_EXPECT_MSG_LT(heard.starts[0], 1.01, "and then at once");
        // The first step of both begins at the same time: each way, their tensors share the
        // server's link. Later they may part, and have links for themselves.
        const double goodput = GetGoodput(DataRate("100Mbps"), GetWireFormat(1500, false));
        const double alone = 2 * BYTES / goodput + TRAIN + UPDATE;
        const double together = 2 * 2 * BYTES / goodput + TRAIN + UPDATE;
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            const double seconds = heard.ends[step] - heard.starts[step];
            NS_TEST_EXPECT_MSG_GT(seconds, (step == 0 ? 0.95 * together : alone), "step " << step);
            NS_TEST_EXPECT_MSG_LT(seconds, 1.1 * together, "step " << step);
        }
        // In each of 2 * 3 steps a tensor is pulled and one pushed, by what sends and what
        // receives.
        NS_TEST_EXPECT_MSG_EQ(heard.sent, 2 * 2 * STEPS, "sent");
        NS_TEST_EXPECT_MSG_EQ(heard.received, 2 * 2 * STEPS, "received");
        NS_TEST_EXPECT_MSG_EQ(heard.chunks,
                              2 * 2 * STEPS,
                              "an op on the worker and one on the server");
        NS_TEST_EXPECT_MSG_EQ_TOL(heard.seconds, 2 * STEPS * (TRAIN + UPDATE), 1e-6, "of them");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(heard.turnBytes, 4 * STEPS * BYTES, "tensors");
        NS_TEST_EXPECT_MSG_LT(heard.turnBytes, 4 * STEPS * (BYTES + 200), "and heads of messages");
    }
};

/// Joined transfers, a time origin, attributes, two jobs on the same nodes.
class ObserverCase : public TestCase
{
  public:
    ObserverCase()
        : TestCase("an observer, a time origin, attributes, two jobs on a node")
    {
    }

  private:
    struct Listener : RunListener<Listener>
    {
        void On(const TransferRecord& record)
        {
            transfers.push_back(record);
        }

        std::vector<TransferRecord> transfers;
    };

    void DoRun() override
    {
        const RoutedHosts hosts(3);
        Listener listener;
        auto run = MakeTrainingRun(MakeProfile(), 2, 1, 9);
        run.startOffsets = {0.5, 0};
        TrainingJob job(run, TransferSpec(), &listener);
        job.SetTimeOrigin(Seconds(2));
        ParameterServerHelper serverHelper(job);
        serverHelper.SetAttribute("Port", UintegerValue(7000));
        TrainingWorkerHelper workerHelper(job);
        workerHelper.SetAttribute("Steps", UintegerValue(1));
        auto servers = serverHelper.Install(hosts.Get(0, 1));
        workerHelper.SetAttribute("Port", UintegerValue(7000));
        auto workers = workerHelper.Install(hosts.Get(1, 2));
        servers.Start(Seconds(1));
        workers.Start(Seconds(1));
        // Another job on these nodes, with ports of its own.
        TrainingJob second(MakeTrainingRun(MakeProfile(), 1, 1, 2));
        ParameterServerHelper(second).Install(hosts.Get(1, 1)).Start(Seconds(1));
        TrainingWorkerHelper(second).Install(hosts.Get(0, 1)).Start(Seconds(1));
        RoutedHosts::Run();
        job.Check();
        second.Check();
        NS_TEST_ASSERT_MSG_EQ(listener.transfers.size(), 4, "one step, as the attribute says");
        for (const auto& record : listener.transfers)
        {
            // from the time origin, with the sender's half
            const double start = GetWorker(record.channel) == 0 ? 0.5 : 0;
            NS_TEST_EXPECT_MSG_GT_OR_EQ(record.ready, start, "not before the step");
            NS_TEST_EXPECT_MSG_LT(record.ready, start + 1, "of the step");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(record.firstByte, record.ready, "then sent");
            NS_TEST_EXPECT_MSG_GT(record.lastByte, record.firstByte, "then received");
        }
    }
};

/// A worker whose first address is not that of the interface by which it sends.
class TwoInterfacesCase : public TestCase
{
  public:
    TwoInterfacesCase()
        : TestCase("a worker with two interfaces is known by its first address")
    {
    }

  private:
    void DoRun() override
    {
        RoutedHosts hosts(2);
        // server - router - worker: 2 links; and server - worker: 1, the shortest way
        hosts.Connect(hosts.Get(0, 1).Get(0), hosts.Get(1, 1).Get(0));
        TrainingJob job(MakeTrainingRun(MakeProfile(), 1, 1, 1));
        const Endpoints endpoints(job, hosts, 1, Seconds(0));
        endpoints.servers.Get(0)->TraceConnectWithoutContext(
            "Connection",
            MakeCallback(&TwoInterfacesCase::Connected, this));
        RoutedHosts::Run();
        job.Check();
        // the worker is told to be 10.1.1.1, and connects from its end of the third link
        NS_TEST_EXPECT_MSG_EQ(m_peers.count(Ipv4Address("10.1.2.2")), 1, "by the shortest way");
    }

    void Connected(Ptr<Socket> socket, uint32_t)
    {
        Address peer;
        if (socket->GetPeerName(peer) == 0)
        {
            m_peers.insert(InetSocketAddress::ConvertFrom(peer).GetIpv4());
        }
    }

    std::set<Ipv4Address> m_peers; //!< from where the server's connections came
};

/// What is refused, and what a job says that has not trained.
class MistakesCase : public TestCase
{
  public:
    MistakesCase()
        : TestCase("mistakes and what is said of them")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedHosts hosts(3);
        TrainingJob job(MakeTrainingRun(MakeProfile(), 2, 1, 1));
        ParameterServerHelper serverHelper(job);
        TrainingWorkerHelper workerHelper(job);
        const auto expect = [this](const std::string& found, const std::string& wanted) {
            NS_TEST_EXPECT_MSG_EQ(found, wanted, "text");
        };
        expect(ErrorOf([&] { workerHelper.SetAttribute("Step", UintegerValue(1)); }),
               "ns3::dml::TrainingWorker has no attribute Step");
        expect(
            ErrorOf([&] { workerHelper.SetAttribute("Steps", UintegerValue(0)); }),
            "ns3::dml::TrainingWorker::Steps: found 0; accepted: an integer from 1 to 4294967295");
        expect(ErrorOf([&] { workerHelper.SetAttribute("Index", UintegerValue(0)); }),
               "ns3::dml::TrainingWorker::Index is set by the job");
        TrainingWorkerHelper elsewhere(job);
        elsewhere.SetAttribute("Local", Ipv4AddressValue("10.1.0.1"));
        expect(
            ErrorOf([&] { elsewhere.Install(hosts.Get(2, 1)); }),
            "node 3 does not have the address that the attribute Local says; accepted: one of the "
            "node's, but no loopback");
        auto late = MakeTrainingRun(MakeProfile(), 1, 1, 1);
        late.startOffsets = {1};
        TrainingJob lateJob(late);
        expect(ErrorOf([&] { ParameterServerHelper(lateJob).Install(hosts.Get(0, 1)); }),
               "a run with start offsets and no time origin; accepted: SetTimeOrigin() before "
               "endpoints are installed");
        expect(ErrorOf([&] { workerHelper.Install(NodeContainer(1)); }),
               "node 4 has no internet stack; accepted: one to which InternetStackHelper and "
               "Ipv4AddressHelper have given both");
        NodeContainer bare(1);
        InternetStackHelper().Install(bare);
        expect(ErrorOf([&] { workerHelper.Install(bare); }),
               "node 5 has no IPv4 address; accepted: one to which InternetStackHelper and "
               "Ipv4AddressHelper have given both");
        expect(ErrorOf<RunError>([&] { job.Check(); }), "no endpoint of the job is installed");
        auto servers = serverHelper.Install(hosts.Get(0, 1));
        expect(ErrorOf([&] { serverHelper.Install(hosts.Get(1, 1)); }),
               "node 2 would get one more parameter server; accepted: 1, as the run has");
        auto workers = workerHelper.Install(hosts.Get(1, 1));
        expect(
            ErrorOf([&] { workerHelper.Install(hosts.Get(1, 1)); }),
            "node 2 would get a second endpoint of a job; accepted: one. ns-3's routing does not "
            "lead back to a node itself; PacketEngine's does (network.colocate)");
        expect(ErrorOf([&] { job.SetTimeOrigin(Seconds(1)); }),
               "a time origin after endpoints were installed; accepted: before");
        // The second worker is missing.
        servers.Start(Seconds(0));
        workers.Start(Seconds(0));
        RoutedHosts::Run();
        expect(ErrorOf<RunError>([&] { job.Check(); }),
               "/job:ps/replica:0/task:0/device:CPU:0: starts before its peers are known: not all "
               "endpoints of its job "
               "are installed");
        expect(ErrorOf([] { MakeTrainingRun(MakeProfile(), 2, 0, 1); }),
               "a run of 2 workers, 0 servers and 1 steps; accepted: at least 1 of each");
    }
};

/// A worker that crashes, and comes back with new connections.
class CrashCase : public TestCase
{
  public:
    CrashCase()
        : TestCase("a worker that crashes and comes back, at an address that it is told")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedHosts hosts(3);
        auto run = MakeTrainingRun(MakeProfile(), 2, 1, 6);
        run.crashes = {{1, 0.5, 1.5}};
        TrainingJob job(run);
        job.SetTimeOrigin(Seconds(2));
        TrainingWorkerHelper workerHelper(job);
        auto servers = ParameterServerHelper(job).Install(hosts.Get(0, 1));
        auto workers = workerHelper.Install(hosts.Get(1, 1));
        workerHelper.SetAttribute("Local", Ipv4AddressValue("10.1.2.1"));
        workers.Add(workerHelper.Install(hosts.Get(2, 1)));
        servers.Start(Seconds(1));
        workers.Start(Seconds(1));
        Heard heard;
        heard.ListenToSteps(workers.Get(1));
        RoutedHosts::Run();
        job.Check();
        NS_TEST_ASSERT_MSG_GT(heard.starts.size(), 1, "steps before and after");
        bool gap = false;
        for (std::size_t i = 1; i < heard.starts.size(); ++i)
        {
            // dead from 2.5 s to 3.5 s
            gap = gap || (heard.ends[i - 1] < 2.5 && heard.starts[i] >= 3.5);
        }
        NS_TEST_EXPECT_MSG_EQ(gap, true, "a second without a step");
    }
};

/// A network on which no packet finds its way.
class NoRouteCase : public TestCase
{
  public:
    NoRouteCase()
        : TestCase("no route to a peer is told, and nothing hangs")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedHosts hosts(2);
        TrainingJob job(MakeTrainingRun(MakeProfile(), 1, 1, 1));
        const Endpoints endpoints(job, hosts, 1, Seconds(1));
        Simulator::Stop(Seconds(10)); // without PopulateRoutingTables()
        Simulator::Run();
        const auto text = ErrorOf<RunError>([&] { job.Check(); });
        NS_TEST_EXPECT_MSG_NE(text.find("cannot be reached at 1.00"), std::string::npos, text);
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(ErrorOf<RunError>([&] { job.Check(); }), text, "afterwards, too");
    }
};

/// Connections that are not there at the time origin, and a job that has no time to end.
class LateCase : public TestCase
{
  public:
    LateCase()
        : TestCase("a job that starts late, or is stopped early, says so")
    {
    }

  private:
    /// @param start of endpoints @param origin of times @param stop of the simulation; in seconds
    void Expect(double start, double origin, double stop, const std::string& wanted)
    {
        const RoutedHosts hosts(2);
        TrainingJob job(MakeTrainingRun(MakeProfile(), 1, 1, 1));
        job.SetTimeOrigin(Seconds(origin));
        const Endpoints endpoints(job, hosts, 1, Seconds(start));
        Simulator::Stop(Seconds(stop));
        RoutedHosts::Run();
        const auto text = ErrorOf<RunError>([&] { job.Check(); });
        NS_TEST_EXPECT_MSG_NE(text.find(wanted), std::string::npos, text);
    }

    void DoRun() override
    {
        Expect(0.99999, 1, 9, "was connected only after the first step should have started");
        Expect(1, 2, 2.15, "the simulation ended before the job, at 0.150000 s, which waits for\n");
        Expect(1, 2, 2.15, "\n  worker 0: train");
        Expect(1, 2, 0.5, "worker 0: has not started");

        // Two jobs that want the same port.
        const RoutedHosts hosts(2);
        TrainingJob first(MakeTrainingRun(MakeProfile(), 1, 1, 1));
        TrainingJob second(MakeTrainingRun(MakeProfile(), 1, 1, 1));
        for (TrainingJob* job : {&first, &second})
        {
            const Endpoints endpoints(*job, hosts, 1, Seconds(1));
        }
        RoutedHosts::Run();
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf<RunError>([&] { second.Check(); }),
            "/job:ps/replica:0/task:0/device:CPU:0: cannot listen on port 50051: it is taken",
            "the second one");
    }
};

} // namespace

static CaseSuite g_trainingHelperSuite("dml-helper",
                                       {new TracesCase,
                                        new ObserverCase,
                                        new TwoInterfacesCase,
                                        new MistakesCase,
                                        new CrashCase,
                                        new NoRouteCase,
                                        new LateCase}); //!< registers itself
