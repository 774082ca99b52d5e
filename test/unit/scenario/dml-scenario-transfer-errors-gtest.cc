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

const std::string GROUPS =
    "{bytes: SIZE}, {count: N}, {layers: N}, {ddp: SIZE, first: SIZE}, {horovod: {cycle: TIME, "
    "threshold: SIZE, "
    "...}}, a list of lists of names of tensors, profile, auto, or off";

class TransferMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(TransferMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    FlowControl,
    TransferMistake,
    testing::Values(
        Mistake{
            14,
            "transfer: {policy: tick}",
            "s.yaml:14:20: transfer.policy: found \"tick\"; did you mean 'tic'? accepted: "
            "http2-window, frame-by-frame, fifo, tic, tac, reverse, random, shuffled, explicit, "
            "p3, bytescheduler, prophet, or {type: TYPEID, ...}"},
        Mistake{
            14,
            "transfer: {window: 0}",
            "s.yaml:14:20: transfer.window: found \"0\"; accepted: a size from 1 to 2147483647" +
                SIZE_TEXT + ", or off"},
        Mistake{14,
                "transfer: {window: -28MB}",
                "s.yaml:14:20: transfer.window: found \"-28MB\"; accepted: a size from 1 to "
                "2147483647" +
                    SIZE_TEXT + ", or off"},
        Mistake{14,
                "transfer: {window: 28 megs}",
                "s.yaml:14:20: transfer.window: found \"28 megs\"; accepted: a size from 1 to "
                "2147483647" +
                    SIZE_TEXT + ", or off"},
        Mistake{
            14,
            "transfer: {window: 2GiB}",
            "s.yaml:14:20: transfer.window: found \"2GiB\"; accepted: a size from 1 to 2147483647" +
                SIZE_TEXT + ", or off"},
        Mistake{14,
                "transfer: {window: [4MB, 32MB]}",
                "s.yaml:14:20: transfer.window: found a list of 2; accepted: a size from 1 to "
                "2147483647" +
                    SIZE_TEXT + ", or off" +
                    "; to sweep it, name it under sweep: {transfer.window: [...]}"},
        Mistake{14,
                "transfer: {window: {min: 4MB}}",
                "s.yaml:14:20: transfer.window: found a map without max; accepted: a size, "
                "{min: SIZE, max: SIZE}, or {default: SIZE, connections: [...]}"},
        Mistake{14,
                "transfer: {window: {max: 4MB}}",
                "s.yaml:14:20: transfer.window: found a map without min; accepted: a size, "
                "{min: SIZE, max: SIZE}, or {default: SIZE, connections: [...]}"},
        Mistake{
            14,
            "transfer: {window: {min: 5MB, max: 4MB}}",
            "s.yaml:14:36: transfer.window.max: found \"4MB\"; accepted: a size from 5000000 to "
            "2147483647" +
                SIZE_TEXT},
        Mistake{14,
                "transfer: {window: {min: 5MB, most: 6MB}}",
                "s.yaml:14:31: transfer.window.most: unknown key 'most'; accepted: min, max, "
                "default, connections"},
        Mistake{14,
                "transfer: {rejoin: middle}",
                "s.yaml:14:20: transfer.rejoin: found \"middle\"; accepted: end, start"},
        Mistake{14,
                "transfer: {policy: fifo, rejoin: start}",
                "s.yaml:14:34: transfer.rejoin: found 'start'; accepted: end, unless "
                "transfer.policy is http2-window, or sets an order before a transfer.window"},
        Mistake{
            14,
            "transfer: {grant: bdp, window: 33MiB}",
            "s.yaml:14:32: transfer.window: found \"34603008\"; accepted: at most 33554432 with "
            "transfer.grant bdp, where it is what connections start with"},
        Mistake{14,
                "transfer: {window_rule: three-turns}",
                "s.yaml:14:25: transfer.window_rule: found \"three-turns\"; did you mean "
                "'two-turns'? accepted: two-turns, every-window"},
        Mistake{
            14,
            "transfer: {grant: bpd}",
            "s.yaml:14:19: transfer.grant: found \"bpd\"; did you mean 'bdp'? accepted: message, "
            "consume, capped, bdp"},
        Mistake{14,
                "transfer: {policy: tic, rejoin: start}",
                "s.yaml:14:33: transfer.rejoin: found 'start'; accepted: end, unless "
                "transfer.policy is http2-window, or sets an order before a transfer.window"},
        Mistake{
            14,
            "transfer: {policy: tic, grant: bdp}",
            "s.yaml:14:32: transfer.grant: found 'bdp' with flow control off; accepted: another "
            "grant, or a transfer.window for bdp to start with"},
        Mistake{14,
                "transfer: {policy: prophet, window: 28MB}",
                "s.yaml:14:37: transfer.window: found a window with transfer.policy prophet; "
                "accepted: off, or none: slices are its flow control"},
        Mistake{14,
                "transfer: {window: {min: off, max: 4MB}}",
                "s.yaml:14:26: transfer.window.min: found \"off\"; accepted: a size from 1 to "
                "2147483647" +
                    SIZE_TEXT}));

