/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How often the networks of a study are built.

#include "dml-case-suite.h"

#include "ns3/dml-error.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-study-plan.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/test.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two numbers of workers have two networks, whoever looks at them: estimates of costs (which take
/// their links for a dumbbell), warnings (which take their queues for large packets), the rule of
/// sharing, and 2 replications of both engines.
class SharedNetworkCase : public TestCase
{
  public:
    SharedNetworkCase()
        : TestCase("All of a study share one network for each number of workers")
    {
    }

  private:
    void DoRun() override
    {
        std::ofstream(CreateTempDirFilename("p.yaml"))
            << "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
               "tensors: [{name: a, bytes: 100000}]\n"
               "ops:\n"
               "  - {name: pull/a, kind: pull, tensor: a}\n"
               "  - {name: push/a, kind: push, tensor: a, deps: [pull/a]}\n";
        const std::string file = CreateTempDirFilename("s.yaml");
        std::ofstream(file)
            << "job: {profile: p.yaml, steps: 4, warmup: 1, workers: [1, 2]}\nreplications: 2\n"
               "network: {topology: dumbbell, mtu: 9000}\nfair_share: {sharing: max-min}\n";
        const auto scenarios = ReadScenario(file);
        const uint64_t before = CountBuiltNetworks();
        StudyPlan plan(scenarios, ChooseEngines(DEFAULT_ENGINES));
        plan.PrepareAll();
        std::vector<uint32_t> runs(plan.GetRuns().size());
        std::iota(runs.begin(), runs.end(), 0);
        NS_TEST_ASSERT_MSG_EQ(runs.size(), 8, "2 numbers, 2 engines, 2 replications");
        plan.BuildNetworks(runs); // runs in processes of their own inherit them
        NS_TEST_ASSERT_MSG_EQ(CountBuiltNetworks() - before, 2, "before the runs");
        for (const uint32_t run : runs)
        {
            const StudyCase& work = plan.GetRuns()[run].work;
            const std::string folder = CreateTempDirFilename("run" + std::to_string(run));
            std::filesystem::create_directory(folder);
            RunStudyCase(*plan.GetPrepared(work.variant), work, folder, {});
        }
        NS_TEST_ASSERT_MSG_EQ(CountBuiltNetworks() - before, 2, "after them");
    }
};

/// A network for two workers does not fit a run of one.
class OtherJobsCase : public TestCase
{
  public:
    OtherJobsCase()
        : TestCase("The packet engine refuses the network of other jobs")
    {
    }

  private:
    void DoRun() override
    {
        StepPlan plan;
        plan.servers = 1;
        TrainingRun run;
        run.plan = std::make_shared<StepPlan>(plan);
        const auto accepts = [&run](uint32_t workers) {
            const NetworkSpec spec;
            try
            {
                PacketEngine({run},
                             spec,
                             std::make_shared<ClusterNetwork>(BuildNetwork(spec, {{workers, 1}})),
                             TransferSpec(),
                             nullptr);
            }
            catch (const InputError&)
            {
                return false;
            }
            return true;
        };
        NS_TEST_ASSERT_MSG_EQ(accepts(1), true, "its own");
        NS_TEST_ASSERT_MSG_EQ(accepts(2), false, "another one");
    }
};

} // namespace

static CaseSuite g_sharedNetworkSuite("dml-shared-network",
                                      {new SharedNetworkCase(),
                                       new OtherJobsCase()}); //!< registers itself
