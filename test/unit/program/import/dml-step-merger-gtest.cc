/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"
#include "dml-nanoseconds.h"

#include "ns3/dml-error.h"
#include "ns3/dml-graph-check.h"
#include "ns3/dml-step-merger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/*
 * One tensor, from 100 ms on, times in ms within the step:
 *   pull 0-10, [nothing 10-12], forward 12-20, backward 20-35, push 30-40, update 40-43, [43-45].
 */
MeasuredStep
MakeMergedStep(const std::string& place, int64_t backward = 15)
{
    const int64_t t = 100 * MS;
    return {place,
            t,
            t + 45 * MS,
            {{"pull/w", OpKind::PULL, "", "w", {}, t, 10 * MS},
             {"forward", OpKind::FORWARD, "cpu", "", {"pull/w"}, t + 12 * MS, 8 * MS},
             {"backward", OpKind::BACKWARD, "cpu", "", {"forward"}, t + 20 * MS, backward * MS},
             {"push/w", OpKind::PUSH, "", "w", {"backward"}, t + 30 * MS, 10 * MS},
             {"update/w", OpKind::UPDATE, "", "w", {"push/w"}, t + 40 * MS, 3 * MS}}};
}

MeasuredJob
MakeMergedJob(std::vector<MeasuredStep> steps)
{
    MeasuredJob job;
    job.model = "m";
    job.batchSize = 4;
    job.tensors = {{"w", 1000}};
    job.devices = {{"cpu", 1}};
    job.steps = std::move(steps);
    return job;
}

std::string
MergeErrorOf(const MeasuredJob& job)
{
    return ErrorOf([&] { MergeSteps(job, {}); });
}

using Seconds = std::vector<double>;

} // namespace

TEST(StepMerger, MakesAGraphAndOneSampleOfEachStep)
{
    ImportOptions options;
    options.idle = IdleTime::DROP;
    const auto result =
        MergeSteps(MakeMergedJob({MakeMergedStep("a"), MakeMergedStep("b", 16)}), options);
    const Profile& profile = result.profile;
    ASSERT_EQ(profile.graph.GetSize(), 5u);
    EXPECT_EQ(profile.graph.Get(1).name, "forward");
    EXPECT_EQ(profile.graph.GetDependencies(3), std::vector<OpIndex>{2});
    EXPECT_EQ(profile.graph.Get(4).tensor, 0u);
    EXPECT_EQ(profile.samples,
              (std::vector<Seconds>{{}, {0.008, 0.008}, {0.015, 0.016}, {}, {0.003, 0.003}}));
    EXPECT_EQ(result.stepSeconds, (Seconds{0.045, 0.045}));
    EXPECT_EQ(result.unexplainedSeconds, (Seconds{0.004, 0.004}));
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_EQ(result.replayCaveat,
              "time in which no recorded op ran is left out, 8.9 % of the steps");
}

// 2 ms before forward, and 2 ms at the end, which an update does not get.
TEST(StepMerger, GivesTimeThatNothingExplainsToTheNextOpOnADevice)
{
    MeasuredStep step = MakeMergedStep("a");
    auto result = MergeSteps(MakeMergedJob({step}), {});
    EXPECT_EQ(result.profile.samples, (std::vector<Seconds>{{}, {0.010}, {0.015}, {}, {0.003}}));
    EXPECT_EQ(result.unexplainedSeconds, Seconds{0.004});
    step.ops.resize(3); // backward is the last op, 10 ms before the end
    result = MergeSteps(MakeMergedJob({step}), {});
    EXPECT_EQ(result.profile.samples, (std::vector<Seconds>{{}, {0.010}, {0.025}}));
}

// The push was asked for when the step started, but its gradient is complete at 35 ms only: the
// 2 ms before forward are a gap all the same.
TEST(StepMerger, StartsATransferWhenItsOpsHaveEnded)
{
    MeasuredStep step = MakeMergedStep("a");
    step.ops[3].duration += step.ops[3].start - step.start;
    step.ops[3].start = step.start;
    const auto result = MergeSteps(MakeMergedJob({step}), {});
    EXPECT_EQ(result.unexplainedSeconds, Seconds{0.004});
    EXPECT_EQ(result.profile.samples[1], Seconds{0.010});
}

// 9 of 52 ms are lost: 7 before the pull, 2 after the update.
TEST(StepMerger, LeavesAGapBeforeATransferToNobody)
{
    MeasuredStep step = MakeMergedStep("a");
    EXPECT_EQ(MergeSteps(MakeMergedJob({step}), {}).replayCaveat, ""); // 2 of 45 ms
    step.start -= 7 * MS;
    const auto result = MergeSteps(MakeMergedJob({step}), {});
    EXPECT_EQ(result.replayCaveat,
              "during 17.3 % of the steps no recorded op ran before a transfer or an update "
              "started, and a profile has no place for that time");
    EXPECT_EQ(result.unexplainedSeconds, Seconds{0.011});
    EXPECT_EQ(result.profile.samples, (std::vector<Seconds>{{}, {0.010}, {0.015}, {}, {0.003}}));
}

TEST(StepMerger, TakesTheOrderOfMostSteps)
{
    MeasuredStep other = MakeMergedStep("other", 17);
    std::swap(other.ops[1], other.ops[2]);
    const auto result =
        MergeSteps(MakeMergedJob({other, MakeMergedStep("a"), MakeMergedStep("b")}), {});
    EXPECT_EQ(result.profile.graph.Get(1).name, "forward");
    EXPECT_EQ(result.profile.samples[2], (Seconds{0.017, 0.015, 0.015}));
    EXPECT_EQ(result.warnings,
              std::vector<std::string>{"1 of 3 steps ran in another order than most, the first is "
                                       "other, from 'backward' on: their durations count, the "
                                       "order does not"});
}

