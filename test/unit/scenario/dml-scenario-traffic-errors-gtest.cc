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

const std::string FLOW_TEXT =
    "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on and off (on/off), or with "
    "bytes: SIZE or bulk: true (TCP)";

class TrafficMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(TrafficMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Network,
    TrafficMistake,
    testing::Values(
        Mistake{22,
                "  tcp: {variant: bbr, delayed_ack_timeout: 40ms}",
                "s.yaml:22:44: network.tcp.delayed_ack_timeout: found delayed ACKs with bbr, "
                "which takes those of small messages for a slow path; accepted: 0s with bbr"},
        Mistake{
            22,
            "  tcp: {varian: bbr}",
            "s.yaml:22:9: network.tcp.varian: unknown key 'varian'; did you mean 'variant'? "
            "accepted: variant, sack, timestamps, min_rto, delayed_ack_timeout, "
            "initial_window, send_buffer, receive_buffer, autotuning, gso, trains, small_queues, "
            "window_validation, idle_restart, hystart, rack, ack_jitter"},
        Mistake{22,
                "  tcp: {delayed_ack_timeout: -1ms}",
                "s.yaml:22:30: network.tcp.delayed_ack_timeout: found \"-1ms\"; accepted: " +
                    TIME_TEXT},
        Mistake{22,
                "  tcp: {receive_buffer: 2GB}",
                "s.yaml:22:25: network.tcp.receive_buffer: found \"2GB\"; accepted: a size from "
                "8192 to 1073725440" +
                    SIZE_TEXT},
        Mistake{22,
                "  tcp: {timestamps: 1}",
                "s.yaml:22:21: network.tcp.timestamps: found \"1\"; accepted: true, false"},
        Mistake{23,
                "  background: {from: worker0}",
                "s.yaml:23:15: network.background: found a map; accepted: a list of flows"},
        Mistake{23,
                "  background: [worker0]",
                "s.yaml:23:16: network.background[0]: found \"worker0\"; accepted: " + FLOW_TEXT},
        Mistake{23,
                "  background: [{to: worker0, bulk: true}]",
                "s.yaml:23:16: network.background[0]: found no key from; accepted: " + FLOW_TEXT},
        Mistake{23,
                "  background: [{from: worker0, bulk: true}]",
                "s.yaml:23:16: network.background[0]: found no key to; accepted: " + FLOW_TEXT},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rat: 1Gbps}]",
                "s.yaml:23:41: network.background[0].rat: unknown key 'rat'; did you mean 'rate'? "
                "accepted: from, to, rate, on, off, exponential, bytes, bulk, tcp, start, stop"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Gbps, bulk: true}]",
                "s.yaml:23:16: network.background[0]: found both rate and bulk or bytes; "
                "accepted: " +
                    FLOW_TEXT},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, bulk: false, bytes: 1MB}]",
                "s.yaml:23:47: network.background[0].bulk: found false beside bytes, which only "
                "bulk has; accepted: true, or no bulk"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Gbps, on: 1s}]",
                "s.yaml:23:58: network.background[0].on: found alone, or with bulk; accepted: on "
                "and off together, with rate"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Gbps, off: 1s}]",
                "s.yaml:23:59: network.background[0].off: found alone, or with bulk; accepted: on "
                "and off together, with rate"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, bulk: true, on: 1s, off: 1s}]",
                "s.yaml:23:57: network.background[0].on: found alone, or with bulk; accepted: on "
                "and off together, with rate"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Gbps, on: 10ns, off: 1s}]",
                "s.yaml:23:58: network.background[0].on: found \"10ns\"; accepted: a time with a "
                "unit (ns, us, ms, s, min, h), such as 10us, from 1us to 1000000s in whole "
                "nanoseconds"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Gbps, exponential: true}]",
                "s.yaml:23:67: network.background[0].exponential: found without on and off; "
                "accepted: beside on and off"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, bytes: 0}]",
                "s.yaml:23:48: network.background[0].bytes: found \"0\"; accepted: a size from 1 "
                "to 9223372036854775807" +
                    SIZE_TEXT},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, bulk: true, start: 2s, stop: 2s}]",
                "s.yaml:23:70: network.background[0].stop: found \"2s\"; accepted: a time after "
                "start"},
        Mistake{23,
                "  background: [{from: worker9, to: ps0, bulk: true}]",
                "s.yaml:23:23: network.background[0].from: found 'worker9', no such host in a "
                "cluster of 1 worker; accepted: workerN, psN or one of network.extra_hosts"},
        Mistake{23,
                "  background: [{from: worker0, to: x, bulk: true}]",
                "s.yaml:23:36: network.background[0].to: found 'x', no such host in a cluster of "
                "1 worker; accepted: workerN, psN or one of network.extra_hosts"},
        Mistake{23,
                "  background: [{from: worker0, to: worker0, bulk: true}]",
                "s.yaml:23:16: network.background[0]: found a flow from a host to itself; "
                "accepted: two hosts"},
        Mistake{26,
                "other_jobs: {profile: p.yaml}",
                "s.yaml:26:13: other_jobs: found a map; accepted: a list of jobs"},
        Mistake{26,
                "other_jobs: [p.yaml]",
                "s.yaml:26:14: other_jobs[0]: found \"p.yaml\"; accepted: a map with profile and, "
                "if they differ, workload, scale, workers, workers_per_host, parameter_servers, "
                "placement, "
                "gradient_groups, "
                "all_reduce, sharded, protocol, sync, sampling, start, "
                "step_jitter, tcp, batch_size, devices, worker_devices, server_devices"},
        Mistake{26,
                "other_jobs: [{workers: 1}]",
                "s.yaml:26:14: other_jobs[0].profile: found nothing; accepted: the path of a "
                "profile (a YAML file)"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, workers: [1, 2]}]",
                "s.yaml:26:41: other_jobs[0].workers: found a list of 2; accepted: an integer "
                "from 1 to 100000"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, workers: 0}]",
                "s.yaml:26:41: other_jobs[0].workers: found \"0\"; accepted: an integer from 1 to "
                "100000"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, workres: 1}]",
                "s.yaml:26:32: other_jobs[0].workres: unknown key 'workres'; did you mean "
                "'workers'? accepted: profile, workload, scale, workers, workers_per_host, "
                "parameter_servers, placement, "
                "gradient_groups, all_reduce, sharded, protocol, sync, sampling, start, "
                "step_jitter, tcp, batch_size, devices, worker_devices, server_devices"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, steps: 5}]",
                "s.yaml:26:32: other_jobs[0].steps: unknown key 'steps'; accepted: profile, "
                "workload, scale, workers, workers_per_host, parameter_servers, placement, "
                "gradient_groups, all_reduce, sharded, "
                "protocol, sync, "
                "sampling, "
                "start, step_jitter, tcp, batch_size, devices, worker_devices, server_devices"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, start: [0s], workers: 2}]",
                "s.yaml:26:39: other_jobs[0].start: found a list of 1; accepted: a time for each "
                "of 2 workers"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, sampling: [[0]], workers: 2}]",
                "s.yaml:26:42: other_jobs[0].sampling: found a list of 1; accepted: a list of "
                "sample indices for each of 2 workers"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, placement: {a: 1}}]",
                "s.yaml:26:47: other_jobs[0].placement.a: found \"1\"; accepted: an integer from "
                "0 to 0 (other_jobs[0].parameter_servers is 1)"},
        Mistake{26,
                "other_jobs: [{profile: p.yaml, placement: nearest}]",
                "s.yaml:26:43: other_jobs[0].placement: found \"nearest\"; accepted: greedy, "
                "round-robin, or a map of servers by tensor"}));

} // namespace