INSTANTIATE_TEST_SUITE_P(
    Transport,
    TransferMistake,
    testing::Values(
        Mistake{
            14,
            "transfer: {transport: tpc}",
            "s.yaml:14:23: transfer.transport: found \"tpc\"; did you mean 'tcp'? accepted: grpc, "
            "tcp"},
        Mistake{14,
                "transfer: {transport: tcp, sockets: 0}",
                "s.yaml:14:37: transfer.sockets: found \"0\"; accepted: an integer from 1 to 64"},
        Mistake{14,
                "transfer: {transport: tcp, sockets: 65}",
                "s.yaml:14:37: transfer.sockets: found \"65\"; accepted: an integer from 1 to 64"},
        Mistake{14,
                "transfer: {sockets: 4}",
                "s.yaml:14:21: transfer.sockets: found the key with transfer.transport grpc; "
                "accepted: it with tcp"},
        Mistake{14,
                "transfer: {transport: tcp, window: 28MB}",
                "s.yaml:14:36: transfer.window: found the key with transfer.transport tcp; "
                "accepted: it with grpc: TCP alone holds back senders"},
        Mistake{14,
                "transfer: {transport: tcp, window: {min: 4MB, max: 8MB}}",
                "s.yaml:14:36: transfer.window: found the key with transfer.transport tcp; "
                "accepted: it with grpc: TCP alone holds back senders"},
        Mistake{14,
                "transfer: {grant: bdp, transport: tcp}",
                "s.yaml:14:19: transfer.grant: found the key with transfer.transport tcp; "
                "accepted: it with grpc: TCP alone holds back senders"},
        Mistake{14,
                "transfer: {transport: tcp, window_rule: every-window}",
                "s.yaml:14:41: transfer.window_rule: found the key with transfer.transport tcp; "
                "accepted: it with grpc: TCP alone holds back senders"},
        Mistake{14,
                "transfer: {transport: tcp, rejoin: start}",
                "s.yaml:14:36: transfer.rejoin: found 'start'; accepted: end, unless "
                "transfer.policy is http2-window, or sets an order before a transfer.window"}));

INSTANTIATE_TEST_SUITE_P(
    Order,
    TransferMistake,
    testing::Values(
        Mistake{14,
                "transfer: {policy: explicit}",
                "s.yaml:14:11: transfer.order: found nothing with transfer.policy explicit; "
                "accepted: a list of names of tensors, first one first"},
        Mistake{14,
                "transfer: {policy: explicit, order: a.weight}",
                "s.yaml:14:37: transfer.order: found \"a.weight\"; accepted: a list of names of "
                "tensors, first one first"},
        Mistake{14,
                "transfer: {policy: explicit, order: []}",
                "s.yaml:14:37: transfer.order: found an empty list; accepted: a list of names of "
                "tensors, first one first"},
        Mistake{14,
                "transfer: {policy: explicit, order: [a, [b]]}",
                "s.yaml:14:41: transfer.order[1]: found a list of 1; accepted: the name of a "
                "tensor"},
        Mistake{14,
                "transfer: {policy: tic, order: [a]}",
                "s.yaml:14:32: transfer.order: found the key with transfer.policy tic; accepted: "
                "it with explicit"}));

