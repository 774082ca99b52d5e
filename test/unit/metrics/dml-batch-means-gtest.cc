/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-noise.h"

#include "ns3/dml-batch-means.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// t(0.975) with 3 degrees of freedom, from a table.
constexpr double T3 = 3.182446;

} // namespace

// 4 samples in 1 + 3 + 1 + 3 = 8 s: rate 0.5. D_j = 1 - 0.5 T_j = 0.5, -0.5, 0.5, -0.5: their
// variance is 4 * 0.25 / 3 = 1/3, their lag-1 products add up to -0.75 and their squares to 1, so r
// is -0.75, which widens nothing. Half-width over rate: t sqrt(1/3) / sqrt(4) / 1.
TEST(DmlBatchMeans, GivesTheIntervalOfARatio)
{
    BatchMeans means;
    for (const double seconds : {1.0, 3.0, 1.0, 3.0})
    {
        EXPECT_FALSE(means.Add(1, seconds));
    }
    const auto interval = means.GetInterval();
    ASSERT_TRUE(interval);
    EXPECT_DOUBLE_EQ(interval->rate, 0.5);
    EXPECT_DOUBLE_EQ(interval->correlation, -0.75);
    EXPECT_NEAR(interval->halfWidth, T3 * std::sqrt(1.0 / 3) / 2, 1e-6);
    EXPECT_EQ(interval->batches, 4u);
    EXPECT_EQ(interval->observations, 1u);
}

// The same with 1, 1, 3, 3: D_j = 0.5, 0.5, -0.5, -0.5, products 0.25 - 0.25 + 0.25, so r = 0.25
// and the interval is sqrt(1.25 / 0.75) times as wide.
TEST(DmlBatchMeans, WidensTheIntervalOfCorrelatedBatches)
{
    BatchMeans means;
    for (const double seconds : {1.0, 1.0, 3.0, 3.0})
    {
        means.Add(1, seconds);
    }
    const auto interval = means.GetInterval();
    ASSERT_TRUE(interval);
    EXPECT_DOUBLE_EQ(interval->correlation, 0.25);
    EXPECT_NEAR(interval->halfWidth, T3 * std::sqrt(1.0 / 3) / 2 * std::sqrt(1.25 / 0.75), 1e-6);
}

// Amounts that are in proportion to the time have one rate, whatever their sizes.
TEST(DmlBatchMeans, IsSureOfAConstantRate)
{
    BatchMeans means;
    for (int i = 1; i <= 25; ++i)
    {
        means.Add(3 * (i % 7 + 1), 0.1 * (i % 7 + 1));
    }
    const auto interval = means.GetInterval();
    ASSERT_TRUE(interval);
    EXPECT_DOUBLE_EQ(interval->rate, 30);
    EXPECT_EQ(interval->halfWidth, 0);
    EXPECT_EQ(interval->correlation, 0);
}

TEST(DmlBatchMeans, HasNoIntervalOfTooLittle)
{
    BatchMeans means;
    EXPECT_FALSE(means.GetInterval());
    means.Add(1, 1);
    EXPECT_FALSE(means.GetInterval());
    BatchMeans nothing;
    nothing.Add(0, 1);
    nothing.Add(0, 1);
    EXPECT_FALSE(nothing.GetInterval());
}

// 20 batches of 1, a check every 5; at 40 they become 20 of 2, so the next checks are 5 * 2 later.
TEST(DmlBatchMeans, MergesBatchesAndKeepsTheSum)
{
    BatchMeans means;
    std::vector<int> checks;
    for (int i = 1; i <= 163; ++i)
    {
        if (means.Add(1, i))
        {
            checks.push_back(i);
        }
    }
    EXPECT_EQ(checks, (std::vector<int>{20, 25, 30, 35, 40, 50, 60, 70, 80, 100, 120, 140, 160}));
    const auto interval = means.GetInterval();
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->observations, 8u);
    EXPECT_EQ(interval->batches, 20u);
    EXPECT_EQ(means.GetCount(), 163u);
    EXPECT_DOUBLE_EQ(interval->rate, 160 / (160 * 161 / 2.0)); // of complete batches
}

// T = 1 + 0.2 X with X an AR(1) process of variance 1 and correlation 0.5: the mean of n of them
// has the variance 0.04 (1 + 0.5) / (1 - 0.5) / n = 0.12 / n, as long as n is large. In 400 seeded
// repetitions the 95 % interval must cover the true rate 1 in 95 % +- 3 standard deviations of a
// binomial share, sqrt(0.95 * 0.05 / 400) = 1.1 %; the estimated variance must be right too, up to
// what the factor for correlation, which never shrinks it, adds.
TEST(DmlBatchMeans, CoversTheTruthOfAnAutoregressiveProcess)
{
    constexpr int REPETITIONS = 400;
    constexpr int COUNT = 2560; // 20 batches of 128
    constexpr double T19 = 2.093024;
    int covered = 0;
    double variance = 0;
    for (int seed = 0; seed < REPETITIONS; ++seed)
    {
        AutoregressiveNoise noise(seed, 0.5);
        BatchMeans means;
        for (int i = 0; i < COUNT; ++i)
        {
            means.Add(1, 1 + 0.2 * noise.Next());
        }
        const auto interval = means.GetInterval();
        ASSERT_TRUE(interval);
        ASSERT_EQ(interval->batches, 20u);
        covered += std::abs(1 - interval->rate) <= interval->halfWidth * interval->rate ? 1 : 0;
        variance += std::pow(interval->halfWidth / T19, 2) / REPETITIONS;
    }
    EXPECT_GE(covered, 0.95 * REPETITIONS - 3 * 0.011 * REPETITIONS);
    EXPECT_LE(covered, 0.95 * REPETITIONS + 3 * 0.011 * REPETITIONS);
    EXPECT_GT(variance, 0.9 * 0.12 / COUNT);
    EXPECT_LT(variance, 1.35 * 0.12 / COUNT);
}
