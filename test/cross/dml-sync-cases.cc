/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Synchronisation: the same policy in both engines, by messages alone in packets. Tolerances are
// relative.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two layers, on two servers if there are two.
ProfileBuilder
TwoLayers()
{
    ProfileBuilder builder;
    builder.Pull("a", 4000000)
        .Pull("b", 4000000)
        .Compute("forward/a", {0.02}, {"pull/a"})
        .Compute("forward/b", {0.03}, {"pull/b", "forward/a"})
        .Compute("backward/b", {0.04}, {"forward/b"})
        .Compute("backward/a", {0.03}, {"backward/b"})
        .Push("b", 4000000, {"backward/b"})
        .Update("b", 0.004)
        .Push("a", 4000000, {"backward/a"})
        .Update("a", 0.004);
    return builder;
}

/// Workers of these batch sizes; the profile's is 4.
TwinRun
MakeTwin(const std::string& policy, uint32_t servers, const std::vector<uint32_t>& batches)
{
    TwinRun twin(TwoLayers(), servers);
    twin.network.mtu = 65535;
    twin.network.queue = {QueueSpec::Kind::FAIR, 0, 0, false};
    twin.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    twin.run.window = 2147483647;
    twin.run.sync.SetTypeId("ns3::dml::" + policy);
    if (twin.run.sync.Create<SyncPolicy>()->Aggregates())
    {
        twin.protocol = MakeAggregatingPlan;
    }
    twin.run.batchSize = 4;
    for (const uint32_t batch : batches)
    {
        twin.run.compute.push_back({nullptr, nullptr, batch});
    }
    return twin;
}

/// Both engines do the same steps at the same times.
class SyncCase : public TestCase
{
  public:
    SyncCase(std::string policy,
             uint32_t servers,
             std::vector<uint32_t> batches,
             std::vector<WorkerCrash> crashes = {})
        : TestCase(policy + ", " + std::to_string(batches.size()) + " workers, " +
                   std::to_string(servers) + " servers" + (crashes.empty() ? "" : ", a crash")),
          m_policy(std::move(policy)),
          m_servers(servers),
          m_batches(std::move(batches)),
          m_crashes(std::move(crashes))
    {
    }

  private:
    static constexpr uint32_t STEPS = 6;

    void DoRun() override
    {
        TwinRun twin = MakeTwin(m_policy, m_servers, m_batches);
        twin.run.crashes = m_crashes;
        if (m_crashes.size() == m_batches.size())
        {
            twin.run.restores = {m_crashes.front().at};
        }
        twin.Prepare(std::vector<double>(m_batches.size(), 0), STEPS);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        std::map<std::pair<uint32_t, uint32_t>, StepRecord> steps;
        for (const auto& step : fair.steps)
        {
            steps[{step.worker, step.step}] = step;
        }
        NS_TEST_EXPECT_MSG_EQ(packet.steps.size(), fair.steps.size(), "as many steps");
        for (const auto& step : packet.steps)
        {
            const auto found = steps.find({step.worker, step.step});
            NS_TEST_ASSERT_MSG_EQ((found != steps.end()),
                                  true,
                                  "step " << step.step << " of worker " << step.worker);
            const StepRecord& other = found->second;
            const double tolerance = 0.03 * other.end;
            NS_TEST_EXPECT_MSG_EQ_TOL(step.start, other.start, tolerance, "start");
            NS_TEST_EXPECT_MSG_EQ_TOL(step.done, other.done, tolerance, "own work");
            NS_TEST_EXPECT_MSG_EQ_TOL(step.end, other.end, tolerance, "end");
            NS_TEST_EXPECT_MSG_EQ(step.dropped, other.dropped, "gradients dropped");
            NS_TEST_EXPECT_MSG_EQ(step.batch, other.batch, "batch");
        }
        CheckCrashes(fair, packet);
    }

    void CheckCrashes(const RunRecorder& fair, const RunRecorder& packet)
    {
        NS_TEST_ASSERT_MSG_EQ(packet.crashes.size(), m_crashes.size(), "crashes");
        NS_TEST_ASSERT_MSG_EQ(fair.crashes.size(), m_crashes.size(), "crashes");
        NS_TEST_ASSERT_MSG_EQ(packet.rejoins.size(), fair.rejoins.size(), "workers that came back");
        for (std::size_t i = 0; i < m_crashes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.crashes[i].time, m_crashes[i].at, 1e-9, "crash");
            NS_TEST_EXPECT_MSG_EQ(packet.crashes[i].step, fair.crashes[i].step, "step lost");
        }
        for (std::size_t i = 0; i < fair.rejoins.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(packet.rejoins[i].step, fair.rejoins[i].step, "first step");
        }
    }

    std::string m_policy;
    uint32_t m_servers;
    std::vector<uint32_t> m_batches;
    std::vector<WorkerCrash> m_crashes;
};

