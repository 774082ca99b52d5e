/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-noise.h"

#include "ns3/dml-error.h"
#include "ns3/dml-stop-rule.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// Options for @p workers that may do @p atMost steps.
StopRule::Options
MakeOptions(uint32_t workers, uint32_t atMost)
{
    StopRule::Options options;
    options.window.workers = workers;
    options.window.steps = atMost;
    options.batch = 8;
    return options;
}

/**
 * Workers that do their steps one after the other, in turn, each step as long as @p seconds says,
 * until the rule or @p most steps of each end it. @return when the last one ended
 */
double
Drive(StopRule& rule,
      uint32_t workers,
      const std::function<double()>& seconds,
      uint32_t most = 100000)
{
    double now = 0;
    for (uint32_t step = 0; step < most; ++step)
    {
        for (uint32_t worker = 0; worker < workers; ++worker)
        {
            const double start = now;
            now += seconds();
            rule.On(StepRecord{worker, step, 0, start, now});
            if (rule.IsDone())
            {
                return now;
            }
        }
    }
    return now;
}

double
OneSecond()
{
    return 1;
}

} // namespace

// The first round has no beginning. Then the detector takes its least, 10 batches of 5 rounds, and
// BatchMeans 20 batches of one: 1 + 50 + 20 steps of 8 samples in 1 s each.
TEST(DmlStopRule, StopsSoonWhereNothingVaries)
{
    StopRule rule(MakeOptions(1, 1000));
    Drive(rule, 1, OneSecond);
    const StopSummary summary = rule.GetSummary();
    EXPECT_TRUE(summary.sure);
    EXPECT_EQ(summary.reason, "");
    EXPECT_TRUE(summary.warm);
    EXPECT_FALSE(summary.warmupGiven);
    EXPECT_EQ(summary.warmup, 51u);
    EXPECT_EQ(summary.steps, 71u);
    EXPECT_EQ(summary.atMost, 1000u);
    EXPECT_DOUBLE_EQ(rule.GetStart(), 51);
    EXPECT_EQ(rule.GetProgress(), 1);
    ASSERT_TRUE(summary.interval);
    EXPECT_DOUBLE_EQ(summary.interval->rate, 8);
    EXPECT_EQ(summary.interval->halfWidth, 0);
}

// 4 workers: a batch of the detector is the 2 rounds that have at least 5 steps, so that it asks
// after 40 rounds; a round of 4 steps takes 4 s, and 32 samples in 4 s are 8 samples/s.
TEST(DmlStopRule, CountsRoundsOfAllWorkers)
{
    StopRule rule(MakeOptions(4, 1000));
    Drive(rule, 4, OneSecond);
    EXPECT_EQ(rule.GetSummary().warmup, 41u);
    EXPECT_EQ(rule.GetSummary().steps, 61u);
    EXPECT_EQ(rule.GetStepCount(), 4u * 61);
    EXPECT_DOUBLE_EQ(rule.GetStart(), 4 * 41);
    EXPECT_DOUBLE_EQ(rule.GetSummary().interval->rate, 8);
}

// Steps of 1 s with a standard deviation of 0.2 s: n of them give t * 0.2 / sqrt(n), and t is about
// 2, so 2 % takes some (2 * 0.2 / 0.02)^2 = 400 steps, and chance a part of that.
TEST(DmlStopRule, TakesLongerWhereStepsVary)
{
    for (int seed = 0; seed < 20; ++seed)
    {
        AutoregressiveNoise noise(seed, 0);
        StopRule rule(MakeOptions(1, 10000));
        Drive(rule, 1, [&noise]() { return std::max(0.01, 1 + 0.2 * noise.Next()); });
        const StopSummary summary = rule.GetSummary();
        EXPECT_TRUE(summary.sure);
        EXPECT_GT(summary.steps, 150u);
        EXPECT_LT(summary.steps, 2000u);
        EXPECT_LE(summary.interval->halfWidth, 0.02);
        EXPECT_GT(summary.interval->halfWidth, 0.005);
        EXPECT_LE(summary.interval->correlation, StopRule::MOST_CORRELATION);
        EXPECT_NEAR(summary.interval->rate, 8, 8 * 0.06);
    }
}

