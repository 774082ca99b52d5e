/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-error.h"
#include "ns3/dml-link-meter.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace ns3::dml;

namespace
{

constexpr double BIN = 1.0 / 1024; //!< initial bin width, s

} // namespace

// Capacity 1024 bytes/s, so a full bin is 1 byte. Half the rate from 0.5 to 2 bins: 0.25 in bin 0,
// 0.5 in bin 1. Full rate from bin 3 on for half a bin: the last bin counts up to its end only.
TEST(DmlLinkMeter, SpreadsARecordOverItsBins)
{
    LinkMeter meter({1024}, 8);
    meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 0.5 * BIN, 2 * BIN, 512});
    meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 3 * BIN, 3.5 * BIN, 1024});
    EXPECT_DOUBLE_EQ(meter.GetBinWidth(), BIN);
    ASSERT_EQ(meter.GetBinCount(), 4u);
    const auto down = meter.GetUtilisation(Direction::DOWNLINK, 0);
    EXPECT_DOUBLE_EQ(down[0], 0.25);
    EXPECT_DOUBLE_EQ(down[1], 0.5);
    EXPECT_DOUBLE_EQ(down[2], 0);
    EXPECT_DOUBLE_EQ(down[3], 1);
    EXPECT_DOUBLE_EQ(meter.GetBytes(Direction::DOWNLINK, 0), 0.75 + 0.5);
    EXPECT_DOUBLE_EQ(meter.GetBytes(Direction::UPLINK, 0), 0);
}

// 4 bins of 1/1024 s hold 4/1024 s; a record that ends at 10/1024 needs a width of 4/1024 (16).
TEST(DmlLinkMeter, DoublesItsBinsWithoutLosingBytes)
{
    LinkMeter meter({1024, 1024}, 4);
    for (uint32_t i = 0; i < 10; ++i)
    {
        meter.On(LinkRecord{MakeServerLink(Direction::UPLINK, 1),
                            i * BIN,
                            (i + 1) * BIN,
                            102.4 * (i + 1)});
    }
    EXPECT_DOUBLE_EQ(meter.GetBinWidth(), 4 * BIN);
    EXPECT_EQ(meter.GetBinCount(), 3u);
    const auto up = meter.GetUtilisation(Direction::UPLINK, 1);
    EXPECT_NEAR(up[0], 0.25, 1e-12); // mean of 0.1 .. 0.4
    EXPECT_NEAR(up[1], 0.65, 1e-12); // mean of 0.5 .. 0.8
    EXPECT_NEAR(up[2], 0.95, 1e-12); // mean of 0.9, 1.0; the bin ends at 10/1024
    EXPECT_NEAR(meter.GetBytes(Direction::UPLINK, 1), 5.5, 1e-12);
    EXPECT_DOUBLE_EQ(meter.GetBytes(Direction::UPLINK, 0), 0);
}

// A record that ends exactly at the last bin's edge does not widen the bins.
TEST(DmlLinkMeter, AFullMeterIsNotYetTooSmall)
{
    LinkMeter meter({1}, 4);
    meter.On(LinkRecord{MakeServerLink(Direction::UPLINK, 0), 0, 4 * BIN, 1});
    EXPECT_DOUBLE_EQ(meter.GetBinWidth(), BIN);
    EXPECT_EQ(meter.GetBinCount(), 4u);
}

// A long run keeps between half and all of the bins.
TEST(DmlLinkMeter, LongRun)
{
    LinkMeter meter({1000}, 800);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), i * 3.7, i * 3.7 + 1.85, 1000});
    }
    EXPECT_GT(meter.GetBinCount(), 400u);
    EXPECT_LE(meter.GetBinCount(), 800u);
    EXPECT_NEAR(meter.GetBytes(Direction::DOWNLINK, 0), 1000 * 1850.0, 1e-3);
}

// Full rate from 1 s to 3 s: over [0, 4] one half, over [1, 3] all, over [2, 6] a quarter.
TEST(DmlLinkMeter, MeanOverAWindow)
{
    LinkMeter meter({100});
    meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 1, 3, 100});
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 0, 4), 0.5, 1e-12);
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 1, 3), 1, 1e-12);
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 2, 6), 0.25, 1e-12);
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::UPLINK, 0, 0, 4), 0, 1e-12);
    EXPECT_TRUE(std::isnan(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 2, 2)));
    EXPECT_TRUE(std::isnan(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 3, 2)));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, nan, 2)));
}

// 100 bytes/s from the server and 400 to it: 100 bytes/s are all of one, a quarter of the other.
TEST(DmlLinkMeter, DirectionsMayDiffer)
{
    LinkMeter meter({LinkCapacity(100, 400)});
    meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 0, 1, 100});
    meter.On(LinkRecord{MakeServerLink(Direction::UPLINK, 0), 0, 1, 100});
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 0, 1), 1, 1e-12);
    EXPECT_NEAR(meter.GetMeanUtilisation(Direction::UPLINK, 0, 0, 1), 0.25, 1e-12);
    EXPECT_NEAR(meter.GetUtilisation(Direction::DOWNLINK, 0).front(), 1, 1e-12);
    EXPECT_NEAR(meter.GetUtilisation(Direction::UPLINK, 0).front(), 0.25, 1e-12);
}

TEST(DmlLinkMeter, NoRecords)
{
    LinkMeter meter({100});
    EXPECT_EQ(meter.GetBinCount(), 0u);
    EXPECT_TRUE(meter.GetUtilisation(Direction::DOWNLINK, 0).empty());
    EXPECT_DOUBLE_EQ(meter.GetMeanUtilisation(Direction::DOWNLINK, 0, 0, 1), 0);
}

TEST(DmlLinkMeter, RefusesRecordsThatMakeNoSense)
{
    LinkMeter meter({100});
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_THROW(meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 1), 0, 1, 1}), RunError);
    EXPECT_THROW(meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 2, 1, 1}), RunError);
    EXPECT_THROW(meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 0, inf, 1}), RunError);
    EXPECT_THROW(meter.On(LinkRecord{MakeServerLink(Direction::DOWNLINK, 0), 0, 1, inf}), RunError);
}
