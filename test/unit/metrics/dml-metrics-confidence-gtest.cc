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

// Logarithms x = 0, 1, 2, 3, 4 and y = 1, 0, 3, 2, 4 in pairs: means 2 and 2, squares 10 and 10,
// products 8, slope 0.8, what is unexplained 10 - 6.4 = 3.6, over 3 degrees of freedom 1.2. Of x
// there are five more values, all 3, so its mean is 2.5 and y's is corrected to 2.4. t(0.975, 3)
// = 3.18244631; the ten values of x have squares of 10 + 5 * 1 - 10 * 0.25 = 12.5, squared
// error 12.5 / 90, and t(0.975, 9) = 2.26215716.
TEST(DmlDifference, CountsFurtherValuesByRegression)
{
    const auto x = FromLogarithms({0, 1, 2, 3, 4, 3, 3, 3, 3, 3});
    const auto y = FromLogarithms({1, 0, 3, 2, 4});
    const auto pairs = PairReplications(x, y);
    const RelativeDifference d = EstimateDifference(pairs, x, y);
    const double half = std::hypot(3.18244631 * std::sqrt(1.2 * (0.2 + 0.25 / 10)),
                                   2.26215716 * 0.2 * std::sqrt(12.5 / 90));
    EXPECT_EQ(d.pairs, 5u);
    EXPECT_EQ(d.further, 5u);
    EXPECT_NEAR(*d.value, std::expm1(0.1), 1e-12);
    EXPECT_NEAR(*d.low, std::expm1(0.1 - half), 1e-8);
    EXPECT_NEAR(*d.high, std::expm1(0.1 + half), 1e-7);
    // the other way round: the reciprocals
    const RelativeDifference other = EstimateDifference(PairReplications(y, x), y, x);
    EXPECT_NEAR((1 + *d.value) * (1 + *other.value), 1, 1e-12);
    EXPECT_NEAR((1 + *d.low) * (1 + *other.high), 1, 1e-9);
}

// Where the pairs go together, further values change nothing and add no uncertainty.
TEST(DmlDifference, KeepsWhatPairsTell)
{
    const auto x = FromLogarithms({0, 1, 2, 3, 4, 9, 9, 9});
    const auto y = FromLogarithms({0.5, 1.5, 2.5, 3.5, 4.5});
    const RelativeDifference d = EstimateDifference(PairReplications(x, y), x, y);
    EXPECT_NEAR(*d.value, std::expm1(-0.5), 1e-12);
    EXPECT_NEAR(*d.low, *d.value, 1e-7);
}

TEST(DmlDifference, IsThatOfThePairsWithoutFurtherValues)
{
    const auto x = FromLogarithms({0, 1, 2, 3, 4});
    const auto y = FromLogarithms({1, 0, 3, 2, 4});
    const auto pairs = PairReplications(x, y);
    EXPECT_EQ(*EstimateDifference(pairs, x, y).low, *EstimateDifference(pairs).low);
    // nor with too few pairs, nor where x does not vary
    const auto few = PairReplications(x, FromLogarithms({1, 0, 3, 2}));
    EXPECT_EQ(EstimateDifference(few, x, FromLogarithms({1, 0, 3, 2})).further, 0u);
    const auto same = FromLogarithms({1, 1, 1, 1, 1, 1});
    EXPECT_EQ(EstimateDifference(PairReplications(same, y), same, y).further, 0u);
    EXPECT_FALSE(EstimateDifference({}, x, {}).value);
}