/// Two workers of which the first gradient makes the update of a second. Worker 0 computes for 0.3
/// s, so its gradients come at 0.3 + 1.3 n, and update n runs from then to 1.3 (n + 1). Transfers
/// take no time worth mentioning.
class LateWorkerCase : public TestCase
{
  public:
    /// Steps of worker 1: number and start.
    using Starts = std::vector<std::pair<uint32_t, double>>;

    /// @param tenths of a second for which worker 1 computes @param offset when it starts, in
    /// seconds
    LateWorkerCase(uint32_t tenths, double offset, Starts starts)
        : TestCase("BackupWorkersSync, long updates, worker 1 computes for " +
                   std::to_string(tenths) + "00 ms"),
          m_tenths(tenths),
          m_offset(offset),
          m_starts(std::move(starts))
    {
    }

  private:
    static constexpr uint32_t STEPS = 5;

    void DoRun() override
    {
        TwinRun twin = MakeTwin("BackupWorkersSync", 1, {3, m_tenths});
        twin.builder = ProfileBuilder();
        twin.builder.Pull("a", 1000)
            .Compute("compute", {0.3}, {"pull/a"})
            .Push("a", 1000, {"compute"})
            .Update("a", 1);
        twin.run.batchSize = 3;
        twin.Prepare({0, m_offset}, STEPS);
        Check(twin.RunFairShare(), "fair-share");
        Check(twin.RunPackets(), "packet");
    }

    void Check(const RunRecorder& run, const std::string& engine)
    {
        Starts first;
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            first.emplace_back(step, 1.3 * step);
        }
        for (const auto& [worker, expected] : {std::pair{0U, first}, std::pair{1U, m_starts}})
        {
            Starts found;
            for (const auto& step : run.steps)
            {
                if (step.worker == worker)
                {
                    found.emplace_back(step.step, step.start);
                }
            }
            NS_TEST_ASSERT_MSG_EQ(found.size(), expected.size(), engine << ": steps of " << worker);
            for (std::size_t i = 0; i < found.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(found[i].first, expected[i].first, engine << ": step");
                NS_TEST_EXPECT_MSG_EQ_TOL(found[i].second,
                                          expected[i].second,
                                          0.005,
                                          engine << ": start of step " << found[i].first
                                                 << " of worker " << worker);
            }
        }
    }

    uint32_t m_tenths;
    double m_offset;
    Starts m_starts;
};

/// Packets: random policies, batch sizes and crashes. Every run ends; the steps of a worker go up;
/// a tensor is updated once per step where updates are joint.
class RandomSyncCase : public TestCase
{
  public:
    RandomSyncCase()
        : TestCase("Random policies and crashes")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::string> policies = {"AsynchronousSync",
                                                   "BulkSynchronousSync",
                                                   "StaleSynchronousSync",
                                                   "BackupWorkersSync"};
        uint32_t rejoins = 0;
        for (uint32_t seed = 0; seed < 16; ++seed)
        {
            std::mt19937 random(seed);
            const auto draw = [&random](uint32_t most) {
                return static_cast<uint32_t>(random() % most);
            };
            const std::string& policy = policies[seed % policies.size()];
            std::vector<uint32_t> batches;
            std::vector<double> offsets;
            std::vector<WorkerCrash> crashes;
            const uint32_t workers = 2 + draw(2);
            for (uint32_t worker = 0; worker < workers; ++worker)
            {
                batches.push_back(2 + draw(12));
                offsets.push_back(draw(200) / 1000.0);
                if (draw(3) > 0)
                {
                    const double at = draw(900) / 1000.0;
                    crashes.push_back({worker, at, at + 0.001 + draw(300) / 1000.0});
                }
            }
            if (seed >= 12) // a server crashes after all that
            {
                for (uint32_t worker = 0; worker < workers; ++worker)
                {
                    crashes.push_back({worker, 1.3, 1.4});
                }
            }
            TwinRun twin = MakeTwin(policy, 1 + draw(2), batches);
            twin.run.crashes = crashes;
            twin.run.restores.assign(seed >= 12 ? 1 : 0, 1.3);
            twin.Prepare(offsets, 5);
            const auto packet = twin.RunPackets();
            // what is updated before a server crashes is updated again
            Check(packet, seed < 12 && twin.run.sync.Create<SyncPolicy>()->Aggregates(), seed);
            rejoins += packet.rejoins.size();
        }
        NS_TEST_EXPECT_MSG_GT(rejoins, 8, "workers that came back");
    }

    void Check(const RunRecorder& packet, bool joint, uint32_t seed)
    {
        std::map<uint32_t, int64_t> last;
        for (const auto& step : packet.steps)
        {
            const auto it = last.emplace(step.worker, -1).first;
            NS_TEST_EXPECT_MSG_GT(step.step, it->second, "steps of a worker, run " << seed);
            it->second = step.step;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(step.start, step.done, "run " << seed);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(step.done, step.end, "run " << seed);
        }
        std::set<std::pair<uint32_t, uint32_t>> updates;
        for (const auto& chunk : packet.chunks)
        {
            if (joint && GetLabel(chunk.resource) == ResourceLabel::SERVER && !chunk.parse)
            {
                const bool once = updates.insert({chunk.op, chunk.step}).second;
                NS_TEST_EXPECT_MSG_EQ(once, true, "updates of a step, run " << seed);
            }
        }
    }
};

