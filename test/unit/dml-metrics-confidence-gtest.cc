/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-confidence.h"

#include <gtest/gtest.h>

#include <limits>

using namespace ns3::dml;

// 1, 2, 3, 4, 5: mean 3, s^2 = 10/4 = 2.5, s/sqrt(5) = sqrt(0.5) = 0.70710678;
// t(0.975, 4) = 2.7764451 (any table: 2.776): half-width 1.9632432.
TEST(DmlConfidence, FiveValues)
{
    const Confidence c = ComputeConfidence({1.0, 2.0, 3.0, 4.0, 5.0});
    EXPECT_EQ(c.count, 5u);
    EXPECT_DOUBLE_EQ(*c.mean, 3);
    EXPECT_NEAR(*c.halfWidth, 1.9632432, 1e-6);
}

// Two values, 10 and 14: s = sqrt(8), s/sqrt(2) = 2; t(0.975, 1) = tan(0.475 pi) = 12.7062047.
TEST(DmlConfidence, TwoValuesGiveAWideInterval)
{
    const Confidence c = ComputeConfidence({10.0, 14.0});
    EXPECT_DOUBLE_EQ(*c.mean, 12);
    EXPECT_NEAR(*c.halfWidth, 25.4124094, 1e-6);
    // t(0.75, 1) = tan(pi/4) = 1
    EXPECT_NEAR(*ComputeConfidence({10.0, 14.0}, 0.5).halfWidth, 2, 1e-9);
}

// A tiny spread on a large offset: deviations are -1, 0, 1, so s/sqrt(3) = 0.57735027 and
// t(0.975, 2) = 4.30265273. A sum of squares would lose all digits at 1e9.
TEST(DmlConfidence, SmallSpreadOnALargeMean)
{
    const Confidence c = ComputeConfidence({1e9 - 1, 1e9, 1e9 + 1});
    EXPECT_NEAR(*c.halfWidth, 4.30265273 * 0.57735027, 1e-6);
}

TEST(DmlConfidence, OneValueHasNoInterval)
{
    const Confidence c = ComputeConfidence({7.0});
    EXPECT_DOUBLE_EQ(*c.mean, 7);
    EXPECT_FALSE(c.halfWidth);
    EXPECT_EQ(c.GetRemark(), "");
}

TEST(DmlConfidence, EqualValuesHaveAnIntervalOfZero)
{
    EXPECT_DOUBLE_EQ(*ComputeConfidence({2.0, 2.0, 2.0}).halfWidth, 0);
}

TEST(DmlConfidence, UndefinedValuesAreLeftOutAndCounted)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Confidence c = ComputeConfidence({std::nullopt, 10.0, nan, 14.0});
    EXPECT_EQ(c.count, 2u);
    EXPECT_EQ(c.skipped, 2u);
    EXPECT_DOUBLE_EQ(*c.mean, 12);
    EXPECT_EQ(c.GetRemark(), "2 of 4 replications undefined");
}

TEST(DmlConfidence, NoValues)
{
    EXPECT_FALSE(ComputeConfidence({}).mean);
    EXPECT_FALSE(ComputeConfidence({std::nullopt}).mean);
    EXPECT_FALSE(ComputeConfidence({std::nullopt}).halfWidth);
}
