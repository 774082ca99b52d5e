/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-holds.h"

#include "ns3/dml-overhead-fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

// Ops 1-5 and 5-9 ms on one slot, so it is busy all the time; of two slots, both only at 2-4 ms.
TEST(DmlParserTimes, KnowWhenTheDeviceWasBusy)
{
    StreamGroup group;
    group.receiver = "w";
    group.streams.resize(3);
    group.streams[0].end = 1e-3;
    group.streams[1].end = 5.5e-3;
    group.streams[2].end = 12e-3;
    StreamGroup other = group;
    other.sender = "ps1";
    other.streams.resize(1);
    other.streams[0].end = 11e-3;
    std::vector<StreamGroup> groups{group, other};
    RecordedDevice device;
    device.computes = {{"w", 0, 1000000, 5000000},
                       {"w", 0, 5000000, 9000000},
                       {"w", 1, 9500000, 9900000},
                       {"x", 0, 9500000, 9900000},
                       {"w", 0, 12000000, 12000000}};
    SetParserTimes(groups, device);
    const auto& streams = groups[0].streams;
    EXPECT_TRUE(std::isinf(streams[0].deviceFree)); // the op begins when it ends
    EXPECT_EQ(streams[0].inCompute, 0);
    EXPECT_DOUBLE_EQ(streams[1].deviceFree, 5e-3);
    EXPECT_NEAR(streams[1].inCompute, 0.5e-3, 1e-12); // of the second op
    EXPECT_TRUE(std::isinf(streams[1].parserFree));
    EXPECT_DOUBLE_EQ(streams[2].parserFree, 11e-3); // the message of the other server
    EXPECT_DOUBLE_EQ(streams[2].deviceFree, 11e-3);
    EXPECT_DOUBLE_EQ(groups[1].streams[0].deviceFree, 9e-3);
    EXPECT_DOUBLE_EQ(groups[1].streams[0].parserFree, 5.5e-3);

    device.slots = 2;
    device.computes = {{"w", 0, 1000000, 4000000}, {"w", 0, 2000000, 9000000}};
    SetParserTimes(groups, device);
    EXPECT_DOUBLE_EQ(streams[1].deviceFree, 4e-3);
    EXPECT_EQ(streams[1].inCompute, 0);
}

/// Records of a step in which the device computes from 1 to 101 ms, or does not, in whole us.
struct DeviceStep
{
    std::vector<RecordedTransfer> transfers;
    RecordedDevice device;
};

/*
 * Tensors of 200, 400, 800, 500 and 4 kB over 121.4 MB/s, all asked for at once: their last bytes
 * come after 1.65, 4.94, 11.53, 15.65 and 15.68 ms. Parsing takes 2 ns per byte and 50 us, so that
 * the first one ends after 2.10 ms. An op computes then for 20 ms. If messages are parsed on that
 * device, the others end one after another behind the op: at 22.95, 24.60, 25.65 and 25.71 ms; else
 * 850, 1650, 1050 and 58 us after their last bytes, the last one after the one before it.
 */
DeviceStep
MakeDeviceStep(bool parallel)
{
    constexpr double RATE = 121.4e6;
    constexpr double ALPHA = 2e-9;
    constexpr double BETA = 50e-6;
    DeviceStep step;
    double last = 0;
    double free = 0;
    for (const uint64_t bytes : {200000, 400000, 800000, 500000, 4000})
    {
        last += static_cast<double>(bytes) / RATE;
        free = std::max(free, last) + ALPHA * static_cast<double>(bytes) + BETA;
        RecordedTransfer transfer;
        transfer.tensor = "t" + std::to_string(bytes);
        transfer.bytes = bytes;
        transfer.sender = "ps";
        transfer.receiver = "w";
        transfer.end = 1000 * std::llround(1e6 * free);
        if (step.device.computes.empty())
        {
            const int64_t end = transfer.end + 20000000;
            step.device.computes.push_back({"w", 0, transfer.end, end});
            free = parallel ? free : 1e-9 * static_cast<double>(end);
        }
        step.transfers.push_back(transfer);
    }
    return step;
}

// One and the same link, and 121.4 MB/s is its lowest rate: the device has to be told.
TEST(DmlOverheadFit, TellsWhetherTheDeviceParses)
{
    for (const bool parallel : {false, true})
    {
        const DeviceStep step = MakeDeviceStep(parallel);
        const OverheadFit fit = FitOverhead(step.transfers, {}, step.device);
        EXPECT_EQ(fit.link.parallel, parallel);
        EXPECT_GT(fit.deviance, 10) << parallel;
        EXPECT_EQ(fit.refusals.parallel, "");
        EXPECT_TRUE(Holds(fit.secondsPerByte, 1 / 121.4e6)) << parallel;
        EXPECT_TRUE(Holds(fit.alpha, 2e-9)) << parallel;
        EXPECT_TRUE(Holds(fit.beta, 50e-6)) << parallel;
        EXPECT_LT(fit.error.maximum, 0.01) << parallel;
        // Only the first message tells of the link, of which the latency may have a part.
        EXPECT_EQ(fit.secondsPerByte.lower == 0, !parallel);
        EXPECT_EQ(fit.refusals.rate.empty(), parallel);
    }
    // Nothing was computed: both are one model.
    const OverheadFit fit = FitOverhead(MakeDeviceStep(true).transfers);
    EXPECT_EQ(fit.deviance, 0);
    EXPECT_EQ(fit.refusals.parallel,
              "both models of parsing explain the records as well (the "
              "deviance is 0 apart)");
}

} // namespace
