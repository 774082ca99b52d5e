/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-throughput.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Feed a step: worker, step, start, end.
void
Feed(ThroughputMeter& meter, uint32_t worker, uint32_t step, double start, double end)
{
    meter.On(StepRecord{worker, step, 0, start, end});
}

/// Feed a step with its batch and the number of its dropped gradients.
void
FeedBatch(ThroughputMeter& meter,
          uint32_t worker,
          uint32_t step,
          double start,
          double end,
          uint32_t batch,
          uint32_t dropped = 0)
{
    meter.On(StepRecord{worker, step, 0, start, end, end, batch, dropped});
}

} // namespace

// Worker 0 ends steps at 1, 2, 3, 4; worker 1 at 1.5, 3, 4.5, 6. Warm-up 1 step: t0 = 1.5, t1 = 4.
// Ends in (1.5, 4]: 2, 3, 4 of worker 0 and 3 of worker 1 = 4 steps; 10 * 4 / 2.5 = 16 samples/s.
// Their durations are 1, 1, 1, 1.5: mean 1.125.
TEST(DmlThroughput, CountsStepsOfAllWorkersInTheWindow)
{
    ThroughputMeter meter(2, 10, 1, 4);
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 1, 0, 0, 1.5);
    Feed(meter, 0, 1, 1, 2);
    Feed(meter, 0, 2, 2, 3);
    Feed(meter, 1, 1, 1.5, 3);
    Feed(meter, 0, 3, 3, 4);
    Feed(meter, 1, 2, 3, 4.5);
    Feed(meter, 1, 3, 4.5, 6);
    const Throughput result = meter.GetResult();
    EXPECT_DOUBLE_EQ(result.t0, 1.5);
    EXPECT_DOUBLE_EQ(result.t1, 4);
    EXPECT_EQ(result.steps, 4u);
    ASSERT_TRUE(result.samplesPerSecond);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 16);
    EXPECT_DOUBLE_EQ(result.meanStep, 1.125);
    EXPECT_DOUBLE_EQ(result.shortestStep, 1);
    EXPECT_DOUBLE_EQ(result.longestStep, 1.5);
    EXPECT_TRUE(result.reason.empty());
    EXPECT_EQ(meter.GetStepCount(), 8u);
}

// Ops and transfers without any time: 4 samples in 2e-18 s would be 2e18 samples/s, and which power
// of ten it is depends on rounding.
TEST(DmlThroughput, StepsWithoutTimeHaveNone)
{
    ThroughputMeter meter(1, 4, 1, 3);
    Feed(meter, 0, 0, 0, 1e-18);
    Feed(meter, 0, 1, 1e-18, 2e-18);
    Feed(meter, 0, 2, 2e-18, 3e-18);
    const Throughput result = meter.GetResult();
    EXPECT_FALSE(result.samplesPerSecond);
    EXPECT_EQ(result.reason,
              "a step takes 1e-18 s, less than the nanosecond to which times are known: nothing in "
              "it takes time; use ops or transfers that do");
    ThroughputMeter microseconds(1, 4, 1, 2);
    Feed(microseconds, 0, 0, 0, 1e-6);
    Feed(microseconds, 0, 1, 1e-6, 2e-6);
    EXPECT_TRUE(microseconds.GetResult().samplesPerSecond);
}

// Workers in step, worker 1 a little behind: they start at 0, 1, 2, 3 and 0.01, 1.01, ... The ends
// of all steps but the last are told 0.5 s late, behind transfers of the next one. Warm-up 1 step:
// t0 = 1.01, t1 = 3.01, with steps 1 and 2 of both between them: 4 / 2.
TEST(DmlThroughput, WithABarrierStepsCountFromStartToStart)
{
    ThroughputMeter meter(2, 1, 1, 4, true);
    for (uint32_t step = 0; step < 4; ++step)
    {
        for (uint32_t worker = 0; worker < 2; ++worker)
        {
            EXPECT_EQ(meter.GetResult().samplesPerSecond.has_value(), step == 3 && worker == 1);
            const double start = step + 0.01 * worker;
            Feed(meter, worker, step, start, start + (step < 3 ? 1.5 : 1));
        }
    }
    const Throughput result = meter.GetResult();
    EXPECT_EQ(result.steps, 4u);
    EXPECT_DOUBLE_EQ(result.t0, 1.01);
    EXPECT_DOUBLE_EQ(result.t1, 3.01);
    ASSERT_TRUE(result.samplesPerSecond);
    EXPECT_NEAR(*result.samplesPerSecond, 2, 1e-12);
    EXPECT_DOUBLE_EQ(result.meanStep, 1.5);
    EXPECT_EQ(meter.GetStepCount(), 8u);
}

