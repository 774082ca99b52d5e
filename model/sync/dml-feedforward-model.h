/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FEEDFORWARD_MODEL_H
#define DML_FEEDFORWARD_MODEL_H

#include "dml-speed-model.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief The function F() of NARX: a feedforward network with one hidden layer of tanh units.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 3.2.2. The paper does not say how many units
 * the hidden layer has.
 */
class FeedforwardModel : public SpeedModel
{
  public:
    /// @param inputs number of them @param hidden units of the hidden layer, at least 1
    FeedforwardModel(Eigen::Index inputs, Eigen::Index hidden);

    Eigen::Index CountInputs() const override;
    Eigen::Index CountWeights() const override;
    std::vector<double> DrawWeights(RngStream& random) const override;
    double GetFirstStep() const override;
    void Evaluate(const Eigen::MatrixXd& inputs,
                  const Eigen::VectorXd& weights,
                  Eigen::VectorXd& outputs) const override;
    void Differentiate(const Eigen::MatrixXd& inputs,
                       const Eigen::VectorXd& weights,
                       Eigen::MatrixXd& jacobian) const override;
    double Predict(const std::vector<double>& inputs,
                   const std::vector<SpeedScale>& scales,
                   const std::vector<double>& weights) const override;

  private:
    Eigen::Index m_inputs; //!< number
    Eigen::Index m_hidden; //!< units of the hidden layer
};

} // namespace ns3::dml

#endif /* DML_FEEDFORWARD_MODEL_H */
