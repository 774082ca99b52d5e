/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Applications of a job that are stopped, and started at other times than the others.

#include "dml-case-suite.h"
#include "dml-error-of.h"
#include "dml-one-layer-profile.h"
#include "dml-routed-hosts.h"

#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-training-helper.h"
#include "ns3/dml-training-worker.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t ALL_STEPS = 6;
constexpr double TRAIN_SECONDS = 0.2;

/// When the steps of each worker ended, and what a worker has sent.
class StopRecorder : public RunListener<StopRecorder>
{
  public:
    void On(const StepRecord& record)
    {
        ends[record.worker].push_back(Simulator::Now().GetSeconds());
        starts[record.worker].push_back(Simulator::Now().GetSeconds() - record.end + record.start);
    }

    void CountSent(Ptr<const Packet> packet)
    {
        sent += Simulator::Now() > quietFrom ? packet->GetSize() : 0;
    }

    std::vector<double> ends[2];
    std::vector<double> starts[2];
    Time quietFrom{Time::Max()}; //!< after which bytes of the second worker are counted
    uint64_t sent{0};
};

/// A run of two workers and a server on hosts of their own; steps take 0.5 to 0.6 s: twice 80 ms or
/// 160 ms on the wire, and 0.2 s of work.
struct StopRun
{
    explicit StopRun(bool synchronous)
        : hosts(3)
    {
        auto run =
            MakeTrainingRun(MakeOneLayerProfile(1000000, TRAIN_SECONDS, 0.02), 2, 1, ALL_STEPS);
        if (synchronous)
        {
            run.sync.SetTypeId("ns3::dml::BulkSynchronousSync");
            run.plan = std::make_shared<StepPlan>(MakeAggregatingPlan(*run.plan));
        }
        job = std::make_unique<TrainingJob>(run, TransferSpec(), &recorder);
        servers = ParameterServerHelper(*job).Install(hosts.Get(0, 1));
        workers = TrainingWorkerHelper(*job).Install(hosts.Get(1, 2));
        hosts.Get(2, 1).Get(0)->GetDevice(1)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&StopRecorder::CountSent, &recorder));
    }

    Ptr<TrainingWorker> GetWorker(uint32_t worker) const
    {
        return DynamicCast<TrainingWorker>(workers.Get(worker));
    }

    /// @return what went wrong, or nothing
    std::string Run()
    {
        std::string text;
        RoutedHosts::Run();
        try
        {
            job->Check();
        }
        catch (const RunError& error)
        {
            text = error.what();
        }
        return text;
    }

    RoutedHosts hosts;
    StopRecorder recorder;
    std::unique_ptr<TrainingJob> job;
    ApplicationContainer servers;
    ApplicationContainer workers;
};

/// A worker that is stopped in the middle of a step: it sends no more, and the other one goes on,
/// which it could not if somebody waited for the gradients.
class WorkerStopsCase : public TestCase
{
  public:
    /// @param synchronous whether workers wait for each other @param at seconds
    WorkerStopsCase(bool synchronous, double at)
        : TestCase(std::string("a worker is stopped at ") + std::to_string(at) + " s, " +
                   (synchronous ? "bsp" : "async")),
          m_synchronous(synchronous),
          m_at(at)
    {
    }

  private:
    void DoRun() override
    {
        StopRun run(m_synchronous);
        run.workers.Get(1)->SetStopTime(Seconds(m_at));
        run.recorder.quietFrom = Seconds(m_at + 0.1);
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", "the job ends well");
        NS_TEST_EXPECT_MSG_EQ(run.job->IsFinished(), true, "nobody is missed");
        NS_TEST_EXPECT_MSG_EQ(run.recorder.ends[0].size(), ALL_STEPS, "all steps of the other");
        const auto& ends = run.recorder.ends[1];
        NS_TEST_EXPECT_MSG_LT(ends.size(), ALL_STEPS, "it did not do all of its steps");
        NS_TEST_EXPECT_MSG_EQ(ends.empty(), (m_at < 0.4), "the first one takes 0.4 s and more");
        NS_TEST_EXPECT_MSG_EQ((!ends.empty() && ends.back() > m_at), false, "none after the stop");
        // what was sent and not acknowledged by then, at most; a tensor is 1 MB
        NS_TEST_EXPECT_MSG_LT(run.recorder.sent, 200000, "its last window, and the end of TCP");
        const double last = run.recorder.ends[0].back();
        NS_TEST_EXPECT_MSG_GT(last, m_at, "the other goes on");
    }

    bool m_synchronous;
    double m_at;
};

/// A worker that starts when the other one has long been there.
class LateWorkerCase : public TestCase
{
  public:
    /// @param synchronous whether workers wait for each other @param stop seconds, before the
    /// start; 0: none
    LateWorkerCase(bool synchronous, double stop)
        : TestCase(std::string("a worker starts late, ") + (synchronous ? "bsp" : "async") +
                   (stop > 0 ? ", and was stopped before" : "")),
          m_synchronous(synchronous),
          m_stop(stop)
    {
    }

