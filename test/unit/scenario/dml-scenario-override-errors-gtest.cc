/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-mistake.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

const std::string SWEEPABLE = "the path of a key, such as network.rate or job.sync.ssp";

class SweepMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(SweepMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Sweep,
    SweepMistake,
    testing::Values(
        Mistake{
            28,
            "sweep: 1",
            "s.yaml:28:8: sweep: found \"1\"; accepted: a map of lists, such as "
            "{network.rate: [1Gbps, 10Gbps]}, or a list of maps, such as [{network.rate: 1Gbps, "
            "network.delay: 1ms}]"},
        Mistake{28,
                "sweep: {network.rate: 1Gbps}",
                "s.yaml:28:23: sweep.network.rate: found \"1Gbps\"; accepted: a list of values, "
                "each once"},
        Mistake{28,
                "sweep: {network.rate: []}",
                "s.yaml:28:23: sweep.network.rate: found an empty list; accepted: a list of "
                "values, each once"},
        Mistake{28,
                "sweep: {seed: [1, 2, 1]}",
                "s.yaml:28:22: sweep.seed[2]: found \"1\" a second time; accepted: a list of "
                "values, each once"},
        Mistake{28,
                "sweep: {network.rat: [1Gbps]}",
                "s.yaml:28:9: sweep.network.rat: unknown key 'network.rat'; did you mean "
                "'network.rate'? accepted: " +
                    SWEEPABLE},
        Mistake{28,
                "sweep: {network.rate.low: [1Gbps]}",
                "s.yaml:28:9: network.rate: found a map; accepted: " + RATE_TEXT},
        Mistake{28,
                "sweep: {job.sync.spp: [1]}",
                "s.yaml:28:9: job.sync.spp: unknown key 'spp'; did you mean 'ssp'? accepted: ssp, "
                "backup, type"},
        Mistake{28,
                "sweep: {job.workers.9: [1]}",
                "s.yaml:28:9: job.workers: found a list of 3; accepted: an index less than 3"},
        Mistake{28,
                "sweep: {sweep: [1]}",
                "s.yaml:28:9: sweep.sweep: found in a sweep; accepted there: keys of one run, and "
                "this one is of the whole study"},
        Mistake{28,
                "sweep: {network.rate: [1Gbps, 2GB]}",
                "s.yaml:28:31: network.rate: found \"2GB\"; accepted: " + RATE_TEXT},
        Mistake{28,
                "sweep: {job.steps: [10, 4]}",
                "s.yaml:11:11: job.warmup: found \"5\"; accepted: an integer less than job.steps, "
                "which is 4"},
        Mistake{28,
                "sweep: {network.tcp: [vegas], network.tcp.sack: [true]}",
                "s.yaml:28:31: sweep.network.tcp.sack: found together with network.tcp; accepted: "
                "keys that do not contain each other"}));

// The file's keys may stay when an override chooses something else; what overrides say must fit.
TEST(OverrideMistakes, AreKeysThatGoWithOtherValues)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto error = [&](const std::string& lines, const std::vector<std::string>& overrides) {
        const auto file = folder.Write("s.yaml", "job: {profile: p.yaml, workers: [4]" + lines);
        return folder.ErrorOf([&] { ReadScenario(file, overrides); });
    };
    const std::string ring = ", parameter_servers: 0, protocol: all-reduce, all_reduce: ";
    const std::string chunks = ring + "{algorithm: in-network, slots: 4}}\n";
    EXPECT_EQ(error(chunks, {}), "no error");
    EXPECT_EQ(error(chunks, {"job.all_reduce.algorithm=ring"}), "no error");
    EXPECT_EQ(error(chunks + "sweep: {job.all_reduce.algorithm: [ring, in-network]}\n",
                    {"job.all_reduce.slots=8"}),
              "no error");
    const std::string found = "job.all_reduce.slots: found the key with job.all_reduce.algorithm "
                              "ring; accepted: it with in-network";
    EXPECT_EQ(error(ring + "{algorithm: ring}}\n", {"job.all_reduce.slots=8"}),
              "--set job.all_reduce.slots=8: " + found);
    EXPECT_EQ(error(chunks, {"job.all_reduce={algorithm: ring, slots: 4}"}),
              "--set job.all_reduce={algorithm: ring, slots: 4}: " + found);
    EXPECT_EQ(error("}\n", {"transfer.transport=tcp", "transfer.window=1MB"})
                  .find("--set transfer.window=1MB: transfer.window: found the key with"),
              0u);
}

TEST(OverrideMistakes, AreRefusedWithTheOption)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, workers: [1]}\n"
                                   "sweep: {network.tcp: [vegas, cubic]}\n");
    const auto error = [&](const std::string& text) {
        return folder.ErrorOf([&] { ReadScenario(file, {text}); });
    };
    EXPECT_EQ(error("job.workers=0"),
              "--set job.workers=0: job.workers: found \"0\"; accepted: an integer from 1 to "
              "100000");
    EXPECT_EQ(error("job.workers=[1, x]"),
              "--set job.workers=[1, x]: job.workers[1]: found \"x\"; accepted: an integer from 1 "
              "to 100000");
    EXPECT_EQ(error("job.workers="),
              "--set job.workers=: job.workers: found nothing; accepted: an integer from 1 to "
              "100000, or a list of them");
    EXPECT_EQ(error("network.rat=1Gbps"),
              "--set network.rat=1Gbps: network.rat: unknown key 'rat'; did you mean 'rate'? "
              "accepted: topology, transport, multipath, rate, delay, mtu, token_bucket, queue, "
              "host_queue, hosts, nics_per_host, colocate, local, extra_hosts, tcp, background");
    EXPECT_EQ(error("netwrk.rate=1Gbps"),
              "--set netwrk.rate=1Gbps: netwrk: unknown key 'netwrk'; did you mean 'network'? "
              "accepted: " +
                  TOP_KEYS);
    EXPECT_EQ(error("job.workers[1]=2"),
              "--set job.workers[1]=2: job.workers: found a list of 1; accepted: an index less "
              "than 1");
    EXPECT_EQ(error("job.workers"), "--set job.workers: found no '='; accepted: key.path=value");
    EXPECT_EQ(error("=3"),
              "--set =3: found \"\"; accepted: a key path such as network.rate or job.workers[0]");
    EXPECT_EQ(error("job.workers=[1"),
              "--set job.workers=[1: found invalid YAML (end of sequence flow not found); "
              "accepted: YAML 1.2");
    EXPECT_EQ(error("job={workers: 1, workers: 2}"),
              "--set job={workers: 1, workers: 2}: workers: found the key a second time; accepted: "
              "each key once (first given)");
    EXPECT_EQ(error("name=a\x01"),
              "--set name=a : found bytes that are no text; accepted: UTF-8 text without control "
              "characters");
    EXPECT_EQ(error("job.profile=no.yaml"),
              "--set job.profile=no.yaml: job.profile: found \"no.yaml\", but there is no file "
              "no.yaml; accepted: the path of a profile (a YAML file), relative to the current "
              "folder");
    EXPECT_EQ(error("network.tcp.sack=false"),
              "s.yaml:2:9: sweep.network.tcp: found a sweep that would undo --set "
              "network.tcp.sack; accepted: keys other than those of --set");
    EXPECT_EQ(error("network.mtu=9k"),
              "--set network.mtu=9k: network.mtu: found \"9k\"; accepted: an integer from 576 to "
              "65535");
}

} // namespace
