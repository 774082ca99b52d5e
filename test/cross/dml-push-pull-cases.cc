/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The push-pull protocol: the same plan in both engines, with barriers on the servers and steps
// that overlap. Tolerances are relative.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-push-pull-protocol.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Three layers, first used first; gradients come in the reverse order.
ProfileBuilder
ThreeLayers()
{
    ProfileBuilder builder;
    builder.Pull("a", 2000000)
        .Pull("b", 5000000)
        .Pull("c", 10000000)
        .Compute("forward/a", {0.02}, {"pull/a"})
        .Compute("forward/b", {0.03}, {"pull/b", "forward/a"})
        .Compute("forward/c", {0.04}, {"pull/c", "forward/b"})
        .Compute("backward/c", {0.05}, {"forward/c"})
        .Compute("backward/b", {0.04}, {"backward/c"})
        .Compute("backward/a", {0.03}, {"backward/b"})
        .Push("c", 10000000, {"backward/c"})
        .Update("c", 0.004)
        .Push("b", 5000000, {"backward/b"})
        .Update("b", 0.002)
        .Push("a", 2000000, {"backward/a"})
        .Update("a", 0.001);
    return builder;
}

/// The protocol on links with fair queues: in others ACKs wait behind data.
TwinRun
MakeTwin(uint32_t servers)
{
    TwinRun twin(ThreeLayers(), servers);
    twin.protocol = MakePushPullPlan;
    twin.network.mtu = 9000;
    twin.network.queue = {QueueSpec::Kind::FAIR, 0, 0, false};
    twin.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    twin.run.window = 2147483647;
    return twin;
}

/// Both engines run it: the same steps and arrivals within a few per cent of a step.
class PushPullCase : public TestCase
{
  public:
    PushPullCase(std::vector<double> offsets, uint32_t servers, ParseOverhead overhead)
        : TestCase("Push-pull, " + std::to_string(offsets.size()) + " workers, the last after " +
                   std::to_string(std::lround(1000 * offsets.back())) + " ms, " +
                   std::to_string(servers) + " servers" + (overhead.IsFree() ? "" : ", parsing")),
          m_offsets(std::move(offsets)),
          m_servers(servers),
          m_overhead(overhead)
    {
    }

  private:
    static constexpr uint32_t STEPS = 5;

    void DoRun() override
    {
        TwinRun twin = MakeTwin(m_servers);
        twin.overhead = m_overhead;
        twin.Prepare(m_offsets, STEPS);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        CheckSteps(fair, packet);
        CheckTransfers(fair, packet);
    }

    void CheckSteps(const RunRecorder& fair, const RunRecorder& packet)
    {
        const std::size_t expected = STEPS * m_offsets.size();
        NS_TEST_ASSERT_MSG_EQ(fair.steps.size(), expected, "all steps end");
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), expected, "all steps end");
        std::map<std::pair<uint32_t, uint32_t>, StepRecord> steps;
        for (const auto& step : fair.steps)
        {
            steps[{step.worker, step.step}] = step;
        }
        m_step = fair.steps.back().end / STEPS;
        bool overlap = false;
        for (const auto& step : packet.steps)
        {
            const auto& other = steps.at({step.worker, step.step});
            NS_TEST_EXPECT_MSG_EQ_TOL(step.start, other.start, 0.03 * m_step, "start of a step");
            NS_TEST_EXPECT_MSG_EQ_TOL(step.end, other.end, 0.03 * m_step, "end of a step");
            overlap |= step.step > 0 &&
                       step.start < steps.at({step.worker, step.step - 1}).end - 0.01 * m_step;
        }
        NS_TEST_EXPECT_MSG_EQ(overlap, true, "a step begins before the previous one has ended");
    }

    void CheckTransfers(const RunRecorder& fair, const RunRecorder& packet)
    {
        using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
        std::map<Key, double> arrivals;
        for (const auto& transfer : fair.transfers)
        {
            arrivals[{GetWorker(transfer.channel), transfer.step, transfer.op}] = transfer.lastByte;
        }
        const std::size_t expected = 6 * STEPS * m_offsets.size();
        NS_TEST_EXPECT_MSG_EQ(fair.transfers.size(), expected, "each tensor both ways");
        NS_TEST_EXPECT_MSG_EQ(packet.transfers.size(), expected, "and no more of them");
        NS_TEST_EXPECT_MSG_EQ(arrivals.size(), expected, "each once");
        for (const auto& transfer : packet.transfers)
        {
            const auto other =
                arrivals.find({GetWorker(transfer.channel), transfer.step, transfer.op});
            NS_TEST_ASSERT_MSG_EQ((other != arrivals.end()), true, "a transfer of one engine only");
            NS_TEST_EXPECT_MSG_EQ_TOL(transfer.lastByte,
                                      other->second,
                                      0.05 * m_step,
                                      "arrival of op " << transfer.op << " in step "
                                                       << transfer.step);
        }
    }

    std::vector<double> m_offsets;
    uint32_t m_servers;
    ParseOverhead m_overhead;
    double m_step{0};
};

/// No pull of a step starts before the gradients of all workers are there, and updates are joint.
class BarrierCase : public TestCase
{
  public:
    BarrierCase()
        : TestCase("Push-pull: pulls wait for the gradients of all workers")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeTwin(2);
        twin.Prepare({0, 0.5, 0.1}, 4);
        const auto packet = twin.RunPackets();
        std::map<std::pair<uint32_t, uint32_t>, double> lastPush; // by tensor and step
        for (const auto& transfer : packet.transfers)
        {
            if (GetDirection(transfer.channel) == Direction::UPLINK)
            {
                double& last = lastPush[{transfer.tensor, transfer.step}];
                last = std::max(last, transfer.lastByte);
            }
        }
        uint32_t pulls = 0;
        for (const auto& chunk : packet.chunks)
        {
            if (GetLabel(chunk.resource) == ResourceLabel::DOWNLINK && chunk.step > 0)
            {
                const uint32_t tensor = twin.run.plan->ops[chunk.op].tensor;
                NS_TEST_EXPECT_MSG_GT(chunk.start,
                                      (lastPush.at({tensor, chunk.step - 1})),
                                      "a pull before its update");
                ++pulls;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(pulls, 3 * 3 * 3, "pulls of three workers in steps 1 to 3");
        uint32_t updates = 0;
        for (const auto& chunk : packet.chunks)
        {
            updates += GetLabel(chunk.resource) == ResourceLabel::SERVER ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(updates, 3 * 4, "one update for each tensor and step");
    }
};

} // namespace

static std::vector<TestCase*>
MakePushPullCases()
{
    const ParseOverhead parsing{1e-9, 1e-3, false, {}};
    const ParseOverhead atServers{0, 0, false, ParseCost{1e-9, 1e-3}};
    return {new PushPullCase({0}, 1, {}),
            new PushPullCase({0}, 2, parsing),
            new PushPullCase({0, 0}, 1, {}),
            new PushPullCase({0, 0, 0.3}, 2, {}),
            new PushPullCase({0, 0.2}, 1, parsing),
            new PushPullCase({0, 0.2}, 1, atServers),
            new BarrierCase};
}

static CaseSuite g_pushPullSuite("dml-push-pull", MakePushPullCases()); //!< registers itself
