/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The random times until bursts are acknowledged: exponential, independent, and those of a stream.

#include "ns3/dml-burst-ack-times.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double MEAN = 100e-6;

/// @return times of a replication, as multiples of their mean
std::vector<double>
DrawTimes(std::size_t count, uint64_t replication)
{
    RngStream seeds(1, 7011, replication);
    BurstAckTimes times(MEAN, seeds);
    std::vector<double> drawn(count);
    for (auto& time : drawn)
    {
        time = times.Draw() / MEAN;
    }
    return drawn;
}

/// A number of times; five standard errors of a mean are 5 / 1000 of the deviation.
constexpr std::size_t COUNT = 1000000;
constexpr double ERRORS = 5e-3;

TEST(BurstAckTimes, HaveTheMomentsOfAnExponential)
{
    double first = 0;
    double second = 0;
    double products = 0; // of one and the next one
    double before = 1;
    for (const double time : DrawTimes(COUNT, 0))
    {
        first += time / COUNT;
        second += time * time / COUNT;
        products += time * before / COUNT;
        before = time;
    }
    // E[x^n] = n!, so the variances are 1, 4! - 2!^2 and, of products of two, 2!^2 - 1; that the
    // products of neighbours share their factors makes it 2!^2 - 1 + 2 (2! - 1)
    EXPECT_NEAR(first, 1, ERRORS);
    EXPECT_NEAR(second, 2, ERRORS * std::sqrt(20));
    EXPECT_NEAR(products, 1, ERRORS * std::sqrt(5));
}

TEST(BurstAckTimes, HaveTheQuantilesOfAnExponential)
{
    // the last one is behind the 7.7 means from where the ziggurat method draws the tail apart
    const std::vector<double> times = DrawTimes(COUNT, 0);
    for (const double limit : {0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 7.0, 8.5})
    {
        std::size_t longer = 0;
        for (const double time : times)
        {
            longer += time > limit;
        }
        const double expected = std::exp(-limit);
        EXPECT_NEAR(static_cast<double>(longer) / COUNT,
                    expected,
                    ERRORS * std::sqrt(expected * (1 - expected)))
            << limit;
    }
}

TEST(BurstAckTimes, FollowFromTheStream)
{
    EXPECT_EQ(DrawTimes(10, 3), DrawTimes(10, 3));
    EXPECT_NE(DrawTimes(10, 3), DrawTimes(10, 4));
}

TEST(BurstAckTimes, AreNoneWithoutAMean)
{
    RngStream seeds(1, 7011, 0);
    EXPECT_EQ(BurstAckTimes(0, seeds).Draw(), 0);
}

} // namespace
