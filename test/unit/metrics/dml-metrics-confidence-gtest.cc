/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-confidence.h"

#include <cmath>
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

// An interval of 10 and 14 would be 12 +- 25.4, of three values half as wide as their mean: the
// least and the greatest say what is known.
TEST(DmlConfidence, FewValuesHaveARangeAndNoInterval)
{
    const Confidence two = ComputeConfidence({14.0, 10.0});
    EXPECT_DOUBLE_EQ(*two.mean, 12);
    EXPECT_FALSE(two.halfWidth);
    EXPECT_TRUE(two.IsRange());
    EXPECT_EQ(two.GetBounds(), std::optional(std::pair(10.0, 14.0)));
    const Confidence three = ComputeConfidence({14.0, 10.0, std::nullopt, 9.0});
    EXPECT_EQ(three.GetBounds(), std::optional(std::pair(9.0, 14.0)));
    // 9, 10, 14, 15: s^2 = 26/3, s/2 = 1.47196014, t(0.975, 3) = 3.18244631: 4.68443411
    const Confidence four = ComputeConfidence({14.0, 10.0, 9.0, 15.0});
    EXPECT_FALSE(four.IsRange());
    EXPECT_NEAR(four.GetBounds()->first, 12 - 4.68443411, 1e-6);
    EXPECT_NEAR(four.GetBounds()->second, 12 + 4.68443411, 1e-6);
    EXPECT_DOUBLE_EQ(*four.least, 9);
    EXPECT_DOUBLE_EQ(*four.greatest, 15);
}

// A tiny spread on a large offset: deviations are -1, -1, 1, 1, so s/sqrt(4) = 0.57735027 and
// t(0.975, 3) = 3.18244631. A sum of squares would lose all digits at 1e9.
TEST(DmlConfidence, SmallSpreadOnALargeMean)
{
    const Confidence c = ComputeConfidence({1e9 - 1, 1e9 - 1, 1e9 + 1, 1e9 + 1});
    EXPECT_NEAR(*c.halfWidth, 3.18244631 * 0.57735027, 1e-6);
}

TEST(DmlConfidence, OneValueHasNoInterval)
{
    const Confidence c = ComputeConfidence({7.0});
    EXPECT_DOUBLE_EQ(*c.mean, 7);
    EXPECT_FALSE(c.halfWidth);
    EXPECT_FALSE(c.IsRange());
    EXPECT_FALSE(c.GetBounds());
    EXPECT_EQ(c.GetRemark(), "");
}

