/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-model.h"

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

enum LstmGate : Eigen::Index
{
    INPUT,
    FORGET,
    OUTPUT,
    CANDIDATE, //!< what may enter the cell
    LSTM_GATES
};

} // namespace

FeedforwardModel::FeedforwardModel(Eigen::Index inputs, Eigen::Index hidden)
    : m_inputs(inputs),
      m_hidden(hidden)
{
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

RecurrentModel::RecurrentModel(Eigen::Index values, Eigen::Index hidden, Eigen::Index gates)
    : m_values(values),
      m_hidden(hidden),
      m_gates(gates)
{
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

RnnModel::RnnModel(Eigen::Index values, Eigen::Index hidden)
    : RecurrentModel(values, hidden, 1)
{
}

void
RnnModel::Forward(const Eigen::MatrixXd& sums,
                  [[maybe_unused]] const Moment& before,
                  Moment& now) const
{
    now.units = sums.array().tanh();
}

void
RnnModel::Backward([[maybe_unused]] const Moment& before, const Moment& now, Slopes& slopes) const
{
    slopes.sums = slopes.units.array() * (1 - now.units.array().square());
}

LstmModel::LstmModel(Eigen::Index values, Eigen::Index hidden)
    : RecurrentModel(values, hidden, LSTM_GATES)
{
}

double
LstmModel::GetFirstBias(Eigen::Index gate) const
{
    return gate == FORGET ? 1 : 0;
}

void
LstmModel::Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const
{
    const Eigen::Index logistic = CANDIDATE * CountUnits(); // columns
    now.gates.resize(sums.rows(), sums.cols());
    // the logistic function, which cannot overflow in this form
    now.gates.leftCols(logistic) = 0.5 * (1 + (0.5 * sums.leftCols(logistic).array()).tanh());
    now.gates.rightCols(CountUnits()) = sums.rightCols(CountUnits()).array().tanh();
    now.cells = GetGate(now.gates, FORGET).cwiseProduct(before.cells) +
                GetGate(now.gates, INPUT).cwiseProduct(GetGate(now.gates, CANDIDATE));
    now.units = GetGate(now.gates, OUTPUT).array() * now.cells.array().tanh();
}

void
LstmModel::Backward(const Moment& before, const Moment& now, Slopes& slopes) const
{
    const Eigen::ArrayXXd input = GetGate(now.gates, INPUT);
    const Eigen::ArrayXXd forget = GetGate(now.gates, FORGET);
    const Eigen::ArrayXXd output = GetGate(now.gates, OUTPUT);
    const Eigen::ArrayXXd candidate = GetGate(now.gates, CANDIDATE);
    const Eigen::ArrayXXd given = now.cells.array().tanh();
    const Eigen::ArrayXXd units = slopes.units.array();
    const Eigen::ArrayXXd cells = slopes.cells.array() + units * output * (1 - given.square());
    slopes.sums.resize(now.gates.rows(), now.gates.cols());
    slopes.sums << (cells * candidate * input * (1 - input)).matrix(),
        (cells * before.cells.array() * forget * (1 - forget)).matrix(),
        (units * given * output * (1 - output)).matrix(),
        (cells * input * (1 - candidate.square())).matrix();
    slopes.cells = cells * forget;
}

} // namespace ns3::dml
