/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-transfer-meter.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return tensor 1 in step 1 of worker 0, ready at 10
TransferRecord
Transfer(Direction direction, double firstByte, double lastByte)
{
    return {MakeChannel(direction, 0, 0), 1, 0, 1, 10, firstByte, lastByte};
}

} // namespace

// Gradient of tensor 1: waits of 1 and 3 s, transfers of 4 and 2 s; its parameter at once in 0.5 s.
TEST(DmlTransferMeter, WaitAndTransferByDirectionAndTensor)
{
    TransferMeter meter(1, 2, 1);
    meter.On(Transfer(Direction::UPLINK, 11, 15));
    meter.On(Transfer(Direction::UPLINK, 13, 15));
    meter.On(Transfer(Direction::DOWNLINK, 10, 10.5));
    meter.On(TransferRecord{MakeChannel(Direction::UPLINK, 0, 0), 1, 0, 0, 0, 2, 9}); // tensor 0
    const auto& up = meter.GetTimes(Direction::UPLINK);
    EXPECT_EQ(up.wait.count, 3u);
    EXPECT_DOUBLE_EQ(up.wait.GetMean(), 2); // 1, 3, 2
    EXPECT_DOUBLE_EQ(up.transfer.GetMean(), (4 + 2 + 7) / 3.0);
    const auto& down = meter.GetTimes(Direction::DOWNLINK);
    EXPECT_DOUBLE_EQ(down.wait.GetMean(), 0);
    EXPECT_DOUBLE_EQ(down.transfer.GetMean(), 0.5);
    const auto& tensors = meter.GetTensors();
    ASSERT_EQ(tensors.size(), 4u);
    EXPECT_DOUBLE_EQ(tensors[3].wait.GetMean(), 2);
    EXPECT_DOUBLE_EQ(tensors[3].wait.max, 3);
    EXPECT_DOUBLE_EQ(tensors[3].transfer.GetMean(), 3);
    EXPECT_DOUBLE_EQ(tensors[2].transfer.GetMean(), 0.5);
    EXPECT_EQ(tensors[1].wait.count, 1u);
    EXPECT_EQ(tensors[0].wait.count, 0u);
}

// Warm-up, another job's worker, and a record of which one end knows nothing.
TEST(DmlTransferMeter, LeavesOutWhatDoesNotCount)
{
    TransferMeter meter(1, 0, 2);
    meter.On(Transfer(Direction::UPLINK, 11, 15));
    meter.On(TransferRecord{MakeChannel(Direction::UPLINK, 0, 1), 2, 0, 1, 10, 11, 15});
    meter.On(TransferRecord{MakeChannel(Direction::UPLINK, 0, 0),
                            2,
                            0,
                            1,
                            UNKNOWN_TIME,
                            UNKNOWN_TIME,
                            15});
    EXPECT_EQ(meter.GetTimes(Direction::UPLINK).wait.count, 0u);
    meter.On(TransferRecord{MakeChannel(Direction::UPLINK, 0, 0), 2, 0, 1, 10, 11, 15});
    EXPECT_EQ(meter.GetTimes(Direction::UPLINK).wait.count, 1u);
    EXPECT_TRUE(meter.GetTensors().empty());
}
