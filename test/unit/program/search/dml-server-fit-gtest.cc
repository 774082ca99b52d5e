/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-server-fit.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

constexpr double BATCH = 32;

/// A job as a server sees it.
struct Load
{
    double workers;
    double bytes;   ///< of a step
    double tensors; ///< of a step
    double others;  ///< seconds of a step that are not the server's
};

/**
 * The law of a closed pipeline: W workers who each need `others` + S seconds of a step if nobody is
 * in their way, of which S = alpha * bytes + beta * tensors on one of n cores. Neither can be
 * surpassed: W * batch / (others + S), and n * batch / S.
 */
double
GetLaw(const Load& load, const ServerCost& cost)
{
    const double served = cost.alpha * load.bytes + cost.beta * load.tensors;
    return BATCH * std::min(load.workers / (load.others + served), cost.cores / served);
}

/// @return points that follow the law with @p truth, and the law as their model
ServerQuestion
MakeQuestion(const std::vector<Load>& loads, const ServerCost& truth, uint32_t mostCores)
{
    ServerQuestion question;
    question.model = [loads](const ServerCost& cost) {
        std::vector<double> throughputs;
        for (const auto& load : loads)
        {
            throughputs.push_back(GetLaw(load, cost));
        }
        return throughputs;
    };
    question.measured = question.model(truth);
    question.start = {1e-7, 1e-2, 1};
    for (uint32_t cores = 1; cores <= mostCores; ++cores)
    {
        question.cores.push_back(cores);
    }
    return question;
}

/// @return a question about one value, 3 / value, of which four points are off by exp(+-@p off)
ThroughputQuestion
MakeReciprocal(double off)
{
    ThroughputQuestion question;
    question.start = {1};
    question.model = [](const std::vector<double>& values) {
        return std::vector<double>(4, 3 / values.front());
    };
    for (const double sign : {1, -1, -1, 1})
    {
        question.measured.push_back(6 * std::exp(sign * off)); // so that the value is 0.5
    }
    return question;
}

/**
 * Points that fall with a value, but not smoothly: as those of workers that lock in step, with a
 * maximum every two or three per cent of the value.
 * @param truth value @param phase of the ripple
 */
ThroughputQuestion
MakeRippled(double truth, double phase)
{
    ThroughputQuestion question;
    question.start = {1};
    question.model = [phase](const std::vector<double>& values) {
        std::vector<double> throughputs;
        for (int point = 0; point < 4; ++point)
        {
            const double place = std::log(values.front());
            const double period = 0.02 + 0.003 * point;
            throughputs.push_back(
                3 / values.front() *
                std::exp(0.04 * std::sin(2 * M_PI * place / period + phase * (point + 1))));
        }
        return throughputs;
    };
    question.measured = question.model({truth});
    return question;
}

} // namespace

// The points are exact, so that the deviance is 0 at the truth and at no other of some 25 minima
// within a quarter of it. The best of them has to be found, whatever the phase.
TEST(DmlThroughputFit, FindsTheBestOfManyMinima)
{
    for (int phase = 0; phase < 12; ++phase)
    {
        const ThroughputFit fit = FitThroughput(MakeRippled(0.4, 0.5 * phase));
        EXPECT_NEAR(fit.values.front() / 0.4, 1, 0.005) << "phase " << phase;
        EXPECT_LT(fit.deviance, 1e-3);
    }
}

// If each point is known to 4 % only, other minima explain the points as well: the interval of
// 1.96 standard errors holds the truth in nearly all cases, and is not much too wide.
TEST(DmlThroughputFit, ItsIntervalKnowsOfOtherMinima)
{
    int held = 0;
    constexpr int CASES = 24;
    for (int phase = 0; phase < CASES; ++phase)
    {
        ThroughputQuestion question = MakeRippled(0.4, 0.25 * phase);
        question.errors.assign(4, 0.04);
        for (std::size_t point = 0; point < 4; ++point)
        {
            question.measured[point] *= std::exp(0.04 * std::sin(1.0 + 7 * phase + 2 * point));
        }
        const ThroughputFit fit = FitThroughput(question);
        held += std::abs(std::log(fit.values.front() / 0.4)) <= 1.96 * fit.errors.front() ? 1 : 0;
        EXPECT_LT(fit.errors.front(), 0.06);
    }
    EXPECT_GE(held, CASES - 2);
}

