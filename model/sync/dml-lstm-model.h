/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LSTM_MODEL_H
#define DML_LSTM_MODEL_H

#include "dml-recurrent-model.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief A long short-term memory: units with a cell, and with gates that say what enters it, what
 * is forgotten and what is given.
 *
 * cell = forget x cell before + input x tanh(sum); unit = output x tanh(cell). The gates are
 * logistic functions of their sums. The bias of the forget gate begins with 1 (Jozefowicz et al.,
 * ICML 2015), so that cells remember before they have learnt what.
 *
 * Source: Hochreiter and Schmidhuber, Neural Computation 1997; the forget gate is that of Gers et
 * al., Neural Computation 2000.
 */
class LstmModel : public RecurrentModel
{
  public:
    /// @param values of a window, at least 1 @param hidden units, at least 1
    LstmModel(Eigen::Index values, Eigen::Index hidden);

    double GetFirstStep() const override;

  private:
    double GetFirstBias(Eigen::Index gate) const override;
    void Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const override;
    void Backward(const Moment& before, const Moment& now, Slopes& slopes) const override;
};

} // namespace ns3::dml

#endif /* DML_LSTM_MODEL_H */
