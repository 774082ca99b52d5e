/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs that end before all steps are done, in both engines.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-observer-list.h"
#include "ns3/dml-stop-rule.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Steps that a run may do; far more than it takes to be sure.
constexpr uint32_t MOST_STEPS = 2000;

/// Two workers that pull and push 100 kB, 0.8 ms on the link, and compute for as long as given.
TwinRun
MakeTwin(std::vector<double> seconds)
{
    ProfileBuilder builder;
    builder.Pull("a", 100000).Compute("c", std::move(seconds), {"pull/a"}).Push("a", 100000, {"c"});
    TwinRun twin(builder);
    twin.Prepare({0, 0.003}, MOST_STEPS + 3);
    twin.network.mtu = 9000;
    return twin;
}

/// What a run did until its rule stopped it.
struct Stopped
{
    RunRecorder recorder; //!< all that happened
    StopSummary summary;  //!< how it went
    double start{0};      //!< end of the warm-up, s
};

/// The engine ends with the step that the rule says, and both engines' throughput is the same where
/// workers do not disturb each other.
class StopCase : public TestCase
{
  public:
    StopCase(const std::string& name, std::vector<double> seconds, uint32_t fewest, uint32_t most)
        : TestCase("Stop when sure: " + name),
          m_seconds(std::move(seconds)),
          m_fewest(fewest),
          m_most(most)
    {
    }

  private:
    static StopRule::Options MakeOptions()
    {
        StopRule::Options options;
        options.window.workers = 2;
        options.window.steps = MOST_STEPS;
        options.batch = 1;
        return options;
    }

    void Check(const Stopped& run)
    {
        NS_TEST_ASSERT_MSG_EQ(run.summary.sure, true, run.summary.reason);
        NS_TEST_ASSERT_MSG_GT(run.summary.steps, m_fewest, "stopped too early");
        NS_TEST_ASSERT_MSG_LT(run.summary.steps, m_most, "stopped too late");
        // no worker is more than a step ahead, and nothing runs on after the stop
        NS_TEST_ASSERT_MSG_LT(run.recorder.steps.size(), 2 * run.summary.steps + 1, "ran on");
        NS_TEST_ASSERT_MSG_GT(run.recorder.steps.size() + 3, 2 * run.summary.steps, "lost steps");
    }

    void DoRun() override
    {
        TwinRun twin = MakeTwin(m_seconds);
        Stopped fair;
        {
            StopRule rule(MakeOptions());
            ObserverList observers{&rule, &fair.recorder};
            FairShareNetwork model;
            model.links = MakeStarFlowNetwork({2, 1}, twin.GetRate(), twin.GetRate(), 0);
            FairShareEngine engine(twin.run, model, &observers);
            engine.StopWhen([&rule]() { return rule.IsDone(); });
            engine.Run();
            fair.summary = rule.GetSummary();
        }
        Check(fair);
        Stopped packet;
        {
            StopRule rule(MakeOptions());
            ObserverList observers{&rule, &packet.recorder};
            PacketEngine engine(twin.run, twin.network, twin.transfer, &observers);
            engine.StopWhen([&rule]() { return rule.IsDone(); });
            engine.Run();
            packet.summary = rule.GetSummary();
        }
        Check(packet);
        NS_TEST_ASSERT_MSG_EQ_TOL(packet.summary.interval->rate / fair.summary.interval->rate,
                                  1,
                                  0.05,
                                  "the engines are too far apart");
    }

    std::vector<double> m_seconds; //!< of a step's compute op
    uint32_t m_fewest;             //!< steps
    uint32_t m_most;               //!< steps
};

} // namespace

static std::vector<TestCase*>
MakeStopCases()
{
    // The least is 40 rounds of warm-up, the one before them, and 20 that are measured. Steps of
    // 5 + 1.6 ms that vary by 1 ms, as at random by the order of the list, need more: a round of
    // two has a standard deviation of 11 %, and 2 * 11 % / sqrt(n) < 2 % takes some n = 120 rounds.
    std::vector<double> noisy;
    uint64_t random = 1;
    for (int i = 0; i < 397; ++i)
    {
        random = random * 6364136223846793005U + 1442695040888963407U;
        noisy.push_back((random >> 40) % 2 == 0 ? 0.004 : 0.006);
    }
    return {new StopCase("steps that are alike", {0.005}, 59, 64),
            new StopCase("steps that vary", noisy, 64, 1000)};
}

static CaseSuite g_stopSuite("dml-stop-rules", MakeStopCases()); //!< registers itself