// A wider target is met earlier, by the same run.
TEST(DmlStopRule, StopsEarlierForAWiderTarget)
{
    uint32_t before = 100000;
    for (const double target : {0.01, 0.02, 0.05, 0.2})
    {
        AutoregressiveNoise noise(3, 0);
        StopRule::Options options = MakeOptions(1, 50000);
        options.target = target;
        StopRule rule(options);
        Drive(rule, 1, [&noise]() { return std::max(0.01, 1 + 0.2 * noise.Next()); });
        EXPECT_TRUE(rule.GetSummary().sure);
        EXPECT_LT(rule.GetSummary().steps, before);
        before = rule.GetSummary().steps;
    }
}

// Half of 100 steps are just enough for the detector's least: 51 and 20 steps, as above.
TEST(DmlStopRule, CanBeSureWithinAHundredSteps)
{
    StopRule rule(MakeOptions(1, 100));
    Drive(rule, 1, OneSecond);
    EXPECT_TRUE(rule.GetSummary().sure);
    EXPECT_EQ(rule.GetSummary().steps, 71u);
}

TEST(DmlStopRule, SaysThatItIsNotSure)
{
    AutoregressiveNoise noise(1, 0);
    StopRule rule(MakeOptions(1, 120));
    Drive(rule, 1, [&noise]() { return std::max(0.01, 1 + 0.3 * noise.Next()); });
    const StopSummary summary = rule.GetSummary();
    EXPECT_TRUE(rule.IsDone());
    EXPECT_FALSE(summary.sure);
    EXPECT_EQ(summary.steps, 120u);
    EXPECT_EQ(summary.reason.substr(0, 18), "its interval is +-");
    EXPECT_GT(summary.interval->halfWidth, 0.02);
}

// Batches of a slow process are alike, and their mean is not that of the process.
TEST(DmlStopRule, DoesNotTrustCorrelatedBatches)
{
    AutoregressiveNoise noise(1, 0.999);
    StopRule rule(MakeOptions(1, 300));
    Drive(rule, 1, [&noise]() { return 1 + 0.01 * noise.Next(); });
    EXPECT_FALSE(rule.GetSummary().sure);
    EXPECT_GT(rule.GetSummary().interval->correlation, StopRule::MOST_CORRELATION);
    EXPECT_NE(rule.GetSummary().reason.find("still correlate"), std::string::npos);
}

// A line has no steady part: past half of the 200 steps the window opens all the same.
TEST(DmlStopRule, SaysThatTheWarmUpWasNotSeenToEnd)
{
    double seconds = 10;
    StopRule rule(MakeOptions(1, 200));
    Drive(rule, 1, [&seconds]() { return seconds -= 0.01; });
    EXPECT_FALSE(rule.GetSummary().sure);
    EXPECT_EQ(rule.GetSummary().warmup, 101u);
    EXPECT_EQ(rule.GetSummary().steps, 200u);
    EXPECT_EQ(rule.GetSummary().reason, "its warm-up was not seen to end within 101 steps");
}

// Two workers and 3 steps of warm-up: worker 1 ends its third step at 6, and 20 rounds of 2 s
// follow.
TEST(DmlStopRule, TakesTheWarmUpThatWasGiven)
{
    StopRule::Options options = MakeOptions(2, 1000);
    options.window.warmup = 3;
    options.warmupGiven = true;
    StopRule rule(options);
    EXPECT_DOUBLE_EQ(Drive(rule, 2, OneSecond), 6 + 20 * 2);
    EXPECT_DOUBLE_EQ(rule.GetStart(), 6);
    EXPECT_TRUE(rule.GetSummary().warmupGiven);
    EXPECT_EQ(rule.GetSummary().warmup, 3u);
    EXPECT_EQ(rule.GetSummary().steps, 23u);
}

