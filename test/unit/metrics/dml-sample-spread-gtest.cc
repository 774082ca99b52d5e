/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-sample-spread.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

using Times = std::vector<double>;

} // namespace

TEST(DmlSampleSpread, FirstStepsAreSlowThatLastLongerThanThoseBehind)
{
    EXPECT_EQ(FindSlowFirst({37, 7, 7}), (Times{37.0 / 7}));
    EXPECT_EQ(FindSlowFirst({50, 20, 10, 10, 11}), (Times{5, 2}));
    EXPECT_EQ(FindSlowFirst({12, 10, 10, 10}), Times()) << "at most 1.25 times";
    EXPECT_EQ(FindSlowFirst({10, 50, 10, 10}), Times()) << "not the first";
    EXPECT_EQ(FindSlowFirst({50, 10}), Times()) << "one step is no median";
    EXPECT_EQ(FindSlowFirst({50, 40, 30, 10}), (Times{50.0 / 30, 40.0 / 30})) << "at most half";
    EXPECT_EQ(FindSlowFirst({1, 0, 0}), Times());
    EXPECT_EQ(FindSlowFirst({}), Times());
}

// 37, 7 and 7 ms: mean 17, standard deviation 17.32, of the mean 10.
TEST(DmlSampleSpread, SpreadIsToldWhereTheMeanIsNotWellKnown)
{
    const std::string text = DescribeSpread(Times{0.037, 0.007, 0.007});
    EXPECT_NE(text.find("the 3 profiled steps take 7 to 37 ms"), std::string::npos) << text;
    EXPECT_NE(text.find("17 +- 10 ms on average"), std::string::npos) << text;
    EXPECT_NE(text.find("the first lasts 5.29 times"), std::string::npos) << text;
    EXPECT_NE(text.find("--skip 1"), std::string::npos) << text;
    const std::string late = DescribeSpread(Times{0.007, 0.037, 0.007});
    EXPECT_NE(late.find("17 +- 10 ms on average"), std::string::npos) << late;
    EXPECT_EQ(late.find("warm-up"), std::string::npos) << late;
    EXPECT_EQ(DescribeSpread(Times{0.010, 0.011, 0.012}), "");
    EXPECT_EQ(DescribeSpread(Times{0.010}), "");
}

TEST(DmlSampleSpread, StepsThatNoWorkerReplaysDoNotCount)
{
    Profile profile;
    for (const char* name : {"one", "two"})
    {
        Op op;
        op.name = name;
        op.kind = OpKind::FORWARD;
        profile.graph.Add(op);
    }
    profile.samples = {{0.030, 0.004, 0.004}, {0.007, 0.003, 0.003}};
    EXPECT_EQ(AddUpSamples(profile), (Times{0.037, 0.007, 0.007}));
    EXPECT_NE(DescribeSpread(profile, {}), "");
    EXPECT_NE(DescribeSpread(profile, {{1, 2}, {0}}), "");
    EXPECT_EQ(DescribeSpread(profile, {{1, 2}, {2}}), "");
}