// One step after the warm-up: from its start, 1.01, to its end at the last worker, 2.02.
TEST(DmlThroughput, WithABarrierASingleStepCountsToItsEnd)
{
    ThroughputMeter meter(2, 1, 1, 2, true);
    for (uint32_t step = 0; step < 2; ++step)
    {
        Feed(meter, 0, step, step, step + 1);
        Feed(meter, 1, step, step + 0.01, step + 1.02);
    }
    EXPECT_EQ(meter.GetResult().steps, 2u);
    ASSERT_TRUE(meter.GetResult().samplesPerSecond);
    EXPECT_NEAR(*meter.GetResult().samplesPerSecond, 2 / 1.01, 1e-12);
}

// Both workers in lockstep: the two steps that end at t0 = 1 are out, whichever is reported first;
// the two that end at t1 = 3 are in, the one reported after the window has closed included.
TEST(DmlThroughput, WindowIsOpenOnTheLeftAndClosedOnTheRight)
{
    ThroughputMeter meter(2, 1, 1, 3);
    for (uint32_t step = 0; step < 3; ++step)
    {
        Feed(meter, 1, step, step, step + 1);
        Feed(meter, 0, step, step, step + 1);
    }
    const Throughput result = meter.GetResult();
    EXPECT_EQ(result.steps, 4u);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 2); // 4 steps in 2 s
}

// Without warm-up t0 is the start of the last worker's first step, 2.5, which is known only at its
// end, 4.5. Worker 0 ends steps at 1, 2, .., 6 = t1. In (2.5, 6]: 3, 4, 5, 6 and worker 1's 4.5.
TEST(DmlThroughput, WithoutWarmUpTheWindowOpensWhenTheLastWorkerStarts)
{
    ThroughputMeter meter(2, 7, 0, 6);
    for (uint32_t step = 0; step < 4; ++step)
    {
        Feed(meter, 0, step, step, step + 1);
    }
    Feed(meter, 1, 0, 2.5, 4.5);
    Feed(meter, 0, 4, 4, 5);
    Feed(meter, 0, 5, 5, 6);
    Feed(meter, 1, 1, 4.5, 6.5);
    const Throughput result = meter.GetResult();
    EXPECT_DOUBLE_EQ(result.t0, 2.5);
    EXPECT_DOUBLE_EQ(result.t1, 6);
    EXPECT_EQ(result.steps, 5u);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 10); // 7 * 5 / 3.5
}

// One worker, one step from 2 to 4, no warm-up: 3 samples in 2 s.
TEST(DmlThroughput, OneStepIsEnoughWithoutWarmUp)
{
    ThroughputMeter meter(1, 3, 0, 1);
    Feed(meter, 0, 0, 2, 4);
    EXPECT_DOUBLE_EQ(*meter.GetResult().samplesPerSecond, 1.5);
}

// The fast worker is done at 2 before the slow one has warmed up at 10; and exactly when.
TEST(DmlThroughput, IsUndefinedIfAWorkerIsDoneBeforeAnotherHasWarmedUp)
{
    for (const double slow : {10.0, 2.0})
    {
        ThroughputMeter meter(2, 1, 1, 2);
        Feed(meter, 0, 0, 0, 1);
        Feed(meter, 0, 1, 1, 2);
        EXPECT_DOUBLE_EQ(meter.GetResult().t0, 1); // if worker 1 never came
        Feed(meter, 1, 0, 0, slow);
        Feed(meter, 1, 1, slow, 2 * slow);
        const Throughput result = meter.GetResult();
        EXPECT_FALSE(result.samplesPerSecond);
        EXPECT_DOUBLE_EQ(result.t0, slow);
        EXPECT_DOUBLE_EQ(result.t1, 2);
        EXPECT_NE(result.reason.find("finished all its steps at 2 s"), std::string::npos)
            << result.reason;
        EXPECT_NE(result.reason.find("fewer warm-up steps"), std::string::npos) << result.reason;
    }
}

TEST(DmlThroughput, IsUndefinedWhileTheRunIsTooShort)
{
    ThroughputMeter meter(2, 1, 1, 3);
    EXPECT_EQ(meter.GetResult().reason, "no worker finished its warm-up");
    EXPECT_TRUE(std::isnan(meter.GetResult().t0));
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 1, 0, 0, 1);
    EXPECT_EQ(meter.GetResult().reason, "no worker finished its last step");
    EXPECT_DOUBLE_EQ(meter.GetResult().t0, 1);
    EXPECT_TRUE(std::isnan(meter.GetResult().t1));
}

