/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The key job.shedding: how it is read, refused, echoed, and what it makes.

#include "dml-one-layer-profile.h"
#include "dml-scenario-mistake.h"

#include "ns3/dml-plugin-factories.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-work-shedding.h"
#include "ns3/double.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

Scenario
ReadIn(const ScratchFolder& folder, const std::string& job)
{
    folder.Write("p.yaml", ONE_LAYER_PROFILE);
    return ReadScenario(folder.Write("s.yaml", "job: {profile: p.yaml" + job + "}\n")).front();
}

Scenario
ReadShedding(const std::string& job)
{
    const ScratchFolder folder;
    return ReadIn(folder, job);
}

class SheddingMistake : public testing::TestWithParam<Mistake>
{
};

} // namespace

TEST(SheddingKey, ValuesAndDefaults)
{
    EXPECT_FALSE(ReadShedding("").job.shedding.on);
    EXPECT_FALSE(ReadShedding(", shedding: off").job.shedding.on);
    const SheddingSpec some = ReadShedding(", sync: bsp, shedding: {lag: 0.1}").job.shedding;
    EXPECT_TRUE(some.on);
    EXPECT_EQ(some.checks, 100U);
    EXPECT_EQ(some.lag, 0.1);
    EXPECT_EQ(some.share, 0.025);
    EXPECT_EQ(some.cost, Time(0));
    const SheddingSpec all =
        ReadShedding(", sync: {ssp: 2}, shedding: {checks: 50, lag: 0, share: 0.1, cost: 20us}")
            .job.shedding;
    EXPECT_EQ(all.checks, 50U);
    EXPECT_EQ(all.lag, 0);
    EXPECT_EQ(all.share, 0.1);
    EXPECT_EQ(all.cost, MicroSeconds(20));
}

TEST_P(SheddingMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    SheddingMistake,
    testing::Values(
        Mistake{9,
                "  shedding: {}",
                "s.yaml:9:13: job.shedding: found a map with job.sync async; accepted: off, or "
                "job.sync bsp or ssp"},
        Mistake{9,
                "  sync: {backup: 1}\n  shedding: {}",
                "s.yaml:10:13: job.shedding: found a map with job.sync backup; accepted: off, or "
                "job.sync bsp or ssp"},
        Mistake{9,
                "  protocol: push-pull\n  shedding: {}",
                "s.yaml:10:13: job.shedding: found a map with job.protocol push-pull; accepted: "
                "off, or job.protocol run-graph"},
        Mistake{9,
                "  sync: bsp\n  batch_control: cpu\n  shedding: {}",
                "s.yaml:11:13: job.shedding: found a map with job.batch_control cpu; accepted: "
                "off, or job.batch_control off"},
        Mistake{9,
                "  sync: bsp\n  shedding: {}\n  devices: {v100: {launch: 10ms, per_sample: 1ms, "
                "floor: 20ms}}\n  worker_devices: v100",
                "s.yaml:10:13: job.shedding: found a map with 'v100' in job.worker_devices, whose "
                "time does not go by samples; accepted: off, or devices with speed or rate"},
        Mistake{9,
                "  shedding: on",
                "s.yaml:9:13: job.shedding: found \"on\"; accepted: off, or a map of checks, lag, "
                "share and cost"},
        Mistake{9,
                "  shedding: {check: 50}",
                "s.yaml:9:14: job.shedding.check: unknown key 'check'; did you mean 'checks'? "
                "accepted: checks, lag, share, cost"},
        Mistake{9,
                "  shedding: {checks: 0}",
                "s.yaml:9:22: job.shedding.checks: found \"0\"; accepted: an integer from 1 to "
                "1000000"},
        Mistake{9,
                "  shedding: {lag: -0.1}",
                "s.yaml:9:19: job.shedding.lag: found \"-0.1\"; accepted: a number of steps from "
                "0 to 1000"},
        Mistake{9,
                "  shedding: {share: 2.5}",
                "s.yaml:9:21: job.shedding.share: found \"2.5\"; accepted: a number of shares of a "
                "worker's samples from 0 to 1"},
        Mistake{9,
                "  shedding: {cost: 5}",
                "s.yaml:9:20: job.shedding.cost: found \"5\"; accepted: " + TIME_TEXT}));

/// What summary.json says of the scenario can be read again, and means the same.
TEST(SheddingKey, EchoIsAScenario)
{
    const auto echo = [](const std::string& text) {
        return ScenarioToJson(ReadShedding(", sync: bsp, shedding: " + text))["job"]["shedding"]
            .dump();
    };
    EXPECT_EQ(echo("off"), "\"off\"");
    EXPECT_EQ(echo("{lag: 0.5, cost: 20us}"),
              R"({"checks":100,"lag":0.5,"share":0.025,"cost":"20000ns"})");
    EXPECT_EQ(echo(echo("{lag: 0.5, cost: 20us}")), echo("{lag: 0.5, cost: 20us}"));
}

TEST(SheddingKey, RunsGetIt)
{
    EXPECT_FALSE(MakeWorkShedding({}));
    const ScratchFolder folder;
    const Scenario scenario =
        ReadIn(folder, ", sync: bsp, shedding: {checks: 50, lag: 0.5, share: 0.1, cost: 20ms}");
    const auto runs = PrepareCase(PrepareScenario(scenario, false), 1, 0).runs;
    ASSERT_TRUE(runs.front().shedding);
    const auto rules = runs.front().shedding->Create<WorkShedding>();
    EXPECT_EQ(rules->GetChecks(), 50U);
    EXPECT_EQ(rules->GetCost(), 0.02);
    DoubleValue value;
    rules->GetAttribute("Lag", value);
    EXPECT_EQ(value.Get(), 0.5);
    rules->GetAttribute("Share", value);
    EXPECT_EQ(value.Get(), 0.1);
}
