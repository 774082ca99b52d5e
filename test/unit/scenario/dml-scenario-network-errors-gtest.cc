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

const std::string TIME1 = "a time with a unit (ns, us, ms, s, min, h), such as 10us, from 1000us "
                          "to 1000000s in whole nanoseconds";

const std::string PATHS = "none | ecmp | {ecmp: SEED} | {spray: packet} | {flowlet: DURATION} | "
                          "{type: TYPEID, ...}";

class NetworkMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(NetworkMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Network,
    NetworkMistake,
    testing::Values(
        Mistake{15,
                "overhead: {alpha: -1}",
                "s.yaml:15:19: overhead.alpha: found \"-1\"; accepted: a number of seconds per "
                "byte from 0 to 1"},
        Mistake{15,
                "overhead: {alpha: .nan}",
                "s.yaml:15:19: overhead.alpha: found \".nan\"; accepted: a number of seconds per "
                "byte from 0 to 1"},
        Mistake{15,
                "overhead: {beta: 10us}",
                "s.yaml:15:18: overhead.beta: found \"10us\"; accepted: a number of seconds from 0 "
                "to 1000000"},
        Mistake{15,
                "overhead: {server: {beta: -2}}",
                "s.yaml:15:27: overhead.server.beta: found \"-2\"; accepted: a number of seconds "
                "from 0 to 1000000"},
        Mistake{15,
                "overhead: {server: {gamma: 1}}",
                "s.yaml:15:21: overhead.server.gamma: unknown key 'gamma'; accepted: alpha, beta"},
        Mistake{17,
                "  topology: dumbell",
                "s.yaml:17:13: network.topology: found \"dumbell\"; did you mean 'dumbbell'? "
                "accepted: star, dumbbell, leaf-spine, or a map with the key type, as {type: "
                "explicit, ...}"},
        Mistake{17,
                "  multipath: ECMP",
                "s.yaml:17:14: network.multipath: found \"ECMP\"; accepted: " + PATHS},
        Mistake{17,
                "  multipath: {}",
                "s.yaml:17:14: network.multipath: found an empty map; accepted: one of " + PATHS},
        Mistake{17,
                "  multipath: {ecmp: 1, spray: packet}",
                "s.yaml:17:14: network.multipath: found a map; accepted: one of " + PATHS},
        Mistake{17,
                "  multipath: {emcp: 1}",
                "s.yaml:17:15: network.multipath.emcp: unknown key 'emcp'; did you mean 'ecmp'? "
                "accepted: ecmp, spray, flowlet, type"},
        Mistake{
            17,
            "  multipath: {ecmp: -1}",
            "s.yaml:17:21: network.multipath.ecmp: found \"-1\"; accepted: an integer from 0 to "
            "4294967295"},
        Mistake{17,
                "  multipath: {spray: flow}",
                "s.yaml:17:22: network.multipath.spray: found \"flow\"; accepted: packet"},
        Mistake{17,
                "  multipath: {flowlet: 0s}",
                "s.yaml:17:24: network.multipath.flowlet: found \"0s\"; accepted: a time with a "
                "unit (ns, us, ms, s, min, h), such as 10us, from 1us to 1000000s in whole "
                "nanoseconds"},
        Mistake{18,
                "  rate: 1gbps",
                "s.yaml:18:9: network.rate: found \"1gbps\"; did you mean '1Gbps'? accepted: " +
                    RATE_TEXT},
        Mistake{18,
                "  rate: 0Gbps",
                "s.yaml:18:9: network.rate: found \"0Gbps\"; accepted: " + RATE_TEXT},
        Mistake{18,
                "  rate: 1000000",
                "s.yaml:18:9: network.rate: found \"1000000\"; accepted: " + RATE_TEXT},
        Mistake{18,
                "  rate: [1Gbps, 2Gbps]",
                "s.yaml:18:9: network.rate: found a list of 2; accepted: " + RATE_TEXT +
                    "; to sweep it, name it under sweep: {network.rate: [...]}"},
        Mistake{19,
                "  delay: 10",
                "s.yaml:19:10: network.delay: found \"10\"; accepted: " + TIME_TEXT},
        Mistake{19,
                "  delay: 10MB",
                "s.yaml:19:10: network.delay: found \"10MB\"; accepted: " + TIME_TEXT},
        Mistake{19,
                "  delay: .inf",
                "s.yaml:19:10: network.delay: found \".inf\"; accepted: " + TIME_TEXT},
        Mistake{20,
                "  mtu: 575",
                "s.yaml:20:8: network.mtu: found \"575\"; accepted: an integer from 576 to 65535"},
        Mistake{
            20,
            "  mtu: 65536",
            "s.yaml:20:8: network.mtu: found \"65536\"; accepted: an integer from 576 to 65535"},
        Mistake{21,
                "  queue: {fair: 1MB, red: 1MB}",
                "s.yaml:21:10: network.queue: found a map; accepted: a size, or a map with one of "
                "drop_tail, fair, fq_codel, red, ecn, shared, type"},
        Mistake{21,
                "  queue: {ecn: 1MB}",
                "s.yaml:21:10: network.queue: found an ecn queue without threshold; accepted: "
                "{ecn: SIZE, threshold: SIZE}, the size above which packets are marked"},
        Mistake{21,
                "  queue: {fair: 1MB, mark: true}",
                "s.yaml:21:28: network.queue.mark: found beside another queue than red or "
                "fq_codel; accepted: {red: SIZE, mark: true}, {fq_codel: SIZE, mark: true}"},
        Mistake{21,
                "  queue: {fair: 1MB, whole_bursts: true}",
                "s.yaml:21:36: network.queue.whole_bursts: found beside another queue than "
                "drop_tail or shared; accepted: {drop_tail: SIZE, whole_bursts: true}, {shared: "
                "SIZE, whole_bursts: true}"},
        Mistake{21,
                "  queue: {shared: 0B}",
                "s.yaml:21:19: network.queue.shared: found \"0B\"; accepted: a size from 1 to "
                "4294967295" +
                    SIZE_TEXT},
        Mistake{21,
                "  queue: {shared: 1MB, alpha: 0}",
                "s.yaml:21:31: network.queue.alpha: found \"0\"; accepted: a number above 0, to "
                "1024"},
        Mistake{
            21,
            "  queue: {shared: 1MB, alpha: 2000}",
            "s.yaml:21:31: network.queue.alpha: found \"2000\"; accepted: a number of multiples "
            "of the free bytes from 0 to 1024"},
        Mistake{21,
                "  queue: {drop_tail: 1MB, alpha: 1}",
                "s.yaml:21:34: network.queue.alpha: found beside another queue than shared; "
                "accepted: {shared: SIZE, alpha: NUMBER}"},
        Mistake{
            21,
            "  queue: {shared: 1MB, threshold: 100KB, whole_bursts: true}",
            "s.yaml:21:56: network.queue.whole_bursts: found true beside threshold, above which "
            "single packets are marked; accepted: one of the two"},
        Mistake{21,
                "  queue: {shared: 1MB, threshold: 500KB}",
                "s.yaml:21:10: network.queue: found a threshold of 500000 bytes; accepted: less "
                "than the queue, 500000 bytes"},
        Mistake{21,
                "  queue: {shared: 3000B}",
                "s.yaml:21:10: network.queue: found 3000 shared bytes and alpha 1, of which a port "
                "may hold 1500; accepted: at least one packet, 1518 bytes (network.mtu and 18) for "
                "each port"},
        Mistake{21,
                "  queue: {shared: 4KB}",
                "s.yaml:21:10: network.queue: found 4000 shared bytes and alpha 1, of which "
                "switch->ps0 holds 1000 when all 3 ports of switch that share them are full; "
                "accepted: at least one packet, 1518 bytes (network.mtu and 18) then"},
        Mistake{21,
                "  host_queue: {shared: 1MB}",
                "s.yaml:21:15: network.host_queue: found a shared buffer, which only the ports of "
                "switches have; accepted: a size, or a map with one of drop_tail, fair, fq_codel, "
                "red, ecn"},
        Mistake{21,
                "  queue: {drop_tail: 15KB, whole_bursts: true}",
                "s.yaml:21:10: network.queue: found \"15000\"; accepted: at least one burst of "
                "network.tcp.gso, 16698 bytes with headers, or 0 for a queue that never drops"},
        Mistake{22,
                "  tcp: {trains: true}",
                "s.yaml:21:10: network.queue: found a queue that drops or marks single packets "
                "beside network.tcp.trains; accepted: {drop_tail: SIZE, whole_bursts: true}, the "
                "same with shared, 0B or {fair: 0B}"},
        Mistake{
            22,
            "  tcp: {trains: true, gso: 0B}",
            "s.yaml:22:17: network.tcp.trains: found true beside gso: 0B (as in transport plain "
            "and ideal), sack: false or bbr; accepted: false, or bursts, sack and another "
            "variant"},
        Mistake{21,
                "  queue: 1517",
                "s.yaml:21:10: network.queue: found \"1517\"; accepted: at least one packet, 1518 "
                "bytes (network.mtu and 18), or 0 for a queue that never drops"},
        Mistake{
            22,
            "  tcp: reno",
            "s.yaml:22:8: network.tcp: found \"reno\"; did you mean 'linux-reno'? accepted: "
            "cubic, bbr, dctcp, linux-reno, new-reno, bic, highspeed, htcp, illinois, "
            "scalable, vegas, veno, yeah, or {type: TYPEID, ...} or a map with the key variant"},
        Mistake{22,
                "  tcp: {variant: cubc}",
                "s.yaml:22:18: network.tcp.variant: found \"cubc\"; did you mean 'cubic'? "
                "accepted: cubic, bbr, dctcp, linux-reno, new-reno, bic, highspeed, htcp, "
                "illinois, scalable, vegas, veno, yeah, or {type: TYPEID, ...}"},
        Mistake{22,
                "  tcp: {min_rto: 0s}",
                "s.yaml:22:18: network.tcp.min_rto: found \"0s\"; accepted: " + TIME1},
        Mistake{22,
                "  tcp: {sack: on}",
                "s.yaml:22:15: network.tcp.sack: found \"on\"; accepted: true, false"},
        Mistake{22,
                "  tcp: {initial_window: 0}",
                "s.yaml:22:25: network.tcp.initial_window: found \"0\"; accepted: an integer from "
                "1 to 10000"},
        Mistake{22,
                "  tcp: {send_buffer: 1MB, receive_buffer: 1999999}",
                "s.yaml:22:43: network.tcp.receive_buffer: found \"1999999\"; accepted: at least "
                "twice network.tcp.send_buffer, 2000000 bytes"},
        Mistake{22,
                "  tcp: {send_buffer: 5MB}",
                "s.yaml:22:22: network.tcp.send_buffer: found \"5000000\"; accepted: at most half "
                "of network.tcp.receive_buffer, 4194304 bytes"},
        Mistake{22,
                "  tcp: {send_buffer: 1KB}",
                "s.yaml:22:22: network.tcp.send_buffer: found \"1KB\"; accepted: a size from 4096 "
                "to 536862720" +
                    SIZE_TEXT},
        Mistake{
            23,
            "  background: [{from: a, to: b}]",
            "s.yaml:23:16: network.background[0]: found no rate; accepted: {from: HOST, to: HOST} "
            "with rate: RATE (constant), with rate, on and off (on/off), or with bytes: SIZE "
            "or bulk: true (TCP)"},
        Mistake{26,
                "faults: {loss: 0.1}",
                "s.yaml:26:9: faults: found a map; accepted: a list of faults"},
        Mistake{24,
                "fair_share: {sharing: equa}",
                "s.yaml:24:23: fair_share.sharing: found \"equa\"; did you mean 'equal'? accepted: "
                "auto, equal, max-min, two-ps, drop-tail, fifo, bursts, or {type: TYPEID, ...}"}));

} // namespace