TEST(DmlThroughput, IsUndefinedIfAllStepsAreWarmUp)
{
    ThroughputMeter meter(1, 1, 2, 2);
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 0, 1, 1, 2);
    EXPECT_EQ(meter.GetResult().reason, "no step is left to measure after 2 warm-up steps of 2");
}

// Steps without duration: t0 = t1 = 0 must not divide by zero.
TEST(DmlThroughput, IsUndefinedIfNoTimePasses)
{
    ThroughputMeter meter(1, 1, 0, 1);
    Feed(meter, 0, 0, 0, 0);
    EXPECT_FALSE(meter.GetResult().samplesPerSecond);
    EXPECT_FALSE(meter.GetResult().reason.empty());
}

TEST(DmlThroughput, RefusesAWorkerThatDoesNotExist)
{
    ThroughputMeter meter(2, 1, 0, 1);
    EXPECT_THROW(Feed(meter, 2, 0, 0, 1), RunError);
}

// t0 = 1.5, t1 = 3. In between end two steps of worker 0 with 4 samples each, and one of worker 1
// with the profile's 10: 18 / 1.5. If one of its gradients was dropped, that step is for nothing: 8
// / 1.5.
TEST(DmlThroughput, AddsUpTheBatchesOfStepsThatCount)
{
    for (const uint32_t dropped : {0, 2})
    {
        ThroughputMeter meter(2, 10, 1, 3);
        FeedBatch(meter, 0, 0, 0, 1, 4);
        FeedBatch(meter, 1, 0, 0, 1.5, 7);
        FeedBatch(meter, 0, 1, 1, 2, 4);
        FeedBatch(meter, 1, 1, 1.5, 2.5, 0, dropped);
        FeedBatch(meter, 0, 2, 2, 3, 4);
        FeedBatch(meter, 1, 2, 2.5, 3.5, 7);
        const Throughput result = meter.GetResult();
        EXPECT_DOUBLE_EQ(*result.samplesPerSecond, dropped > 0 ? 8 / 1.5 : 12);
        EXPECT_EQ(result.steps, dropped > 0 ? 2u : 3u);
    }
}

// Warm-up 3 of 6 steps. Worker 0 ends step k at k + 1; worker 1, with steps of 2 s from 0.5 s on,
// ends step 0 and skips to 3: it has warmed up at 4.5 = t0. It skips step 5, the last one, too;
// worker 0 ends that at 6 = t1. In (4.5, 6] are two steps of worker 0: 2 / 1.5.
TEST(DmlThroughput, StepNumbersMayBeSkipped)
{
    ThroughputMeter meter(2, 1, 3, 6);
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 0, 1, 1, 2);
    FeedBatch(meter, 1, 0, 0.5, 2.5, 1, 4);
    Feed(meter, 0, 2, 2, 3);
    Feed(meter, 0, 3, 3, 4);
    FeedBatch(meter, 1, 3, 2.5, 4.5, 1, 4);
    Feed(meter, 0, 4, 4, 5);
    Feed(meter, 0, 5, 5, 6);
    FeedBatch(meter, 1, 4, 4.5, 6.5, 1, 4);
    const Throughput result = meter.GetResult();
    EXPECT_DOUBLE_EQ(result.t0, 4.5);
    EXPECT_DOUBLE_EQ(result.t1, 6);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 2 / 1.5);
}

// Warm-up 2 of 4 steps; worker 0 ends step k at k + 1. Worker 1 ends its first step at 2.5 and is
// gone for good: it is left out with that step, though it ends in (2, 4]: 2 steps / 2 s. If it ends
// steps at 1, 2 and 3 and goes then, the last one counts: 3 / 2.
TEST(DmlThroughput, WorkersMayBeGoneForGood)
{
    ThroughputMeter early(2, 1, 2, 4);
    Feed(early, 0, 0, 0, 1);
    Feed(early, 0, 1, 1, 2);
    Feed(early, 1, 0, 0, 2.5);
    Feed(early, 0, 2, 2, 3);
    Feed(early, 0, 3, 3, 4);
    EXPECT_DOUBLE_EQ(early.GetResult().t0, 2);
    EXPECT_DOUBLE_EQ(*early.GetResult().samplesPerSecond, 1);

    ThroughputMeter late(2, 1, 2, 4);
    for (uint32_t step = 0; step < 4; ++step)
    {
        for (uint32_t worker = 0; worker < (step < 3 ? 2 : 1); ++worker)
        {
            Feed(late, worker, step, step, step + 1);
        }
    }
    EXPECT_DOUBLE_EQ(*late.GetResult().samplesPerSecond, 1.5);
}

