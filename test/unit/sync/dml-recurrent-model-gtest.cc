/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What networks give, against formulas written out, and their derivatives against differences.

#include "ns3/dml-speed-model.h"
#include "ns3/rng-stream.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return the output for one row of inputs
double
Evaluate(const SpeedModel& model,
         const std::vector<double>& inputs,
         const std::vector<double>& weights)
{
    Eigen::MatrixXd row = Eigen::MatrixXd::Ones(1, model.CountInputs() + 1);
    for (std::size_t i = 0; i < inputs.size(); ++i)
    {
        row(0, i) = inputs[i];
    }
    Eigen::VectorXd outputs;
    model.Evaluate(row, Eigen::Map<const Eigen::VectorXd>(weights.data(), weights.size()), outputs);
    return outputs(0);
}

double
Logistic(double x)
{
    return 1 / (1 + std::exp(-x));
}

/// Derivatives in some points, against central differences.
void
CheckDerivatives(const SpeedModel& model)
{
    RngStream random(1, 1, 0);
    const auto drawn = model.DrawWeights(random);
    ASSERT_EQ(static_cast<Eigen::Index>(drawn.size()), model.CountWeights());
    Eigen::VectorXd weights = Eigen::Map<const Eigen::VectorXd>(drawn.data(), drawn.size());
    constexpr Eigen::Index ROWS = 7;
    Eigen::MatrixXd inputs = Eigen::MatrixXd::Ones(ROWS, model.CountInputs() + 1);
    for (Eigen::Index row = 0; row < ROWS; ++row)
    {
        for (Eigen::Index input = 0; input < model.CountInputs(); ++input)
        {
            inputs(row, input) = 4 * random.RandU01() - 2;
        }
    }
    for (double& weight : weights)
    {
        weight += random.RandU01() - 0.5; // biases, too
    }
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Constant(ROWS, weights.size(), NAN);
    model.Differentiate(inputs, weights, jacobian);
    for (Eigen::Index i = 0; i < weights.size(); ++i)
    {
        constexpr double STEP = 1e-5;
        Eigen::VectorXd low;
        Eigen::VectorXd high;
        model.Evaluate(inputs, weights - STEP * Eigen::VectorXd::Unit(weights.size(), i), low);
        model.Evaluate(inputs, weights + STEP * Eigen::VectorXd::Unit(weights.size(), i), high);
        for (Eigen::Index row = 0; row < ROWS; ++row)
        {
            EXPECT_NEAR(jacobian(row, i), (high(row) - low(row)) / (2 * STEP), 1e-8)
                << "weight " << i;
        }
    }
}

/// Values that are not normalised give what their normalised ones do.
void
CheckPrediction(const SpeedModel& model)
{
    RngStream random(1, 1, 0);
    const auto weights = model.DrawWeights(random);
    std::vector<double> inputs;
    std::vector<SpeedScale> scales;
    std::vector<double> normalised;
    for (Eigen::Index i = 0; i < model.CountInputs(); ++i)
    {
        inputs.push_back(100 * random.RandU01());
        scales.push_back({40.0 + i, 20.0 + i});
        normalised.push_back((inputs.back() - scales.back().mean) / scales.back().scale);
    }
    EXPECT_NEAR(model.Predict(inputs, scales, weights),
                Evaluate(model, normalised, weights),
                1e-12);
}

} // namespace

/// One unit: weights of value, unit and bias, then of the output and its bias.
TEST(RecurrentModel, RnnIsWhatItsFormulaSays)
{
    const RnnModel model(2, 1);
    const double first = std::tanh(0.5 * 1 + 0.1);
    const double second = std::tanh(0.5 * -2 - 0.4 * first + 0.1);
    EXPECT_DOUBLE_EQ(Evaluate(model, {1, -2}, {0.5, -0.4, 0.1, 2, 0.3}), 2 * second + 0.3);
}

/// One unit, whose gates are written out: input, forget, output, candidate.
TEST(RecurrentModel, LstmIsWhatItsFormulaSays)
{
    const LstmModel model(3, 1);
    const std::vector<double>
        weights{0.5, -0.4, 0.1, 0.2, 0.3, 1, -0.6, 0.7, 0.05, 1.1, 0.9, -0.2, 2, 0.3};
    const std::vector<double> values{1, -2, 0.5};
    double cell = 0;
    double unit = 0;
    for (const double value : values)
    {
        const double input = Logistic(0.5 * value - 0.4 * unit + 0.1);
        const double forget = Logistic(0.2 * value + 0.3 * unit + 1);
        const double output = Logistic(-0.6 * value + 0.7 * unit + 0.05);
        cell = forget * cell + input * std::tanh(1.1 * value + 0.9 * unit - 0.2);
        unit = output * std::tanh(cell);
    }
    EXPECT_NEAR(Evaluate(model, values, weights), 2 * unit + 0.3, 1e-14);
}

/// Of LstmModel's four gates only the second one, which forgets, begins with a bias: 1.
TEST(RecurrentModel, LstmRemembersAtFirst)
{
    RngStream random(1, 1, 0);
    const auto weights = LstmModel(2, 3).DrawWeights(random);
    ASSERT_EQ(weights.size(), 64U);
    for (std::size_t sum = 0; sum < 12; ++sum)
    {
        EXPECT_EQ(weights[5 * sum + 4], sum / 3 == 1 ? 1 : 0);
    }
    EXPECT_EQ(RnnModel(2, 5).CountWeights(), 41);
}

TEST(RecurrentModel, DerivativesAreThoseOfDifferences)
{
    CheckDerivatives(RnnModel(2, 5));
    CheckDerivatives(RnnModel(6, 2));
    CheckDerivatives(LstmModel(2, 3));
    CheckDerivatives(LstmModel(5, 2));
    CheckDerivatives(FeedforwardModel(8, 5));
}

TEST(RecurrentModel, PredictsFromValuesAsTheyAre)
{
    CheckPrediction(RnnModel(3, 4));
    CheckPrediction(LstmModel(2, 3));
    CheckPrediction(FeedforwardModel(8, 5));
}
