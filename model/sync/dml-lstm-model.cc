/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lstm-model.h"

namespace ns3::dml
{

namespace
{

enum LstmGate : Eigen::Index
{
    INPUT,
    FORGET,
    OUTPUT,
    CANDIDATE, //!< what may enter the cell
    LSTM_GATES
};

} // namespace

LstmModel::LstmModel(Eigen::Index values, Eigen::Index hidden)
    : RecurrentModel(values, hidden, LSTM_GATES)
{
}

double
LstmModel::GetFirstStep() const
{
    return 1;
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
