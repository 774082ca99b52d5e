/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-share-meter.h"
#include "ns3/dml-summary-json.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Tell a meter that a worker was active on the downlink of server 0.
void
Activate(ShareMeter& meter, uint32_t worker, double firstByte, double lastByte)
{
    meter.On(TransferRecord{MakeChannel(DOWN, 0, worker), 0, 0, 0, firstByte, firstByte, lastByte});
}

/// Tell a meter what arrived in an interval of 10 ms.
void
Receive(ShareMeter& meter, uint32_t worker, uint32_t interval, uint64_t bytes)
{
    meter.On(
        FlowRecord{MakeChannel(DOWN, 0, worker), interval * 0.01, (interval + 1) * 0.01, bytes});
}

std::vector<ShareSample>
GetSamples(const ShareMeter& meter, double t0, double t1)
{
    std::vector<ShareSample> samples;
    meter.ForEach(t0, t1, [&](const ShareSample& sample) { samples.push_back(sample); });
    return samples;
}

} // namespace

// Worker 0 is active from 0 to 40 ms in two transfers that touch, worker 1 from 15 to 35 ms.
// Interval 0: worker 0 alone. 1 and 3: worker 1 for a part. 2: both, 3 to 1.
TEST(DmlShareMeter, CountsIntervalsWithTheSameWorkersThroughout)
{
    ShareMeter meter(2, 1);
    Activate(meter, 0, 0, 0.02);
    Activate(meter, 1, 0.015, 0.035);
    Activate(meter, 0, 0.02, 0.04);
    for (uint32_t interval = 0; interval < 4; ++interval)
    {
        Receive(meter, 0, interval, 3000);
        Receive(meter, 1, interval, interval == 0 ? 40 : 1000); // stray ACKs at first
    }
    const auto samples = GetSamples(meter, 0, 1);
    ASSERT_EQ(samples.size(), 3u);
    EXPECT_EQ(samples[0].active, 1u);
    EXPECT_DOUBLE_EQ(samples[0].share, 1);
    EXPECT_EQ(samples[1].active, 2u);
    EXPECT_DOUBLE_EQ(samples[1].start, 0.02);
    EXPECT_EQ(samples[1].worker, 0u);
    EXPECT_DOUBLE_EQ(samples[1].share, 0.75);
    EXPECT_EQ(samples[2].worker, 1u);
    EXPECT_DOUBLE_EQ(samples[2].share, 0.25);

    const ShareSummary summary = meter.Summarise(0, 1);
    EXPECT_EQ(summary.intervals, 1u);
    EXPECT_DOUBLE_EQ(summary.mean, 0.5); // 0.75 * 2 and 0.25 * 2 are both 0.5 away from 1
    EXPECT_DOUBLE_EQ(summary.p90, 0.5);
    EXPECT_DOUBLE_EQ(summary.workers[0], 1.5);
    EXPECT_DOUBLE_EQ(summary.workers[1], 0.5);

    EXPECT_EQ(GetSamples(meter, 0.005, 1).size(), 2u) << "interval 0 begins before t0";
    EXPECT_EQ(meter.Summarise(0, 0.025).intervals, 0u) << "interval 2 ends after t1";
    EXPECT_EQ(meter.Summarise(std::nan(""), 1).intervals, 0u);
    EXPECT_TRUE(std::isnan(meter.Summarise(0, 0).mean));
}

// Ten intervals of two workers: nine of 1 : 1, one of 9 : 1. Mean |n share - 1| = 0.8 / 10.
TEST(DmlShareMeter, SummarisesDeviations)
{
    ShareMeter meter(3, 2);
    for (const uint32_t worker : {0, 2})
    {
        Activate(meter, worker, 0, 0.1);
        for (uint32_t interval = 0; interval < 10; ++interval)
        {
            Receive(meter, worker, interval, interval == 4 && worker == 0 ? 9000 : 1000);
        }
    }
    const ShareSummary summary = meter.Summarise(0, 1);
    EXPECT_EQ(summary.intervals, 10u);
    EXPECT_NEAR(summary.mean, 0.08, 1e-6);
    EXPECT_DOUBLE_EQ(summary.p90, 0);
    EXPECT_NEAR(summary.workers[0], 1.08, 1e-6);
    EXPECT_TRUE(std::isnan(summary.workers[1])) << "was never active";
    EXPECT_NEAR(summary.workers[2], 0.92, 1e-6);
}

// 20000 intervals of 10 ms become 10000 of 20 ms, and lose no byte.
TEST(DmlShareMeter, WidensItsGridOnLongRuns)
{
    ShareMeter meter(2, 1);
    for (const uint32_t worker : {0, 1})
    {
        Activate(meter, worker, 0, 200);
        for (uint32_t interval = 0; interval < 20000; ++interval)
        {
            Receive(meter, worker, interval, 1000 * (worker + 1));
        }
    }
    EXPECT_DOUBLE_EQ(meter.GetWidth(), 0.02);
    const ShareSummary summary = meter.Summarise(0, 200);
    EXPECT_EQ(summary.intervals, 10000u);
    EXPECT_NEAR(summary.workers[0], 2.0 / 3, 1e-6);
}

TEST(DmlShareMeter, IgnoresOtherJobs)
{
    ShareMeter meter(1, 1);
    Activate(meter, 1, 0, 1);
    Receive(meter, 1, 3, 1000);
    meter.On(TransferRecord{MakeChannel(DOWN, 1, 0), 0, 0, 0, 0, 0, 1});
    meter.On(FlowRecord{MakeChannel(DOWN, 1, 0), 0, 0.01, 1000});
    EXPECT_TRUE(GetSamples(meter, 0, 1).empty());
}

TEST(DmlShareMeter, SummaryIsInTheResults)
{
    RunSummary summary;
    summary.cases.resize(2);
    summary.cases[0].engines[EngineKind::PACKET] = {};
    for (const double mean : {0.1, 0.3})
    {
        ReplicationSummary run;
        run.shares = {10, mean, 2 * mean, {1 + mean, std::nan("")}};
        summary.cases[0].engines[EngineKind::PACKET].replications.push_back(run);
    }
    summary.cases[0].engines[EngineKind::PACKET].replications.emplace_back(); // without an interval
    const auto cases = ToJson(summary)["cases"];
    const auto& error = cases[0]["share_error"];
    EXPECT_NEAR(error["mean"].get<double>(), 0.2, 1e-12);
    EXPECT_NEAR(error["p90"].get<double>(), 0.4, 1e-12);
    EXPECT_NEAR(error["workers"][0].get<double>(), 1.2, 1e-12);
    EXPECT_TRUE(error["workers"][1].is_null());
    EXPECT_EQ(error["intervals"], 20);
    EXPECT_TRUE(cases[1]["share_error"].is_null());
}
