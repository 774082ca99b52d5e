/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the samples of a step are divided among workers.

#include "ns3/dml-sample-shares.h"
#include "ns3/rng-stream.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Shares = std::vector<uint32_t>;

constexpr uint32_t ROOM = 1000; // more than there are samples

} // namespace

/// 10 samples by 1 : 1 : 2 are 2.5, 2.5 and 5: the first of the equal remainders is rounded up.
TEST(SampleShares, AreInProportionAndTiesGoToTheLowestNumber)
{
    EXPECT_EQ(ShareSamples({1, 1, 2}, 10, {ROOM, ROOM, ROOM}), (Shares{3, 2, 5}));
    EXPECT_EQ(ShareSamples({2, 1, 1}, 10, {ROOM, ROOM, ROOM}), (Shares{5, 3, 2}));
}

/// 8 samples for 5 equal workers are 1.6 each: the first three get 2, whatever the last bits of the
/// speeds are. The fifth's is the highest of all below.
TEST(SampleShares, TiesDoNotGoByRounding)
{
    const double up = std::nextafter(1.0, 2.0);
    const double down = std::nextafter(1.0, 0.0);
    const std::vector<uint32_t> room(5, ROOM);
    EXPECT_EQ(ShareSamples({1, 1, 1, 1, 1}, 8, room), (Shares{2, 2, 2, 1, 1}));
    EXPECT_EQ(ShareSamples({down, 1, down, 1, up}, 8, room), (Shares{2, 2, 2, 1, 1}));
    EXPECT_EQ(ShareSamples({0.1 * 3, 0.3, 0.1 + 0.2, 0.3, 0.9 / 3}, 8, room),
              (Shares{2, 2, 2, 1, 1}));
    // samples in seconds of 0.1 s, or of a tenth of a second at 10^6 s, where a time is known to
    // 10^-10 s
    const double early = 16 / 0.1;
    const double late = 16 / (1000000.1 - 1000000.0);
    EXPECT_NE(early, late);
    EXPECT_EQ(ShareSamples({early, early, early, early, late}, 8, room), (Shares{2, 2, 2, 1, 1}));
    EXPECT_EQ(ShareSamples({late, early, early, early, early}, 8, room), (Shares{2, 2, 2, 1, 1}));
}

/// Random speeds in groups that are equal but for their last bits: the shares are as if they were
/// equal.
TEST(SampleShares, LastBitsOfSpeedsDoNotMatter)
{
    RngStream random(2, 1, 0);
    uint32_t ties = 0;
    for (uint32_t test = 0; test < 2000; ++test)
    {
        const uint32_t workers = 2 + static_cast<uint32_t>(random.RandU01() * 12);
        std::vector<double> equal;
        std::vector<double> noisy;
        for (uint32_t i = 0; i < workers; ++i)
        {
            const double speed = 1 + static_cast<uint32_t>(random.RandU01() * 3); // 1, 2 or 3
            equal.push_back(speed);
            noisy.push_back(speed * (1 + (random.RandU01() - 0.5) * 1e-14));
        }
        const auto total = workers + static_cast<uint32_t>(random.RandU01() * 500);
        const std::vector<uint32_t> room(workers,
                                         40 + static_cast<uint32_t>(random.RandU01() * 500));
        const auto shares = ShareSamples(equal, total, room);
        EXPECT_EQ(shares, ShareSamples(noisy, total, room)) << test;
        for (uint32_t i = 1; i < shares.size(); ++i)
        {
            ties += equal[i] == equal[0] && shares[i] != shares[0] ? 1 : 0;
        }
    }
    EXPECT_GT(ties, 100U) << "equal speeds with unequal shares";
}

/// 1 : 2 : 4 of 10 are 1.43, 2.86, 5.71: the remainders .86 and .71 are rounded up.
TEST(SampleShares, LargestRemaindersAreRoundedUp)
{
    EXPECT_EQ(ShareSamples({1, 2, 4}, 10, {ROOM, ROOM, ROOM}), (Shares{1, 3, 6}));
}

/// 1 : 1 : 98 of 10 are 0.1, 0.1, 9.8; the two get their 1, and 8 are left.
TEST(SampleShares, EachGetsOne)
{
    EXPECT_EQ(ShareSamples({1, 1, 98}, 10, {ROOM, ROOM, ROOM}), (Shares{1, 1, 8}));
    EXPECT_EQ(ShareSamples({1, 1, 98}, 3, {ROOM, ROOM, ROOM}), (Shares{1, 1, 1}));
}

/// 1 : 2 : 7 of 20 are 2, 4, 14; the third holds 8, and the other 6 are divided 1 : 2.
TEST(SampleShares, WhatOneCannotHoldIsDividedInProportion)
{
    EXPECT_EQ(ShareSamples({1, 2, 7}, 20, {ROOM, ROOM, 8}), (Shares{4, 8, 8}));
    EXPECT_EQ(ShareSamples({1, 2, 7}, 20, {ROOM, 6, 8}), (Shares{6, 6, 8}));
}

TEST(SampleShares, NothingIsGivenIfItCannotBeDivided)
{
    EXPECT_EQ(ShareSamples({1, 1}, 10, {5, 4}), Shares());
    EXPECT_EQ(ShareSamples({1, 1, 1}, 2, {5, 5, 5}), Shares());
    EXPECT_EQ(ShareSamples({}, 0, {}), Shares());
}

/// For random speeds over six orders of magnitude, and memory from ample to exactly enough.
TEST(SampleShares, PropertiesHoldForRandomWorkers)
{
    RngStream random(1, 1, 0);
    for (uint32_t test = 0; test < 2000; ++test)
    {
        const uint32_t workers = 1 + static_cast<uint32_t>(random.RandU01() * 20);
        std::vector<double> speeds;
        std::vector<uint32_t> largest;
        for (uint32_t i = 0; i < workers; ++i)
        {
            speeds.push_back(std::pow(10, 6 * random.RandU01() - 3));
            largest.push_back(1 + static_cast<uint32_t>(random.RandU01() * 50));
        }
        const uint32_t room = std::accumulate(largest.begin(), largest.end(), 0U);
        // one in four: no freedom at one of the ends
        const double place = test % 4 == 0 ? test % 8 / 4 : random.RandU01();
        const auto total = static_cast<uint32_t>(workers + place * (room - workers));
        const auto shares = ShareSamples(speeds, total, largest);
        ASSERT_EQ(shares.size(), workers);
        EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0U), total) << test;
        for (uint32_t i = 0; i < workers; ++i)
        {
            EXPECT_GE(shares[i], 1U) << test;
            EXPECT_LE(shares[i], largest[i]) << test;
            for (uint32_t j = 0; j < workers; ++j)
            {
                // the faster one has no fewer, but for rounding, unless its memory is full
                if (speeds[i] >= speeds[j] && shares[i] < largest[i])
                {
                    EXPECT_GE(shares[i] + 1, shares[j]) << test;
                }
            }
        }
    }
}
