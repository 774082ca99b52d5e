/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-background-flow.h"
#include "ns3/dml-error.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

using namespace ns3::dml;

namespace
{

const std::string PREPARED_PROFILE = "schema: dml-profile/1\n"
                                     "model: test\n"
                                     "batch_size: 1\n"
                                     "tensors: [{name: a, bytes: 1000}]\n"
                                     "ops:\n"
                                     "  - {name: pull/a, kind: pull, tensor: a}\n"
                                     "  - {name: push/a, kind: push, tensor: a, deps: [pull/a]}\n";

/**
 * @param rule of sharing @param servers of the job @param rest further lines of the scenario
 * @return the error of preparing it
 */
std::string
ErrorOf(const std::string& rule, int servers, const std::string& rest)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PREPARED_PROFILE);
    const std::string protocol = servers == 0 ? ", protocol: all-reduce" : "";
    const auto file = folder.Write(
        "s.yaml",
        "job: {profile: p.yaml, workers: [2, 1], parameter_servers: " + std::to_string(servers) +
            protocol + "}\nfair_share: {sharing: " + rule + "}\n" + rest);
    return folder.ErrorOf([&] {
        for (const auto& scenario : ReadScenario(file))
        {
            PrepareScenario(scenario, false);
        }
    });
}

} // namespace

// The routes are those of every replication; only the times of on-off flows are drawn anew, as
// MakeBackgroundFlow() draws them.
TEST(PreparedScenario, ReplicationsShareRoutes)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PREPARED_PROFILE);
    const auto file =
        folder.Write("s.yaml",
                     "job: {profile: p.yaml}\nnetwork:\n  background:\n"
                     "    - {from: ps0, to: worker0, rate: 1Mbps, on: 1s, off: 1s}\n");
    const auto scenario = ReadScenario(file).front();
    const auto prepared = PrepareScenario(scenario, false);
    const auto shared = prepared.GetFairShareNetwork(1);
    EXPECT_EQ(prepared.GetFairShareNetwork(1), shared) << "made once";
    for (const uint32_t replication : {0U, 3U})
    {
        const auto network = prepared.MakeFairShareNetwork(1, replication);
        EXPECT_EQ(network.background.at(0).replication, replication);
        EXPECT_EQ(network.links.flows.at(0).forward, shared->links.flows.at(0).forward);
    }
    const auto draw = [&](uint32_t index, uint32_t replication) {
        const auto& spec = scenario.network.background.front();
        BackgroundFlow flow = MakeBackgroundFlow(spec, index, scenario.seed, replication);
        flow.exponential = true;
        return OnOffTimes(flow).Next();
    };
    EXPECT_EQ(draw(0, 3), draw(0, 3));
    EXPECT_NE(draw(0, 0), draw(0, 3));
    EXPECT_NE(draw(0, 0), draw(1, 0));
}

TEST(PreparedScenario, RulesThatFitAreTaken)
{
    const std::string background =
        "network: {background: [{from: ps0, to: worker0, bulk: true}]}\n";
    const std::string fault = "faults: [{down: 1s, link: worker0}]\n";
    for (const int servers : {1, 2, 3})
    {
        for (const char* rule : {"auto", "max-min", "fifo"})
        {
            EXPECT_EQ(ErrorOf(rule, servers, background + fault), "no error");
        }
        EXPECT_EQ(ErrorOf("equal", servers, "faults: [{down: 1s, link: ps0}]\n"), "no error");
    }
    EXPECT_EQ(ErrorOf("two-ps", 2, "faults: [{loss: 0.1}]\n"), "no error");
}