INSTANTIATE_TEST_SUITE_P(
    Slices,
    TransferMistake,
    testing::Values(
        Mistake{14,
                "transfer: {partition: 0B}",
                "s.yaml:14:23: transfer.partition: found \"0B\"; accepted: a size from 1 to "
                "1000000000000" +
                    SIZE_TEXT + ", or off"},
        Mistake{14,
                "transfer: {partition: none}",
                "s.yaml:14:23: transfer.partition: found \"none\"; accepted: a size from 1 to "
                "1000000000000" +
                    SIZE_TEXT + ", or off"},
        Mistake{14,
                "transfer: {policy: bytescheduler, credit: 0}",
                "s.yaml:14:43: transfer.credit: found \"0\"; accepted: a size from 1 to "
                "1000000000000" +
                    SIZE_TEXT},
        Mistake{
            14,
            "transfer: {policy: p3, credit: 4MB}",
            "s.yaml:14:32: transfer.credit: found the key with transfer.policy p3; accepted: it "
            "with bytescheduler"},
        Mistake{14,
                "transfer: {policy: tac, slice_overhead: 1ms}",
                "s.yaml:14:41: transfer.slice_overhead: found the key with transfer.policy tac; "
                "accepted: it with p3, bytescheduler or prophet"},
        Mistake{14,
                "transfer: {policy: p3, slice_overhead: 1}",
                "s.yaml:14:40: transfer.slice_overhead: found \"1\"; accepted: " + TIME_TEXT},
        Mistake{14,
                "transfer: {policy: p3, monitor: 5s}",
                "s.yaml:14:33: transfer.monitor: found the key with transfer.policy p3; accepted: "
                "it with prophet"},
        Mistake{14,
                "transfer: {policy: prophet, monitor: 5}",
                "s.yaml:14:38: transfer.monitor: found \"5\"; accepted: " + TIME_TEXT},
        Mistake{14,
                "transfer: {policy: p3, crdit: 4MB}",
                "s.yaml:14:24: transfer.crdit: unknown key 'crdit'; did you mean 'credit'? "
                "accepted: transport, sockets, policy, order, rejoin, window, window_rule, grant, "
                "partition, credit, "
                "slice_overhead, monitor"}));

