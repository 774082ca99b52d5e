/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-resource-changes.h"
#include "ns3/dml-speed-product.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/dml-transient-spikes.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace ns3::dml;
using ns3::RngStream;

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

std::unique_ptr<DeviceSpeed>
MakeChanges(uint32_t seed, uint64_t worker)
{
    return std::make_unique<ResourceChanges>(
        2,
        SpeedRange{0.25, 0.75},
        RngStream(seed, ResourceChanges::STREAM_BASE + worker, 0));
}

std::unique_ptr<DeviceSpeed>
MakeSpikes(uint32_t seed, uint64_t worker)
{
    return std::make_unique<TransientSpikes>(
        2,
        0.5,
        SpeedRange{0.1, 0.2},
        RngStream(seed, TransientSpikes::STREAM_BASE + worker, 0));
}

/// @return what a phase says, to be compared
std::array<double, 4>
ValuesOf(const SpeedPhase& phase)
{
    return {phase.end, phase.speed, phase.cpu, phase.memory};
}

/// @return the phases that begin before @p end
std::vector<SpeedPhase>
PhasesUntil(const DeviceSpeed& speed, double end)
{
    std::vector<SpeedPhase> phases;
    for (double time = 0; time < end; time = phases.back().end)
    {
        phases.push_back(speed.At(time));
    }
    return phases;
}

/// @return what is said of the phases that begin before @p end
std::vector<std::array<double, 4>>
ValuesUntil(const DeviceSpeed& speed, double end)
{
    std::vector<std::array<double, 4>> values;
    for (const auto& phase : PhasesUntil(speed, end))
    {
        values.push_back(ValuesOf(phase));
    }
    return values;
}

class Process : public testing::TestWithParam<std::string>
{
  protected:
    /// @return the process of a worker
    static std::unique_ptr<DeviceSpeed> Make(uint32_t seed, uint64_t worker)
    {
        return GetParam() == "changes" ? MakeChanges(seed, worker) : MakeSpikes(seed, worker);
    }
};

} // namespace

TEST(SpeedTrace, WorkGoesOnFromPhaseToPhase)
{
    // 2 s at speed 1 and 4 s at 0.5 do 4 of the 5; the last one takes half a second at speed 2.
    const SpeedTrace trace({{0, 1}, {2, 0.5}, {6, 2}});
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 0, 5), 6.5);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 4, 1), 2); // which is just where a phase ends
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 4, 1.5), 2.25);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 100, 3), 1.5);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 4, 0), 0);
}

TEST(SpeedTrace, ADeviceThatStandsStillGoesOnLater)
{
    const SpeedTrace trace({{0, 1}, {1, 0}, {3, 1}});
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 0.5, 1), 3);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 2, 1), 2);
    EXPECT_EQ(FindWorkSeconds(SpeedTrace({{0, 1}, {1, 0}}), 0, 2), NEVER);
}

TEST(DeviceSpeed, WorkThatDoesNotEndIsSeen)
{
    // slower than any number: 0.02 s of work would take 2e+318 s
    EXPECT_EQ(FindWorkSeconds(SpeedTrace({{0, 1e-320}}), 0, 0.02), NEVER);
    // 10^8 s pass in one phase, and then another one would come
    EXPECT_EQ(FindWorkSeconds(SpeedTrace({{0, 1e-12}, {2e8, 1}}), 0, 1), NEVER);
    // a change every 2 ms that brings the end no nearer: a million of them, not for ever
    const ResourceChanges slow(0.002, {1e-300, 1e-300}, RngStream(1, 1, 0));
    EXPECT_EQ(FindWorkSeconds(slow, 0, 1), NEVER);
    EXPECT_EQ(FindWorkSeconds(SpeedTrace({{0, 0}, {0.0005, 1e-300}}, 0.001), 0, 1), NEVER);
    // 499999 periods with half a second of work each, and another quarter: many phases, but it ends
    EXPECT_NEAR(FindWorkSeconds(SpeedTrace({{0, 0}, {0.5, 1}}, 1), 0, 249999.75), 499999.75, 1e-3);
}

TEST(SpeedProduct, NamesTheKeyOfItsSlowestFactor)
{
    const auto trace = std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 1}, {2, 0.1}});
    const auto fault = std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 0.5}});
    trace->SetKey("job.devices.V100.trace");
    fault->SetKey("faults[0].to");
    EXPECT_EQ(SpeedProduct({trace, fault}).GetKey(1), "faults[0].to");
    EXPECT_EQ(SpeedProduct({trace, fault}).GetKey(3), "job.devices.V100.trace");
}

TEST(SpeedTrace, IsTheSameInAnyOrderOfQuestions)
{
    const SpeedTrace trace({{0, 1, 0.9, 0.8}, {1, 2}, {3, 4}, {5, 6}});
    for (const double time : {6.0, 0.0, 4.9, 1.0, 2.9, 5.0, 3.0, 0.5, 0.9, 1e9})
    {
        EXPECT_EQ(trace.At(time).speed, time < 1 ? 1 : time < 3 ? 2 : time < 5 ? 4 : 6) << time;
    }
    EXPECT_EQ(trace.At(0).cpu, 0.9);
    EXPECT_EQ(trace.At(0).memory, 0.8);
    EXPECT_EQ(trace.At(3.5).end, 5);
    EXPECT_EQ(trace.At(5).end, NEVER);
}

