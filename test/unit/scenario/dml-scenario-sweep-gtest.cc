/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Variant = std::vector<std::pair<std::string, std::string>>;

/// A scenario whose last lines are those of the test.
class ScenarioSweep : public testing::Test
{
  protected:
    ScenarioSweep()
    {
        m_folder.Write("p.yaml", "");
    }

    std::vector<Scenario> Read(const std::string& rest,
                               const std::vector<std::string>& overrides = {}) const
    {
        return ReadScenario(Write(rest), overrides);
    }

    std::string ErrorOf(const std::string& rest,
                        const std::vector<std::string>& overrides = {}) const
    {
        const auto file = Write(rest);
        return m_folder.ErrorOf([&] { ReadScenario(file, overrides); });
    }

    /// @return the variants' names
    static std::vector<Variant> NamesOf(const std::vector<Scenario>& scenarios)
    {
        std::vector<Variant> names;
        for (const auto& scenario : scenarios)
        {
            names.push_back(scenario.variant);
        }
        return names;
    }

    ScratchFolder m_folder; //!< of the scenario

  private:
    std::string Write(const std::string& rest) const
    {
        return m_folder.Write("s.yaml", "job: {profile: p.yaml, workers: [1, 2]}\n" + rest);
    }
};

TEST_F(ScenarioSweep, ListsKeysThatMoveTogether)
{
    const auto scenarios = Read("sweep:\n"
                                "  - {network.rate: 1Gbps, job.parameter_servers: 1}\n"
                                "  - {network.rate: 2Gbps, job.parameter_servers: 2}\n"
                                "  - {job.sync: bsp}\n");
    ASSERT_EQ(scenarios.size(), 3U);
    EXPECT_EQ(scenarios[1].network.rate, DataRate("2Gbps"));
    EXPECT_EQ(scenarios[1].job.parameterServers, 2U);
    EXPECT_EQ(scenarios[2].job.parameterServers, 1U);
    EXPECT_EQ(scenarios[2].job.sync.rule, "bsp");
    EXPECT_EQ(NamesOf(scenarios),
              (std::vector<Variant>{{{"network.rate", "1Gbps"}, {"job.parameter_servers", "1"}},
                                    {{"network.rate", "2Gbps"}, {"job.parameter_servers", "2"}},
                                    {{"job.sync", "bsp"}}}));
}

TEST_F(ScenarioSweep, CountsTheWorkersOfHostsOfDifferentSizes)
{
    const std::string jobs = "job: {profile: p.yaml, parameter_servers: 1}\n"
                             "other_jobs: [{profile: p.yaml, workers_per_host: [2, 2]}]\n"
                             "sweep: {job.workers_per_host: [2, [3, 1], [4, 4, 1]]}\n";
    const auto scenarios = ReadScenario(m_folder.Write("hosts.yaml", jobs), {});
    ASSERT_EQ(scenarios.size(), 3U);
    EXPECT_EQ(scenarios[0].job.workers, std::vector<uint32_t>{1}); // the default: one host of 2
    EXPECT_EQ(scenarios[1].job.workers, std::vector<uint32_t>{4});
    EXPECT_EQ(scenarios[2].job.workers, std::vector<uint32_t>{9});
    EXPECT_EQ(scenarios[2].otherJobs.at(0).workers, std::vector<uint32_t>{4});
    EXPECT_EQ(scenarios[2].job.workersPerHost.GetList(), (std::vector<uint32_t>{4, 4, 1}));
}

TEST_F(ScenarioSweep, UnfoldsSweepsOfCases)
{
    // 2 + 2 variants of a grid each, and one case alone
    const auto scenarios = Read("sweep:\n"
                                "  - {network.rate: 1Gbps, sweep: &seeds {seed: [1, 2]}}\n"
                                "  - {network.rate: 2Gbps, sweep: *seeds}\n"
                                "  - sweep: [{job.sync: bsp}]\n");
    EXPECT_EQ(NamesOf(scenarios),
              (std::vector<Variant>{{{"network.rate", "1Gbps"}, {"seed", "1"}},
                                    {{"network.rate", "1Gbps"}, {"seed", "2"}},
                                    {{"network.rate", "2Gbps"}, {"seed", "1"}},
                                    {{"network.rate", "2Gbps"}, {"seed", "2"}},
                                    {{"job.sync", "bsp"}}}));
}

