/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-network.h"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t HELD_OUT = 5; // every fifth example
constexpr uint32_t PATIENCE = 2;    // passes in a row that do not serve the examples held out
constexpr int EVALUATIONS = 100;    // of the network per example, in all passes

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Examples, normalised: a row each.
struct Examples
{
    Matrix inputs;  //!< as SpeedModel has them
    Vector outputs; //!< speeds
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

    Residuals(const SpeedModel& model, const Examples& examples)
        : m_model(model),
          m_examples(examples)
    {
    }

    int inputs() const
    {
        return m_model.CountWeights();
    }

    int values() const
    {
        return m_examples.outputs.size();
    }

    int operator()(const Vector& weights, Vector& errors) const
    {
        m_model.Evaluate(m_examples.inputs, weights, errors);
        errors -= m_examples.outputs;
        return 0;
    }

    int df(const Vector& weights, Matrix& jacobian) const
    {
        m_model.Differentiate(m_examples.inputs, weights, jacobian);
        return 0;
    }

    double MeanSquare(const Vector& weights) const
    {
        Vector errors;
        (*this)(weights, errors);
        return errors.squaredNorm() / errors.size();
    }

  private:
    const SpeedModel& m_model;  //!< shape
    const Examples& m_examples; //!< normalised
};

/// Normalises @p values in place. @return how
SpeedScale
Normalise(Eigen::Ref<Vector> values)
{
    const double mean = values.mean();
    const double deviation = std::sqrt((values.array() - mean).square().mean());
    // what does not vary may come out as rounding
    const bool varies = deviation > 1e-9 * std::max(1.0, std::abs(mean));
    const SpeedScale scale{mean, varies ? deviation : 1};
    values = (values.array() - scale.mean) / scale.scale;
    return scale;
}

/// @return the rows whose number, modulo HELD_OUT, is or is not the last
Examples
Select(const Examples& all, bool heldOut)
{
    Examples some;
    const Eigen::Index rows = all.outputs.size();
    const Eigen::Index count =
        heldOut ? rows / HELD_OUT : rows - rows / static_cast<Eigen::Index>(HELD_OUT);
    some.inputs.resize(count, all.inputs.cols());
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

SpeedNetwork::SpeedNetwork(std::unique_ptr<const SpeedModel> model, RngStream& random)
    : m_model(std::move(model)),
      m_weights(m_model->DrawWeights(random))
{
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
    const Eigen::Index inputs = m_model->CountInputs();
    Examples all{Matrix::Ones(rows, inputs + 1), Vector(rows)};
    for (Eigen::Index row = 0; row < rows; ++row)
    {
        all.inputs.row(row).head(inputs) =
            Eigen::Map<const Eigen::RowVectorXd>(examples[row].inputs.data(), inputs);
        all.outputs(row) = examples[row].speed;
    }
    m_inputs.clear();
    for (Eigen::Index input = 0; input < inputs; ++input)
    {
        m_inputs.push_back(Normalise(all.inputs.col(input)));
    }
    m_speed = Normalise(all.outputs);

    const Examples training = Select(all, false);
    const Examples heldOut = Select(all, true);
    Residuals residuals(*m_model, training);
    const Residuals check(*m_model, heldOut);
    Vector weights = Eigen::Map<const Vector>(m_weights.data(), m_weights.size());
    Vector best = weights;
    double least = check.MeanSquare(weights);
    uint32_t pass = 0;
    Eigen::LevenbergMarquardt<Residuals> solver(residuals);
    solver.parameters.maxfev = EVALUATIONS;
    solver.parameters.factor = m_model->GetFirstStep();
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
SpeedNetwork::Predict(const std::vector<double>& inputs) const
{
    return m_speed.mean + m_speed.scale * m_model->Predict(inputs, m_inputs, m_weights);
}

} // namespace ns3::dml
