/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-distribution.h"
#include "ns3/dml-interval-union.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace ns3::dml;

// 1 .. 1000: the nearest rank of a half is 500, of 0.95 is 950; each within 0.5 %.
TEST(DmlDistribution, QuantilesAreWithinHalfAPercent)
{
    Distribution values;
    for (int i = 1000; i >= 1; --i)
    {
        values.Add(1e-3 * i);
    }
    EXPECT_EQ(values.count, 1000u);
    EXPECT_NEAR(values.GetMean(), 0.5005, 1e-12);
    EXPECT_NEAR(values.GetQuantile(0.5), 0.5, 0.005 * 0.5);
    EXPECT_NEAR(values.GetQuantile(0.95), 0.95, 0.005 * 0.95);
    EXPECT_DOUBLE_EQ(values.GetQuantile(0), 1e-3);
    EXPECT_DOUBLE_EQ(values.GetQuantile(1), 1);
    EXPECT_LT(values.bins.size(), 1290u); // ten powers of two
}

// Four of each: ranks 1 to 4 are -2, 5 to 8 are 0 (a value of 1e-12 too), 9 to 12 are 3.
TEST(DmlDistribution, OrdersNegativeValuesZeroAndPositiveOnes)
{
    Distribution values;
    for (int i = 0; i < 4; ++i)
    {
        values.Add(3);
        values.Add(-2);
        values.Add(i == 0 ? 1e-12 : 0);
    }
    EXPECT_NEAR(values.GetQuantile(0.1), -2, 0.01);
    EXPECT_GE(values.GetQuantile(0.1), -2); // no less than the least
    EXPECT_DOUBLE_EQ(values.GetQuantile(0.5), 0);
    EXPECT_NEAR(values.GetQuantile(0.75), 3, 0.015);
    EXPECT_DOUBLE_EQ(values.min, -2);
    EXPECT_DOUBLE_EQ(values.max, 3);
}

TEST(DmlDistribution, UndefinedValuesAreCountedAlone)
{
    Distribution values;
    values.Add(std::numeric_limits<double>::quiet_NaN());
    values.Add(std::numeric_limits<double>::infinity());
    EXPECT_EQ(values.count, 0u);
    EXPECT_EQ(values.undefined, 2u);
    EXPECT_TRUE(std::isnan(values.GetMean()));
    EXPECT_TRUE(std::isnan(values.GetQuantile(0.5)));
}

// {1, 2} and {4, 5, undefined}: the same as all of them at once.
TEST(DmlDistribution, MergesAsIfAllValuesHadBeenAdded)
{
    Distribution first;
    Distribution second;
    Distribution all;
    for (const double value : {1.0, 2.0, 4.0, 5.0, std::numeric_limits<double>::quiet_NaN()})
    {
        (value < 3 ? first : second).Add(value);
        all.Add(value);
    }
    first.Merge(second);
    EXPECT_EQ(first.bins, all.bins);
    EXPECT_EQ(first.count, 4u);
    EXPECT_EQ(first.undefined, 1u);
    EXPECT_DOUBLE_EQ(first.GetMean(), 3);
    EXPECT_DOUBLE_EQ(first.min, 1);
    EXPECT_DOUBLE_EQ(first.max, 5);
    first.Merge(Distribution());
    EXPECT_DOUBLE_EQ(first.min, 1);
}

// [0, 1], [2, 3], then [0.5, 4] swallows both: [0, 4]; [5, 6] stays apart.
TEST(DmlIntervalUnion, CountsOverlapsOnce)
{
    IntervalUnion intervals;
    AddInterval(intervals, 0, 1);
    AddInterval(intervals, 2, 3);
    EXPECT_DOUBLE_EQ(GetLength(intervals), 2);
    AddInterval(intervals, 0.5, 4);
    EXPECT_DOUBLE_EQ(GetLength(intervals), 4);
    AddInterval(intervals, 5, 6);
    EXPECT_DOUBLE_EQ(GetLength(intervals), 5);
    EXPECT_EQ(intervals.size(), 2u);
}
