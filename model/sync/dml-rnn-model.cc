/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rnn-model.h"

namespace ns3::dml
{

RnnModel::RnnModel(Eigen::Index values, Eigen::Index hidden)
    : RecurrentModel(values, hidden, 1)
{
}

double
RnnModel::GetFirstStep() const
{
    return 0.3;
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

} // namespace ns3::dml
