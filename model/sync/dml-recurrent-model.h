/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECURRENT_MODEL_H
#define DML_RECURRENT_MODEL_H

#include "dml-speed-model.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief One layer of recurrent units that are given a value of a series at a time, and an output
 * that is linear in what they are after the last one.
 *
 * The units begin each window of values with 0, so derivatives go back through the whole window and
 * no further (truncated back-propagation through time). Derived classes say what a unit is, by its
 * gates: a gate of a unit is some function of a weighted sum of the value, all units one step
 * before and a bias. Weights are those of the sums (for each gate, and in it each unit: value,
 * units, bias), then those of the output and its bias.
 *
 * A first step of training as long as MINPACK has it takes many units to where they do not change
 * any more; derived classes begin with shorter ones, with which more of them learnt a wave.
 */
class RecurrentModel : public SpeedModel
{
  public:
    /// @param values of a window, the latest last, at least 1 @param hidden units, at least 1
    /// @param gates of each unit
    RecurrentModel(Eigen::Index values, Eigen::Index hidden, Eigen::Index gates);

    Eigen::Index CountInputs() const override;
    Eigen::Index CountWeights() const override;
    std::vector<double> DrawWeights(RngStream& random) const override;
    void Evaluate(const Eigen::MatrixXd& inputs,
                  const Eigen::VectorXd& weights,
                  Eigen::VectorXd& outputs) const override;
    void Differentiate(const Eigen::MatrixXd& inputs,
                       const Eigen::VectorXd& weights,
                       Eigen::MatrixXd& jacobian) const override;
    double Predict(const std::vector<double>& inputs,
                   const std::vector<SpeedScale>& scales,
                   const std::vector<double>& weights) const override;

  protected:
    /// The layer after one value, in a row for each window.
    struct Moment
    {
        Eigen::MatrixXd inputs; //!< of the sums: value, units before, 1
        Eigen::MatrixXd gates;  //!< of all units for the first gate, then for the next
        Eigen::MatrixXd cells;  //!< what units remember beside what they give; may be empty
        Eigen::MatrixXd units;  //!< what they give
    };

    /// Derivatives of the outputs by what a Moment has, in a row for each window.
    struct Slopes
    {
        Eigen::MatrixXd sums;  //!< by the sums
        Eigen::MatrixXd cells; //!< by the cells; after Backward() by those of the moment before
        Eigen::MatrixXd units; //!< by the units
    };

    /// @return number of units
    Eigen::Index CountUnits() const;
    /// @return some gate of all units
    Eigen::MatrixXd GetGate(const Eigen::MatrixXd& gates, Eigen::Index gate) const;

  private:
    /// @param gate number @return its bias to begin with
    virtual double GetFirstBias(Eigen::Index gate) const;
    /// @param sums of all gates @param before the last moment @param[in,out] now gets gates, cells
    /// and units
    virtual void Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const = 0;
    /// @param before the last moment @param now this one @param[in,out] slopes by units and cells;
    /// gets those by the sums and by the cells before
    virtual void Backward(const Moment& before, const Moment& now, Slopes& slopes) const = 0;

    /// @return the layer at the start, then after each value
    std::vector<Moment> Unroll(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& weights) const;

    Eigen::Index m_values; //!< of a window
    Eigen::Index m_hidden; //!< units
    Eigen::Index m_gates;  //!< of each unit
};

} // namespace ns3::dml

#endif /* DML_RECURRENT_MODEL_H */