INSTANTIATE_TEST_SUITE_P(
    Protocol,
    TransferMistake,
    testing::Values(
        Mistake{9,
                "  gradient_groups: 4MB",
                "s.yaml:9:20: job.gradient_groups: found \"4MB\"; accepted: " + GROUPS},
        Mistake{9,
                "  gradient_groups: {}",
                "s.yaml:9:20: job.gradient_groups: found none of bytes, count, layers, ddp and "
                "horovod; "
                "accepted: " +
                    GROUPS},
        Mistake{9,
                "  gradient_groups: {bytes: 4MB, count: 3}",
                "s.yaml:9:20: job.gradient_groups: found both bytes and count; accepted: " +
                    GROUPS},
        Mistake{9,
                "  gradient_groups: {bytes: 4MB, first: 1MB}",
                "s.yaml:9:20: job.gradient_groups: found first without ddp; accepted: " + GROUPS},
        Mistake{9,
                "  gradient_groups: {ddp: 4MB, count: 3}",
                "s.yaml:9:20: job.gradient_groups: found both count and ddp; accepted: " + GROUPS},
        Mistake{9,
                "  gradient_groups: {size: 4MB}",
                "s.yaml:9:21: job.gradient_groups.size: unknown key 'size'; accepted: bytes, "
                "count, layers, ddp, first, find_unused, horovod"},
        Mistake{9,
                "  gradient_groups: {horovod: 1ms}",
                "s.yaml:9:30: job.gradient_groups.horovod: found \"1ms\"; accepted: a map of "
                "cycle, threshold, cache and waits, which may be empty"},
        Mistake{9,
                "  gradient_groups: {horovod: {cycel: 1ms}}",
                "s.yaml:9:31: job.gradient_groups.horovod.cycel: unknown key 'cycel'; did you mean "
                "'cycle'? accepted: cycle, threshold, cache, waits"},
        Mistake{
            9,
            "  gradient_groups: {horovod: {cycle: 0s}}",
            "s.yaml:9:38: job.gradient_groups.horovod.cycle: found \"0s\"; accepted: a time with a "
            "unit (ns, us, ms, s, min, h), such as 10us, from 1us to 1000000s in whole "
            "nanoseconds"},
        Mistake{9,
                "  gradient_groups: {ddp: 4MB, find_unused: true}",
                "s.yaml:9:20: job.gradient_groups: found find_unused with job.protocol run-graph; "
                "accepted: find_unused with all-reduce, or another rule"},
        Mistake{9,
                "  gradient_groups: {ddp: 4MB, find_unused: maybe}",
                "s.yaml:9:44: job.gradient_groups.find_unused: found \"maybe\"; accepted: "
                "true, false"},
        Mistake{9,
                "  gradient_groups: {bytes: 4MB, find_unused: true}",
                "s.yaml:9:20: job.gradient_groups: found find_unused without ddp; accepted: " +
                    GROUPS},
        Mistake{9,
                "  gradient_groups: {horovod: {}}",
                "s.yaml:9:20: job.gradient_groups: found horovod with job.protocol run-graph; "
                "accepted: horovod with all-reduce, or another rule"},
        Mistake{9,
                "  gradient_groups: {bytes: 0}",
                "s.yaml:9:28: job.gradient_groups.bytes: found \"0\"; accepted: a size from 1 to "
                "1000000000000" +
                    SIZE_TEXT},
        Mistake{9,
                "  gradient_groups: {count: 0}",
                "s.yaml:9:28: job.gradient_groups.count: found \"0\"; accepted: an integer from 1 "
                "to 4294967294"},
        Mistake{9,
                "  gradient_groups: []",
                "s.yaml:9:20: job.gradient_groups: found an empty list; accepted: " + GROUPS},
        Mistake{
            9,
            "  gradient_groups: [a.weight]",
            "s.yaml:9:21: job.gradient_groups[0]: found \"a.weight\"; accepted: a list of names "
            "of tensors"},
        Mistake{
            9,
            "  gradient_groups: [[a.weight], []]",
            "s.yaml:9:33: job.gradient_groups[1]: found an empty list; accepted: the name of at "
            "least one tensor"},
        Mistake{
            9,
            "  protocol: pushpull",
            "s.yaml:9:13: job.protocol: found \"pushpull\"; did you mean 'push-pull'? accepted: "
            "run-graph, push-pull, all-reduce, sharded, or {type: TYPEID, ...}"},
        Mistake{9,
                "  protocol: push-pull\n  sync: async",
                "s.yaml:10:9: job.sync: found async with job.protocol push-pull; accepted: bsp, or "
                "another protocol"}));

/// Values of one policy do not keep a sweep, or --set, from trying the others.
TEST(TransferMistakes, KeysOfAnotherPolicyMayStandBesideASweepOfPolicies)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const std::string keys = "credit: 8MB, monitor: 1s, order: [a], slice_overhead: 1ms";
    const auto sweep = folder.Write("sweep.yaml",
                                    "job: {profile: p.yaml}\ntransfer: {" + keys +
                                        "}\nsweep: {transfer.policy: [fifo, p3, prophet, tic]}\n");
    EXPECT_EQ(folder.ErrorOf([&] { ReadScenario(sweep); }), "no error");
    const auto one = folder.Write("one.yaml",
                                  "job: {profile: p.yaml}\n"
                                  "transfer: {policy: bytescheduler, credit: 8MB}\n");
    EXPECT_EQ(folder.ErrorOf([&] { ReadScenario(one, {"transfer.policy=p3"}); }), "no error");
    EXPECT_EQ(folder.ErrorOf([&] { ReadScenario(one, {"transfer.monitor=1s"}); }),
              "--set transfer.monitor=1s: transfer.monitor: found the key with transfer.policy "
              "bytescheduler; accepted: it with prophet");
}

} // namespace