/// In packets: what connections go through when a worker comes back before its end was heard, or
/// dies again while it connects. The run ends, and the worker does all its steps.
class ReturnCase : public TestCase
{
  public:
    ReturnCase(std::string policy, std::vector<WorkerCrash> crashes, Time downAt, Time downFor)
        : TestCase(policy + ": a worker comes back, " + std::to_string(crashes.size()) +
                   " crashes, link down for " + std::to_string(downFor.GetMilliSeconds()) + " ms"),
          m_policy(std::move(policy)),
          m_crashes(std::move(crashes))
    {
        m_fault.kind = FaultSpec::Kind::DOWN;
        m_fault.link = {"worker1"};
        m_fault.start = downAt;
        m_fault.duration = downFor;
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeTwin(m_policy, 1, {4, 4});
        twin.network.delay = MilliSeconds(1);
        twin.run.crashes = m_crashes;
        if (m_fault.duration > Time(0))
        {
            twin.network.faults = {m_fault};
        }
        twin.Prepare({0, 0}, 4);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(packet.crashes.size(), m_crashes.size(), "crashes");
        NS_TEST_EXPECT_MSG_GT(packet.rejoins.size(), 0, "the last crash at least was survived");
        uint32_t last = 0;
        for (const auto& step : packet.steps)
        {
            last += step.step == 3 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(last, 2, "both workers have done the last step");
    }

    std::string m_policy;
    std::vector<WorkerCrash> m_crashes;
    FaultSpec m_fault;
};

/// Batch sizes move alike in both engines, which they do by messages in packets.
class SyncBatchSizeCase : public TestCase
{
  public:
    SyncBatchSizeCase(std::string control, uint32_t servers, std::vector<WorkerCrash> crashes = {})
        : TestCase(control + ", " + std::to_string(servers) + " servers" +
                   (crashes.empty() ? "" : ", a crash")),
          m_control(std::move(control)),
          m_servers(servers),
          m_crashes(std::move(crashes))
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeTwin("BulkSynchronousSync", m_servers, {8, 8, 8});
        const std::vector<double> scales = {2, 1.2, 0.7};
        for (std::size_t worker = 0; worker < scales.size(); ++worker)
        {
            twin.run.compute[worker].speed =
                std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, scales[worker], 1, 1}});
        }
        twin.run.batchControl.emplace();
        twin.run.batchControl->SetTypeId("ns3::dml::" + m_control);
        if (m_control == "IterativeBatchSize")
        {
            twin.run.batchControl->Set("Step", UintegerValue(1));
            twin.run.batchControl->Set("Window", UintegerValue(2));
        }
        twin.run.crashes = m_crashes;
        twin.Prepare({0, 0, 0}, 10);
        const auto fair = Batches(twin.RunFairShare());
        const auto packet = Batches(twin.RunPackets());
        if (!m_crashes.empty())
        {
            CheckSum(fair);
            CheckSum(packet);
            return; // a worker may be back one round earlier in one of them
        }
        NS_TEST_EXPECT_MSG_EQ(packet.size(), fair.size(), "as many steps");
        uint32_t changed = 0;
        for (const auto& [step, batch] : fair)
        {
            const auto found = packet.find(step);
            NS_TEST_ASSERT_MSG_EQ((found != packet.end()), true, "a step of one engine only");
            // a step's time in packets is a little shorter, which may round a share otherwise
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(static_cast<int>(found->second - batch)),
                                        1,
                                        "batch of worker " << step.second << " in step "
                                                           << step.first);
            changed += batch != 8 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(changed, 3, "batches that have moved");
    }

    /// All three workers take part in the last round, with as many samples as at first.
    void CheckSum(const std::map<std::pair<uint32_t, uint32_t>, uint32_t>& batches)
    {
        uint32_t sum = 0;
        for (uint32_t worker = 0; worker < 3; ++worker)
        {
            const auto found = batches.find({9, worker});
            NS_TEST_ASSERT_MSG_EQ((found != batches.end()),
                                  true,
                                  "worker " << worker << " at the end");
            sum += found->second;
        }
        NS_TEST_EXPECT_MSG_EQ(sum, 24, "samples of the last round");
    }

    static std::map<std::pair<uint32_t, uint32_t>, uint32_t> Batches(const RunRecorder& run)
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> batches;
        for (const auto& step : run.steps)
        {
            batches[{step.step, step.worker}] = step.batch;
        }
        return batches;
    }

    std::string m_control;
    uint32_t m_servers;
    std::vector<WorkerCrash> m_crashes;
};

} // namespace

