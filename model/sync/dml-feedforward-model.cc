/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-feedforward-model.h"

#include "ns3/rng-stream.h"

#include <cmath>

namespace ns3::dml
{

namespace
{

/// The weights as matrices: those of each hidden unit (inputs, bias), then the output's.
struct FeedforwardLayers
{
    FeedforwardLayers(const Eigen::VectorXd& weights, Eigen::Index inputs, Eigen::Index hidden)
        : first(weights.data(), inputs + 1, hidden),
          second(weights.data() + (inputs + 1) * hidden, hidden),
          bias(weights(weights.size() - 1))
    {
    }

    Eigen::Map<const Eigen::MatrixXd> first;  //!< a column for each hidden unit, the bias last
    Eigen::Map<const Eigen::VectorXd> second; //!< of the output
    double bias;                              //!< of the output
};

} // namespace

FeedforwardModel::FeedforwardModel(Eigen::Index inputs, Eigen::Index hidden)
    : m_inputs(inputs),
      m_hidden(hidden)
{
}

Eigen::Index
FeedforwardModel::CountInputs() const
{
    return m_inputs;
}

Eigen::Index
FeedforwardModel::CountWeights() const
{
    return (m_inputs + 2) * m_hidden + 1;
}

std::vector<double>
FeedforwardModel::DrawWeights(RngStream& random) const
{
    const auto draw = [&random](double inputs, double outputs) {
        return std::sqrt(6 / (inputs + outputs)) * (2 * random.RandU01() - 1);
    };
    std::vector<double> weights;
    for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
    {
        for (Eigen::Index input = 0; input < m_inputs; ++input)
        {
            weights.push_back(draw(m_inputs, m_hidden));
        }
        weights.push_back(0);
    }
    for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
    {
        weights.push_back(draw(m_hidden, 1));
    }
    weights.push_back(0);
    return weights;
}

double
FeedforwardModel::GetFirstStep() const
{
    return 100;
}

void
FeedforwardModel::Evaluate(const Eigen::MatrixXd& inputs,
                           const Eigen::VectorXd& weights,
                           Eigen::VectorXd& outputs) const
{
    const FeedforwardLayers layers(weights, m_inputs, m_hidden);
    const Eigen::MatrixXd units = (inputs * layers.first).array().tanh();
    outputs = ((units * layers.second).array() + layers.bias).matrix();
}

void
FeedforwardModel::Differentiate(const Eigen::MatrixXd& inputs,
                                const Eigen::VectorXd& weights,
                                Eigen::MatrixXd& jacobian) const
{
    const FeedforwardLayers layers(weights, m_inputs, m_hidden);
    const Eigen::MatrixXd units = (inputs * layers.first).array().tanh();
    for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
    {
        const Eigen::VectorXd slope =
            layers.second(unit) * (1 - units.col(unit).array().square()).matrix();
        jacobian.middleCols(unit * (m_inputs + 1), m_inputs + 1) = slope.asDiagonal() * inputs;
    }
    jacobian.middleCols((m_inputs + 1) * m_hidden, m_hidden) = units;
    jacobian.col(CountWeights() - 1).setOnes();
}

double
FeedforwardModel::Predict(const std::vector<double>& inputs,
                          const std::vector<SpeedScale>& scales,
                          const std::vector<double>& weights) const
{
    double output = weights.back();
    for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
    {
        const double* first = weights.data() + unit * (m_inputs + 1);
        double sum = first[m_inputs];
        for (Eigen::Index input = 0; input < m_inputs; ++input)
        {
            sum += first[input] * (inputs[input] - scales[input].mean) / scales[input].scale;
        }
        output += weights[m_hidden * (m_inputs + 1) + unit] * std::tanh(sum);
    }
    return output;
}

} // namespace ns3::dml
