/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Training by real processes on the loopback interface, where every machine can run it. Times are
// only compared with what must pass at least: no machine is too slow for that.

#include "dml-error-of.h"
#include "dml-one-layer-profile.h"
#include "dml-run-recorder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-host-libraries.h"
#include "ns3/dml-host-run.h"
#include "ns3/dml-topology-builder.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double COMPUTE = 0.02; // s of each step
constexpr double UPDATE = 0.004; // s of each step
constexpr uint32_t STEPS = 3;

/// All nodes on this machine's loopback interface: no network.
struct LoopbackPlaces : HostPlaces
{
    LoopbackPlaces()
    {
        sharesAddresses = true;
        notes = {"no network: all processes use the loopback interface"};
    }

    void Enter(uint32_t) const override
    {
    }

    Ipv4Address GetAddress(uint32_t node) const override
    {
        return Ipv4Address(first + node);
    }

    std::vector<HostLinkCount> ReadLinks() const override
    {
        return {};
    }

    KernelTcpCounts CountTcp() const override
    {
        return ReadKernelTcpCounts();
    }

    uint64_t CountBytes(DirectedLink) override
    {
        return 0;
    }

    uint32_t first{0x7f000001U | (getpid() & 0xffff) << 8}; //!< 127.x.y.1, of this process alone
};

/// Two workers and a server that exchange one tensor of 1 MB.
class HostRunTest : public ::testing::TestWithParam<const char*>
{
  protected:
    HostRunTest()
    {
        TrainingRun run =
            MakeTrainingRun(MakeOneLayerProfile(1000000, COMPUTE, UPDATE), 2, 1, STEPS);
        run.startOffsets = {0, 0.01};
        m_jobs = {run};
        m_network = BuildNetwork(NetworkSpec(), {{2, 1}});
    }

    HostRunTotals Run(const std::function<std::unique_ptr<HostPlaces>()>& make,
                      const std::function<bool()>& rule = {})
    {
        HostRunSpec spec{m_jobs, m_network, m_transfer, m_grpc, make};
        spec.progress = [this](double done) { m_done = done; };
        spec.stop = rule;
        return RunOnHost(spec, m_recorder);
    }

    static std::unique_ptr<HostPlaces> MakeLoopback()
    {
        return std::make_unique<LoopbackPlaces>();
    }

    std::vector<TrainingRun> m_jobs; //!< one
    ClusterNetwork m_network;        //!< a star
    TransferSpec m_transfer;         //!< flow control
    HostGrpcSpec m_grpc{"dml"};      //!< who speaks it
    RunRecorder m_recorder;          //!< what happened
    double m_done{0};                //!< share of the steps
};

/// Whose processes die when they are to begin.
class DeadlyPlaces : public LoopbackPlaces
{
  public:
    explicit DeadlyPlaces(uint32_t victim)
        : m_victim(GetAddress(victim))
    {
    }

    void Enter(uint32_t node) const override
    {
        if (GetAddress(node) == m_victim)
        {
            raise(SIGKILL);
        }
    }

  private:
    Ipv4Address m_victim; //!< of the node
};

/// One of whose processes stands still for two thirds of the time, as on a machine that is busy.
class LatePlaces : public LoopbackPlaces
{
  public:
    explicit LatePlaces(uint32_t victim)
        : m_victim(GetAddress(victim))
    {
    }

    void Enter(uint32_t node) const override
    {
        if (GetAddress(node) == m_victim)
        {
            std::signal(SIGALRM, [](int) { usleep(200000); });
            const itimerval every{{0, 300000}, {0, 300000}};
            setitimer(ITIMER_REAL, &every, nullptr);
        }
    }

  private:
    Ipv4Address m_victim; //!< of the node
};

/// What cannot be made.
std::unique_ptr<HostPlaces>
MakeNothing()
{
    throw RunError("no such place");
}

} // namespace

