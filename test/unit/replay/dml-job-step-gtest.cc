/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-job-step.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return an op of a worker
MeanOp
MakeOp(JobOpKind kind, uint32_t worker, uint32_t device, double seconds, uint64_t bytes = 0)
{
    MeanOp mean;
    mean.op.kind = kind;
    mean.op.worker = worker;
    mean.op.device = device;
    mean.op.bytes = bytes;
    mean.seconds = seconds;
    return mean;
}

/// One worker: a pull of 2 s, forward of 3 s, backward of 4 s, push of 5 s, update of 1 s.
JobStep
MakeChain()
{
    JobStep job;
    job.workers = 1;
    job.names = {"x"};
    job.devices = {"worker 0, downlink PS 0",
                   "worker 0, cpu",
                   "worker 0, uplink PS 0",
                   "PS 0, for worker 0"};
    job.ops = {MakeOp(JobOpKind::PULL, 0, 0, 2, 100),
               MakeOp(JobOpKind::FORWARD, 0, 1, 3),
               MakeOp(JobOpKind::BACKWARD, 0, 1, 4),
               MakeOp(JobOpKind::PUSH, 0, 2, 5, 200),
               MakeOp(JobOpKind::UPDATE, 0, 3, 1)};
    job.inStep = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    job.toNext = {{4, 0}};
    return job;
}

} // namespace

TEST(DmlJobStep, ReplaysAChain)
{
    const auto times = ReplaySteps(MakeChain(), 3, ReplayOrder::READY_TIME);
    ASSERT_EQ(times.size(), 1U);
    EXPECT_DOUBLE_EQ(times[0].step, 15);
    EXPECT_DOUBLE_EQ(times[0].forward, 5);
    EXPECT_DOUBLE_EQ(times[0].backward, 4);
}

// A latency delays an op and keeps no device: the forward op begins half a second after the pull.
TEST(DmlJobStep, ALatencyComesOnTop)
{
    JobStep job = MakeChain();
    job.ops[1].latency = 0.5;
    const auto times = ReplaySteps(job, 3, ReplayOrder::READY_TIME);
    EXPECT_DOUBLE_EQ(times[0].step, 15.5);
    EXPECT_DOUBLE_EQ(times[0].forward, 5.5);
}

// The next pull waits for the backward op only: push and update go on beside it, 2 + 3 + 4 s.
TEST(DmlJobStep, StepsMayOverlap)
{
    JobStep job = MakeChain();
    job.toNext = {{2, 0}};
    const auto times = ReplaySteps(job, 5, ReplayOrder::READY_TIME);
    EXPECT_DOUBLE_EQ(times[0].step, 9);
}

// 100 bytes at 50 bytes/s take 2 s, 200 take 4 s.
TEST(DmlJobStep, DaydreamKnowsSizesOnly)
{
    JobStep job = MakeChain();
    job.ops[0].latency = 7;
    job.ops[0].seconds = 9;
    const auto times = ReplaySteps(MakeDaydreamStep(job, 50), 3, ReplayOrder::READY_TIME);
    EXPECT_DOUBLE_EQ(times[0].step, 2 + 3 + 4 + 4 + 1);
}

// A collective of 100 bytes of four workers at 50 bytes/s: 2 * 3/4 * 2 s.
TEST(DmlJobStep, DaydreamsCollective)
{
    JobStep job;
    job.workers = 4;
    job.devices = {"worker 0, collectives"};
    job.ops = {MakeOp(JobOpKind::COLLECTIVE, 0, 0, 1, 100)};
    EXPECT_DOUBLE_EQ(MakeDaydreamStep(job, 50).ops[0].seconds, 3);
}

// Two workers with devices of their own, and an update that waits for both: the slower one's pace.
TEST(DmlJobStep, WorkersWaitForEachOther)
{
    JobStep job;
    job.workers = 2;
    job.devices = {"worker 0, cpu", "worker 1, cpu", "PS 0, for worker 0"};
    job.ops = {MakeOp(JobOpKind::FORWARD, 0, 0, 1),
               MakeOp(JobOpKind::FORWARD, 1, 1, 3),
               MakeOp(JobOpKind::UPDATE, 0, 2, 0.5)};
    job.inStep = {{0, 2}, {1, 2}};
    job.toNext = {{2, 0}, {2, 1}};
    for (const auto order : {ReplayOrder::READY_TIME, ReplayOrder::DEVICE_TIME})
    {
        const auto times = ReplaySteps(job, 5, order);
        EXPECT_DOUBLE_EQ(times[0].step, 3.5);
        EXPECT_DOUBLE_EQ(times[1].step, 3.5);
        EXPECT_DOUBLE_EQ(times[0].forward, 1);
        EXPECT_DOUBLE_EQ(times[1].forward, 3);
    }
}

// Two workers send 100 kB each on a server's link, from 0 to 2 s and from 1 s to 3 s, and nothing
// else: 200 kB in 3 s. A worker's own 100 kB from another server take 4 s.
TEST(DmlJobStep, TransfersThatShareALinkTellItsBandwidthTogether)
{
    JobStep job;
    job.workers = 2;
    job.names = {"x"};
    job.devices = {"worker 0, uplink PS 0",
                   "worker 1, uplink PS 0",
                   "worker 1, cpu",
                   "worker 0, downlink PS 1"};
    job.ops = {MakeOp(JobOpKind::PUSH, 0, 0, 2, 100000),
               MakeOp(JobOpKind::FORWARD, 1, 2, 1),
               MakeOp(JobOpKind::PUSH, 1, 1, 2, 100000),
               MakeOp(JobOpKind::PULL, 0, 3, 4, 100000),
               MakeOp(JobOpKind::JOIN, 0, JobOp::NO_DEVICE, 0)};
    job.inStep = {{1, 2}, {0, 4}, {2, 4}, {3, 4}};
    job.toNext = {{4, 0}, {4, 1}, {4, 3}};
    EXPECT_DOUBLE_EQ(EstimateBandwidth(job), 200000.0 / 3);
    for (auto& op : job.ops)
    {
        op.op.bytes /= 4; // 50 kB on a link
    }
    EXPECT_THROW(EstimateBandwidth(job), InputError);
}

// 100 kB reduced by four workers are 150 kB each way, in 3 s.
TEST(DmlJobStep, CollectivesTellABandwidth)
{
    JobStep job;
    job.workers = 4;
    job.names = {"x"};
    job.devices = {"worker 0, collectives"};
    job.ops = {MakeOp(JobOpKind::COLLECTIVE, 0, 0, 3, 100000)};
    job.toNext = {{0, 0}};
    EXPECT_DOUBLE_EQ(EstimateBandwidth(job), 50000);
}