// Without warm-up, worker 1 never ends a step, and worker 2 starts late, at 1.5 = t0: of worker 0,
// the steps that end at 2, 3 and 4 = t1 count, and of worker 2 the one that ends at 3.5: 4 / 2.5.
TEST(DmlThroughput, StepsAreTakenBackWhenAnotherWorkerStarts)
{
    ThroughputMeter meter(3, 1, 0, 4);
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 0, 1, 1, 2);
    Feed(meter, 0, 2, 2, 3);
    Feed(meter, 2, 0, 1.5, 3.5);
    Feed(meter, 0, 3, 3, 4);
    const Throughput result = meter.GetResult();
    EXPECT_DOUBLE_EQ(result.t0, 1.5);
    EXPECT_EQ(result.steps, 4u);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 1.6);
}

// Rounds of 1 s with a backup worker, 2, whose step of 1.6 s comes too late for round 1. It starts
// step 3 in mid-round, at 3.2, and is late again. The window is that of the other two: from 1, when
// they start the first step after the warm-up, to 3, when they start the last. 4 of their steps: 4
// / 2.
TEST(DmlThroughput, LateWorkersDoNotMoveTheWindowOfRounds)
{
    ThroughputMeter meter(3, 1, 1, 4, true);
    const auto round = [&meter](uint32_t step) {
        Feed(meter, 0, step, step, step + 1);
        Feed(meter, 1, step, step, step + 1);
    };
    round(0);
    FeedBatch(meter, 2, 0, 0, 1.6, 1, 1);
    round(1);
    round(2);
    FeedBatch(meter, 2, 1, 1.6, 3.2, 1, 1);
    round(3);
    FeedBatch(meter, 2, 3, 3.2, 4.8, 1, 1);
    const Throughput result = meter.GetResult();
    EXPECT_DOUBLE_EQ(result.t0, 1);
    EXPECT_DOUBLE_EQ(result.t1, 3);
    EXPECT_EQ(result.steps, 4u);
    EXPECT_DOUBLE_EQ(*result.samplesPerSecond, 2);
}

// The last worker is warm at 1.95, the first one is done at 2: the one step in these 0.05 s would
// be 20 samples/s, where the workers make 1 + 1 / 1.95. If worker 1's next step still ends before
// 2, that is a step for each, of which one was dropped or not.
TEST(DmlThroughput, IsUndefinedWithLessThanAStepOfEachWorker)
{
    ThroughputMeter meter(2, 1, 1, 2);
    Feed(meter, 0, 0, 0, 1);
    Feed(meter, 1, 0, 0, 1.95);
    Feed(meter, 0, 1, 1, 2);
    Feed(meter, 1, 1, 1.95, 3.9);
    EXPECT_FALSE(meter.GetResult().samplesPerSecond);
    EXPECT_EQ(meter.GetResult().steps, 1u);
    EXPECT_EQ(
        meter.GetResult().reason,
        "only 1 of 2 steps, one for each worker, ended between 1.95 s and 2 s; use more steps");

    for (const uint32_t dropped : {0, 1})
    {
        ThroughputMeter enough(2, 1, 1, 2);
        FeedBatch(enough, 0, 0, 0, 1, 1);
        FeedBatch(enough, 1, 0, 0, 1.5, 1);
        FeedBatch(enough, 1, 1, 1.5, 2, 1, dropped);
        FeedBatch(enough, 0, 1, 1, 2, 1);
        ASSERT_TRUE(enough.GetResult().samplesPerSecond);
        EXPECT_DOUBLE_EQ(*enough.GetResult().samplesPerSecond, dropped > 0 ? 2 : 4);
    }
}

// A run that decides itself opens its window at 1; then both workers must have ended a step, or one
// of them two.
TEST(DmlThroughput, IsUndefinedWithLessThanAStepOfEachWorkerInAnOpenWindow)
{
    StepWindow::Options window{2, 1, 100};
    window.from = 1;
    ThroughputMeter meter(window, 1);
    Feed(meter, 0, 1, 1, 1.01);
    EXPECT_FALSE(meter.GetResult().samplesPerSecond);
    Feed(meter, 0, 2, 1.01, 2);
    EXPECT_DOUBLE_EQ(*meter.GetResult().samplesPerSecond, 2);
}
