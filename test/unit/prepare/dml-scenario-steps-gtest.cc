/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-mistake.h"

#include "ns3/dml-scenario-keys.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

const std::string STEPS_TEXT =
    "an integer from 1 to 100000000, auto, or {auto: TARGET, at_most: STEPS}";
const std::string TARGET_TEXT =
    "a half-width of the throughput's interval above 0%, at most 50%, such as 2% or 0.02";

/// @param lines of a job besides its profile @return the scenario
Scenario
ReadJobWith(const std::string& lines)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml", "job:\n  profile: p.yaml\n" + lines);
    return ReadScenario(file).front();
}

class StepsMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(StepsMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Steps,
    StepsMistake,
    testing::Values(
        Mistake{10,
                "  steps: aut",
                "s.yaml:10:10: job.steps: found \"aut\"; accepted: " + STEPS_TEXT},
        Mistake{10,
                "  steps: 2%",
                "s.yaml:10:10: job.steps: found \"2%\"; accepted: " + STEPS_TEXT},
        Mistake{10,
                "  steps: 0",
                "s.yaml:10:10: job.steps: found \"0\"; accepted: an integer from 1 to 100000000"},
        Mistake{10,
                "  steps: {at_most: 500}",
                "s.yaml:10:10: job.steps: found a map without auto; accepted: {auto: TARGET, "
                "at_most: STEPS}, such as {auto: 2%, at_most: 1000}"},
        Mistake{10,
                "  steps: {auto: 2%, atmost: 5}",
                "s.yaml:10:21: job.steps.atmost: unknown key 'atmost'; did you mean 'at_most'? "
                "accepted: auto, at_most"},
        Mistake{10,
                "  steps: {auto: 0}",
                "s.yaml:10:17: job.steps.auto: found \"0\"; accepted: " + TARGET_TEXT},
        Mistake{10,
                "  steps: {auto: 51%}",
                "s.yaml:10:17: job.steps.auto: found \"51%\"; accepted: " + TARGET_TEXT},
        Mistake{10,
                "  steps: {auto: '%'}",
                "s.yaml:10:17: job.steps.auto: found \"%\"; accepted: " + TARGET_TEXT},
        Mistake{10,
                "  steps: {auto: -2%}",
                "s.yaml:10:17: job.steps.auto: found \"-2%\"; accepted: " + TARGET_TEXT},
        Mistake{10,
                "  steps: {auto: 2%, at_most: 1}",
                "s.yaml:10:30: job.steps.at_most: found \"1\"; accepted: an integer from 2 to "
                "100000000"},
        Mistake{10,
                "  steps: {auto: 2%, at_most: 5}",
                "s.yaml:11:11: job.warmup: found \"5\"; accepted: auto, or an integer less than "
                "job.steps.at_most, which is 5"},
        Mistake{11,
                "  warmup: auto",
                "s.yaml:11:11: job.warmup: found \"auto\" with a fixed number of job.steps; "
                "accepted: an integer from 0 to 100000000, or job.steps auto"}));

TEST(DmlScenarioSteps, WarmUpOfAnAutomaticRunIsAtLeastOneStep)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml", "job: {profile: p.yaml, steps: auto, warmup: 0}\n");
    EXPECT_EQ(folder.ErrorOf([&] { ReadScenario(file); }),
              "s.yaml:1:45: job.warmup: found \"0\"; accepted: an integer from 1 to 100000000");
}

TEST(DmlScenarioSteps, ReadsWhatIsAutomatic)
{
    const JobSpec fixed = ReadJobWith("").job;
    EXPECT_FALSE(fixed.autoSteps.on);
    EXPECT_EQ(fixed.steps, 100u);
    EXPECT_EQ(fixed.warmup, 50u);

    const JobSpec word = ReadJobWith("  steps: auto\n").job;
    EXPECT_TRUE(word.autoSteps.on);
    EXPECT_TRUE(word.autoSteps.detectWarmup);
    EXPECT_DOUBLE_EQ(word.autoSteps.target, 0.02);
    EXPECT_EQ(word.steps, 1000u);

    const JobSpec map = ReadJobWith("  steps: {auto: 0.5%, at_most: 2000}\n  warmup: 7\n").job;
    EXPECT_TRUE(map.autoSteps.on);
    EXPECT_FALSE(map.autoSteps.detectWarmup);
    EXPECT_DOUBLE_EQ(map.autoSteps.target, 0.005);
    EXPECT_EQ(map.steps, 2000u);
    EXPECT_EQ(map.warmup, 7u);

    const JobSpec both = ReadJobWith("  steps: {auto: 0.1}\n  warmup: auto\n").job;
    EXPECT_TRUE(both.autoSteps.detectWarmup);
    EXPECT_DOUBLE_EQ(both.autoSteps.target, 0.1);
}

// What the echo says can be read again, and says the same.
TEST(DmlScenarioSteps, EchoesWhatItRead)
{
    const auto echo = [](const std::string& lines) {
        const auto job = ScenarioToJson(ReadJobWith(lines))["job"];
        return job["steps"].dump() + " " + job["warmup"].dump();
    };
    EXPECT_EQ(echo(""), "100 50");
    EXPECT_EQ(echo("  steps: auto\n"), R"({"auto":0.02,"at_most":1000} "auto")");
    EXPECT_EQ(echo("  steps: {auto: 5%}\n  warmup: 3\n"), R"({"auto":0.05,"at_most":1000} 3)");
    EXPECT_EQ(echo("  steps: {auto: 0.05, at_most: 1000}\n  warmup: 3\n"),
              R"({"auto":0.05,"at_most":1000} 3)");
}

TEST(DmlScenarioSteps, CanBeSwept)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml}\n"
                                   "sweep: {job.steps: [auto, {auto: 5%}, 200]}\n");
    const auto variants = ReadScenario(file);
    ASSERT_EQ(variants.size(), 3u);
    EXPECT_DOUBLE_EQ(variants[0].job.autoSteps.target, 0.02);
    EXPECT_DOUBLE_EQ(variants[1].job.autoSteps.target, 0.05);
    EXPECT_FALSE(variants[2].job.autoSteps.on);
    EXPECT_EQ(variants[2].job.steps, 200u);
}

} // namespace