TEST(SpeedTrace, BeginsAgainWhereItIsRepeated)
{
    // Each 4 s do 3 s of work. From 1: 2 until 3, 3 from 4 to 7, the last 2 from 8 to 10.
    const SpeedTrace trace({{0, 1}, {3, 0}}, 4);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(trace, 1, 7), 9);
    EXPECT_DOUBLE_EQ(trace.At(3.5).end, 4);
    EXPECT_DOUBLE_EQ(trace.At(4.5).end, 7);
    EXPECT_EQ(trace.At(7.5).speed, 0);
}

TEST(SpeedTrace, EveryPhaseTakesTimeInSpiteOfRounding)
{
    // Neither 0.1 nor 0.3 is a binary fraction: multiples of them lie on either side of the ends.
    const SpeedTrace trace({{0, 2}, {0.1, 0.5}, {0.2, 1}}, 0.3);
    for (int i = 0; i < 20000; ++i)
    {
        const double time = 0.1 * i;
        ASSERT_GT(trace.At(time).end, time) << i;
        ASSERT_LT(trace.At(time).end, time + 0.1001) << i;
    }
    EXPECT_NEAR(FindWorkSeconds(trace, 0, 3500), 3000, 1e-6); // 0.35 in each 0.3 s
}

TEST(SpeedProduct, MultipliesSpeedsAndTakesTheSmallestShares)
{
    const auto slow =
        std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 0.5, 0.5, 1}, {2, 1, 1, 0.7}});
    const auto fast =
        std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 4, 0.6, 0.9}, {3, 1}});
    const SpeedProduct product({slow, fast});
    EXPECT_EQ(product.At(0).end, 2);
    EXPECT_EQ(product.At(0).speed, 2);
    EXPECT_EQ(product.At(0).cpu, 0.5);
    EXPECT_EQ(product.At(0).memory, 0.9);
    EXPECT_EQ(product.At(2).end, 3);
    EXPECT_EQ(product.At(2).memory, 0.7);
    EXPECT_DOUBLE_EQ(FindWorkSeconds(product, 1, 7), 3); // 2 until 2, 4 until 3, 1 until 4

    EXPECT_EQ(MultiplySpeeds({nullptr, nullptr}), nullptr);
    EXPECT_EQ(MultiplySpeeds({nullptr, slow}), slow);
    EXPECT_EQ(MultiplySpeeds({fast, nullptr, slow})->At(1).speed, 2);
}

TEST_P(Process, DoesNotDependOnTheOrderOfQuestions)
{
    const auto forwards = Make(1, 0);
    const auto backwards = Make(1, 0);
    std::vector<SpeedPhase> early;
    for (int i = 0; i < 300; ++i)
    {
        early.push_back(forwards->At(i * 0.7));
    }
    for (int i = 299; i >= 0; --i)
    {
        ASSERT_EQ(ValuesOf(backwards->At(i * 0.7)), ValuesOf(early[i])) << i;
        ASSERT_EQ(ValuesOf(forwards->At(i * 0.7)), ValuesOf(early[i])) << i;
        ASSERT_GT(early[i].end, i * 0.7);
    }
}

TEST_P(Process, DependsOnSeedAndWorkerAlone)
{
    const auto values = ValuesUntil(*Make(1, 0), 100);
    EXPECT_EQ(values, ValuesUntil(*Make(1, 0), 100));
    EXPECT_NE(values, ValuesUntil(*Make(2, 0), 100));
    EXPECT_NE(values, ValuesUntil(*Make(1, 1), 100));
}

INSTANTIATE_TEST_SUITE_P(Speeds, Process, testing::Values("changes", "spikes"));

TEST(ResourceChanges, AreSeenInOneOfTheShares)
{
    const auto phases = PhasesUntil(*MakeChanges(1, 0), 4000);
    double lowest = 1;
    double highest = 0;
    std::size_t ofProcessor = 0;
    for (const auto& phase : phases)
    {
        ASSERT_EQ(std::min(phase.cpu, phase.memory), phase.speed);
        ASSERT_EQ(std::max(phase.cpu, phase.memory), 1);
        lowest = std::min(lowest, phase.speed);
        highest = std::max(highest, phase.speed);
        ofProcessor += phase.cpu < 1 ? 1 : 0;
    }
    // 2000 phases of 2 s are expected; six standard deviations are 270 of them, 135 of a coin
    EXPECT_NEAR(phases.size(), 2000, 270);
    EXPECT_NEAR(ofProcessor, phases.size() / 2.0, 135);
    EXPECT_GE(lowest, 0.25);
    EXPECT_LT(lowest, 0.27);
    EXPECT_GT(highest, 0.73);
    EXPECT_LE(highest, 0.75);
}

TEST(TransientSpikes, AreShortAndNotSeen)
{
    const auto phases = PhasesUntil(*MakeSpikes(1, 0), 5000);
    double start = 0;
    for (std::size_t i = 0; i < phases.size(); ++i)
    {
        const bool isSpike = i % 2 == 1;
        ASSERT_EQ(phases[i].cpu, 1);
        ASSERT_EQ(phases[i].memory, 1);
        ASSERT_TRUE(isSpike ? phases[i].speed >= 0.1 && phases[i].speed <= 0.2
                            : phases[i].speed == 1);
        if (isSpike)
        {
            ASSERT_NEAR(phases[i].end - start, 0.5, 1e-9);
        }
        start = phases[i].end;
    }
    // 2000 times 2 s and 0.5 s are expected; six standard deviations are 215 pairs
    EXPECT_NEAR(phases.size() / 2.0, 2000, 215);
}