// Worker 1 has died in its first step: its warm-up is not waited for, and rounds are two steps of
// worker 0.
TEST(DmlStopRule, DoesNotWaitForAWorkerThatIsGone)
{
    StopRule::Options options = MakeOptions(2, 1000);
    options.window.warmup = 3;
    options.warmupGiven = true;
    StopRule rule(options);
    rule.On(CrashRecord{1, 0.5, 0, 0});
    for (uint32_t step = 0; step < 100 && !rule.IsDone(); ++step)
    {
        rule.On(StepRecord{0, step, 0, 1.0 * step, 1.0 + step});
    }
    EXPECT_DOUBLE_EQ(rule.GetStart(), 3);
    EXPECT_EQ(rule.GetSummary().steps, 3u + 2 * 20);
    EXPECT_DOUBLE_EQ(rule.GetSummary().interval->rate, 8);
}

// All runs above would stop at 71 steps, 71 s.
TEST(DmlStopRule, WaitsForWhatIsStillToCome)
{
    StopRule::Options scheduled = MakeOptions(1, 1000);
    scheduled.notBefore = 90.5;
    StopRule rule(scheduled);
    // check points at 20, 25, 30, 35 and 40 rounds after 51
    EXPECT_DOUBLE_EQ(Drive(rule, 1, OneSecond), 91);
    EXPECT_TRUE(rule.GetSummary().sure);

    StopRule::Options all = MakeOptions(1, 1000);
    all.least = 28;
    StopRule patient(all);
    EXPECT_DOUBLE_EQ(Drive(patient, 1, OneSecond), 51 + 30);

    scheduled.window.steps = 120;
    scheduled.notBefore = 200;
    StopRule early(scheduled);
    Drive(early, 1, OneSecond);
    EXPECT_FALSE(early.GetSummary().sure);
    EXPECT_EQ(early.GetSummary().reason, "something was still to happen at 200 s");
}

// A change at 90.5 s that stays: the round that ends at 91 s has both, so the detector's 50 are
// those until 141 s, and 20 more until 161 s are measured. With 3 steps of warm-up, given, the
// window opens with the first step that ends after the change: at 91 s, and that worker has done 91
// steps.
TEST(DmlStopRule, MeasuresAfterWhatChangesForGood)
{
    StopRule::Options options = MakeOptions(1, 1000);
    options.opensNotBefore = 90.5;
    StopRule detected(options);
    EXPECT_DOUBLE_EQ(Drive(detected, 1, OneSecond), 161);
    EXPECT_DOUBLE_EQ(detected.GetStart(), 141);
    EXPECT_TRUE(detected.GetSummary().sure);

    options.window.warmup = 3;
    options.warmupGiven = true;
    StopRule given(options);
    EXPECT_DOUBLE_EQ(Drive(given, 1, OneSecond), 111);
    EXPECT_DOUBLE_EQ(given.GetStart(), 91);
    EXPECT_EQ(given.GetSummary().warmup, 91u);

    options.opensNotBefore = 2000;
    options.warmupGiven = false;
    StopRule never(options);
    EXPECT_DOUBLE_EQ(Drive(never, 1, OneSecond), 1000);
    EXPECT_FALSE(never.IsWarm());
    EXPECT_FALSE(never.GetSummary().sure);
    EXPECT_EQ(never.GetSummary().reason, "something was still to happen at 2000 s");
}

// What recurs every 32 s: of 71 s, 20 are measured; the check points are at 20, 25, 30 and 35 s.
TEST(DmlStopRule, MeasuresAsLongAsWhatRecursTakes)
{
    StopRule::Options options = MakeOptions(1, 1000);
    options.leastSeconds = 32;
    StopRule rule(options);
    EXPECT_DOUBLE_EQ(Drive(rule, 1, OneSecond), 51 + 35);
    EXPECT_TRUE(rule.GetSummary().sure);

    options.window.steps = 110;
    options.leastSeconds = 60;
    StopRule tooShort(options);
    Drive(tooShort, 1, OneSecond);
    EXPECT_FALSE(tooShort.GetSummary().sure);
    EXPECT_EQ(tooShort.GetSummary().reason,
              "less than 60 s were measured, in which what recurs comes once");
}

