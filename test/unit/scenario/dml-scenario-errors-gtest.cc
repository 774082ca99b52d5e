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

class ScenarioMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(ScenarioMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

TEST(ScenarioMistakes, TheScenarioWithoutThemIsValid)
{
    EXPECT_EQ(ScenarioErrorOf({0, "", ""}), "no error");
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    ScenarioMistake,
    testing::Values(
        Mistake{1,
                "nmae: x",
                "s.yaml:1:1: nmae: unknown key 'nmae'; did you mean 'name'? accepted: " + TOP_KEYS},
        Mistake{3,
                "replicatons: 3",
                "s.yaml:3:1: replicatons: unknown key 'replicatons'; did you mean 'replications'? "
                "accepted: " +
                    TOP_KEYS},
        Mistake{1,
                "rate: 1Gbps",
                "s.yaml:1:1: rate: unknown key 'rate'; did you mean 'network.rate'? accepted: " +
                    TOP_KEYS},
        Mistake{
            10,
            "  stpes: 20",
            "s.yaml:10:3: job.stpes: unknown key 'stpes'; did you mean 'steps'? accepted: profile, "
            "workload, scale, workers, workers_per_host, parameter_servers, placement, "
            "gradient_groups, all_reduce, sharded, "
            "protocol, "
            "sync, "
            "batch_control, shedding, steps, "
            "warmup, "
            "sampling, start, "
            "step_jitter, tcp, checkpoint, batch_size, devices, worker_devices, server_devices"},
        Mistake{
            22,
            "  tcp: {mtu: 9000}",
            "s.yaml:22:9: network.tcp.mtu: unknown key 'mtu'; did you mean 'network.mtu'? "
            "accepted: variant, sack, timestamps, min_rto, delayed_ack_timeout, "
            "initial_window, send_buffer, receive_buffer, autotuning, gso, trains, small_queues, "
            "window_validation, idle_restart, hystart, rack, ack_jitter"},
        Mistake{
            27,
            "output: {gif: true}",
            "s.yaml:27:10: output.gif: unknown key 'gif'; accepted: pcap, netanim, flows, trace, "
            "timeline, plots, transfers, links, ops, shares, gradients, versions, connections"},
        Mistake{27,
                "output: {timeline: true}",
                "s.yaml:27:20: output.timeline: found \"true\"; accepted: an integer from 0 to "
                "100000"},
        Mistake{11,
                "  warmup: 5\n  steps: 3",
                "s.yaml:12:3: job.steps: found the key a second time; accepted: each key once "
                "(first given in line 10)"},
        Mistake{24,
                "fair_share: equal",
                "s.yaml:24:13: fair_share: found \"equal\"; accepted: a map with the keys sharing, "
                "one_way_delay, ps_cores, matched"},
        Mistake{24,
                "fair_share:",
                "s.yaml:24:1: fair_share: found nothing; accepted: a map with the keys sharing, "
                "one_way_delay, ps_cores, matched"},
        Mistake{25,
                "packet: [1]",
                "s.yaml:25:9: packet: found a list of 1; accepted: a map with the keys "
                "replications, fast_forward, collapsing_tcp; to sweep it, name it under sweep: "
                "{packet: [...]}"}));

INSTANTIATE_TEST_SUITE_P(
    Job,
    ScenarioMistake,
    testing::Values(
        Mistake{2,
                "seed: 0",
                "s.yaml:2:7: seed: found \"0\"; accepted: an integer from 1 to 4294944442"},
        Mistake{3,
                "replications: 0",
                "s.yaml:3:15: replications: found \"0\"; accepted: an integer from 1 to 100000"},
        Mistake{
            5,
            "  steps_: 1",
            "s.yaml:5:3: job.steps_: unknown key 'steps_'; did you mean 'steps'? accepted: "
            "profile, workload, scale, workers, workers_per_host, parameter_servers, "
            "placement, gradient_groups, "
            "all_reduce, sharded, protocol, "
            "sync, batch_control, shedding, "
            "steps, warmup, sampling, start, "
            "step_jitter, tcp, checkpoint, batch_size, devices, worker_devices, server_devices"},
        Mistake{7,
                "  scale: 0",
                "s.yaml:7:10: job.scale: found \"0\"; accepted: a number above 0, at most 1"},
        Mistake{7,
                "  scale: 2",
                "s.yaml:7:10: job.scale: found \"2\"; accepted: a number of shares of the profile "
                "from 0 to 1"},
        Mistake{5,
                "  profile: none.yaml",
                "s.yaml:5:12: job.profile: found \"none.yaml\", but there is no file none.yaml; "
                "accepted: the path of a profile (a YAML file), relative to the scenario's folder"},
        Mistake{5,
                "",
                "s.yaml:6:3: job.profile: found nothing; accepted: the path of a profile (a YAML "
                "file)"},
        Mistake{6,
                "  workers: []",
                "s.yaml:6:12: job.workers: found an empty list; accepted: an integer from 1 to "
                "100000, or a list of them"},
        Mistake{6,
                "  workers: 4\n  workers_per_host: [2, 1]",
                "s.yaml:6:12: job.workers: found \"4\" beside hosts of 3 workers in all "
                "(job.workers_per_host); accepted: 3, or one number of workers_per_host for all "
                "hosts"},
        Mistake{6,
                "  workers_per_host: [2, 0]",
                "s.yaml:6:25: job.workers_per_host[1]: found \"0\"; accepted: an integer from 1 to "
                "100000"},
        Mistake{6,
                "  workers_per_host: []",
                "s.yaml:6:21: job.workers_per_host: found an empty list; accepted: at least one "
                "number"},
        Mistake{6,
                "  workers_per_host: [60000, 60000]",
                "s.yaml:6:21: job.workers_per_host: found 120000 workers in all; accepted: at most "
                "100000"},
        Mistake{6,
                "  workers: [1, 2, -1]",
                "s.yaml:6:19: job.workers[2]: found \"-1\"; accepted: an integer from 1 to 100000"},
        Mistake{
            6,
            "  workers: 100001",
            "s.yaml:6:12: job.workers: found \"100001\"; accepted: an integer from 1 to 100000"},
        Mistake{6,
                "  workers: [1, [2]]",
                "s.yaml:6:16: job.workers[1]: found a list of 1; accepted: an integer from 1 to "
                "100000"},
        Mistake{6,
                "  workers: [1, 2, 1]",
                "s.yaml:6:19: job.workers[2]: found \"1\" a second time; accepted: each number of "
                "workers once"},
        Mistake{
            7,
            "  parameter_servers: 0",
            "s.yaml:7:22: job.parameter_servers: found 0 with job.protocol run-graph; accepted: an "
            "integer from 1, or the protocol all-reduce or sharded"},
        Mistake{7,
                "  parameter_servers: 1",
                "s.yaml:8:38: job.placement.b.weight: found \"1\"; accepted: an integer from 0 to "
                "0 (job.parameter_servers is 1)"},
        Mistake{8,
                "  placement: greddy",
                "s.yaml:8:14: job.placement: found \"greddy\"; did you mean 'greedy'? accepted: "
                "greedy, round-robin, or a map of servers by tensor"},
        Mistake{8,
                "  placement: {a: one}",
                "s.yaml:8:18: job.placement.a: found \"one\"; accepted: an integer from 0 to 9999"},
        Mistake{
            9,
            "  sync: {ssp: -1}",
            "s.yaml:9:15: job.sync.ssp: found \"-1\"; accepted: an integer from 0 to 100000000"},
        Mistake{
            9,
            "  sync: {ssp: 1, backup: 1}",
            "s.yaml:9:9: job.sync: found both ssp and backup; accepted: async, bsp, {ssp: STEPS}, "
            "{backup: WORKERS}, {type: TYPEID, ...}"},
        Mistake{9,
                "  sync: bps",
                "s.yaml:9:9: job.sync: found \"bps\"; did you mean 'bsp'? accepted: async, bsp, or "
                "{ssp: "
                "STEPS}, {backup: WORKERS}, {type: TYPEID, ...}"},
        Mistake{9,
                "  sync: {backup: 0}",
                "s.yaml:9:18: job.sync.backup: found \"0\"; accepted: an integer from 1 to 99999"},
        Mistake{10,
                "  steps: 5",
                "s.yaml:11:11: job.warmup: found \"5\"; accepted: an integer less than job.steps, "
                "which is 5"},
        Mistake{11,
                "",
                "s.yaml:10:10: job.steps: found \"20\"; accepted: an integer above job.warmup, "
                "which is 50 unless given"},
        Mistake{10,
                "  steps: 1e3",
                "s.yaml:10:10: job.steps: found \"1e3\"; accepted: an integer from 1 to 100000000, "
                "auto, or {auto: TARGET, at_most: STEPS}"},
        Mistake{10,
                "  steps: [10, 20]",
                "s.yaml:10:10: job.steps: found a list of 2; accepted: an integer from 1 to "
                "100000000; to sweep it, name it under sweep: {job.steps: [...]}"},
        Mistake{12,
                "  sampling: [[0], [1]]",
                "s.yaml:12:13: job.sampling: found a list of 2; accepted: a list of sample indices "
                "for each of 4 workers"},
        Mistake{12,
                "  sampling: [[0], [], [1], [2]]",
                "s.yaml:12:19: job.sampling[1]: found an empty list; accepted: at least one sample "
                "index"},
        Mistake{12,
                "  sampling: [0, 1, 2, 3]",
                "s.yaml:12:14: job.sampling[0]: found \"0\"; accepted: a list of sample indices "
                "for each worker"},
        Mistake{12,
                "  sampling: [[0], [x], [1], [2]]",
                "s.yaml:12:20: job.sampling[1][0]: found \"x\"; accepted: an integer from 0 to "
                "4294967294"},
        Mistake{12,
                "  sampling: inorder",
                "s.yaml:12:13: job.sampling: found \"inorder\"; did you mean 'in-order'? accepted: "
                "random, in-order, or a list of sample indices for each worker"},
        Mistake{
            13,
            "  start: [0s, 1s]",
            "s.yaml:13:10: job.start: found a list of 2; accepted: a time for each of 4 workers"},
        Mistake{13,
                "  start: [0s, 1, 2s, 3s]",
                "s.yaml:13:15: job.start[1]: found \"1\"; accepted: " + TIME_TEXT},
        Mistake{13,
                "  start: [0s, -1s, 2s, 3s]",
                "s.yaml:13:15: job.start[1]: found \"-1s\"; accepted: " + TIME_TEXT},
        Mistake{13,
                "  start: []",
                "s.yaml:13:10: job.start: found an empty list; accepted: staggered, together, or a "
                "list of times, one for each worker"},
        Mistake{25,
                "packet: {replications: 4}",
                "s.yaml:25:24: packet.replications: found \"4\"; accepted: an integer from 0 (all) "
                "to replications, which is 3"}));

TEST(ScenarioMistakes, Files)
{
    const ScratchFolder folder;
    const auto error = [&](const std::string& name) {
        return folder.ErrorOf([&] { ReadScenario(folder.GetPath(name)); });
    };
    const std::string accepted = "; accepted: a scenario, a map with the keys job, network, ...";
    EXPECT_EQ(error("none.yaml"),
              "none.yaml: found no such file; accepted: a scenario (a YAML file)");
    folder.Write("study/other.yaml", "");
    EXPECT_EQ(error("study"),
              "study: found a folder without scenario.yaml; accepted: a YAML file, or a folder "
              "that holds scenario.yaml");
    folder.Write("empty.yaml", "");
    EXPECT_EQ(error("empty.yaml"), "empty.yaml:1:1: found nothing" + accepted);
    folder.Write("comment.yaml", "# nothing\n");
    EXPECT_EQ(error("comment.yaml"), "comment.yaml:1:1: found nothing" + accepted);
    folder.Write("list.yaml", "\n- 1\n");
    EXPECT_EQ(error("list.yaml"), "list.yaml:2:1: found a list of 1" + accepted);
    folder.Write("text.yaml", "hello\n");
    EXPECT_EQ(error("text.yaml"), "text.yaml:1:1: found \"hello\"" + accepted);
    folder.Write("binary.yaml",
                 "\x7F"
                 "ELF\x02\x01");
    EXPECT_EQ(error("binary.yaml"),
              "binary.yaml:1:1: found byte 0x7F; accepted: UTF-8 text without control characters");
    folder.Write("nojob.yaml", "seed: 3\n");
    EXPECT_EQ(error("nojob.yaml"),
              "nojob.yaml:1:1: job.profile: found nothing; accepted: the path of a profile (a YAML "
              "file)");
    folder.Write("p.yaml", "");
    folder.Write("wide.yaml",
                 "job: {profile: p.yaml}\nsweep:\n  seed: &v [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n"
                 "  replications: *v\n  job.workers: *v\n  job.parameter_servers: *v\n");
    EXPECT_EQ(error("wide.yaml"),
              "wide.yaml:3:3: sweep: found more than 10000 combinations; accepted: fewer");
}

} // namespace
