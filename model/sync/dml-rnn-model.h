/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RNN_MODEL_H
#define DML_RNN_MODEL_H

#include "dml-recurrent-model.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief A plain recurrent network: each unit is the tanh of its sum (Elman, Cognitive Science
 * 1990).
 */
class RnnModel : public RecurrentModel
{
  public:
    /// @param values of a window, at least 1 @param hidden units, at least 1
    RnnModel(Eigen::Index values, Eigen::Index hidden);

    double GetFirstStep() const override;

  private:
    void Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const override;
    void Backward(const Moment& before, const Moment& now, Slopes& slopes) const override;
};

} // namespace ns3::dml

#endif /* DML_RNN_MODEL_H */
