/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-throughput.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ns3::dml;

namespace
{

/// Feed a step: worker, step, start, end.
void
Feed(ThroughputMeter& meter, uint32_t worker, uint32_t step, double start, double end)
{
    meter.StepEnded({worker, step, 0, start, end});
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

// Workers in step, worker 1 a little behind: ends at 1, 1.01; 2, 2.01; 3, 3.01. Warm-up 1 step:
// t0 = 1.01, t1 = 3.01, and all four steps after the warm-up count: 4 / 2. Without the barrier, worker
// 1's last step would end behind t1.
TEST(DmlThroughput, WithABarrierAllStepsAfterTheWarmUpCount)
{
    for (const bool inStep : {true, false})
    {
        ThroughputMeter meter(2, 1, 1, 3, inStep);
        for (uint32_t step = 0; step < 3; ++step)
        {
            Feed(meter, 0, step, step, step + 1);
            EXPECT_FALSE(inStep && meter.GetResult().samplesPerSecond);
            Feed(meter, 1, step, step, step + 1.01);
        }
        const Throughput result = meter.GetResult();
        EXPECT_EQ(result.steps, inStep ? 4u : 3u);
        ASSERT_TRUE(result.samplesPerSecond);
        EXPECT_NEAR(*result.samplesPerSecond, inStep ? 2 : 3 / 1.99, 1e-12);
    }
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
        EXPECT_FALSE(meter.GetResult().samplesPerSecond); // t0 still unknown
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
    EXPECT_EQ(meter.GetResult().reason, "not every worker finished its warm-up");
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
