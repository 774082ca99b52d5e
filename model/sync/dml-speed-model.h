/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_MODEL_H
#define DML_SPEED_MODEL_H

#include <Eigen/Core>
#include <vector>

namespace ns3
{

class RngStream;

namespace dml
{

/// How values are made comparable: (value - mean) / scale.
struct SpeedScale
{
    double mean{0};  //!< of those that were trained with
    double scale{1}; //!< their standard deviation; 1 for what did not vary
};

/**
 * @ingroup dml-sync
 * @brief The shape of a network with one output: which function its inputs and weights give.
 *
 * Inputs and output are normalised. Inputs are a row for each example, in the order in which the
 * model takes them, with a last column of ones for the biases.
 */
class SpeedModel
{
  public:
    virtual ~SpeedModel() = default;

    /// @return number of inputs, without the column of ones
    virtual Eigen::Index CountInputs() const = 0;
    /// @return number of weights, biases included
    virtual Eigen::Index CountWeights() const = 0;

    /// @param random number stream @return weights to begin with, uniform as Glorot and Bengio
    /// (AISTATS 2010) have it
    virtual std::vector<double> DrawWeights(RngStream& random) const = 0;

    /// @return length of the first step of a training, relative to the weights: MINPACK's `factor`,
    /// 0.1 to 100, which is 100 where there is no reason for less
    virtual double GetFirstStep() const = 0;

    /// @param inputs a row each @param weights CountWeights() @param[out] outputs one for each row
    virtual void Evaluate(const Eigen::MatrixXd& inputs,
                          const Eigen::VectorXd& weights,
                          Eigen::VectorXd& outputs) const = 0;

    /// @param inputs a row each @param weights CountWeights() @param[out] jacobian derivatives of
    /// the outputs, a row each, by the weights, a column each; it has that size already
    virtual void Differentiate(const Eigen::MatrixXd& inputs,
                               const Eigen::VectorXd& weights,
                               Eigen::MatrixXd& jacobian) const = 0;

    /// @param inputs of one example, as they are @param scales of them @param weights
    /// CountWeights() @return the output
    virtual double Predict(const std::vector<double>& inputs,
                           const std::vector<SpeedScale>& scales,
                           const std::vector<double>& weights) const = 0;
};

} // namespace dml
} // namespace ns3

#endif /* DML_SPEED_MODEL_H */