TEST(DmlThroughputFit, KnowsItsErrors)
{
    // each logarithm falls by 1 with that of the value: its variance is that of a point over 4,
    // which is 4 * 0.01^2 / (4 - 1); of each point, the other three are 0.01 / 3 away
    const ThroughputFit fit = FitThroughput(MakeReciprocal(0.01));
    EXPECT_NEAR(fit.values.front(), 0.5, 1e-6);
    EXPECT_NEAR(fit.variance, 4e-4 / 3, 1e-8);
    EXPECT_NEAR(fit.errors.front(), 0.01 / std::sqrt(3), 1e-6);
    EXPECT_NEAR(fit.predicted[0], 6, 1e-4);
    EXPECT_NEAR(fit.leftOut[0], 6 * std::exp(-0.01 / 3), 1e-4);
    EXPECT_NEAR(fit.leftOut[1], 6 * std::exp(0.01 / 3), 1e-4);
}

TEST(DmlThroughputFit, BelievesErrorsOfPoints)
{
    // points that are known to 4 %: 0.04 / sqrt(4); that they are nearer to each other is chance
    ThroughputQuestion question = MakeReciprocal(0.01);
    question.errors.assign(4, 0.04);
    EXPECT_NEAR(FitThroughput(question).errors.front(), 0.02, 1e-6);
    // a point that is known a hundred times as well decides: value 3 / (6 * exp(0.01))
    question.errors = {0.002, 0.2, 0.2, 0.2};
    EXPECT_NEAR(FitThroughput(question).values.front(), 0.5 * std::exp(-0.01), 1e-5);
    // of points with one more choice made by them, one is less left: 4 * 0.01^2 / 2
    question = MakeReciprocal(0.01);
    question.choices = 1;
    EXPECT_NEAR(FitThroughput(question).variance, 2e-4, 1e-8);
}

TEST(DmlThroughputFit, NoThroughputIsKnownBetterThanAThousandth)
{
    EXPECT_NEAR(FitThroughput(MakeReciprocal(0)).errors.front(), 0.0005, 1e-8);
}

TEST(DmlThroughputFit, ValuesThatChangePointsAlikeAreNotTold)
{
    // 3 / (a + 2 * b): one equation
    ThroughputQuestion question = MakeReciprocal(0.01);
    question.start = {0.3, 0.3};
    question.model = [](const std::vector<double>& values) {
        return std::vector<double>(4, 3 / (values[0] + 2 * values[1]));
    };
    const ThroughputFit fit = FitThroughput(question);
    EXPECT_NEAR(fit.values[0] + 2 * fit.values[1], 0.5, 1e-5);
    EXPECT_TRUE(std::isinf(fit.errors[0]));
    EXPECT_TRUE(std::isinf(fit.errors[1]));
}

TEST(DmlServerFit, FindsBothCostsWhereJobsDiffer)
{
    // saturated: 32 / (1e6 * 2e-9 + 100 * 1e-4) = 32 / 0.012 and 32 / (50e6 * 2e-9 + 20 * 1e-4)
    const ServerCost truth{2e-9, 1e-4, 1};
    const ServerQuestion question = MakeQuestion(
        {{1, 1e6, 100, 0.03}, {8, 1e6, 100, 0.03}, {2, 50e6, 20, 0.05}, {4, 50e6, 20, 0.05}},
        truth,
        1);
    EXPECT_NEAR(question.measured[1], 32 / 0.012, 1e-6);
    EXPECT_NEAR(question.measured[3], 32 / 0.102, 1e-6);
    const ServerFit fit = FitServer(question);
    EXPECT_TRUE(fit.tellsAlpha);
    EXPECT_TRUE(fit.tellsBeta);
    EXPECT_FALSE(fit.either);
    EXPECT_NEAR(fit.cost.alpha, truth.alpha, 1e-4 * truth.alpha);
    EXPECT_NEAR(fit.cost.beta, truth.beta, 1e-4 * truth.beta);
    EXPECT_EQ(fit.cores, std::vector<uint32_t>{1});
    EXPECT_FALSE(fit.hasMore);
    EXPECT_NEAR(fit.predicted[1], 32 / 0.012, 0.1);
}

TEST(DmlServerFit, FindsCores)
{
    // S = 0.1 s, 0.3 s else: 1, 2, 8 and 16 workers give 80, 160, 640 and 2 * 32 / 0.1. One core
    // with half of the cost has the last one right and the first two wrong, 32 / 0.35 and twice
    // that; three cores with half as much again 32 / 0.45.
    const ServerCost truth{1e-9, 0, 2};
    const ServerQuestion question =
        MakeQuestion({{1, 1e8, 20, 0.3}, {2, 1e8, 20, 0.3}, {8, 1e8, 20, 0.3}, {16, 1e8, 20, 0.3}},
                     truth,
                     8);
    EXPECT_NEAR(question.measured[0], 80, 1e-9);
    EXPECT_NEAR(question.measured[3], 640, 1e-9);
    const ServerFit fit = FitServer(question);
    EXPECT_EQ(fit.cost.cores, 2U);
    EXPECT_EQ(fit.cores, std::vector<uint32_t>{2});
    EXPECT_FALSE(fit.hasMore);
    EXPECT_NEAR(fit.cost.alpha * 1e8 + fit.cost.beta * 20, 0.1, 1e-4);
}

