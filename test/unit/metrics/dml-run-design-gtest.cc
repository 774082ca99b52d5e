/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-run-design.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Four times as many steps halve what varies independently, and leave what stays with a run.
TEST(RunDesign, FitsHowRunsSpread)
{
    const ThroughputSpread independent = FitSpread(0.1, 0.05, 4, 16);
    EXPECT_DOUBLE_EQ(independent.exponent, 0.5);
    EXPECT_DOUBLE_EQ(independent.GetDeviation(4), 0.1);
    EXPECT_NEAR(independent.GetDeviation(100), 0.02, 1e-12);
    EXPECT_DOUBLE_EQ(FitSpread(0.1, 0.1, 4, 16).exponent, 0);
    EXPECT_DOUBLE_EQ(FitSpread(0.1, 0.2, 4, 16).exponent, 0) << "longer runs do not spread more";
    EXPECT_DOUBLE_EQ(FitSpread(0.1, 0.001, 4, 16).exponent, 0.5);
    EXPECT_DOUBLE_EQ(FitSpread(0, 0, 4, 16).GetDeviation(7), 0) << "runs that are all alike";
    EXPECT_DOUBLE_EQ(FitSpread(0, 0.1, 4, 16).GetDeviation(64), 0.05) << "short ones are alike";
}

/// t(0.975, 3) = 3.18244631: exp(3.18244631 * 0.1 / 2) - 1.
TEST(RunDesign, HasStudentsInterval)
{
    EXPECT_NEAR(GetRelativeHalfWidth(0.1, 4), std::exp(0.1591223153) - 1, 1e-9);
    EXPECT_EQ(GetRelativeHalfWidth(0, 4), 0);
}

/// 120 s pay for 120 steps. With a warm-up of 10 steps, n runs measure 120 - 10 n in all, so that
/// what varies independently has a half-width of t(n - 1) 0.1 / sqrt(120 - 10 n): 0.03558 for 4
/// runs, 0.03318 for 5, 0.03319 for 6 and 0.03461 for 7.
TEST(RunDesign, WeighsRunsAgainstWarmup)
{
    const auto design = DesignRuns(120, 1, 10, 11, {0.1, 1, 0.5});
    ASSERT_TRUE(design);
    EXPECT_EQ(design->runs, 5u);
    EXPECT_EQ(design->steps, 24u);
    EXPECT_NEAR(design->halfWidth, std::expm1(2.7764451 * 0.1 / std::sqrt(70)), 1e-6);
    // of what does not fall with the length of the runs there are as many as can be, but none
    // shorter
    EXPECT_EQ(DesignRuns(1e4, 1, 10, 20, {0.1, 1, 0})->runs, 500u);
    EXPECT_FALSE(DesignRuns(43, 1, 10, 11, {0.1, 1, 0.5})) << "4 runs take 44 s";
    EXPECT_EQ(DesignRuns(44, 1, 10, 11, {0.1, 1, 0.5})->steps, 11u);
}

} // namespace
