/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Predictors that are trained on speeds alone: ARIMA, the plain recurrent network, the LSTM.

#include "ns3/dml-arima-speed.h"
#include "ns3/dml-lstm-speed.h"
#include "ns3/dml-rnn-speed.h"
#include "ns3/dml-speed-predictors.h"
#include "ns3/object-factory.h"
#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @param name of a predictor that is trained @return one that trains after 200 speeds
Ptr<TrainedSpeed>
MakeTrained(const std::string& name,
            uint32_t seed = 1,
            uint32_t replication = 0,
            uint32_t worker = 0)
{
    ObjectFactory factory = SpeedPredictors().MakeFactory({name, {}});
    factory.Set("Warmup", UintegerValue(200));
    SetUnlessGiven(factory, {}, "Seed", UintegerValue(seed));
    SetUnlessGiven(factory, {}, "Replication", UintegerValue(replication));
    auto predictor = factory.Create<TrainedSpeed>();
    predictor->Prepare(worker);
    return predictor;
}

class TrainedSpeeds : public testing::TestWithParam<std::string>
{
};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, TrainedSpeeds, testing::Values("arima", "rnn", "lstm", "narx"));

TEST_P(TrainedSpeeds, AreTheAverageUntilTheyAreTrained)
{
    const auto predictor = MakeTrained(GetParam());
    EmaSpeed ema;
    RngStream random(1, 1, 0);
    for (uint32_t step = 0; step < 200; ++step)
    {
        EXPECT_FALSE(predictor->IsTrained());
        const double speed = 10 + random.RandU01();
        predictor->Observe(speed, 1, 1);
        ema.Observe(speed, 1, 1);
        EXPECT_EQ(predictor->Predict(1, 1) == ema.Predict(1, 1), step < 199);
    }
    EXPECT_TRUE(predictor->IsTrained());
}

/// Nothing varies: no division by a deviation of 0.
TEST_P(TrainedSpeeds, KeepAConstantSpeed)
{
    const auto predictor = MakeTrained(GetParam());
    for (uint32_t step = 0; step < 300; ++step)
    {
        predictor->Observe(12.3, 0.7, 0.7);
    }
    EXPECT_TRUE(predictor->IsTrained());
    EXPECT_NEAR(predictor->Predict(0.7, 0.7), 12.3, 1e-6);
}

/// The last two speeds tell the next.
TEST_P(TrainedSpeeds, LearnThatSpeedsAlternate)
{
    const auto predictor = MakeTrained(GetParam());
    for (uint32_t step = 0; step < 300; ++step)
    {
        predictor->Observe(step % 2 == 0 ? 10 : 20, 1, 1);
    }
    EXPECT_NEAR(predictor->Predict(1, 1), 10, 0.5);
    predictor->Observe(10, 1, 1);
    EXPECT_NEAR(predictor->Predict(1, 1), 20, 0.5);
}

/// A wave of 20 steps: the last speed is off by up to 50 x 2 sin(pi / 20) = 15.6, while two tell
/// where it is. The few units of the LSTM get no further than half of the error.
TEST_P(TrainedSpeeds, LearnAWave)
{
    const auto predictor = MakeTrained(GetParam());
    double squares = 0;
    double lastSquares = 0;
    double last = 100;
    for (uint32_t step = 0; step < 600; ++step)
    {
        const double speed = 100 + 50 * std::sin(step * M_PI / 10);
        if (step >= 400)
        {
            squares += std::pow(predictor->Predict(1, 1) - speed, 2);
            lastSquares += std::pow(last - speed, 2);
        }
        predictor->Observe(speed, 1, 1);
        last = speed;
    }
    const double share = GetParam() == "lstm" ? 0.6 : 0.2;
    EXPECT_LT(std::sqrt(squares), share * std::sqrt(lastSquares));
}

/// Speeds that jump over 24 orders of magnitude, stand still, and jump again.
TEST_P(TrainedSpeeds, AlwaysGiveASpeed)
{
    const auto predictor = MakeTrained(GetParam());
    RngStream random(1, 1, 0);
    for (uint32_t step = 0; step < 1000; ++step)
    {
        const double speed = step % 300 < 150 ? std::pow(10, 24 * random.RandU01() - 12) : 3;
        predictor->Observe(speed, random.RandU01(), random.RandU01());
        const double predicted = predictor->Predict(random.RandU01(), random.RandU01());
        ASSERT_TRUE(std::isfinite(predicted));
        ASSERT_GT(predicted, 0);
        if (step >= 200)
        {
            ASSERT_GE(predicted, speed / 20.001);
            ASSERT_LE(predicted, speed * 20.001);
        }
    }
}

/// It is the same again; networks begin with other weights for each seed, replication and worker.
TEST_P(TrainedSpeeds, AreDeterministic)
{
    const std::string name = GetParam();
    std::vector<Ptr<TrainedSpeed>> all{MakeTrained(name),
                                       MakeTrained(name),
                                       MakeTrained(name, 2),
                                       MakeTrained(name, 1, 1),
                                       MakeTrained(name, 1, 0, 1)};
    RngStream random(1, 1, 0);
    for (uint32_t step = 0; step < 300; ++step)
    {
        const double speed = 10 + random.RandU01();
        for (const auto& predictor : all)
        {
            predictor->Observe(speed, 1, 1);
        }
    }
    const double predicted = all[0]->Predict(1, 1);
    EXPECT_EQ(all[1]->Predict(1, 1), predicted);
    for (const uint32_t other : {2, 3, 4})
    {
        EXPECT_EQ(all[other]->Predict(1, 1) == predicted, name == "arima");
    }
}

/// What they may not see: CPU and memory.
TEST(TrainedSpeed, AllButNarxSeeSpeedsOnly)
{
    for (const std::string name : {"arima", "rnn", "lstm"})
    {
        const auto one = MakeTrained(name);
        const auto other = MakeTrained(name);
        RngStream random(1, 1, 0);
        for (uint32_t step = 0; step < 300; ++step)
        {
            const double speed = 10 + random.RandU01();
            one->Observe(speed, 1, 1);
            other->Observe(speed, random.RandU01(), random.RandU01());
        }
        EXPECT_EQ(one->Predict(1, 1), other->Predict(0.2, 0.3));
    }
}

/// Too few speeds for so many coefficients or weights: they stay with the average. ARIMA(2, 2, 1)
/// needs 2 + 8 x 4 speeds, RnnSpeed's 41 weights 55 examples.
TEST(TrainedSpeed, NeedEnoughSpeeds)
{
    const std::vector<std::pair<std::string, uint32_t>> fewest{{"arima", 34}, {"rnn", 55}};
    for (const auto& [name, history] : fewest)
    {
        for (const uint32_t less : {0, 1})
        {
            ObjectFactory factory = SpeedPredictors().MakeFactory({name, {}});
            factory.Set("Warmup", UintegerValue(10));
            factory.Set("History", UintegerValue(history - less));
            auto predictor = factory.Create<TrainedSpeed>();
            predictor->Prepare(0);
            for (uint32_t step = 0; step < 300; ++step)
            {
                predictor->Observe(10 + step % 3, 1, 1);
            }
            EXPECT_EQ(predictor->IsTrained(), less == 0) << name;
        }
    }
}