TEST(DmlServerFit, FitsOneCostWhereTheOtherCannotBeTold)
{
    // one job on one server: only the sum of both, 0.012 s, can be told
    const ServerQuestion question = MakeQuestion(
        {{1, 1e6, 100, 0.03}, {2, 1e6, 100, 0.03}, {4, 1e6, 100, 0.03}, {8, 1e6, 100, 0.03}},
        {2e-9, 1e-4, 1},
        1);
    const ServerFit fit = FitServer(question);
    EXPECT_TRUE(fit.tellsAlpha != fit.tellsBeta);
    EXPECT_TRUE(fit.either);
    EXPECT_NEAR(fit.cost.alpha * 1e6 + fit.cost.beta * 100, 0.012, 1e-5);
    EXPECT_EQ(fit.tellsAlpha ? fit.cost.beta : fit.cost.alpha, 0);
}

TEST(DmlServerFit, ACostThatIsNotThereIsNotTold)
{
    // jobs differ, and bytes cost nothing
    const ServerQuestion question = MakeQuestion(
        {{1, 1e6, 100, 0.03}, {8, 1e6, 100, 0.03}, {2, 50e6, 20, 0.05}, {80, 50e6, 20, 0.05}},
        {0, 1e-4, 1},
        1);
    const ServerFit fit = FitServer(question);
    EXPECT_FALSE(fit.tellsAlpha);
    EXPECT_TRUE(fit.tellsBeta);
    EXPECT_FALSE(fit.either);
    EXPECT_EQ(fit.cost.alpha, 0);
    EXPECT_NEAR(fit.cost.beta, 1e-4, 1e-8);
}

TEST(DmlServerFit, SaysWhereMoreCoresMightDo)
{
    // of one worker alone: any number of cores is as good, and the smallest is taken
    const ServerQuestion question =
        MakeQuestion({{1, 1e6, 100, 0.03}, {1, 1e6, 100, 0.02}, {1, 1e6, 100, 0.01}},
                     {0, 1e-4, 1},
                     3);
    const ServerFit fit = FitServer(question);
    EXPECT_EQ(fit.cost.cores, 1U);
    EXPECT_EQ(fit.cores, (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_TRUE(fit.hasMore);
}

TEST(DmlServerFit, TellsNothingWhereWorkersOrTheNetworkLimit)
{
    const std::vector<Load> loads{{1, 1e6, 100, 0.03}, {2, 1e6, 100, 0.03}, {4, 1e6, 100, 0.03}};
    // workers: the law without a server's cost
    const ServerFit workers = FitServer(MakeQuestion(loads, {0, 1e-12, 1}, 1));
    EXPECT_FALSE(workers.tellsAlpha);
    EXPECT_FALSE(workers.tellsBeta);
    // a network: always the same
    ServerQuestion question = MakeQuestion(loads, {1e-9, 1e-4, 1}, 1);
    question.measured = {100, 100, 100};
    question.model = [](const ServerCost&) { return std::vector<double>{100, 101, 99}; };
    const ServerFit network = FitServer(question);
    EXPECT_FALSE(network.tellsAlpha);
    EXPECT_FALSE(network.tellsBeta);
}

TEST(DmlServerFit, RefusesFewerPointsThanNumbers)
{
    const std::vector<Load> loads{{1, 1e6, 100, 0.03}, {8, 1e6, 100, 0.03}};
    EXPECT_EQ(ErrorOf([&] {
                  FitServer(MakeQuestion(loads, {2e-9, 1e-4, 1}, 8));
              }),
              "found 2 points; accepted: at least 3 to tell a cost and its error, or 2 where the "
              "server's cores are known (--cores=N)");
    EXPECT_EQ(ErrorOf([&] {
                  FitServer(MakeQuestion({loads[0]}, {2e-9, 1e-4, 1}, 1));
              }),
              "found 1 point; accepted: at least 2 to tell a cost and its error");
    // two points and known cores: one cost
    const ServerFit fit = FitServer(MakeQuestion(loads, {2e-9, 1e-4, 1}, 1));
    EXPECT_TRUE(fit.tellsAlpha != fit.tellsBeta);
    EXPECT_NEAR(fit.cost.alpha * 1e6 + fit.cost.beta * 100, 0.012, 1e-5);
}
