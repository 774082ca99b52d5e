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

/// Keys behind `protocol: sharded`, and the error that they give.
struct ShardedMistake
{
    std::string keys;  //!< from line 5 on
    std::string error; //!< behind the name of the file
};

std::ostream&
operator<<(std::ostream& stream, const ShardedMistake& mistake)
{
    return stream << mistake.keys;
}

class ShardedKeysTest : public testing::TestWithParam<ShardedMistake>
{
};

const std::string SHARDED_JOB = "job:\n  profile: p.yaml\n  workers: 6\n  protocol: sharded\n";

std::string
ErrorOfSharded(const std::string& text)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write("s.yaml", text);
    return folder.ErrorOf([&] { ReadScenario(file); });
}

TEST_P(ShardedKeysTest, AreRefusedWithTheirPlace)
{
    EXPECT_EQ(ErrorOfSharded(SHARDED_JOB + GetParam().keys), "s.yaml:" + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes,
    ShardedKeysTest,
    testing::Values(
        ShardedMistake{"  sharded: 3",
                       "5:12: job.sharded: found \"3\"; accepted: a map of stage, "
                       "reshard_after_forward, backward_prefetch, limit_all_gathers and hybrid"},
        ShardedMistake{"  sharded: {stage: 4}",
                       "5:20: job.sharded.stage: found \"4\"; accepted: an integer from 1 to 3"},
        ShardedMistake{"  sharded: {backward_prefetch: before}",
                       "5:32: job.sharded.backward_prefetch: found \"before\"; accepted: pre, "
                       "post, none"},
        ShardedMistake{"  sharded: {limit_all_gathers: -1}",
                       "5:32: job.sharded.limit_all_gathers: found \"-1\"; accepted: an integer "
                       "from 0 to 1000000"},
        ShardedMistake{"  sharded: {stage: 2, backward_prefetch: pre}",
                       "5:42: job.sharded.backward_prefetch: found the key with stage 2, in which "
                       "parameters are on all workers; accepted: it with stage 3"},
        ShardedMistake{"  sharded: {stage: 1, reshard_after_forward: true}",
                       "5:46: job.sharded.reshard_after_forward: found the key with stage 1, in "
                       "which parameters are on all workers; accepted: it with stage 3"},
        ShardedMistake{"  sharded: {stage: 1, limit_all_gathers: 2}",
                       "5:42: job.sharded.limit_all_gathers: found the key with stage 1, in which "
                       "parameters are on all workers; accepted: it with stage 3"},
        ShardedMistake{"  all_reduce: {algorithm: tree}",
                       "5:27: job.all_reduce.algorithm: found 'tree' with job.protocol sharded, "
                       "which has no reduce-scatter and no all-gather; accepted: ring, "
                       "halving-doubling, auto, or a class that has them"},
        ShardedMistake{"  all_reduce: {barrier: false}",
                       "5:25: job.all_reduce.barrier: found false with job.protocol sharded, whose "
                       "updates wait for all gradients; accepted: true, or job.protocol "
                       "all-reduce"},
        ShardedMistake{"  all_reduce: {on_crash: {rebuild: 1s}}",
                       "5:26: job.all_reduce.on_crash: found {rebuild: DURATION} with job.protocol "
                       "sharded, whose shards are gone with the worker that had them; accepted: "
                       "stop, or job.protocol all-reduce"},
        ShardedMistake{"faults: [{crash: worker1, at: 1s, rejoin: 1s}]",
                       "5:18: faults[0].crash: found a crash with rejoin and job.protocol sharded, "
                       "whose workers stop with it; accepted: a crash for good, or another "
                       "protocol"},
        ShardedMistake{"  gradient_groups: {horovod: {}}",
                       "5:20: job.gradient_groups: found horovod with job.protocol sharded; "
                       "accepted: horovod with all-reduce, or another rule"},
        ShardedMistake{"  gradient_groups: {ddp: 1MB, find_unused: true}",
                       "5:20: job.gradient_groups: found find_unused with job.protocol sharded; "
                       "accepted: find_unused with all-reduce, or another rule"},
        ShardedMistake{"  batch_control: cpu",
                       "5:18: job.batch_control: found 'cpu' with job.protocol sharded and stage "
                       "3, in which no worker computes without waiting for parameters of others, "
                       "so that its own speed is not known; accepted: off, or stage 1 or 2"},
        ShardedMistake{"transfer: {partition: 1MB}",
                       "5:23: transfer.partition: found a size with job.protocol sharded, whose "
                       "units are cut into shards; accepted: off; job.gradient_groups says what a "
                       "unit is"},
        ShardedMistake{"transfer: {policy: p3}",
                       "5:20: transfer.policy: found 'p3' with job.protocol sharded, where workers "
                       "start collectives in one fixed order; accepted: http2-window, fifo, or a "
                       "protocol with servers"},
        ShardedMistake{"  sharded: {hybrid: true}",
                       "5:21: job.sharded.hybrid: found true, where each worker has a host of its "
                       "own; accepted: false, or job.workers_per_host"},
        ShardedMistake{"  workers_per_host: 4\n  sharded: {hybrid: true}",
                       "6:21: job.sharded.hybrid: found true with 6 workers, of which hosts have 2 "
                       "and 4; accepted: false, or as many workers on each host"},
        ShardedMistake{"  parameter_servers: 1",
                       "5:22: job.parameter_servers: found 1 with job.protocol sharded, which has "
                       "none; accepted: 0, or another protocol"}));

} // namespace

TEST(ShardedJob, KeysAreForTheProtocol)
{
    EXPECT_EQ(ErrorOfSharded("job: {profile: p.yaml, protocol: all-reduce, sharded: {stage: 1}}\n"),
              "s.yaml:1:55: job.sharded: found the key with job.protocol all-reduce; accepted: it "
              "with sharded");
}

TEST(ShardedJob, HasTheDefaultsOfFullyShardedDataParallel)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto read = [&](const std::string& keys) {
        return ReadScenario(folder.Write("s.yaml", SHARDED_JOB + keys)).front().job;
    };
    const JobSpec job = read("");
    EXPECT_EQ(job.parameterServers, 0U);
    EXPECT_EQ(job.sync.rule, "bsp");
    EXPECT_EQ(job.sharded.stage, 3U);
    EXPECT_TRUE(job.sharded.reshardAfterForward);
    EXPECT_EQ(job.sharded.backwardPrefetch, "pre");
    EXPECT_EQ(job.sharded.limitAllGathers, 2U);
    EXPECT_EQ(job.gradientGroups.rule, "auto");
    EXPECT_EQ(read("  gradient_groups: {layers: 3}").gradientGroups.size, 3U);
    // what is not for stage 1 is there for other values of a sweep
    EXPECT_EQ(read("  sharded: {backward_prefetch: post}\nsweep: {job.sharded.stage: [1, 3]}")
                  .sharded.stage,
              1U);
    EXPECT_EQ(read("  batch_control: cpu\n  sharded: {stage: 2}").batchControl.rule, "cpu");
    EXPECT_TRUE(read("  workers_per_host: 3\n  sharded: {hybrid: true}").sharded.hybrid);
}
