/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"
#include "dml-test-files.h"

#include "ns3/dml-compute-seconds.h"
#include "ns3/dml-cpu-batch-model.h"
#include "ns3/dml-device-queue.h"
#include "ns3/dml-gpu-batch-model.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-speed-trace.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace ns3::dml;

namespace
{

/// @return a shipped profile of AlexNet
Profile
ReadAlexNet(uint32_t batch)
{
    const std::string file = "alexnet-b" + std::to_string(batch) + ".yaml";
    return ReadProfile(FindRepositoryFile("scenarios/profiles/" + file));
}

} // namespace

TEST(CpuBatchModel, TimeIsProportionalToTheBatch)
{
    // The profile computes 8 samples in 0.5 s; at 40 samples/s, 0.5 s are enough for 20.
    const CpuBatchModel rate(40 * 0.5);
    EXPECT_DOUBLE_EQ(rate.GetScale(20), 1);
    EXPECT_DOUBLE_EQ(rate.GetScale(1) * 0.5, 1 / 40.0);
    EXPECT_DOUBLE_EQ(rate.GetScale(100) * 0.5, 100 / 40.0);
    EXPECT_EQ(rate.GetLargestBatch(), BatchModel::UNLIMITED);

    const CpuBatchModel speed(2.0 * 8, 64);
    EXPECT_EQ(speed.GetScale(8), 0.5);
    EXPECT_EQ(speed.GetScale(16), 1);
    EXPECT_EQ(speed.GetLargestBatch(), 64U);
}

TEST(CpuBatchModel, TheProfileIsWhatItWas)
{
    // for any batch size: results of jobs without devices must not change in the last digit
    for (uint32_t batch = 1; batch < 1000; ++batch)
    {
        ASSERT_EQ(CpuBatchModel(batch).GetScale(batch), 1);
    }
}

TEST(GpuBatchModel, IsFlatBelowSaturationAndALineAbove)
{
    // (0.3 - 0.1) / 0.02: ten samples fill it
    const GpuStepTime time{0.1, 0.02, 0.3};
    EXPECT_NEAR(time.GetSaturation(), 10, 1e-12);
    const GpuBatchModel gpu(time, 0.6, 96);
    EXPECT_DOUBLE_EQ(gpu.GetScale(1), 0.5);
    EXPECT_DOUBLE_EQ(gpu.GetScale(9), 0.5);
    EXPECT_DOUBLE_EQ(gpu.GetScale(25), 1);
    EXPECT_DOUBLE_EQ(gpu.GetScale(85) * 0.6, 1.8);
    EXPECT_EQ(gpu.GetLargestBatch(), 96U);
}

TEST(GpuBatchModel, SaturationHasItsLimits)
{
    EXPECT_EQ((GpuStepTime{0.3, 0.02, 0.1}.GetSaturation()), 0);
    EXPECT_EQ((GpuStepTime{0.3, 0, 0.1}.GetSaturation()), std::numeric_limits<double>::infinity());
    EXPECT_EQ((GpuStepTime{0.3, 0, 0.1}.GetSeconds(1000)), 0.3);
}

TEST(ComputeSeconds, AreThoseOfTheBusiestDevice)
{
    // Steps of 2 + 1 = 3 and 4 + 1 = 5 on the first; of (8 + 4) / 4 = 3 and (8 + 12) / 4 = 5 on the
    // four slots of the second: means 4 and 4; the larger of each step, too.
    ProfileBuilder builder({{"cpu", 1}, {"gpu", 4}});
    builder.Pull("a", 100)
        .Compute("f", {2, 4})
        .Compute("g", {1, 1})
        .Compute("h", {8, 8}, {}, 1)
        .Compute("i", {4, 12}, {}, 1)
        .Push("a", 100)
        .Update("a", 50);
    EXPECT_DOUBLE_EQ(GetComputeSeconds(builder.Build()), 4);
    // the second step is 9 on the first device now
    builder.Compute("j", {0, 4});
    EXPECT_DOUBLE_EQ(GetComputeSeconds(builder.Build()), (3 + 9) / 2.0);
    EXPECT_EQ(GetComputeSeconds(ProfileBuilder().Pull("a", 100).Build()), 0);
}

TEST(DeviceQueue, ATaskTakesAsLongAsTheSpeedOfItsTimeSays)
{
    // 1 s at speed 1, 2 s standing, the other second at speed 0.5
    const SpeedTrace trace({{0, 1}, {3, 0}, {5, 0.5}});
    const DeviceQueue queue(1, &trace);
    EXPECT_DOUBLE_EQ(queue.GetDuration(2, {0, 0, 2, 2}), 5);
    EXPECT_DOUBLE_EQ(queue.GetDuration(0, {0, 0, 0, 2}), 2);
    EXPECT_DOUBLE_EQ(DeviceQueue().GetDuration(2, {0, 0, 2, 2}), 2);
}

TEST(BatchScaling, ALineThroughTwoProfilesGivesBothBack)
{
    const double small = GetComputeSeconds(ReadAlexNet(4));
    const double large = GetComputeSeconds(ReadAlexNet(16));
    const double slope = (large - small) / 12;
    const GpuBatchModel line({small - 4 * slope, slope, 0}, small);
    EXPECT_DOUBLE_EQ(line.GetScale(4), 1);
    EXPECT_DOUBLE_EQ(line.GetScale(16), large / small);
}

TEST(BatchScaling, ProportionalScalingKeepsTheTimePerSample)
{
    for (const uint32_t batch : {4U, 8U, 16U})
    {
        const Profile profile = ReadAlexNet(batch);
        const double seconds = GetComputeSeconds(profile);
        const CpuBatchModel model(profile.batchSize);
        double last = 0;
        for (uint32_t other = 1; other <= 64; ++other)
        {
            const double scaled = model.GetScale(other) * seconds;
            ASSERT_GT(scaled, last);
            ASSERT_NEAR(scaled / other, seconds / batch, 1e-12);
            last = scaled;
        }
    }
}
