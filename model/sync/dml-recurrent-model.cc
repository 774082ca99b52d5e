/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recurrent-model.h"

#include "ns3/rng-stream.h"

#include <cmath>

namespace ns3::dml
{

namespace
{

/// The weights as matrices.
struct RecurrentLayers
{
    RecurrentLayers(const Eigen::VectorXd& weights, Eigen::Index hidden, Eigen::Index gates)
        : sums(weights.data(), hidden + 2, gates * hidden),
          output(weights.data() + sums.size(), hidden),
          bias(weights(weights.size() - 1))
    {
    }

    Eigen::Map<const Eigen::MatrixXd> sums;   //!< a column each: value, units, bias
    Eigen::Map<const Eigen::VectorXd> output; //!< of the output
    double bias;                              //!< of the output
};

} // namespace

RecurrentModel::RecurrentModel(Eigen::Index values, Eigen::Index hidden, Eigen::Index gates)
    : m_values(values),
      m_hidden(hidden),
      m_gates(gates)
{
}

Eigen::Index
RecurrentModel::CountInputs() const
{
    return m_values;
}

Eigen::Index
RecurrentModel::CountWeights() const
{
    return (m_hidden + 2) * m_gates * m_hidden + m_hidden + 1;
}

Eigen::Index
RecurrentModel::CountUnits() const
{
    return m_hidden;
}

Eigen::MatrixXd
RecurrentModel::GetGate(const Eigen::MatrixXd& gates, Eigen::Index gate) const
{
    return gates.middleCols(gate * m_hidden, m_hidden);
}

double
RecurrentModel::GetFirstBias([[maybe_unused]] Eigen::Index gate) const
{
    return 0;
}

std::vector<double>
RecurrentModel::DrawWeights(RngStream& random) const
{
    const auto draw = [&random](double inputs, double outputs) {
        return std::sqrt(6 / (inputs + outputs)) * (2 * random.RandU01() - 1);
    };
    std::vector<double> weights;
    for (Eigen::Index sum = 0; sum < m_gates * m_hidden; ++sum)
    {
        weights.push_back(draw(1, m_hidden));
        for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
        {
            weights.push_back(draw(m_hidden, m_hidden));
        }
        weights.push_back(GetFirstBias(sum / m_hidden));
    }
    for (Eigen::Index unit = 0; unit < m_hidden; ++unit)
    {
        weights.push_back(draw(m_hidden, 1));
    }
    weights.push_back(0);
    return weights;
}

std::vector<RecurrentModel::Moment>
RecurrentModel::Unroll(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& weights) const
{
    const RecurrentLayers layers(weights, m_hidden, m_gates);
    const Eigen::Index rows = inputs.rows();
    const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(rows, m_hidden);
    std::vector<Moment> moments(m_values + 1);
    moments[0].cells = nothing;
    moments[0].units = nothing;
    for (Eigen::Index value = 0; value < m_values; ++value)
    {
        Moment& now = moments[value + 1];
        now.inputs.resize(rows, m_hidden + 2);
        now.inputs << inputs.col(value), moments[value].units, Eigen::VectorXd::Ones(rows);
        Forward(now.inputs * layers.sums, moments[value], now);
    }
    return moments;
}

void
RecurrentModel::Evaluate(const Eigen::MatrixXd& inputs,
                         const Eigen::VectorXd& weights,
                         Eigen::VectorXd& outputs) const
{
    const RecurrentLayers layers(weights, m_hidden, m_gates);
    const Eigen::MatrixXd units = Unroll(inputs, weights).back().units;
    outputs = ((units * layers.output).array() + layers.bias).matrix();
}

void
RecurrentModel::Differentiate(const Eigen::MatrixXd& inputs,
                              const Eigen::VectorXd& weights,
                              Eigen::MatrixXd& jacobian) const
{
    const RecurrentLayers layers(weights, m_hidden, m_gates);
    const auto moments = Unroll(inputs, weights);
    const Eigen::Index rows = inputs.rows();
    const Eigen::Index sums = m_gates * m_hidden;
    Slopes slopes;
    slopes.units = layers.output.transpose().replicate(rows, 1);
    slopes.cells = Eigen::MatrixXd::Zero(rows, m_hidden);
    jacobian.leftCols(layers.sums.size()).setZero();
    for (Eigen::Index value = m_values; value > 0; --value)
    {
        const Moment& now = moments[value];
        Backward(moments[value - 1], now, slopes);
        for (Eigen::Index sum = 0; sum < sums; ++sum)
        {
            jacobian.middleCols(sum * (m_hidden + 2), m_hidden + 2) +=
                slopes.sums.col(sum).asDiagonal() * now.inputs;
        }
        slopes.units = slopes.sums * layers.sums.middleRows(1, m_hidden).transpose();
    }
    jacobian.middleCols(layers.sums.size(), m_hidden) = moments.back().units;
    jacobian.col(CountWeights() - 1).setOnes();
}

double
RecurrentModel::Predict(const std::vector<double>& inputs,
                        const std::vector<SpeedScale>& scales,
                        const std::vector<double>& weights) const
{
    Eigen::MatrixXd row = Eigen::MatrixXd::Ones(1, m_values + 1);
    for (Eigen::Index value = 0; value < m_values; ++value)
    {
        row(0, value) = (inputs[value] - scales[value].mean) / scales[value].scale;
    }
    Eigen::VectorXd output;
    Evaluate(row, Eigen::Map<const Eigen::VectorXd>(weights.data(), CountWeights()), output);
    return output(0);
}

} // namespace ns3::dml