TEST_P(HostRunTest, EveryStepOfEveryWorkerHappensInOrder)
{
    m_transfer.transport = std::string(GetParam()) == "tcp" ? "tcp" : "grpc";
    m_grpc.speaker = std::string(GetParam()) == "library" ? "library" : "dml";
    try
    {
        CheckGrpcLibrary(m_grpc, m_transfer);
    }
    catch (const InputError& error)
    {
        GTEST_SKIP() << error.what();
    }
    const HostRunTotals totals = Run(MakeLoopback);
    ASSERT_EQ(m_recorder.steps.size(), 2 * STEPS);
    EXPECT_EQ(m_done, 1);
    std::vector<double> ends(2, 0);
    for (const auto& step : m_recorder.steps)
    {
        EXPECT_GE(step.end - step.start, COMPUTE + UPDATE);
        EXPECT_GE(step.start, (step.worker == 0 ? 0 : 0.01) - 1e-9);
        EXPECT_GE(step.start, ends[step.worker] - 1e-9);
        ends[step.worker] = step.end;
    }
    ASSERT_EQ(m_recorder.transfers.size(), 2 * 2 * STEPS); // each pulls and pushes it
    for (const auto& transfer : m_recorder.transfers)
    {
        EXPECT_GE(transfer.ready, 0); // sender and receiver were joined
        EXPECT_GE(transfer.firstByte, transfer.ready);
        EXPECT_GE(transfer.lastByte, transfer.firstByte);
    }
    EXPECT_GT(totals.processes.timers, 2 * 2 * STEPS); // compute and update of each step, and more
    EXPECT_GT(totals.processes.cpuSeconds, 0);
    EXPECT_EQ(totals.notes,
              std::vector<std::string>{"no network: all processes use the loopback interface"});
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no child is left
}

// A server that is late finds connections of several processes of a worker, which have crashed one
// after the other, and has connected to a later one than that whose connection it takes. Of the
// latest it learns only then.
TEST_P(HostRunTest, WorkersComeBackToALateServer)
{
    m_transfer.transport = std::string(GetParam()) == "tcp" ? "tcp" : "grpc";
    m_grpc.speaker = std::string(GetParam()) == "library" ? "library" : "dml";
    try
    {
        CheckGrpcLibrary(m_grpc, m_transfer);
    }
    catch (const InputError& error)
    {
        GTEST_SKIP() << error.what();
    }
    m_jobs[0].steps = 40;
    for (int i = 0; i < 14; ++i)
    {
        const double at = 0.1 + 0.06 * i;
        m_jobs[0].restores.push_back(at);
        for (const uint32_t worker : {0U, 1U})
        {
            m_jobs[0].crashes.push_back({worker, at, at + 0.02});
        }
    }
    Run([this] { return std::make_unique<LatePlaces>(m_network.FindHost("ps0")); });
    EXPECT_EQ(m_done, 1);
    std::vector<uint32_t> last(2, 0);
    for (const auto& step : m_recorder.steps)
    {
        last[step.worker] = step.step;
    }
    EXPECT_EQ(last, std::vector<uint32_t>(2, m_jobs[0].steps - 1));
}

INSTANTIATE_TEST_SUITE_P(Transports, HostRunTest, ::testing::Values("dml", "library", "tcp"));

TEST_F(HostRunTest, EndsWhenToldTo)
{
    m_jobs[0].steps = 100000;
    Run(MakeLoopback, [this] { return m_recorder.steps.size() >= 4; });
    EXPECT_GE(m_recorder.steps.size(), 4U);
    EXPECT_LT(m_recorder.steps.size(), 1000U);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(HostRunTest, ProcessThatDies)
{
    EXPECT_EQ(
        ErrorOf<RunError>([this] {
            Run([this] { return std::make_unique<DeadlyPlaces>(m_network.FindHost("worker1")); });
        }),
        "host engine: the process of worker1 was killed by signal 9");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(HostRunTest, PlacesThatCannotBeMade)
{
    EXPECT_EQ(ErrorOf<RunError>([this] { Run(MakeNothing); }), "host engine: no such place");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}
