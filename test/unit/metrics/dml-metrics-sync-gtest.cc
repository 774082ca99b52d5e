/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-sync-meter.h"
#include "ns3/dml-throughput.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return a step that starts, after which its worker has done its part, and that ends
StepRecord
Step(uint32_t worker, uint32_t step, double start, double done, double end)
{
    return {worker, step, 0, start, end, done};
}

} // namespace

// Rounds of 2 s. Worker 0 is done after 0.5 s and waits 1.5 s; worker 1 never waits. Warm-up 1 of 4
// steps: from the start of step 1, 2 s, to that of step 3, 6 s, are two steps of each. An update
// counts every 4 s / 4 = 1 s: the iteration's 2 s / 2 workers. The throughput has the same window.
TEST(DmlSyncMeter, WaitingAndUpdatesWithABarrier)
{
    const StepWindow::Options window{2, 1, 4, true};
    SyncMeter meter(window, 8);
    ThroughputMeter throughput(window, 8);
    for (uint32_t step = 0; step < 4; ++step)
    {
        const double start = 2 * step;
        for (const auto& record : {Step(0, step, start, start + 0.5, start + 2),
                                   Step(1, step, start, start + 2, start + 2)})
        {
            meter.On(record);
            throughput.On(record);
        }
    }
    const SyncSummary summary = meter.GetSummary();
    EXPECT_DOUBLE_EQ(summary.window, 4);
    EXPECT_DOUBLE_EQ(summary.GetUpdateTime(), 1);
    EXPECT_DOUBLE_EQ(summary.GetUpdateTime(), summary.GetAll().GetMeanStep() / 2);
    EXPECT_DOUBLE_EQ(8 / summary.GetUpdateTime(), *throughput.GetResult().samplesPerSecond);
    EXPECT_EQ(summary.leftOut, 0u);
    ASSERT_EQ(summary.workers.size(), 2u);
    EXPECT_EQ(summary.workers[0].steps, 2u);
    EXPECT_DOUBLE_EQ(summary.workers[0].GetMeanStep(), 2);
    EXPECT_DOUBLE_EQ(summary.workers[0].GetMeanWaiting(), 1.5);
    EXPECT_DOUBLE_EQ(summary.workers[0].GetWaitingShare(), 0.75);
    EXPECT_DOUBLE_EQ(summary.workers[1].GetMeanWaiting(), 0);
    EXPECT_DOUBLE_EQ(summary.GetAll().GetMeanWaiting(), 0.75);
    EXPECT_DOUBLE_EQ(summary.GetAll().GetWaitingShare(), 0.375);
    EXPECT_EQ(summary.largestLead, 0u); // a barrier: the wait at its end is no lag
}

// Window (1, 3]. Worker 0: steps of 4 samples that end at 2 and 3, one with 3 gradients dropped,
// and one of which it is not known when the worker was done. Worker 1: the profile's 10 samples,
// to 2.5. Two updates in 2 s; the waiting time, 0.25 of 1 s, is of the step of which it is known.
TEST(DmlSyncMeter, BatchesDropsAndUnknownTimes)
{
    SyncMeter meter({2, 1, 3, false}, 10);
    meter.On(StepRecord{0, 0, 0, 0, 1, 1, 4, 5});
    meter.On(StepRecord{1, 0, 0, 0, 1});
    meter.On(StepRecord{0, 1, 0, 1, 2, 1.75, 4, 3});
    meter.On(StepRecord{1, 1, 0, 1, 2.5});
    meter.On(StepRecord{0, 2, 0, 2, 3, UNKNOWN_TIME, 4, 0});
    meter.On(StepRecord{1, 2, 0, 2.5, 4});
    const SyncSummary summary = meter.GetSummary();
    const WorkerSync& worker = summary.workers[0];
    EXPECT_EQ(worker.steps, 2u);
    EXPECT_EQ(worker.updates, 1u);
    EXPECT_EQ(worker.dropped, 3u);
    EXPECT_DOUBLE_EQ(worker.GetMeanBatch(), 4);
    EXPECT_DOUBLE_EQ(worker.GetMeanWaiting(), 0.25);
    EXPECT_DOUBLE_EQ(worker.GetWaitingShare(), 0.25);
    EXPECT_DOUBLE_EQ(summary.workers[1].GetMeanBatch(), 10);
    EXPECT_TRUE(std::isnan(summary.workers[1].GetMeanWaiting()));
    EXPECT_DOUBLE_EQ(summary.GetAll().GetMeanBatch(), 6);
    EXPECT_DOUBLE_EQ(summary.GetUpdateTime(), 1);

    // twice the same run: the same means, twice the steps
    SyncSummary twice = summary;
    twice.Merge(summary);
    EXPECT_EQ(twice.GetAll().steps, 6u);
    EXPECT_DOUBLE_EQ(twice.GetUpdateTime(), 1);
    EXPECT_DOUBLE_EQ(twice.workers[0].GetWaitingShare(), 0.25);
}

