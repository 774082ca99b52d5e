/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How fast a worker's next step will be.

#include "ns3/dml-ema-speed.h"
#include "ns3/dml-last-speed.h"
#include "ns3/dml-narx-speed.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

Ptr<NarxSpeed>
MakeNarx(uint32_t seed = 1, uint32_t replication = 0, uint32_t worker = 0)
{
    ObjectFactory factory;
    factory.SetTypeId(NarxSpeed::GetTypeId());
    factory.Set("Warmup", UintegerValue(200));
    factory.Set("Seed", UintegerValue(seed));
    factory.Set("Replication", UintegerValue(replication));
    auto narx = factory.Create<NarxSpeed>();
    narx->Prepare(worker);
    return narx;
}

/// A series in which CPU and memory are drawn anew in every step.
class Series
{
  public:
    double cpu{1};
    double memory{1};

    void Next()
    {
        cpu = 0.2 + 0.8 * m_random.RandU01();
        memory = 0.2 + 0.8 * m_random.RandU01();
    }

    /// A curve, and where the memory is short, a drop.
    double GetSpeed() const
    {
        return 100 * std::sqrt(cpu) * std::min(1.0, 0.2 + memory);
    }

  private:
    RngStream m_random{1, 1, 0};
};

} // namespace

TEST(SpeedPredictor, LastIsTheLast)
{
    LastSpeed last;
    last.Observe(10, 1, 1);
    last.Observe(30, 0.5, 0.5);
    EXPECT_EQ(last.Predict(0, 0), 30);
}

/// 10; 0.2 x 30 + 0.8 x 10 = 14; 0.2 x 4 + 0.8 x 14 = 12.
TEST(SpeedPredictor, EmaStartsWithTheFirst)
{
    EmaSpeed ema;
    ema.Observe(10, 1, 1);
    EXPECT_EQ(ema.Predict(1, 1), 10);
    ema.Observe(30, 1, 1);
    EXPECT_DOUBLE_EQ(ema.Predict(1, 1), 14);
    ema.Observe(4, 1, 1);
    EXPECT_DOUBLE_EQ(ema.Predict(0, 0), 12);
}

TEST(SpeedPredictor, NarxIsTheEmaUntilItIsTrained)
{
    const auto narx = MakeNarx();
    EmaSpeed ema;
    Series series;
    for (uint32_t step = 0; step < 200; ++step)
    {
        EXPECT_FALSE(narx->IsTrained());
        series.Next();
        narx->Observe(series.GetSpeed(), series.cpu, series.memory);
        ema.Observe(series.GetSpeed(), series.cpu, series.memory);
        EXPECT_EQ(narx->Predict(1, 1) == ema.Predict(1, 1), step < 199);
    }
    EXPECT_TRUE(narx->IsTrained());
}

/// The speed depends on CPU and memory of the step alone: an average cannot know it, NARX must.
/// What is left of its error is the curve's.
TEST(SpeedPredictor, NarxLearnsWhatDrivesTheSpeed)
{
    const auto narx = MakeNarx();
    EmaSpeed ema;
    Series series;
    double narxSquares = 0;
    double emaSquares = 0;
    for (uint32_t step = 0; step < 1000; ++step)
    {
        series.Next();
        const double speed = series.GetSpeed();
        if (step >= 500)
        {
            narxSquares += std::pow(narx->Predict(series.cpu, series.memory) - speed, 2);
            emaSquares += std::pow(ema.Predict(series.cpu, series.memory) - speed, 2);
        }
        narx->Observe(speed, series.cpu, series.memory);
        ema.Observe(speed, series.cpu, series.memory);
    }
    EXPECT_LT(narxSquares, emaSquares / 100);
}

/// Speeds that alternate need no resources: the last two tell the next.
TEST(SpeedPredictor, NarxLearnsFromEarlierSpeeds)
{
    const auto narx = MakeNarx();
    for (uint32_t step = 0; step < 300; ++step)
    {
        narx->Observe(step % 2 == 0 ? 10 : 20, 1, 1);
    }
    EXPECT_NEAR(narx->Predict(1, 1), 10, 0.5);
    narx->Observe(10, 1, 1);
    EXPECT_NEAR(narx->Predict(1, 1), 20, 0.5);
}

/// Nothing varies: no division by a deviation of 0.
TEST(SpeedPredictor, NarxKeepsAConstantSpeed)
{
    const auto narx = MakeNarx();
    for (uint32_t step = 0; step < 300; ++step)
    {
        narx->Observe(12.3, 0.7, 0.7);
    }
    EXPECT_TRUE(narx->IsTrained());
    EXPECT_NEAR(narx->Predict(0.7, 0.7), 12.3, 1e-6);
}

/// The speed is 100 times the CPU, which is 1 or 0.01: after 100, NARX expects 1, which is below 5,
/// and after 1, 100, which is above 20.
TEST(SpeedPredictor, NarxStaysNearTheLastSpeed)
{
    const auto narx = MakeNarx();
    RngStream random(1, 1, 0);
    for (uint32_t step = 0; step < 300; ++step)
    {
        const double cpu = random.RandU01() < 0.5 ? 1 : 0.01;
        narx->Observe(100 * cpu, cpu, 1);
    }
    narx->Observe(100, 1, 1);
    EXPECT_DOUBLE_EQ(narx->Predict(0.01, 1), 5);
    narx->Observe(1, 0.01, 1);
    EXPECT_DOUBLE_EQ(narx->Predict(1, 1), 20);
}

TEST(SpeedPredictor, NarxIsDeterministic)
{
    std::vector<Ptr<NarxSpeed>> all{MakeNarx(),
                                    MakeNarx(),
                                    MakeNarx(2),
                                    MakeNarx(1, 1),
                                    MakeNarx(1, 0, 1)};
    Series series;
    for (uint32_t step = 0; step < 300; ++step)
    {
        series.Next();
        for (const auto& narx : all)
        {
            narx->Observe(series.GetSpeed(), series.cpu, series.memory);
        }
    }
    const double predicted = all[0]->Predict(0.5, 0.5);
    EXPECT_EQ(all[1]->Predict(0.5, 0.5), predicted);
    for (uint32_t other : {2, 3, 4})
    {
        EXPECT_NE(all[other]->Predict(0.5, 0.5), predicted);
    }
}

/// Too few examples for so many weights (5 x 10 + 1, and a fifth held out): it stays with the
/// average.
TEST(SpeedPredictor, NarxNeedsAsManyExamplesAsWeights)
{
    ObjectFactory factory;
    factory.SetTypeId(NarxSpeed::GetTypeId());
    factory.Set("Warmup", UintegerValue(10));
    factory.Set("History", UintegerValue(60));
    auto narx = factory.Create<NarxSpeed>();
    narx->Prepare(0);
    for (uint32_t step = 0; step < 500; ++step)
    {
        narx->Observe(10 + step % 3, 1, 1);
    }
    EXPECT_FALSE(narx->IsTrained());
}
