/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-noise.h"

#include "ns3/dml-warmup-detector.h"

#include <functional>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Feed value(0), value(1), ... @return number of values at the verdict, or @p most if there is
/// none
uint64_t
FindVerdict(WarmupDetector& detector, uint64_t most, const std::function<double(uint64_t)>& value)
{
    while (detector.GetCount() < most)
    {
        if (detector.Add(value(detector.GetCount())))
        {
            break;
        }
    }
    return detector.GetCount();
}

} // namespace

// Without the first value nothing varies; each further cut leaves fewer values, which are no
// better.
TEST(DmlWarmupDetector, CutsOffAnOutlierAtTheBeginning)
{
    EXPECT_EQ(FindTruncation({10, 1, 1, 1, 1, 1, 1}), 1u);
}

// 10, 9, ..., 1 and then 0, 1, 0, 1, ..., 20 of them. With d = 10 left are 10 zeros and 10 ones:
// the squared deviations add up to 20 / 4 = 5, over 20^2 that is 0.0125. With d = 9 there is one
// more 1: 11 - 121 / 21 = 5.238, over 21^2 0.01188, which is less. d = 8 adds a 2: 15 - 169 / 22
// = 7.318, over 22^2 0.01512. d = 11 leaves 10 ones of 19: 10 - 100 / 19 = 4.737, over 19^2
// 0.01312; and so on.
TEST(DmlWarmupDetector, FindsTheEndOfALinearTransient)
{
    std::vector<double> values;
    for (int i = 10; i >= 1; --i)
    {
        values.push_back(i);
    }
    for (int i = 0; i < 20; ++i)
    {
        values.push_back(i % 2);
    }
    EXPECT_EQ(FindTruncation(values), 9u);
}

TEST(DmlWarmupDetector, CutsNothingOffWhatIsConstantOrTooShort)
{
    EXPECT_EQ(FindTruncation(std::vector<double>(30, 0.1)), 0u);
    EXPECT_EQ(FindTruncation({}), 0u);
    EXPECT_EQ(FindTruncation({9, 5, 3, 1}), 0u);
}

// Differences of large times are not exactly equal: 1 +- 1e-12 counts as constant.
TEST(DmlWarmupDetector, TakesRoundingForConstant)
{
    std::vector<double> values;
    for (int i = 0; i < 30; ++i)
    {
        values.push_back(1 + (i < 20 ? 1e-12 * (i % 3) : 0));
    }
    EXPECT_EQ(FindTruncation(values), 0u);
}

// The first verdict may come after max(40, 10 batches of 5) = 50 values.
TEST(DmlWarmupDetector, IsQuickWhereNothingChanges)
{
    WarmupDetector detector(5, 40);
    EXPECT_EQ(FindVerdict(detector, 1000, [](uint64_t) { return 3.95; }), 50u);
    WarmupDetector single(1, 40);
    EXPECT_EQ(FindVerdict(single, 1000, [](uint64_t) { return 3.95; }), 40u);
}

// Of a line the last values are the least different: the cut is always near the end.
TEST(DmlWarmupDetector, NeverBelievesALine)
{
    WarmupDetector detector(5, 40);
    EXPECT_EQ(FindVerdict(detector, 3000, [](uint64_t i) { return 10.0 - 0.001 * i; }), 3000u);
}

// 200 values that fall, then constant ones: the cut is at 200, so the verdict needs more than 400
// values; the next question comes at most a tenth later.
TEST(DmlWarmupDetector, WaitsUntilTheTransientIsInTheFirstHalf)
{
    WarmupDetector detector(1, 40);
    const uint64_t verdict =
        FindVerdict(detector, 3000, [](uint64_t i) { return i < 200 ? 300.0 - i : 100.0; });
    EXPECT_GT(verdict, 400u);
    EXPECT_LE(verdict, 441u);
}

// The same with 3000 values, which are more than it keeps: batches are merged four times, to 16
// values, and the cut moves by less than that.
TEST(DmlWarmupDetector, MergesBatchesOfALongTransient)
{
    WarmupDetector detector(1, 40);
    const uint64_t verdict =
        FindVerdict(detector, 30000, [](uint64_t i) { return i < 3000 ? 4000.0 - i : 1000.0; });
    EXPECT_GT(verdict, 6000u - 32);
    EXPECT_LE(verdict, 6632u);
}

// White noise has no warm-up: nearly all seeds get the first verdict. (A cut in the second half of
// 10 batches is a matter of chance.)
TEST(DmlWarmupDetector, SeldomDoubtsNoise)
{
    int first = 0;
    for (int seed = 0; seed < 200; ++seed)
    {
        AutoregressiveNoise noise(seed, 0);
        WarmupDetector detector(5, 40);
        first += FindVerdict(detector, 1000, [&](uint64_t) { return noise.Next() + 5; }) <= 60;
    }
    EXPECT_GT(first, 150);
}