// Worker 0 does 10 steps while worker 1 does one: when worker 1 ends its third step, the window
// opens, and worker 0 has done 30. Each may have begun two more; the one that rejoins with step 7
// may have begun 7 and 8. Workers in rounds skip steps to keep up: all begin like the furthest.
TEST(DmlStopRule, KnowsTheFreshStepsOfEachWorker)
{
    for (const bool inRounds : {false, true})
    {
        StopRule::Options options = MakeOptions(3, 1000);
        options.window.inRounds = inRounds;
        options.window.warmup = 3;
        options.warmupGiven = true;
        StopRule rule(options);
        rule.On(CrashRecord{2, 0.5, 0, 0});
        rule.On(RejoinRecord{2, 0.7, 7});
        for (uint32_t step = 0; step < 30; ++step)
        {
            rule.On(StepRecord{0, step, 0, 1.0 * step, step + 1.0});
            if (step % 10 == 9)
            {
                EXPECT_FALSE(rule.IsWarm());
                rule.On(StepRecord{1, step / 10, 0, step - 9.0, step + 1.0});
            }
        }
        EXPECT_TRUE(rule.IsWarm());
        EXPECT_EQ(rule.GetSummary().warmup, 30u);
        const FirstSteps first = rule.GetFreshSteps();
        EXPECT_EQ(first.Of(0), 32u);
        EXPECT_EQ(first.Of(1), inRounds ? 32u : 5u);
        EXPECT_EQ(first.Of(2), inRounds ? 32u : 9u);
    }
}

// Worker 1's gradients all come too late: only worker 0's 8 samples of a round of 2 s count.
TEST(DmlStopRule, DoesNotCountWhatIsDropped)
{
    StopRule rule(MakeOptions(2, 1000));
    double now = 0;
    for (uint32_t step = 0; step < 1000 && !rule.IsDone(); ++step)
    {
        rule.On(StepRecord{0, step, 0, now, now + 1});
        rule.On(StepRecord{1, step, 0, now, now + 2, UNKNOWN_TIME, 0, 1});
        now += 2;
    }
    EXPECT_TRUE(rule.GetSummary().sure);
    EXPECT_DOUBLE_EQ(rule.GetSummary().interval->rate, 4);
}

TEST(DmlStopRule, KnowsARunThatEndedByItself)
{
    StopRule rule(MakeOptions(1, 1000));
    Drive(rule, 1, OneSecond, 30);
    EXPECT_FALSE(rule.IsDone());
    EXPECT_FALSE(rule.GetSummary().sure);
    EXPECT_FALSE(rule.GetSummary().warm);
    EXPECT_FALSE(rule.GetSummary().interval);
    EXPECT_EQ(rule.GetSummary().reason, "all workers had ended before");
    EXPECT_THROW(rule.On(StepRecord{1, 0, 0, 0, 1}), RunError);
}

// Progress never goes back, and is complete only at the end.
TEST(DmlStopRule, TellsItsProgress)
{
    AutoregressiveNoise noise(7, 0.5);
    StopRule rule(MakeOptions(1, 5000));
    double before = 0;
    double now = 0;
    for (uint32_t step = 0; step < 5000 && !rule.IsDone(); ++step)
    {
        const double start = now;
        now += std::max(0.01, 1 + 0.2 * noise.Next());
        rule.On(StepRecord{0, step, 0, start, now});
        EXPECT_GE(rule.GetProgress(), before);
        before = rule.GetProgress();
        EXPECT_EQ(before == 1, rule.IsDone());
    }
    EXPECT_TRUE(rule.IsDone());
}