static std::vector<TestCase*>
MakeSyncCases()
{
    const double never = std::numeric_limits<double>::infinity();
    return {
        new SyncCase("AsynchronousSync", 1, {4, 8}),
        new SyncCase("BulkSynchronousSync", 1, {4, 8}),
        new SyncCase("BulkSynchronousSync", 2, {4, 6, 8}),
        new SyncCase("StaleSynchronousSync", 1, {4, 16}),
        new SyncCase("StaleSynchronousSync", 2, {4, 40}),
        new SyncCase("BackupWorkersSync", 1, {4, 22}),
        new SyncCase("BackupWorkersSync", 2, {4, 6, 36}),
        // its gradients come 0.1 s late and then at once behind worker 0's: tokens after the update
        new LateWorkerCase(3, 0.1, {{0, 0.1}, {1, 1.3}, {2, 2.6}, {3, 3.9}, {4, 5.2}}),
        // at 1.7 update 1 runs (1.6 to 2.6), at 4.3 update 3 (4.2 to 5.2): those rounds are full
        new LateWorkerCase(17, 0, {{0, 0}, {2, 2.6}, {4, 5.2}}),
        // at 1.5 round 1 is open (until 1.6), at 3.0 update 2 runs (2.9 to 3.9), at 5.4 round 4 is
        // open (until 5.5)
        new LateWorkerCase(15, 0, {{0, 0}, {1, 1.5}, {3, 3.9}, {4, 5.4}}),
        new SyncCase("AsynchronousSync", 1, {4, 8}, {{0, 0.31, 0.8}}),
        new SyncCase("AsynchronousSync", 1, {4, 8}, {{0, 0.31, never}}),
        new SyncCase("BulkSynchronousSync", 1, {4, 8}, {{1, 0.1, never}}),
        new SyncCase("BulkSynchronousSync", 2, {4, 8}, {{1, 0.6, 1.2}}),
        new SyncCase("StaleSynchronousSync", 1, {4, 40}, {{1, 0.5, never}}),
        new SyncCase("BackupWorkersSync", 2, {4, 6, 8}, {{0, 0.5, 1.1}}),
        new SyncCase("StaleSynchronousSync", 1, {4, 40}, {{0, 0.6, 0.7}}),
        // a server crashes: all workers at once
        new SyncCase("AsynchronousSync", 1, {4, 8}, {{0, 0.31, 0.8}, {1, 0.31, 0.8}}),
        new SyncCase("BulkSynchronousSync", 1, {4, 8}, {{0, 0.6, 1.2}, {1, 0.6, 1.2}}),
        new SyncCase("BulkSynchronousSync", 2, {4, 8}, {{0, 0.6, 1.2}, {1, 0.6, 1.2}}),
        new SyncCase("StaleSynchronousSync", 1, {4, 40}, {{0, 0.6, 0.7}, {1, 0.6, 0.7}}),
        new SyncCase("BackupWorkersSync",
                     1,
                     {4, 6, 8},
                     {{0, 0.5, 1.1}, {1, 0.5, 1.1}, {2, 0.5, 1.1}}),
        new ReturnCase("BulkSynchronousSync",
                       {{1, 0.22, 0.26}},
                       MilliSeconds(200),
                       MilliSeconds(50)),
        new ReturnCase("AsynchronousSync", {{1, 0.22, 0.26}}, MilliSeconds(200), MilliSeconds(50)),
        new ReturnCase("AsynchronousSync",
                       {{1, 0.1, 0.1001}, {1, 0.1031, 0.104}},
                       Time(0),
                       Time(0)),
        new ReturnCase("BulkSynchronousSync",
                       {{1, 0.1, 0.1001}, {1, 0.1021, 0.1022}, {1, 0.1041, 0.105}},
                       Time(0),
                       Time(0)),
        new RandomSyncCase,
        new SyncBatchSizeCase("AnalyticalBatchSize", 1, {{0, 1.0, 2.0}}),
        new SyncBatchSizeCase("AnalyticalBatchSize", 1),
        new SyncBatchSizeCase("AnalyticalBatchSize", 2, {{2, 1.0, 2.0}}),
        new SyncBatchSizeCase("IterativeBatchSize", 2),
        new SyncBatchSizeCase("IterativeBatchSize", 1, {{1, 1.0, 2.0}})};
}

static CaseSuite g_syncSuite("dml-sync", MakeSyncCases()); //!< registers itself