TEST_F(ScenarioSweep, LeadsThroughSingleValuesAndMissingKeys)
{
    for (const std::string base : {"", "network: {topology: star}\n"})
    {
        const auto scenarios = Read(base + "sweep: {job.sync.ssp: [0, 1, 3], job.start: "
                                           "[together, [0s, 1s]]}\n");
        ASSERT_EQ(scenarios.size(), 6U);
        EXPECT_EQ(scenarios[4].job.sync.rule, "ssp");
        EXPECT_EQ(scenarios[4].job.sync.bound, 3U);
        EXPECT_EQ(scenarios[5].job.start.offsets, (std::vector<Time>{Seconds(0), Seconds(1)}));
    }
    // a map beside words
    const auto rules = Read("sweep: {job.sync: [async, bsp, {ssp: 3}]}\n");
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[2].variant, (Variant{{"job.sync", "{ssp: 3}"}}));
    // the short form of a section is a key of the long one, and stays
    const auto tcp = Read("network: {tcp: vegas}\nsweep: {network.tcp.sack: [true, false]}\n");
    ASSERT_EQ(tcp.size(), 2U);
    EXPECT_EQ(tcp[1].network.tcp.variant, "vegas");
    EXPECT_FALSE(tcp[1].network.tcp.sack);
    const auto trunks = Read("network: {topology: dumbbell}\n"
                             "sweep: {network.topology.trunk.rate: [1Gbps, 2Gbps]}\n");
    ASSERT_EQ(trunks.size(), 2U);
    EXPECT_EQ(trunks[1].network.topology.type, "dumbbell");
    EXPECT_EQ(trunks[1].network.topology.trunk.rate, DataRate("2Gbps"));
}

