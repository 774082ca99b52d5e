/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rates of what comes in bursts.

#include "ns3/dml-rate-meter.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// A burst of 1000 bytes every 10 ms, the first one at @p first; marks every millisecond.
RateMeter
Bursts(double first, std::size_t marks)
{
    RateMeter meter(5); // begins at second 5
    std::size_t bursts = 0;
    for (std::size_t mark = 0; mark < marks; ++mark)
    {
        const double now = 5 + mark * 0.001;
        while (5 + first + bursts * 0.01 <= now + 1e-12)
        {
            meter.Count(1000, 5 + first + bursts * 0.01);
            ++bursts;
        }
        meter.Mark(now);
    }
    return meter;
}

/// 100 kB/s, wherever in the period the bursts come, over whole periods.
TEST(RateMeter, BurstsInWholePeriodsAreExact)
{
    for (const double first : {0.0, 0.0003, 0.0042, 0.0099})
    {
        const RateMeter meter = Bursts(first, 61);
        EXPECT_NEAR(meter.GetRate(10, 0, 0.001), 1e5, 1e-4) << first;
        EXPECT_NEAR(meter.GetRate(10, 10, 0.001), 1e5, 1e-4) << first;
        EXPECT_NEAR(meter.GetRate(20, 3, 0.001), 1e5, 1e-4) << first;
    }
}

/// Over 15 ms a plain difference is 67 or 133 kB/s; the second one errs by a tenth of that.
TEST(RateMeter, BurstsInPartsOfPeriodsNearlyAre)
{
    for (const double first : {0.0, 0.0023, 0.0047, 0.0081})
    {
        EXPECT_NEAR(Bursts(first, 61).GetRate(15, 0, 0.001), 1e5, 1.2e4) << first;
    }
}

/// Steps of 1000 bytes at 0, 10, 20 ... ms: over the 10 ms before a step the count is what it was.
TEST(RateMeter, MeanOfTheCount)
{
    EXPECT_NEAR(Bursts(0, 41).GetMean(10, 0.001), 4000, 1e-6);
    EXPECT_NEAR(Bursts(0, 41).GetMean(20, 0.001), 3500, 1e-6);
    EXPECT_NEAR(Bursts(0, 46).GetMean(10, 0.001), 4500, 1e-6);
}

/// Count t^2/2 in steps: the rate is that of the middle, one span ago.
TEST(RateMeter, RateOfTheMiddle)
{
    RateMeter meter;
    double before = 0;
    for (int step = 1; step <= 4000; ++step)
    {
        const double now = step * 0.001;
        meter.Count(static_cast<uint64_t>(1e6 * (now * now / 2)) - before, now);
        before = static_cast<uint64_t>(1e6 * (now * now / 2));
        if (step % 100 == 0)
        {
            meter.Mark(now);
        }
    }
    EXPECT_NEAR(meter.GetRate(10, 0, 0.1), 1e6 * 3, 1e6 * 0.002);
    EXPECT_NEAR(meter.GetRate(10, 5, 0.1), 1e6 * 2.5, 1e6 * 0.002);
}

/// Every other mark is forgotten: the same rates, of half the marks.
TEST(RateMeter, ThinMarks)
{
    RateMeter meter = Bursts(0.0042, 61);
    meter.Thin(); // 31 marks, 2 ms apart
    EXPECT_NEAR(meter.GetRate(15, 0, 0.002), 1e5, 1e-4);
    EXPECT_NEAR(meter.GetRate(5, 20, 0.002), 1e5, 1e-4);
}

} // namespace
