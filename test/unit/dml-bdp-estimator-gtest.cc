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

/// WIN: a power of two of at least twice the estimate, 4 to 32 MiB.
TEST(BdpEstimator, WindowFollowsTheEstimate)
{
    constexpr uint32_t mebi = 1 << 20;
    for (const auto& [bytes, window] : {std::pair{1000000U, 4U},
                                        {2 * mebi, 4U},
                                        {2 * mebi + 1, 8U},
                                        {4 * mebi, 8U},
                                        {5000000U, 16U},
                                        {9000000U, 32U},
                                        {100000000U, 32U}})
    {
        BdpEstimator estimator;
        EXPECT_EQ(estimator.GetWindow(), 4 * mebi);
        estimator.DataArrived(1, 0);
        ASSERT_TRUE(Probe(estimator, 1, bytes, 0.1));
        EXPECT_EQ(estimator.GetWindow(), window * mebi) << bytes;
    }
}

} // namespace
