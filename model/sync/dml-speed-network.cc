/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-network.h"

#include "ns3/rng-stream.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace ns3
{
namespace dml
{

namespace
{

constexpr Eigen::Index INPUTS = std::tuple_size<SpeedInputs>::value;
constexpr std::size_t HELD_OUT = 5; // every fifth example
constexpr uint32_t PATIENCE = 2;    // passes in a row that do not serve the examples held out
constexpr int EVALUATIONS = 100;    // of the network per example, in all passes

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Examples, normalised: a row each.
struct Examples
{
    Matrix inputs;  //!< with a last column of ones, for the bias
    Vector outputs; //!< speeds
};

/// The weights as matrices.
struct Layers
{
    Layers(const Vector& weights, Eigen::Index hidden)
        : first(weights.data(), INPUTS + 1, hidden),
          second(weights.data() + (INPUTS + 1) * hidden, hidden),
          bias(weights(weights.size() - 1))
    {
    }

    Eigen::Map<const Matrix> first;  //!< a column for each hidden unit, the bias last
    Eigen::Map<const Vector> second; //!< of the output
    double bias;                     //!< of the output
};

/// What is to become small, in the form that Eigen's LevenbergMarquardt takes.
class Residuals
{
  public:
    using Scalar = double;
    using InputType = Vector;
    using ValueType = Vector;
    using JacobianType = Matrix;

    enum
    {
        InputsAtCompileTime = Eigen::Dynamic,
        ValuesAtCompileTime = Eigen::Dynamic
    };

    Residuals(const Examples& examples, Eigen::Index hidden)
        : m_examples(examples),
          m_hidden(hidden)
    {
    }

    int inputs() const
    {
        return (INPUTS + 2) * m_hidden + 1;
    }

    int values() const
    {
        return m_examples.outputs.size();
    }

    int operator()(const Vector& weights, Vector& errors) const
    {
        const Layers layers(weights, m_hidden);
        const Matrix units = (m_examples.inputs * layers.first).array().tanh();
        errors = ((units * layers.second).array() + layers.bias).matrix() - m_examples.outputs;
        return 0;
    }

    int df(const Vector& weights, Matrix& jacobian) const
    {
        const Layers layers(weights, m_hidden);
        const Matrix units = (m_examples.inputs * layers.first).array().tanh();
        for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
        {
            const Vector slope =
                layers.second(unit) * (1 - units.col(unit).array().square()).matrix();
            jacobian.middleCols(unit * (INPUTS + 1), INPUTS + 1) =
                slope.asDiagonal() * m_examples.inputs;
        }
        jacobian.middleCols((INPUTS + 1) * m_hidden, m_hidden) = units;
        jacobian.col(inputs() - 1).setOnes();
        return 0;
    }

    double MeanSquare(const Vector& weights) const
    {
        Vector errors;
        (*this)(weights, errors);
        return errors.squaredNorm() / errors.size();
    }

  private:
    const Examples& m_examples; //!< normalised
    Eigen::Index m_hidden;      //!< units
};

/// @return mean and standard deviation, 1 instead of 0
std::pair<double, double>
Describe(const Vector& values)
{
    const double mean = values.mean();
    const double deviation = std::sqrt((values.array() - mean).square().mean());
    // what does not vary may come out as rounding
    const bool varies = deviation > 1e-9 * std::max(1.0, std::abs(mean));
    return {mean, varies ? deviation : 1};
}

/// Normalises @p values in place.
void
Normalise(Eigen::Ref<Vector> values, double& mean, double& scale)
{
    std::tie(mean, scale) = Describe(values);
    values = (values.array() - mean) / scale;
}

/// @return the rows whose number, modulo HELD_OUT, is or is not the last
Examples
Select(const Examples& all, bool heldOut)
{
    Examples some;
    const Eigen::Index rows = all.outputs.size();
    const Eigen::Index count =
        heldOut ? rows / HELD_OUT : rows - rows / static_cast<Eigen::Index>(HELD_OUT);
    some.inputs.resize(count, INPUTS + 1);
    some.outputs.resize(count);
    Eigen::Index next = 0;
    for (Eigen::Index row = 0; row < rows; ++row)
    {
        if ((row % HELD_OUT == HELD_OUT - 1) == heldOut)
        {
            some.inputs.row(next) = all.inputs.row(row);
            some.outputs(next++) = all.outputs(row);
        }
    }
    return some;
}

} // namespace

SpeedNetwork::SpeedNetwork(uint32_t hidden, RngStream& random)
    : m_hidden(hidden)
{
    const auto draw = [&random](double inputs, double outputs) {
        return std::sqrt(6 / (inputs + outputs)) * (2 * random.RandU01() - 1);
    };
    for (uint32_t unit = 0; unit < hidden; ++unit)
    {
        for (Eigen::Index input = 0; input < INPUTS; ++input)
        {
            m_weights.push_back(draw(INPUTS, hidden));
        }
        m_weights.push_back(0);
    }
    for (uint32_t unit = 0; unit < hidden; ++unit)
    {
        m_weights.push_back(draw(hidden, 1));
    }
    m_weights.push_back(0);
}

std::size_t
SpeedNetwork::GetFewestExamples() const
{
    // as many to train with as there are weights
    return HELD_OUT * (m_weights.size() / (HELD_OUT - 1) + 1);
}

uint32_t
SpeedNetwork::Train(const std::vector<SpeedExample>& examples, uint32_t passes)
{
    const Eigen::Index rows = examples.size();
    Examples all{Matrix::Ones(rows, INPUTS + 1), Vector(rows)};
    for (Eigen::Index row = 0; row < rows; ++row)
    {
        all.inputs.row(row).head(INPUTS) =
            Eigen::Map<const Eigen::RowVectorXd>(examples[row].inputs.data(), INPUTS);
        all.outputs(row) = examples[row].speed;
    }
    for (Eigen::Index input = 0; input < INPUTS; ++input)
    {
        Normalise(all.inputs.col(input), m_mean.inputs[input], m_scale.inputs[input]);
    }
    Normalise(all.outputs, m_mean.speed, m_scale.speed);

    const Examples training = Select(all, false);
    const Examples heldOut = Select(all, true);
    Residuals residuals(training, m_hidden);
    const Residuals check(heldOut, m_hidden);
    Vector weights = Eigen::Map<const Vector>(m_weights.data(), m_weights.size());
    Vector best = weights;
    double least = check.MeanSquare(weights);
    uint32_t pass = 0;
    Eigen::LevenbergMarquardt<Residuals> solver(residuals);
    solver.parameters.maxfev = EVALUATIONS;
    auto status = solver.minimizeInit(weights);
    for (uint32_t worse = 0; pass < passes && worse < PATIENCE &&
                             (status == Eigen::LevenbergMarquardtSpace::NotStarted ||
                              status == Eigen::LevenbergMarquardtSpace::Running);
         ++pass)
    {
        status = solver.minimizeOneStep(weights);
        const double error = check.MeanSquare(weights);
        worse = error < least ? 0 : worse + 1;
        if (error < least)
        {
            least = error;
            best = weights;
        }
    }
    std::copy(best.begin(), best.end(), m_weights.begin());
    return pass;
}

double
SpeedNetwork::Predict(const SpeedInputs& inputs) const
{
    double output = m_weights.back();
    for (uint32_t unit = 0; unit < m_hidden; ++unit)
    {
        const double* weights = m_weights.data() + unit * (INPUTS + 1);
        double sum = weights[INPUTS];
        for (Eigen::Index input = 0; input < INPUTS; ++input)
        {
            sum += weights[input] * (inputs[input] - m_mean.inputs[input]) / m_scale.inputs[input];
        }
        output += m_weights[m_hidden * (INPUTS + 1) + unit] * std::tanh(sum);
    }
    return m_mean.speed + m_scale.speed * output;
}

} // namespace dml
} // namespace ns3