TEST(DmlConfidence, EqualValuesHaveAnIntervalOfZero)
{
    EXPECT_DOUBLE_EQ(*ComputeConfidence({2.0, 2.0, 2.0, 2.0}).halfWidth, 0);
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

// Ratios 1.2 and 2, twice: the geometric mean is sqrt(2.4); logarithms 0.18232156 and 0.69314718,
// deviations +-0.25541281, s / 2 = 0.25541281 / sqrt(3) times t(0.975, 3) = 3.18244631 for
// half-width: 0.46929200.
TEST(DmlDifference, IsTheGeometricMeanWithItsInterval)
{
    const RelativeDifference d = EstimateDifference({{12, 10}, {20, 10}, {12, 10}, {20, 10}});
    EXPECT_EQ(d.pairs, 4u);
    EXPECT_NEAR(*d.value, std::sqrt(2.4) - 1, 1e-12);
    EXPECT_NEAR(*d.low, std::sqrt(2.4) * std::exp(-0.46929200) - 1, 1e-6);
    EXPECT_NEAR(*d.high, std::sqrt(2.4) * std::exp(0.46929200) - 1, 1e-6);
    EXPECT_FALSE(d.IsSignificant());
    // the other way round: the reciprocals
    const RelativeDifference other = EstimateDifference({{10, 12}, {10, 20}, {10, 12}, {10, 20}});
    EXPECT_NEAR((1 + *d.value) * (1 + *other.value), 1, 1e-12);
    EXPECT_NEAR((1 + *d.low) * (1 + *other.high), 1, 1e-12);
}

// Ratios 1.1, 1.2, 1.3, 1.1, 1.3: the mean logarithm is 0.17953, and t(0.975, 4) = 2.7764 and s =
// 0.083542 give 0.10373. The first three alone are the least and the greatest.
TEST(DmlDifference, IsSignificantIfTheIntervalIsOnOneSide)
{
    const RelativeDifference three = EstimateDifference({{11, 10}, {12, 10}, {13, 10}});
    EXPECT_NEAR(*three.low, 0.1, 1e-12);
    EXPECT_NEAR(*three.high, 0.3, 1e-12);
    EXPECT_FALSE(three.HasInterval());
    EXPECT_FALSE(three.IsSignificant());
    const RelativeDifference five =
        EstimateDifference({{11, 10}, {12, 10}, {13, 10}, {1.1, 1}, {1.3, 1}});
    EXPECT_NEAR(*five.low, std::exp(0.17953 - 0.10373) - 1, 2e-5);
    EXPECT_TRUE(five.IsSignificant());
    const RelativeDifference below = EstimateDifference({{10, 11}, {10, 11}, {10, 11}, {10, 11}});
    EXPECT_DOUBLE_EQ(*below.high, *below.value);
    EXPECT_TRUE(below.IsSignificant());
    // all pairs apart by a rounding error
    const std::pair<std::optional<double>, std::optional<double>> close{1 + 1e-12, 1};
    EXPECT_FALSE(EstimateDifference({close, close, close, close}).IsSignificant());
}

TEST(DmlDifference, LeavesOutWhatIsUndefined)
{
    const RelativeDifference one =
        EstimateDifference({{12, 10}, {std::nullopt, 10}, {10, std::nullopt}, {0, 1}, {1, 0}});
    EXPECT_EQ(one.pairs, 1u);
    EXPECT_NEAR(*one.value, 0.2, 1e-12);
    EXPECT_FALSE(one.low) << "one pair has no interval";
    EXPECT_FALSE(one.high);
    EXPECT_FALSE(one.IsSignificant());
    EXPECT_FALSE(EstimateDifference({}).value);
}

/// @return a value for each logarithm
static std::vector<std::optional<double>>
FromLogarithms(const std::vector<double>& logarithms)
{
    std::vector<std::optional<double>> values;
    for (const double each : logarithms)
    {
        values.emplace_back(std::exp(each));
    }
    return values;
}

// Logarithms 0, 0.2, 0, 0.2 (mean 0.1, squared standard error 0.01 / 3) and 0.1, 0.1, 0.4 four
// times (mean 0.3, squared standard error 0.12 / 5 / 6 = 0.004): Welch's degrees of freedom are
// (0.01 / 3 + 0.004)^2 / ((0.01 / 3)^2 / 3 + 0.004^2 / 5) = 7.78970, Student's quantile 2.3168857.
TEST(DmlDifference, ComparesTwoSamplesWithoutPairs)
{
    const auto one = FromLogarithms({0, 0.2, 0, 0.2});
    const auto other = FromLogarithms({0.1, 0.1, 0.4, 0.4, 0.4, 0.4});
    const RelativeDifference d = EstimateUnpairedDifference(one, other);
    const double half = 2.3168857 * std::sqrt(0.01 / 3 + 0.004);
    EXPECT_FALSE(d.paired);
    EXPECT_EQ(d.pairs, 4u);
    EXPECT_NEAR(*d.value, std::exp(-0.2) - 1, 1e-12);
    EXPECT_NEAR(*d.low, std::exp(-0.2 - half) - 1, 1e-7);
    EXPECT_NEAR(*d.high, std::exp(-0.2 + half) - 1, 1e-7);
    EXPECT_TRUE(d.IsSignificant());
    const RelativeDifference reverse = EstimateUnpairedDifference(other, one);
    EXPECT_NEAR((1 + *d.low) * (1 + *reverse.high), 1, 1e-12);
    const auto alike = FromLogarithms({0, 0, 0, 0});
    EXPECT_EQ(*EstimateUnpairedDifference(alike, alike).low, 0);
    EXPECT_FALSE(EstimateUnpairedDifference(alike, alike).IsSignificant());
}

TEST(DmlDifference, HasNoIntervalOfAFewValuesWithoutPairs)
{
    const std::vector<std::optional<double>> many{9, 10, 10, 11};
    const RelativeDifference d = EstimateUnpairedDifference({12, 20, std::nullopt, 0}, many);
    EXPECT_EQ(d.pairs, 2u);
    EXPECT_FALSE(d.HasInterval());
    const double mean = std::pow(9. * 10 * 10 * 11, 0.25);
    EXPECT_NEAR(*d.low, 12 / mean - 1, 1e-12);
    EXPECT_NEAR(*d.high, 20 / mean - 1, 1e-12);
    EXPECT_NEAR(*EstimateUnpairedDifference(many, {12, 20}).low, mean / 20 - 1, 1e-12);
    EXPECT_FALSE(EstimateUnpairedDifference({}, many).value);
    EXPECT_FALSE(EstimateUnpairedDifference({12}, many).low) << "one value has no range";
}
