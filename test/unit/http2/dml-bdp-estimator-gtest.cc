/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rates of 100 MB/s, so that 1 ms is 100 kB.

#include "ns3/dml-bdp-estimator.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Send a PING at @p now, let @p bytes arrive, acknowledge it. @return whether the estimate grew
bool
Probe(BdpEstimator& estimator, double now, uint64_t bytes, double seconds)
{
    EXPECT_TRUE(estimator.DataArrived(1, now)) << now;
    estimator.DataArrived(bytes, now + seconds);
    return estimator.PingAcknowledged(now + seconds);
}

/// The first PING 100 ms after the first data, not before, and no second one on its way.
TEST(BdpEstimator, PingsAfterATenthOfASecond)
{
    BdpEstimator estimator;
    EXPECT_FALSE(estimator.DataArrived(1000, 5));
    EXPECT_FALSE(estimator.DataArrived(1000, 5.0999));
    EXPECT_TRUE(estimator.DataArrived(1000, 5.1001));
    EXPECT_FALSE(estimator.DataArrived(1000, 6)) << "one is on its way";
    EXPECT_FALSE(estimator.PingAcknowledged(6)) << "2/3 of 65536 bytes did not arrive";
    EXPECT_FALSE(estimator.DataArrived(1000, 6.05));
    EXPECT_TRUE(estimator.DataArrived(1000, 6.11));
}

/// More than 2/3 of the estimate doubles it; much more replaces it. 43691 > 43690 = 2/3 * 65536.
TEST(BdpEstimator, GrowsAboveTwoThirds)
{
    BdpEstimator less;
    less.DataArrived(1, 0);
    EXPECT_FALSE(Probe(less, 1, 43690, 0.001));
    EXPECT_EQ(less.GetEstimate(), 65536u);
    BdpEstimator more;
    more.DataArrived(1, 0);
    EXPECT_TRUE(Probe(more, 1, 43691, 0.001));
    EXPECT_EQ(more.GetEstimate(), 131072u);
    BdpEstimator much;
    much.DataArrived(1, 0);
    EXPECT_TRUE(Probe(much, 1, 5000000, 0.05));
    EXPECT_EQ(much.GetEstimate(), 5000000u);
}

/// Bytes that come slower than before say nothing of the link. 94 MB/s after 100 MB/s are slower;
/// 96 MB/s are within the tolerance of 5 %.
TEST(BdpEstimator, DoesNotGrowWhenBandwidthFalls)
{
    BdpEstimator estimator;
    estimator.DataArrived(1, 0);
    ASSERT_TRUE(Probe(estimator, 1, 1000000, 0.01));
    EXPECT_FALSE(Probe(estimator, 2, 940000, 0.01));
    EXPECT_EQ(estimator.GetEstimate(), 1000000u);
    EXPECT_TRUE(Probe(estimator, 3, 960000, 0.01));
    EXPECT_EQ(estimator.GetEstimate(), 2000000u);
}

/// Growth halves the time to the next PING: 100, 50, 25 ms. From the second PING without growth on,
/// every other one adds 150 ms.
TEST(BdpEstimator, PacesItsPings)
{
    BdpEstimator estimator;
    estimator.DataArrived(1, 0);
    ASSERT_TRUE(Probe(estimator, 1, 1000000, 0.01));
    EXPECT_FALSE(estimator.DataArrived(1, 1.059));
    ASSERT_TRUE(Probe(estimator, 1.061, 2000000, 0.02));
    EXPECT_FALSE(estimator.DataArrived(1, 1.081 + 0.024));
    EXPECT_FALSE(Probe(estimator, 1.081 + 0.026, 10, 0.01)); // acknowledged at 1.117
    EXPECT_FALSE(estimator.DataArrived(1, 1.117 + 0.024));
    EXPECT_FALSE(Probe(estimator, 1.117 + 0.026, 10, 0.01)); // acknowledged at 1.153
    EXPECT_FALSE(estimator.DataArrived(1, 1.153 + 0.174));
    EXPECT_TRUE(estimator.DataArrived(1, 1.153 + 0.176));
}

/// 5 MB and their doubles. By hand: the target is log2 of twice the estimate, 23.25, 24.25, 25.25;
/// with steps of 0.1 s the controller goes from 22 to 22.28, 23.04 and 24.14, which round up to 8,
/// 16 and 32 MiB.
TEST(BdpEstimator, WindowDoublesFromPingToPing)
{
    BdpEstimator estimator;
    EXPECT_EQ(estimator.GetWindow(), 4U << 20);
    estimator.DataArrived(1, 0);
    for (const uint32_t step : {1, 2, 3})
    {
        ASSERT_TRUE(Probe(estimator, step, 5000000U << (step - 1), 0.05 * (1 << (step - 1))));
        EXPECT_EQ(estimator.GetWindow(), 4U << 20 << step);
    }
    ASSERT_TRUE(Probe(estimator, 5, 100000000, 1));
    EXPECT_EQ(estimator.GetWindow(), 32U << 20) << "the largest";
}

/// Steps are of 0.1 s at most: 10 MB after a minute are a target of 24.25, 22.5 by hand, 8 MiB.
/// Without growth the controller goes on to the target.
TEST(BdpEstimator, WindowFollowsTheEstimate)
{
    BdpEstimator estimator;
    estimator.DataArrived(1, 0);
    ASSERT_TRUE(Probe(estimator, 60, 10000000, 0.1));
    EXPECT_EQ(estimator.GetWindow(), 8U << 20);
    EXPECT_FALSE(Probe(estimator, 120, 100, 0.1));
    EXPECT_EQ(estimator.GetWindow(), 16U << 20);
    // 2 MiB and less ask for no more than the smallest window.
    BdpEstimator small;
    small.DataArrived(1, 0);
    for (const double now : {60., 120., 180.})
    {
        Probe(small, now, 1000000, 0.01);
    }
    EXPECT_EQ(small.GetEstimate(), 2000000U);
    EXPECT_EQ(small.GetWindow(), 4U << 20);
}

} // namespace
