/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random streams that a script gives the helpers.

#include "dml-case-suite.h"
#include "dml-error-of.h"
#include "dml-one-layer-profile.h"

#include "ns3/boolean.h"
#include "ns3/dml-cluster-helper.h"
#include "ns3/dml-training-job.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Ends of steps.
class StepEnds : public RunListener<StepEnds>
{
  public:
    void On(const StepRecord& record)
    {
        ends.push_back(record.end);
    }

    std::vector<double> ends;
};

/// What a run gave, and how many streams it used.
struct StreamRun
{
    std::vector<double> ends;
    int64_t ofCluster{0};
    int64_t ofJob{0};
};

/// Three workers that replay samples at random, begin steps late, on hosts that acknowledge after
/// random times; paths are drawn for each packet.
/// @param cluster first stream of the network @param job of the job @param before streams that
/// ns-3 has given away by itself
StreamRun
RunWithStreams(int64_t cluster, int64_t job, uint32_t before = 0)
{
    for (uint32_t i = 0; i < before; ++i)
    {
        CreateObject<UniformRandomVariable>();
    }
    Profile profile = MakeOneLayerProfile(200000, 0.01, 0.001);
    profile.samples = {{}, {}, {}, {}};
    for (uint32_t sample = 1; sample <= 8; ++sample)
    {
        profile.samples[1].push_back(0.005 * sample);
        profile.samples[3].push_back(0.001);
    }
    profile.Validate();
    TrainingRun run = MakeTrainingRun(profile, 3, 1, 5);
    for (uint32_t worker = 0; worker < 3; ++worker)
    {
        run.samplers[worker] = StepSampler(StepSampler::Rule::RANDOM, 8, 1, 0, worker);
        run.jitter.emplace_back(0.001, 1, 0, worker);
    }
    NetworkSpec network;
    network.topology.type = "leaf-spine";
    network.topology.spines = 2;
    network.multipath.policy = "spray";
    network.queue = {QueueSpec::Kind::RED, 100000};
    StepEnds steps;
    StreamRun result;
    {
        ClusterHelper helper(network, run);
        TrainingJob training(run, TransferSpec(), &steps);
        result.ofCluster = helper.AssignStreams(cluster);
        result.ofJob = training.AssignStreams(job);
        helper.Install(training);
        training.SetFinishedCallback([] { Simulator::Stop(); });
        Simulator::Run();
        training.Check();
        Simulator::Destroy();
    }
    result.ends = steps.ends;
    return result;
}

class StreamsCase : public TestCase
{
  public:
    StreamsCase()
        : TestCase("the same streams give the same, whatever else has some, and others another")
    {
    }

  private:
    void DoRun() override
    {
        const StreamRun run = RunWithStreams(10, 100);
        NS_TEST_ASSERT_MSG_EQ(run.ends.size(), 15, "all steps");
        // 8 nodes that spray; 4 hosts that acknowledge; 4 + 8 ports of switches with RED
        NS_TEST_EXPECT_MSG_EQ(run.ofCluster, 8 + 4 + 12, "of the network");
        NS_TEST_EXPECT_MSG_EQ(run.ofJob, 3 + 3, "a draw of samples and one of delays for each");
        NS_TEST_EXPECT_MSG_EQ((RunWithStreams(10, 100, 17).ends == run.ends), true, "the same");
        NS_TEST_EXPECT_MSG_EQ((RunWithStreams(50, 100).ends == run.ends), false, "other delays");
        NS_TEST_EXPECT_MSG_EQ((RunWithStreams(10, 200).ends == run.ends), false, "other samples");
        RngSeedManager::SetRun(2);
        NS_TEST_EXPECT_MSG_EQ((RunWithStreams(10, 100).ends == run.ends), false, "another run");
        RngSeedManager::SetRun(1);
    }
};

/// Orders of transfers, and what is refused.
class OrderStreamsCase : public TestCase
{
  public:
    OrderStreamsCase()
        : TestCase("streams of random orders, and of nothing random")
    {
    }

  private:
    void DoRun() override
    {
        const Profile profile = MakeOneLayerProfile(100000, 0.01, 0.001);
        TrainingRun run = MakeTrainingRun(profile, 3, 2, 2);
        NS_TEST_EXPECT_MSG_EQ(TrainingJob(run).AssignStreams(5), 0, "nothing is random");
        run.policy.SetTypeId("ns3::dml::OrderedPolicy");
        NS_TEST_EXPECT_MSG_EQ(TrainingJob(run).AssignStreams(5), 0, "nor is a fixed order");
        run.policy.Set("Shuffle", BooleanValue(true));
        // a worker and two servers: four channels each
        NS_TEST_EXPECT_MSG_EQ(TrainingJob(run).AssignStreams(5), 3 * 4, "one for each channel");
        TrainingJob late(run);
        const ClusterHelper cluster(NetworkSpec(), run);
        cluster.Install(late);
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { late.AssignStreams(1); }),
                              "random streams after endpoints were installed; accepted: before",
                              "text");
        Simulator::Destroy();
    }
};

} // namespace

static CaseSuite g_randomStreamSuite("dml-random-streams",
                                     {new StreamsCase, new OrderStreamsCase}); //!< registers itself