TEST_F(ScenarioSweep, ReachesItemsOfListsAndWholeSections)
{
    const std::string faults = "faults: [{down: 1s, at: 2s}, {down: 1s, at: 9s}]\n";
    for (const std::string key : {"faults.0.at", "\"faults[0].at\""})
    {
        const auto scenarios = Read(faults + "sweep: {" + key + ": [3s, 4s]}\n");
        ASSERT_EQ(scenarios.size(), 2U);
        EXPECT_EQ(scenarios[1].network.faults.at(0).start, Seconds(4));
        EXPECT_EQ(scenarios[1].network.faults.at(1).start, Seconds(9));
    }
    const auto none = Read(faults + "sweep: {faults: [[], [{loss: 0.1}]]}\n");
    ASSERT_EQ(none.size(), 2U);
    EXPECT_TRUE(none[0].network.faults.empty());
    EXPECT_EQ(none[1].network.faults.size(), 1U);
    const auto flows = Read("sweep: {network.background: [[], [{from: worker0, to: worker1, bulk: "
                            "true}]], job.workers: [[2, 3], 4]}\n");
    ASSERT_EQ(flows.size(), 4U);
    EXPECT_EQ(flows[2].network.background.size(), 1U);
    EXPECT_EQ(flows[2].job.workers, (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(flows[3].job.workers, (std::vector<uint32_t>{4}));
    const auto sections =
        Read("transfer: {policy: p3, partition: 4MB}\n"
             "sweep: {transfer: [{policy: fifo}, {policy: p3, partition: 1MB}]}\n");
    ASSERT_EQ(sections.size(), 2U);
    EXPECT_EQ(sections[0].transfer.partition, 0U) << "a value replaces all that was there";
    EXPECT_EQ(sections[1].transfer.partition, 1000000U);
}

TEST_F(ScenarioSweep, LeavesOverriddenKeysOut)
{
    const std::string cases = "sweep:\n"
                              "  - {network.rate: 1Gbps, job.sync.ssp: 1}\n"
                              "  - {network.rate: 2Gbps, job.sync.ssp: 1}\n"
                              "  - {network.rate: 2Gbps, job.sync.ssp: 2}\n";
    // without the rate, the first two are the same
    EXPECT_EQ(NamesOf(Read(cases, {"network.rate=5Gbps"})),
              (std::vector<Variant>{{{"job.sync.ssp", "1"}}, {{"job.sync.ssp", "2"}}}));
    EXPECT_EQ(NamesOf(Read(cases, {"network.rate=5Gbps", "job.sync=bsp"})),
              (std::vector<Variant>{{}}));
    EXPECT_EQ(NamesOf(Read(cases, {"sweep[0].network.rate=3Gbps"})).front().front().second,
              "3Gbps");
    EXPECT_EQ(
        ErrorOf("sweep: [{seed: 1}, {network.rate: 2Gbps}]\n", {"seed=3"}),
        "s.yaml:2:9: sweep: found a case whose keys --set all gives, beside others; accepted: "
        "cases that keep a key");
}

TEST_F(ScenarioSweep, KeepsItsValuesOutOfTheVariants)
{
    // or each of n variants would know the places of n values
    for (const auto& scenario : Read("sweep: {seed: [1, 2, 3]}\n"))
    {
        EXPECT_EQ(scenario.locations.count("sweep"), 0U);
        EXPECT_EQ(scenario.locations.count("sweep.seed[1]"), 0U);
        EXPECT_EQ(scenario.locations.count("seed"), 1U);
    }
}

TEST_F(ScenarioSweep, RefusesCasesThatMakeNoSense)
{
    const std::string accepted =
        "a map of keys and values, such as {network.rate: 1Gbps, network.delay: 1ms}";
    EXPECT_EQ(ErrorOf("sweep: [1]\n"), "s.yaml:2:9: sweep[0]: found \"1\"; accepted: " + accepted);
    EXPECT_EQ(ErrorOf("sweep: [{}]\n"),
              "s.yaml:2:9: sweep[0]: found an empty map; accepted: " + accepted);
    EXPECT_EQ(ErrorOf("sweep: []\n"),
              "s.yaml:2:8: sweep: found an empty list; accepted: cases, each " + accepted);
    EXPECT_EQ(ErrorOf("sweep: [{seed: 1}, {seed: 2}, {seed: 1}]\n"),
              "s.yaml:2:31: sweep: found a case that is there already; accepted: each once");
    EXPECT_EQ(ErrorOf("sweep: [{network.rat: 1Gbps}]\n"),
              "s.yaml:2:10: sweep[0].network.rat: unknown key 'network.rat'; did you mean "
              "'network.rate'? accepted: the path of a key, such as network.rate or job.sync.ssp");
    EXPECT_EQ(
        ErrorOf("sweep: [{output.ops: true}]\n"),
        "s.yaml:2:10: sweep[0].output.ops: found in a sweep; accepted there: keys of one run, "
        "and this one is of the whole study");
    EXPECT_EQ(ErrorOf("sweep: [{network.rate: [1Gbps]}]\n").substr(0, 39),
              "s.yaml:2:24: network.rate: found a list");
    EXPECT_EQ(ErrorOf("sweep: [{job.sync: bsp, sweep: {job.sync.ssp: [1]}}]\n"),
              "s.yaml:2:33: sweep[0].sweep.job.sync.ssp: found together with job.sync; accepted: "
              "keys that do not contain each other");
    EXPECT_EQ(ErrorOf("sweep: [{faults.0: {}, \"faults[0].at\": 1s}]\n"),
              "s.yaml:2:24: sweep[0].faults[0].at: found together with faults.0; accepted: keys "
              "that do not contain each other");
}

} // namespace