TEST(PreparedScenario, RulesThatDoNotFitAreRefused)
{
    const std::string background =
        "network: {background: [{from: ps0, to: worker0, bulk: true}]}\n";
    const std::string equal = "s.yaml:2:23: fair_share.sharing: found 'equal' with ";
    const std::string another = "; accepted: another sharing rule, such as max-min";
    EXPECT_EQ(ErrorOf("equal", 1, background), equal + "background flows" + another);
    EXPECT_EQ(ErrorOf("equal", 1, "faults: [{down: 1s, link: worker0}]\n"),
              equal + "a change of a link that is no server's" + another);
    for (const char* slow : {"hosts: {worker0: {rate: 100Mbps}}",
                             "hosts: {worker0: {rate: {up: 100Mbps, down: 10Gbps}}}",
                             "topology: {type: dumbbell, trunk: {rate: 500Mbps}}"})
    {
        EXPECT_EQ(ErrorOf("equal", 1, "network: {rate: 1Gbps, " + std::string(slow) + "}\n"),
                  equal + "a link that is slower than a server's" + another);
    }
    EXPECT_EQ(ErrorOf("equal", 1, "network: {rate: 1Gbps, hosts: {ps0: {rate: 100Mbps}}}\n"),
              "no error");
    EXPECT_EQ(ErrorOf("equal", 0, ""), equal + "workers that send to each other" + another);
    const std::string twoPs = "s.yaml:2:23: fair_share.sharing: found 'two-ps' with ";
    const std::string star = "; accepted: a star of two parameter servers with equal links and "
                             "nothing else on it, or the rule max-min";
    for (const auto& [servers, rest, found] :
         {std::tuple{0, std::string(), "workers that send to each other"},
          std::tuple{1, std::string(), "1 parameter servers"},
          std::tuple{3, std::string(), "3 parameter servers"},
          std::tuple{2, background, "background flows"},
          std::tuple{2, std::string("faults: [{down: 1s}]\n"), "a link that changes its rate"},
          std::tuple{2,
                     std::string("network: {hosts: {ps1: {rate: 2Gbps}}}\n"),
                     "links of different rates"},
          std::tuple{2, std::string("network: {colocate: {ps0: worker0}}\n"), "another topology"},
          std::tuple{2, std::string("network: {topology: dumbbell}\n"), "another topology"}})
    {
        EXPECT_EQ(ErrorOf("two-ps", servers, rest), twoPs + found + star);
    }
}

// Bursts of a connection keep their order: what spreads them is told by its name, a class too.
TEST(PreparedScenario, BurstsAreNotSpreadOverPaths)
{
    const std::string fabric =
        "network: {topology: {type: leaf-spine, leaves: 2, spines: 2}, multipath: ";
    const std::string refusal = "s.yaml:2:23: fair_share.sharing: found 'bursts' with "
                                "network.multipath ";
    const std::string accepted = "; accepted: none or ecmp, which keep bursts of a connection in "
                                 "order";
    EXPECT_EQ(ErrorOf("bursts", 1, fabric + "{spray: packet}}\n"), refusal + "spray" + accepted);
    EXPECT_EQ(ErrorOf("bursts", 1, fabric + "{type: \"ns3::dml::SprayMultipath\"}}\n"),
              refusal + "ns3::dml::SprayMultipath" + accepted);
    EXPECT_EQ(ErrorOf("bursts", 1, fabric + "ecmp}\n"), "no error");
}

// A queue disc of ns-3 has no model without packets: the error names the key that chooses it.
TEST(PreparedScenario, AQueueWithoutAModelIsToldByItsKey)
{
    const std::string codel = "queue: {type: \"ns3::CoDelQueueDisc\"}";
    for (const auto& [network, key] :
         {std::pair{codel, "network.queue"},
          std::pair{"host_" + codel, "network.host_queue"},
          std::pair{"hosts: {worker0: {" + codel + "}}", "network.hosts.worker0.queue"},
          std::pair{"topology: {type: dumbbell, trunk: {" + codel + "}}",
                    "network.topology.trunk.queue"}})
    {
        const ScratchFolder folder;
        folder.Write("p.yaml", PREPARED_PROFILE);
        const auto file =
            folder.Write("s.yaml", "job: {profile: p.yaml}\nnetwork: {" + network + "}\n");
        const auto prepared = PrepareScenario(ReadScenario(file).front(), false);
        try
        {
            prepared.GetFairShareNetwork(1);
            ADD_FAILURE() << key;
        }
        catch (const KeyError& error)
        {
            EXPECT_EQ(error.GetKey(), key);
        }
    }
}
