/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Keys behind `protocol: all-reduce`, and the error that they give.
struct AllReduceMistake
{
    std::string keys;  //!< from line 5 on
    std::string error; //!< behind the name of the file
};

std::ostream&
operator<<(std::ostream& stream, const AllReduceMistake& mistake)
{
    return stream << mistake.keys;
}

class AllReduceKeys : public testing::TestWithParam<AllReduceMistake>
{
};

const std::string JOB = "job:\n  profile: p.yaml\n  workers: 3\n  protocol: all-reduce\n";

std::string
ErrorOf(const std::string& text)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml", text);
    return folder.ErrorOf([&] { ReadScenario(file); });
}

TEST_P(AllReduceKeys, AreRefusedWithTheirPlace)
{
    EXPECT_EQ(ErrorOf(JOB + GetParam().keys), "s.yaml:" + GetParam().error);
}

const std::string SERVERS = "a protocol with servers";
const std::string ORDERS =
    "http2-window, fifo, with job.gradient_groups {horovod: {}}, where the first worker decides "
    "for all, p3 or bytescheduler, or a protocol with servers";

INSTANTIATE_TEST_SUITE_P(
    Mistakes,
    AllReduceKeys,
    testing::Values(
        AllReduceMistake{"  all_reduce: ring",
                         "5:15: job.all_reduce: found \"ring\"; accepted: a map of algorithm, "
                         "reduction, concurrent, ranks, barrier, on_crash, slots, chunk and "
                         "root"},
        AllReduceMistake{"  all_reduce: {algorithm: rng}",
                         "5:27: job.all_reduce.algorithm: found \"rng\"; did you mean 'ring'? "
                         "accepted: auto, ring, halving-doubling, recursive-doubling, tree, "
                         "hierarchical, in-network, or {type: TYPEID, ...}"},
        AllReduceMistake{"  all_reduce: {algorithm: in-network, slots: 0}",
                         "5:46: job.all_reduce.slots: found \"0\"; accepted: an integer from 1 to "
                         "4096"},
        AllReduceMistake{"  all_reduce: {algorithm: in-network, chunk: 100B}",
                         "5:46: job.all_reduce.chunk: found \"100B\"; accepted: a size from "
                         "256 to 1000000000 bytes: an integer, or a number with a unit (B, KB, MB, "
                         "GB, KiB, MiB, GiB), such as 28MB"},
        AllReduceMistake{"  all_reduce: {slots: 4}",
                         "5:23: job.all_reduce.slots: found the key with "
                         "job.all_reduce.algorithm ring; accepted: it with in-network"},
        AllReduceMistake{"  all_reduce: {algorithm: tree, chunk: 1MB}",
                         "5:40: job.all_reduce.chunk: found the key with "
                         "job.all_reduce.algorithm tree; accepted: it with in-network"},
        AllReduceMistake{"  all_reduce: {root: switch}",
                         "5:22: job.all_reduce.root: found the key with "
                         "job.all_reduce.algorithm ring; accepted: it with in-network"},
        AllReduceMistake{"  all_reduce: {algorithm: in-network, on_crash: {rebuild: 1s}}",
                         "5:49: job.all_reduce.on_crash: found {rebuild: DURATION} with "
                         "job.all_reduce.algorithm in-network, whose switches would have to learn "
                         "who is left; accepted: stop, or another algorithm"},
        AllReduceMistake{"  all_reduce: {algorithm: in-network, reduction: 1e-9}",
                         "5:50: job.all_reduce.reduction: found a time with "
                         "job.all_reduce.algorithm in-network, where switches add up at the rate "
                         "of their ports, and workers nothing; accepted: 0, or another algorithm"},
        AllReduceMistake{
            "  all_reduce: {algorithm: in-network}\nnetwork: {multipath: ecmp}",
            "6:22: network.multipath: found several paths with job.all_reduce.algorithm "
            "in-network, whose tree has one to each switch; accepted: none, or another "
            "algorithm"},
        AllReduceMistake{"  all_reduce: {algorithm: in-network}\npacket: {fast_forward: true}",
                         "6:24: packet.fast_forward: found true with job.all_reduce.algorithm "
                         "in-network, whose chunks follow each other too closely to be skipped; "
                         "accepted: false, or another algorithm"},
        AllReduceMistake{"  gradient_groups: {horovod: {}}\n  all_reduce: {algorithm: in-network}",
                         "6:27: job.all_reduce.algorithm: found 'in-network' with "
                         "job.gradient_groups horovod, whose buffers have no size before they are "
                         "reduced; accepted: another algorithm, or other gradient_groups"},
        AllReduceMistake{"  all_reduce: {reduction: -1}",
                         "5:27: job.all_reduce.reduction: found \"-1\"; accepted: a number of "
                         "seconds per byte from 0 to 0.001"},
        AllReduceMistake{"  all_reduce: {concurrent: 0}",
                         "5:28: job.all_reduce.concurrent: found \"0\"; accepted: an integer from "
                         "1 to 64"},
        AllReduceMistake{"  all_reduce: {ranks: rack}",
                         "5:23: job.all_reduce.ranks: found \"rack\"; did you mean 'racks'? "
                         "accepted: racks, listed"},
        AllReduceMistake{"  parameter_servers: 2",
                         "5:22: job.parameter_servers: found 2 with job.protocol all-reduce, "
                         "which has none; accepted: 0, or another protocol"},
        AllReduceMistake{"  placement: greedy",
                         "5:14: job.placement: found the key with job.protocol all-reduce, which "
                         "has no servers; accepted: it with others"},
        AllReduceMistake{"  sync: async",
                         "5:9: job.sync: found async with job.protocol all-reduce, in which "
                         "workers wait for each other; accepted: bsp"},
        AllReduceMistake{"  shedding: {checks: 2}",
                         "5:13: job.shedding: found a map with job.protocol all-reduce; accepted: "
                         "off, or " +
                             SERVERS},
        AllReduceMistake{"overhead: {beta: 1e-3}",
                         "5:11: overhead: found parsing with job.protocol all-reduce; accepted: "
                         "no overhead, job.all_reduce.reduction, or " +
                             SERVERS},
        AllReduceMistake{"transfer: {policy: p3}",
                         "5:20: transfer.policy: found 'p3' with job.protocol all-reduce, where "
                         "workers start collectives in one fixed order; accepted: " +
                             ORDERS},
        AllReduceMistake{"  gradient_groups: {horovod: {}}\ntransfer: {policy: tac}",
                         "6:20: transfer.policy: found 'tac' with job.protocol all-reduce, whose "
                         "order is one of pulls, which there are not; accepted: " +
                             ORDERS},
        AllReduceMistake{"  gradient_groups: {horovod: {}}\ntransfer: {policy: prophet}",
                         "6:20: transfer.policy: found 'prophet' with job.protocol all-reduce, "
                         "whose blocks are made for one connection and its rate; accepted: " +
                             ORDERS},
        AllReduceMistake{"transfer: {policy: frame-by-frame}",
                         "5:20: transfer.policy: found 'frame-by-frame' with job.protocol "
                         "all-reduce, whose unit is not a gradient; accepted: " +
                             ORDERS},
        AllReduceMistake{"  gradient_groups: {horovod: {}}\n  all_reduce: {algorithm: auto}",
                         "6:27: job.all_reduce.algorithm: found 'auto' with job.gradient_groups "
                         "horovod, whose buffers have no size before they are reduced; accepted: "
                         "another algorithm, or other gradient_groups"},
        AllReduceMistake{
            "  gradient_groups: {horovod: {}}\n  all_reduce: {on_crash: {rebuild: 1s}}",
            "5:20: job.gradient_groups: found horovod with job.all_reduce.on_crash {rebuild: "
            "DURATION}, where the worker that decides may be gone; accepted: other "
            "gradient_groups, or on_crash stop"},
        AllReduceMistake{"  all_reduce: {algorithm: {type: \"ns3::dml::AutoAllReduce\"}}\n  "
                         "gradient_groups: {horovod: {}}",
                         "5:27: job.all_reduce.algorithm: found 'ns3::dml::AutoAllReduce' with "
                         "job.gradient_groups horovod, whose buffers have no size before they are "
                         "reduced; accepted: another algorithm, or other gradient_groups"},
        AllReduceMistake{
            "  all_reduce: {barrier: false, on_crash: {rebuild: 1s}}",
            "5:25: job.all_reduce.barrier: found false with job.all_reduce.on_crash {rebuild: "
            "DURATION}, which begins again between two steps; accepted: true, or on_crash stop"},
        AllReduceMistake{"  batch_control: cpu\n  all_reduce: {barrier: false}",
                         "5:18: job.batch_control: found 'cpu' with job.protocol all-reduce; "
                         "accepted: off, or job.sync bsp with job.protocol run-graph, or "
                         "all-reduce with a barrier"},
        AllReduceMistake{"faults: [{crash: worker1, at: 1s, rejoin: 1s}]",
                         "5:18: faults[0].crash: found a crash with rejoin and job.protocol "
                         "all-reduce, whose workers stop with it; accepted: a crash for good, or "
                         "job.all_reduce.on_crash {rebuild: DURATION}"},
        AllReduceMistake{"  all_reduce: {on_crash: rebuild}",
                         "5:26: job.all_reduce.on_crash: found \"rebuild\"; accepted: stop, or "
                         "{rebuild: DURATION}"},
        AllReduceMistake{"  all_reduce: {on_crash: {}}",
                         "5:26: job.all_reduce.on_crash: found no rebuild; accepted: stop, or "
                         "{rebuild: DURATION}"},
        AllReduceMistake{"  all_reduce: {on_crash: {rebuild: 0s}}",
                         "5:36: job.all_reduce.on_crash.rebuild: found \"0s\"; accepted: a time "
                         "with a unit (ns, us, ms, s, min, h), such as 10us, from 1us to 1000000s "
                         "in whole nanoseconds"},
        AllReduceMistake{"  all_reduce: {on_crash: {rebuilt: 5s}}",
                         "5:27: job.all_reduce.on_crash.rebuilt: unknown key 'rebuilt'; did you "
                         "mean 'rebuild'? accepted: rebuild"},
        AllReduceMistake{"  all_reduce: {on_crash: {rebuild: 5s}}\n  batch_control: cpu",
                         "6:18: job.batch_control: found 'cpu' with job.all_reduce.on_crash "
                         "{rebuild: DURATION}, where the worker that chooses may be gone; "
                         "accepted: off, or on_crash stop"}));

} // namespace

