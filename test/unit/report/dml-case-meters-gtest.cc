/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-case-meters.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return one tensor that is pushed in each step
Profile
MakeMeteredProfile()
{
    Profile profile;
    profile.tensors = {{"w", 1}};
    profile.devices = {{"cpu", 1}};
    profile.graph.Add({"forward", OpKind::FORWARD, 0, NO_INDEX});
    profile.graph.Add({"push/w", OpKind::PUSH, 0, 0});
    return profile;
}

/// Step @p step of @p worker, of @p seconds; its push begins halfway and takes a quarter of it.
void
DoStep(AutoMeters& meters, uint32_t worker, uint32_t step, double seconds)
{
    const double start = step * seconds;
    const double half = start + seconds / 2;
    const double pushed = half + seconds / 4;
    meters.Observe({0,
                    ChunkRecord{worker,
                                step,
                                0,
                                false,
                                MakeResource(ResourceLabel::DEVICE, 0, worker),
                                0,
                                start,
                                half}});
    meters.Observe({0,
                    TransferRecord{MakeChannel(Direction::UPLINK, 0, worker),
                                   step,
                                   1,
                                   0,
                                   half,
                                   half,
                                   pushed}});
    meters.Observe({0, StepRecord{worker, step, 0, start, start + seconds}});
}

} // namespace

// Steps of 1 s of worker 0 and of 10 s of worker 1: the third one of that ends at 30 s, and the
// window opens. Worker 0 may have begun steps 30 and 31, so 32 to 99 count, 68 of 1 s; worker 1 may
// have begun 3 and 4, so 5 to 9 count, 5 of 10 s: the mean is (68 + 50) / 73, and the push ends
// after 3/4 of that. The first steps of each that count are an iteration of which (10 - 1) / 10 is
// spread, and so on, 5 times, by worker 1.
TEST(DmlAutoMeters, CountWorkersOfUnequalSpeed)
{
    const Profile profile = MakeMeteredProfile();
    StepWindow::Options window;
    window.workers = 2;
    window.warmup = 3;
    window.steps = 1000;
    StopRule::Options rule;
    rule.window = window;
    rule.warmupGiven = true;
    rule.least = 1000; // it goes on
    AutoMeters meters({profile, "fair-share", window, 0, 1, false, true}, rule);
    for (uint32_t step = 0; step < 100; ++step)
    {
        DoStep(meters, 0, step, 1);
        if (step % 10 == 9)
        {
            DoStep(meters, 1, step / 10, 10);
        }
    }
    ReplicationSummary summary;
    meters.GetMeters().Summarise(summary);
    EXPECT_DOUBLE_EQ(summary.completionStep, 118.0 / 73);
    ASSERT_EQ(summary.completions.size(), 2u);
    EXPECT_DOUBLE_EQ(summary.completions[1], 0.75 * 118 / 73);
    EXPECT_EQ(summary.schedule->step.count, 73u);
    EXPECT_EQ(summary.schedule->gradients.transfer.count, 73u);
    EXPECT_EQ(summary.schedule->straggler.count, 5u);
    EXPECT_DOUBLE_EQ(summary.schedule->straggler.GetMean(), 0.9);
    CaseResult drawn;
    meters.GetMeters().Draw("fair-share", drawn);
    EXPECT_EQ(drawn.timeline->firstStep, 32u); // of worker 0
}

// The plots show worker 0, however far the others are: with its steps of 10 s, 5 is the first.
TEST(DmlAutoMeters, DrawTheSlowWorkerToo)
{
    const Profile profile = MakeMeteredProfile();
    StepWindow::Options window;
    window.workers = 2;
    window.warmup = 3;
    window.steps = 1000;
    StopRule::Options rule;
    rule.window = window;
    rule.warmupGiven = true;
    rule.least = 1000;
    AutoMeters meters({profile, "fair-share", window, 0, 1, false, true}, rule);
    for (uint32_t step = 0; step < 100; ++step)
    {
        DoStep(meters, 1, step, 1);
        if (step % 10 == 9)
        {
            DoStep(meters, 0, step / 10, 10);
        }
    }
    CaseResult drawn;
    meters.GetMeters().Draw("fair-share", drawn);
    EXPECT_EQ(drawn.timeline->firstStep, 5u);
    EXPECT_EQ(drawn.gradients->step, 5u);
    EXPECT_EQ(drawn.gradients->pushes.size(), 1u);
    EXPECT_EQ(drawn.devices->stepEnds.size(), 5u);
}
