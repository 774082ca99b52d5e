/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Samples that move within a step: by messages in packets, by the same rules in the fair-share
// engine.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/double.h"
#include "ns3/test.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t SHEDDING_STEPS = 5;
constexpr uint32_t SAMPLES = 100;

/// A tensor, and 50 ops of 20 ms that compute with it.
ProfileBuilder
FiftyOps()
{
    ProfileBuilder builder;
    builder.Pull("a", 4000000).Compute("op0", {0.02}, {"pull/a"});
    for (int i = 1; i < 50; ++i)
    {
        builder.Compute("op" + std::to_string(i), {0.02}, {"op" + std::to_string(i - 1)});
    }
    builder.Push("a", 4000000, {"op49"}).Update("a", 0.004);
    return builder;
}

/// Both engines move about the same samples, and take about as long.
class SheddingCase : public TestCase
{
  public:
    SheddingCase(std::string policy,
                 std::vector<double> speeds,
                 uint32_t servers,
                 std::vector<WorkerCrash> crashes = {})
        : TestCase(policy + ", " + std::to_string(speeds.size()) + " workers that shed work" +
                   (crashes.empty() ? "" : ", a crash")),
          m_policy(std::move(policy)),
          m_speeds(std::move(speeds)),
          m_servers(servers),
          m_crashes(std::move(crashes))
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(FiftyOps(), m_servers);
        twin.network.mtu = 65535;
        twin.network.queue = {QueueSpec::Kind::FAIR, 0, 0, false};
        twin.run.policy.SetTypeId("ns3::dml::FifoPolicy");
        twin.run.window = 2147483647;
        twin.run.sync.SetTypeId("ns3::dml::" + m_policy);
        if (twin.run.sync.Create<SyncPolicy>()->Aggregates())
        {
            twin.protocol = MakeAggregatingPlan;
        }
        twin.run.batchSize = SAMPLES;
        for (const double speed : m_speeds)
        {
            const std::vector<SpeedChange> changes{{0, speed}};
            twin.run.compute.push_back({nullptr, std::make_shared<SpeedTrace>(changes), 0});
        }
        twin.run.crashes = m_crashes;
        twin.Prepare(std::vector<double>(m_speeds.size(), 0), SHEDDING_STEPS);
        const double waiting = twin.RunFairShare().steps.back().end;
        twin.run.shedding.emplace("ns3::dml::WorkShedding");
        const RunRecorder fair = twin.RunFairShare();
        const RunRecorder packet = twin.RunPackets();
        Compare(fair, packet);
        if (m_crashes.empty())
        {
            NS_TEST_EXPECT_MSG_LT(packet.steps.back().end, 0.9 * waiting, "shedding helps");
        }
    }

    void Compare(const RunRecorder& fair, const RunRecorder& packet)
    {
        std::map<std::pair<uint32_t, uint32_t>, StepRecord> steps;
        uint64_t fairSamples = 0;
        for (const auto& step : fair.steps)
        {
            steps[{step.worker, step.step}] = step;
            fairSamples += step.batch;
        }
        uint64_t packetSamples = 0;
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), fair.steps.size(), "as many steps");
        for (const auto& step : packet.steps)
        {
            packetSamples += step.batch;
            const auto found = steps.find({step.worker, step.step});
            NS_TEST_ASSERT_MSG_EQ((found != steps.end()), true, "the same steps");
            const StepRecord& other = found->second;
            NS_TEST_EXPECT_MSG_EQ_TOL(step.end, other.end, 0.03 * other.end, "end");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(step.batch),
                                      static_cast<double>(other.batch),
                                      0.04 * SAMPLES,
                                      "samples");
        }
        if (m_crashes.empty())
        {
            const double all = SHEDDING_STEPS * SAMPLES * m_speeds.size();
            const double underWay = 3.0 * m_speeds.size();
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(fairSamples),
                                      all,
                                      underWay,
                                      "fair-share");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(packetSamples), all, underWay, "packets");
        }
    }

    std::string m_policy;
    std::vector<double> m_speeds;
    uint32_t m_servers;
    std::vector<WorkerCrash> m_crashes;
};

} // namespace

static std::vector<TestCase*>
MakeSheddingCases()
{
    const double never = std::numeric_limits<double>::infinity();
    return {new SheddingCase("BulkSynchronousSync", {1, 0.5}, 1),
            new SheddingCase("BulkSynchronousSync", {1, 0.8, 0.4}, 2),
            new SheddingCase("StaleSynchronousSync", {1, 0.5}, 1),
            new SheddingCase("BulkSynchronousSync", {1, 0.5}, 1, {{0, 0.71, never}})};
}

static CaseSuite g_sheddingSuite("dml-shedding", MakeSheddingCases()); //!< registers itself
