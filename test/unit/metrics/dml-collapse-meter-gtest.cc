/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-collapse-meter.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Tensors of 1 MB and 1 kB; a connection has 1 MB/s and a round trip of 10 ms at least.
CollapseMeter
MakeMeter()
{
    return CollapseMeter({1000000, 1000}, {1e6, 0.01, 0.2});
}

TransferRecord
MakeRecord(uint32_t worker, uint32_t tensor, double firstByte, double lastByte)
{
    TransferRecord record{};
    record.channel = {{Role::SERVER, 0}, {Role::WORKER, worker}};
    record.tensor = tensor;
    record.firstByte = firstByte;
    record.lastByte = lastByte;
    return record;
}

} // namespace

// 1 MB may take 1.02 s: 101 s are 0.0101 of that rate, 103 s are less than a hundredth.
TEST(DmlCollapseMeter, IsBelowAHundredth)
{
    CollapseMeter slow = MakeMeter();
    slow.On(MakeRecord(3, 0, 5, 106));
    EXPECT_FALSE(slow.GetWorst());
    CollapseMeter collapsed = MakeMeter();
    collapsed.On(MakeRecord(0, 0, 5, 6));
    collapsed.On(MakeRecord(3, 0, 5, 108));
    const auto worst = collapsed.GetWorst();
    ASSERT_TRUE(worst);
    EXPECT_EQ(worst->channel.to.index, 3U);
    EXPECT_NEAR(worst->goodput, 1.02 / 103, 1e-12);
    EXPECT_NEAR(worst->seconds, 103, 1e-12);
}

// Transfers side by side share the time; pauses between them do not count, however many there are.
TEST(DmlCollapseMeter, CountsTimeWithTransfersUnderWay)
{
    CollapseMeter meter = MakeMeter();
    meter.On(MakeRecord(0, 0, 0, 60));
    meter.On(MakeRecord(0, 0, 0, 103));
    EXPECT_FALSE(meter.GetWorst()) << "2.04 s of 103 s";
    CollapseMeter pauses = MakeMeter();
    for (int step = 1; step < 500; ++step)
    {
        pauses.On(MakeRecord(0, 0, 1000.0 * step, 1000.0 * step + 1));
    }
    EXPECT_FALSE(pauses.GetWorst());
    for (int step = 500; step < 1000; ++step)
    {
        pauses.On(MakeRecord(1, 0, 1000.0 * step, 1000.0 * step + 104));
    }
    ASSERT_TRUE(pauses.GetWorst());
    EXPECT_NEAR(pauses.GetWorst()->seconds, 500 * 104, 1e-6);
}

// With a round trip of 1 ms, 1 kB may take 3 ms. A lost packet at its end costs a timeout or two,
// and makes that 400 ms: no collapse, unless it comes to ten timeouts.
TEST(DmlCollapseMeter, AFewLossesAreNoCollapse)
{
    CollapseMeter meter({1000000, 1000}, {1e6, 0.001, 0.2});
    for (int step = 0; step < 4; ++step)
    {
        meter.On(MakeRecord(0, 1, step, step + 0.4));
        EXPECT_FALSE(meter.GetWorst());
    }
    meter.On(MakeRecord(0, 1, 4, 4.4));
    EXPECT_TRUE(meter.GetWorst());
}