TEST(AllReduceJob, KeysAreForTheProtocol)
{
    EXPECT_EQ(ErrorOf("job: {profile: p.yaml, all_reduce: {algorithm: ring}}\n"),
              "s.yaml:1:36: job.all_reduce: found the key with job.protocol run-graph; accepted: "
              "it with all-reduce or sharded");
}

TEST(AllReduceJob, HasTheDefaultsOfPyTorch)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto read = [&](const std::string& keys) {
        return ReadScenario(folder.Write("s.yaml", JOB + keys)).front().job;
    };
    const JobSpec job = read("");
    EXPECT_EQ(job.parameterServers, 0U);
    EXPECT_EQ(job.sync.rule, "bsp");
    EXPECT_EQ(job.allReduce.algorithm, "ring");
    EXPECT_EQ(job.gradientGroups.rule, "auto");
    EXPECT_EQ(read("  gradient_groups: off").gradientGroups.rule, "off");
    EXPECT_EQ(read("  gradient_groups: {ddp: 2MB}").gradientGroups.first, 1048576U);
    EXPECT_EQ(read("  gradient_groups: {ddp: 1MB}").gradientGroups.first, 1000000U);
    EXPECT_EQ(read("  parameter_servers: 0\n  sync: bsp").parameterServers, 0U);
}