  private:
    void DoRun() override
    {
        constexpr double START = 5;
        StopRun run(m_synchronous);
        run.workers.Get(1)->SetStartTime(Seconds(START));
        if (m_stop > 0)
        {
            run.workers.Get(1)->SetStopTime(Seconds(m_stop));
        }
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", "the job ends well");
        for (const auto& ends : run.recorder.ends)
        {
            NS_TEST_EXPECT_MSG_EQ(ends.size(), ALL_STEPS, "all steps");
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(run.recorder.starts[1].front(), START, "not before its start");
        NS_TEST_EXPECT_MSG_LT(run.recorder.starts[1].front(), START + 0.1, "and then soon");
        // six steps alone take 2.5 s; the first step of both ends when both gradients are there
        NS_TEST_EXPECT_MSG_EQ((run.recorder.ends[0].front() > START),
                              m_synchronous,
                              "with bsp it is waited for");
        NS_TEST_EXPECT_MSG_EQ((run.recorder.ends[0].back() > START), m_synchronous, "likewise");
    }

    bool m_synchronous;
    double m_stop;
};

/// The server starts late, is stopped early, or after all is done; a worker never starts.
class ServerCase : public TestCase
{
  public:
    ServerCase()
        : TestCase("a server starts late, or is stopped; and a worker that never comes")
    {
    }

  private:
    void Expect(const std::string& found, const std::string& wanted)
    {
        NS_TEST_EXPECT_MSG_NE(found.find(wanted),
                              std::string::npos,
                              "'" << found << "', no '" << wanted << "'");
    }

    void DoRun() override
    {
        {
            StopRun late(false);
            late.servers.Start(Seconds(2.5));
            NS_TEST_EXPECT_MSG_EQ(late.Run(), "", "the job ends well");
            // who was refused tries again after whole seconds
            NS_TEST_EXPECT_MSG_GT_OR_EQ(late.recorder.starts[0].front(), 2.5, "not before it");
            NS_TEST_EXPECT_MSG_LT(late.recorder.starts[0].front(), 3.6, "but soon");
        }
        {
            StopRun stopped(true);
            stopped.servers.Stop(Seconds(1.2));
            Expect(stopped.Run(),
                   "/job:ps/replica:0/task:0/device:CPU:0 has lost its connection at 1.2");
            NS_TEST_EXPECT_MSG_LT(Simulator::Now().GetSeconds(), 1.3, "which ends it");
        }
        {
            StopRun after(false);
            after.servers.Stop(Seconds(50));
            after.workers.Stop(Seconds(60));
            NS_TEST_EXPECT_MSG_EQ(after.Run(), "", "the job had been done");
        }
        {
            StopRun never(true);
            never.workers.Get(1)->SetStartTime(Seconds(90));
            Expect(never.Run(),
                   "/job:worker/replica:0/task:1/device:CPU:0 cannot be reached at 60");
        }
    }
};

/// A worker that leaves at once, and one that leaves, returns and is stopped; at any time.
class LeaveCase : public TestCase
{
  public:
    LeaveCase()
        : TestCase("a worker leaves and returns")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool synchronous : {false, true})
        {
            StopRun run(synchronous);
            const auto worker = run.GetWorker(1);
            const auto leave = [&worker](double at) {
                Simulator::Schedule(Seconds(at), &TrainingWorker::Leave, worker);
            };
            const auto back = [&worker](double at) {
                Simulator::Schedule(Seconds(at), &TrainingWorker::Return, worker);
            };
            back(0.1); // it is there
            leave(0.7);
            leave(0.8); // it is not
            back(1.6);
            NS_TEST_EXPECT_MSG_EQ(run.Run(), "", "the job ends well");
            NS_TEST_EXPECT_MSG_EQ(run.recorder.ends[0].size(), ALL_STEPS, "all of the other");
            const auto& starts = run.recorder.starts[1];
            NS_TEST_ASSERT_MSG_GT(starts.size(), 1, "steps before and after");
            bool gap = false;
            for (std::size_t i = 1; i < starts.size(); ++i)
            {
                gap = gap || (run.recorder.ends[1][i - 1] < 0.7 && starts[i] >= 1.6);
            }
            NS_TEST_EXPECT_MSG_EQ(gap, true, "none in between");
        }
        StopRun away(false);
        Simulator::Schedule(Seconds(0.7), &TrainingWorker::Leave, away.GetWorker(1));
        const auto text = away.Run();
        NS_TEST_EXPECT_MSG_NE(text.find("the simulation ended before the job"),
                              std::string::npos,
                              "who has left may return: " + text);
    }
};

} // namespace

static std::vector<TestCase*>
MakeStartStopCases()
{
    std::vector<TestCase*> cases{new WorkerStopsCase(false, 1.0),
                                 new WorkerStopsCase(true, 1.0),
                                 new WorkerStopsCase(false, 0.05),
                                 new WorkerStopsCase(true, 0.3),
                                 new WorkerStopsCase(false, 0.00001),
                                 new LeaveCase};
#ifndef NS3_ASSERT_ENABLE
    // with asserts, TcpSocketBase stops when a segment of a connection that was refused has come to
    // a socket that listens: it then probes a window of 0 (DoForwardUp(), NS_ASSERT (m_connected))
    cases.insert(cases.end(),
                 {new LateWorkerCase(false, 0),
                  new LateWorkerCase(true, 0),
                  new LateWorkerCase(false, 1),
                  new ServerCase});
#endif
    return cases;
}

static CaseSuite g_startStopSuite("dml-start-stop", MakeStartStopCases()); //!< registers itself
