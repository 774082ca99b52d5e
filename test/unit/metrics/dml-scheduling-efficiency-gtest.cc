/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-schedule-meter.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

// A downlink busy 3 s, an uplink 1 s, a device 4 s: U = 3 + 1 + 4 = 8, L = max = 4.
// E(4) = 4/4 = 1, E(8) = 0/4, E(5) = 3/4. S = (8 - 4) / 4 = 1: the best order doubles the rate.
TEST(DmlSchedulingEfficiency, BoundsEfficiencyAndSpeedup)
{
    const MakespanBounds bounds = ComputeMakespanBounds({3, 1, 4});
    EXPECT_DOUBLE_EQ(bounds.upper, 8);
    EXPECT_DOUBLE_EQ(bounds.lower, 4);
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(bounds, 4), 1);
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(bounds, 8), 0);
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(bounds, 5), 0.75);
    EXPECT_DOUBLE_EQ(ComputeSchedulingSpeedup(bounds), 1);
}

// TicTac's Fig. 1 with all ops of one second: two pulls on the link, two ops on the device.
// U = 4, L = 2; the good order takes pull, pull | op1, op2 = 3 s: E = 1/2; the bad one 4 s: E = 0.
TEST(DmlSchedulingEfficiency, GoodAndBadOrderOfTheToyGraph)
{
    const MakespanBounds bounds = ComputeMakespanBounds({2, 2});
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(bounds, 3), 0.5);
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(bounds, 4), 0);
}

// Waiting that is nobody's work can push a step beyond U: (8 - 10) / (8 - 4) = -1/2, not clamped.
TEST(DmlSchedulingEfficiency, AStepLongerThanTheUpperBoundIsNegative)
{
    EXPECT_DOUBLE_EQ(*ComputeSchedulingEfficiency(ComputeMakespanBounds({3, 1, 4}), 10), -0.5);
}

TEST(DmlSchedulingEfficiency, UndefinedWhereOneResourceHasAllTheWork)
{
    const MakespanBounds bounds = ComputeMakespanBounds({0, 2.5, 0});
    EXPECT_DOUBLE_EQ(bounds.upper, 2.5);
    EXPECT_DOUBLE_EQ(bounds.lower, 2.5);
    EXPECT_FALSE(ComputeSchedulingEfficiency(bounds, 2.5));
    EXPECT_DOUBLE_EQ(ComputeSchedulingSpeedup(bounds), 0);
}

TEST(DmlSchedulingEfficiency, AStepWithoutWorkCannotGain)
{
    for (const auto& busy : {std::vector<double>{}, std::vector<double>{0, 0}})
    {
        const MakespanBounds bounds = ComputeMakespanBounds(busy);
        EXPECT_FALSE(ComputeSchedulingEfficiency(bounds, 0));
        EXPECT_EQ(ComputeSchedulingSpeedup(bounds), 0); // not 0/0
    }
}