// Worker 0 takes 1 s for a step, worker 1 takes 3 s. At most 2 steps ahead: worker 0 may start step
// 3 when worker 1 has done step 0, at 3; step 4 when it has done step 1, at 6. So it waits from 4
// to 6.
TEST(DmlSyncMeter, LeadWithABound)
{
    SyncMeter meter({2, 0, 10, false}, 1);
    EXPECT_FALSE(meter.GetLargestLead());
    meter.On(Step(0, 0, 0, 1, 1));
    meter.On(Step(0, 1, 1, 2, 2));
    EXPECT_EQ(meter.GetLargestLead(), 0u); // what worker 1 does is not known yet
    meter.On(Step(0, 2, 2, 3, 3));
    meter.On(Step(1, 0, 0, 3, 3));
    EXPECT_EQ(meter.GetLargestLead(), 2u);
    meter.On(Step(0, 3, 3, 4, 6));
    meter.On(Step(1, 1, 3, 6, 6));
    EXPECT_EQ(meter.GetLargestLead(), 2u);
}

// The same without a bound: when worker 1 is done with step 1, at 6, worker 0 is in step 5: 4
// ahead. Nobody is ahead of a worker that is gone, and one that skips to step 9 is not behind.
TEST(DmlSyncMeter, LeadWithoutABound)
{
    SyncMeter meter({2, 0, 10, false}, 1);
    for (uint32_t step = 0; step < 9; ++step)
    {
        meter.On(Step(0, step, step, step + 1, step + 1));
        if (step == 2 || step == 5)
        {
            meter.On(Step(1, step / 3, step - 2, step + 1, step + 1));
        }
    }
    EXPECT_EQ(meter.GetLargestLead(), 4u);
    meter.On(Step(1, 9, 8.5, 10, 10));
    EXPECT_EQ(meter.GetLargestLead(), 4u);
}

// A worker that is done before another one has warmed up: there is no window, and nothing in it.
TEST(DmlSyncMeter, NothingWithoutAWindow)
{
    SyncMeter meter({2, 1, 2, false}, 1);
    meter.On(Step(0, 0, 0, 1, 1));
    EXPECT_EQ(meter.GetSummary().leftOut, 1u);
    meter.On(Step(0, 1, 1, 2, 2));
    meter.On(Step(1, 0, 0, 5, 5));
    const SyncSummary summary = meter.GetSummary();
    EXPECT_EQ(summary.leftOut, 0u);
    EXPECT_EQ(summary.GetAll().steps, 0u);
    EXPECT_TRUE(std::isnan(summary.GetUpdateTime()));
    EXPECT_TRUE(std::isnan(summary.workers[0].GetMeanStep()));
}

// Who was last comes from StragglerMeter: worker 1, in the one round after the warm-up.
TEST(DmlSyncMeter, Stragglers)
{
    StragglerMeter stragglers(2, 0, false);
    StepWork work;
    work.time = 1;
    stragglers.StepWorked(Step(0, 0, 0, 1, 1), work);
    work.time = 2;
    stragglers.StepWorked(Step(1, 0, 0, 2, 2), work);
    SyncSummary summary = SyncMeter({2, 0, 1, false}, 1).GetSummary();
    summary.SetStragglers(stragglers);
    EXPECT_EQ(summary.rounds, 1u);
    EXPECT_EQ(summary.workers[0].last, 0u);
    EXPECT_EQ(summary.workers[1].last, 1u);
}

// What nobody can ask for any more is forgotten, what somebody can is not. Worker 0 does steps of 1
// s; worker 1 is gone from 1 s to 3000 s, is done with step 7 at 3001.5 s and waits until 6000 s.
// At 3001.5 s worker 0 had started step 3001.
TEST(DmlSyncMeter, LeadOfAWorkerThatWaitsLong)
{
    SyncMeter meter({2, 0, 100000}, 1);
    meter.On(Step(1, 0, 0, 1, 1));
    meter.On(CrashRecord{1, 1, 1, 1});
    for (uint32_t step = 0; step < 6000; ++step)
    {
        if (step == 3000)
        {
            meter.On(RejoinRecord{1, 3000, 7});
        }
        meter.On(Step(0, step, step, step + 1, step + 1));
    }
    EXPECT_EQ(meter.GetLargestLead(), 0u);
    meter.On(Step(1, 7, 3000, 3001.5, 6000));
    EXPECT_EQ(meter.GetLargestLead(), 3001u - 7u);
}