TEST(StepMerger, LeavesOutStepsWithOtherOps)
{
    MeasuredStep less = MakeMergedStep("less");
    less.ops.pop_back();
    MeasuredStep more = MakeMergedStep("more");
    more.ops.push_back({"extra", OpKind::COMPUTE, "cpu", "", {}, 0, 0});
    const auto result =
        MergeSteps(MakeMergedJob({less, MakeMergedStep("a"), MakeMergedStep("b"), more}), {});
    EXPECT_EQ(result.profile.GetSampleCount(), 2u);
    EXPECT_EQ(result.stepSeconds.size(), 2u);
    EXPECT_EQ(
        result.warnings,
        (std::vector<std::string>{"less is left out: it lacks the op 'update/w'",
                                  "more is left out: it has an op 'extra' that most steps lack"}));
}

TEST(StepMerger, DropsTensorsThatOnlyStepsHaveThatAreLeftOut)
{
    MeasuredStep other = MakeMergedStep("other");
    other.ops[0].tensor = "v";
    other.ops[0].name = "pull/v";
    MeasuredJob job = MakeMergedJob({other, MakeMergedStep("a"), MakeMergedStep("b")});
    job.tensors = {{"v", 7}, {"nobody's", 8}, {"w", 1000}};
    const Profile profile = MergeSteps(job, {}).profile;
    ASSERT_EQ(profile.tensors.size(), 2u);
    EXPECT_EQ(profile.tensors[0].name, "nobody's");
    EXPECT_EQ(profile.graph.Get(0).tensor, 1u);
}

TEST(StepMerger, TellsOfThreeStepsThatAreLeftOut)
{
    std::vector<MeasuredStep> steps(6, MakeMergedStep("a"));
    for (int i = 0; i < 5; ++i)
    {
        steps.push_back(MakeMergedStep("less " + std::to_string(i)));
        steps.back().ops.resize(i);
    }
    const auto result = MergeSteps(MakeMergedJob(steps), {});
    ASSERT_EQ(result.warnings.size(), 4u);
    EXPECT_EQ(result.warnings[0], "less 0 is left out: it lacks the op 'pull/w'");
    EXPECT_EQ(result.warnings[3],
              "2 more steps are left out, which lack or add ops, or ran them elsewhere");
}

TEST(StepMerger, LetsTheUserNameModelAndBatchSize)
{
    MeasuredJob job = MakeMergedJob({MakeMergedStep("a")});
    ImportOptions options;
    options.model = "mine";
    options.batchSize = 9;
    const Profile profile = MergeSteps(job, options).profile;
    EXPECT_EQ(profile.model, "mine");
    EXPECT_EQ(profile.batchSize, 9u);
    job.batchSize = 0;
    EXPECT_EQ(MergeErrorOf(job),
              "a: the trace does not tell the batch size; accepted is one given by hand "
              "(--batch-size N)");
}

TEST(StepMerger, NamesTheOpThatDoesNotFit)
{
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({})),
              "the trace has no complete step; accepted is at least one");
    MeasuredStep step = MakeMergedStep("a");
    step.ops[2].name = "forward";
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({step})),
              "a: two ops are called 'forward'; accepted are unique names");
    step = MakeMergedStep("a");
    step.ops[2].deps = {"nobody"};
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({step})),
              "a: op 'backward' waits for 'nobody', which is no op of the step");
    step = MakeMergedStep("a");
    step.ops[1].device = "tpu";
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({step})),
              "a: op 'forward' names the device 'tpu', which the trace does not have");
    step = MakeMergedStep("a");
    step.ops[0].tensor = "v";
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({step})),
              "a: op 'pull/w' names the tensor 'v', which the trace does not have");
    step = MakeMergedStep("a");
    step.ops[1].deps = {"push/w"};
    EXPECT_EQ(MergeErrorOf(MakeMergedJob({step})).rfind("a: ", 0), 0u);
    EXPECT_NE(MergeErrorOf(MakeMergedJob({step})).find("cycle"), std::string::npos);
}

TEST(GraphCheck, FindsNothingWrongWithAWholeStep)
{
    EXPECT_TRUE(CheckGraph(MergeSteps(MakeMergedJob({MakeMergedStep("a")}), {}).profile).empty());
}

TEST(GraphCheck, TellsWhatIsHardlyMeant)
{
    MeasuredStep step = MakeMergedStep("a");
    step.ops[1].deps = {}; // nobody waits for the pull, which waits for nobody
    step.ops[3].deps = {}; // the gradient is sent at once
    step.ops.push_back({"lonely", OpKind::COMPUTE, "cpu", "", {}, 0, 0});
    MeasuredJob job = MakeMergedJob({step});
    job.tensors.push_back({"v", 1});
    EXPECT_EQ(CheckGraph(MergeSteps(job, {}).profile),
              (std::vector<std::string>{
                  "2 ops that wait for no op and that no op waits for, the first is 'pull/w'",
                  "1 pushes that wait for no op, the first is 'push/w'",
                  "1 tensors that no op moves or updates, the first is 'v'"}));
    step = MakeMergedStep("a");
    step.ops[1].deps = {};
    step.ops[0].deps = {"forward"}; // still nobody waits for the pull
    step.ops[4].deps = {"backward"};
    EXPECT_EQ(
        CheckGraph(MergeSteps(MakeMergedJob({step}), {}).profile),
        (std::vector<std::string>{"1 pulls that no op waits for, the first is 'pull/w'",
                                  "1 updates that wait for no push, the first is 'update/w'"}));
}
