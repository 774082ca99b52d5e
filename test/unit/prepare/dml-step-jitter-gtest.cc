/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-one-tensor-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-prepared-case.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return by how many seconds the first two steps of the last of 8 workers are late
std::vector<double>
ListLateness(const std::string& job, const std::string& network = "")
{
    const ScratchFolder folder;
    folder.Write("p.yaml", ONE_TENSOR_PROFILE);
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, workers: 8, " + job +
                                       "}\nnetwork: {rate: 1Gbps" + network + "}\n");
    auto jitter =
        PrepareCase(PrepareScenario(ReadScenario(file).front(), false), 8, 0).runs.front().jitter;
    std::vector<double> lateness;
    for (int step = 0; !jitter.empty() && step < 2; ++step)
    {
        lateness.push_back(jitter.back().Next());
    }
    return lateness;
}

/// Lateness is drawn from the same numbers, so that all of it is in proportion to the mean.
void
ExpectRatio(const std::vector<double>& lateness,
            const std::vector<double>& base,
            double first,
            double later)
{
    ASSERT_EQ(lateness.size(), 2u);
    ASSERT_EQ(base.size(), 2u);
    EXPECT_NEAR(lateness[0] / base[0], first, 1e-12);
    EXPECT_NEAR(lateness[1] / base[1], later, 1e-12);
}

} // namespace

TEST(StepJitterSpecTest, IsThreeMillisecondsUnlessTheScenarioSaysMore)
{
    const auto base = ListLateness("step_jitter: 1ms");
    ExpectRatio(ListLateness("start: staggered"), base, 3, 3);
    ExpectRatio(ListLateness("start: together"), base, 15, 3);
    ExpectRatio(ListLateness("start: together, step_jitter: 4ms"), base, 4, 4);
    ExpectRatio(ListLateness("start: together, step_jitter: {mean: 4ms}"), base, 20, 4);
    ExpectRatio(ListLateness("start: together, step_jitter: {cold_start: false}"), base, 3, 3);
    EXPECT_TRUE(ListLateness("step_jitter: {mean: 0s, cores: 1}").empty());
    EXPECT_TRUE(ListLateness("start: staggered", ", transport: plain").empty());
}

// 8 workers and 1 server on 2 cores are 4.5 processes a core, and with 4 servers 6.
TEST(StepJitterSpecTest, GrowsWithTheProcessesOfACore)
{
    const auto base = ListLateness("step_jitter: 1ms");
    ExpectRatio(ListLateness("step_jitter: {cores: 2}"), base, 9, 9);
    ExpectRatio(ListLateness("parameter_servers: 4, step_jitter: {cores: 2}"), base, 12, 12);
    ExpectRatio(ListLateness("step_jitter: {mean: 1ms, cores: 3}"), base, 3, 3);
    ExpectRatio(ListLateness("step_jitter: {cores: 9}"), base, 2, 2);
    ExpectRatio(ListLateness("step_jitter: {cores: 64}"), base, 2, 2);
    ExpectRatio(
        ListLateness(
            "protocol: all-reduce, parameter_servers: 0, step_jitter: {mean: 1ms, cores: 2}"),
        base,
        4,
        4);
}

TEST(StepJitterSpecTest, ReadsWhatItWrites)
{
    for (const std::string text :
         {"{cores: 2}", "4ms", "{mean: 4ms, cold_start: false, cores: 3}", "{mean: 1ms}"})
    {
        const ScratchFolder folder;
        folder.Write("p.yaml", "");
        const auto once =
            ReadScenario(
                folder.Write("s.yaml", "job: {profile: p.yaml, step_jitter: " + text + "}\n"))
                .front();
        const auto json = ScenarioToJson(once)["job"]["step_jitter"];
        const auto again =
            ReadScenario(folder.Write("t.yaml",
                                      "job: {profile: p.yaml, step_jitter: " + json.dump() + "}\n"))
                .front();
        EXPECT_EQ(again.job.stepJitter.mean, once.job.stepJitter.mean) << json;
        EXPECT_EQ(again.job.stepJitter.cores, once.job.stepJitter.cores) << json;
        EXPECT_EQ(again.job.stepJitter.coldStart, once.job.stepJitter.coldStart) << json;
    }
}
