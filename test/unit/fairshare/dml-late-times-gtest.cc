/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is simultaneous at 1 s is so at 10^6 s, where a double tells times apart by 10^-10 s only.

#include "dml-fair-share-fixture.h"
#include "dml-policy-clock.h"
#include "dml-random-step.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-equal-sharing.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-speed-trace.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double LATE = 1e6;

/// What ended: op, worker, step, turn or not.
using Ends = std::vector<std::tuple<OpIndex, uint32_t, uint32_t, ResourceLabel>>;

Ends
EndsOf(const FairShareCase& c)
{
    Ends ends;
    for (const auto& chunk : c.recorder.chunks)
    {
        ends.emplace_back(chunk.op, chunk.worker, chunk.step, GetLabel(chunk.resource));
    }
    return ends;
}

/// Steps of which all durations are tenths of a second: many things happen at the same time on
/// paper.
FairShareCase
MakeCase(uint32_t seed)
{
    constexpr uint32_t PULLS = 5;
    std::vector<uint32_t> listing(PULLS);
    std::iota(listing.begin(), listing.end(), 0);
    const auto shape = seed % 3 == 0   ? RandomStep::Shape::CHAIN
                       : seed % 3 == 1 ? RandomStep::Shape::BRANCHES
                                       : RandomStep::Shape::ANY;
    FairShareCase c(RandomStep(seed, shape, PULLS).Build(listing));
    c.servers = 1 + seed % 2;
    c.network.rule = seed % 4 < 2 ? SharingRule::MAX_MIN : SharingRule::EQUAL;
    c.run.window = 70;
    if (seed % 5 == 0)
    {
        const auto speed = std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 0.5}});
        c.run.compute.assign(3, {nullptr, speed, 0});
    }
    return c;
}

} // namespace

TEST(LateTimes, AJobThatStartsLateDoesTheSame)
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        FairShareCase early = MakeCase(seed);
        FairShareCase late = MakeCase(seed);
        early.Run({0, 0.1, 0.3}, 6);
        late.Run({LATE, LATE + 0.1, LATE + 0.3}, 6);
        EXPECT_EQ(EndsOf(early), EndsOf(late)) << "the order of ends";
        ASSERT_EQ(early.recorder.steps.size(), late.recorder.steps.size());
        for (std::size_t i = 0; i < early.recorder.steps.size(); ++i)
        {
            const StepRecord& expected = early.recorder.steps[i];
            const StepRecord& found = late.recorder.steps[i];
            EXPECT_EQ(found.worker, expected.worker);
            EXPECT_NEAR(found.end - found.start, expected.end - expected.start, 1e-9);
            EXPECT_NEAR(found.end - LATE, expected.end, 1e-9);
        }
        ASSERT_EQ(early.recorder.links.size(), late.recorder.links.size());
        for (std::size_t i = 0; i < early.recorder.links.size(); ++i)
        {
            EXPECT_NEAR(late.recorder.links[i].end - LATE, early.recorder.links[i].end, 1e-9);
        }
    }
}

TEST(LateTimes, ALinkThatIsNeverIdleKeepsItsTies)
{
    // Worker 0 pulls all the time. In units of a 12th of what the link carries in 0.1 s, each of n
    // pulls gets 12 / n in 0.1 s. Worker 1 starts after 0.3 s, when worker 0 has got 36 units,
    // worker 2 after 0.7 s (36 + 4 * 6 = 60), worker 3 after 1.2 s (60 + 5 * 4 = 80). They pull
    // what there is from then to 480 units, and so end together, in the order in which they
    // started; at once, and after 10^6 s without an end.
    for (const uint32_t before : {0, 25000})
    {
        for (uint32_t i = 1; i <= 50; ++i)
        {
            const double rate = 0.7 * i;
            const double unit = rate * 0.1 / 12;
            EqualSharing link(MakeStarFlowNetwork({4, 1}, rate, rate), nullptr);
            link.Start(0, 1e12, 0, 0);
            for (uint32_t move = 0; move < before; ++move)
            {
                link.MoveOrigin(40);
            }
            link.Start(2, (480 - 36) * unit, 1, 0.3);
            link.Start(4, (480 - 60) * unit, 2, 0.7);
            link.Start(6, (480 - 80) * unit, 3, 1.2);
            for (const FlowId flow : {2, 4, 6})
            {
                EXPECT_EQ(link.GetNextEnd().flow, flow) << rate << ", " << before;
                link.Finish();
            }
        }
    }
}

TEST(LateTimes, APolicysClockKnowsThatATimeHasCome)
{
    // two steps of a double are 7 ns at 3 * 10^7 s
    ManualClock clock;
    for (const double time : {1.0, LATE, 3e7, 9e7})
    {
        clock.now = time;
        const double next = std::nextafter(std::nextafter(time, 1e9), 1e9);
        EXPECT_TRUE(clock.HasCome(next)) << time;
        EXPECT_FALSE(clock.HasCome(time + 2e-7)) << time;
    }
}

TEST(LateTimes, EqualWorkersKeepTheirBatches)
{
    // 8 samples for 5 equal workers: the first three have 2, in every step, whenever it begins
    for (const double start : {0.0, LATE})
    {
        ProfileBuilder builder;
        builder.Compute("a", {0.1}).Compute("b", {0.7}, {"a"}).Push("p", 0, {"b"}).Update("p", 0.1);
        FairShareCase c(builder);
        c.protocol = MakeAggregatingPlan;
        c.run.sync.SetTypeId("ns3::dml::BulkSynchronousSync");
        c.run.batchControl.emplace();
        c.run.batchControl->SetTypeId("ns3::dml::AnalyticalBatchSize");
        for (const uint32_t batch : {2, 1, 1, 2, 2})
        {
            c.run.compute.push_back({nullptr, nullptr, batch});
        }
        c.Run(std::vector<double>(5, start), 20);
        ASSERT_EQ(c.recorder.steps.size(), 100U);
        for (const auto& step : c.recorder.steps)
        {
            if (step.step > 0)
            {
                EXPECT_EQ(step.batch, step.worker < 3 ? 2U : 1U) << "step " << step.step;
            }
        }
    }
}
