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

    Eigen::Index CountInputs() const override
    {
        return m_inputs;
    }

    Eigen::Index CountWeights() const override
    {
        return (m_inputs + 2) * m_hidden + 1;
    }

    std::vector<double> DrawWeights(RngStream& random) const override;

    double GetFirstStep() const override
    {
        return 100;
    }

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

    Eigen::Index CountInputs() const override
    {
        return m_values;
    }

    Eigen::Index CountWeights() const override
    {
        return (m_hidden + 2) * m_gates * m_hidden + m_hidden + 1;
    }

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
    Eigen::Index CountUnits() const
    {
        return m_hidden;
    }

    /// @return some gate of all units
    Eigen::MatrixXd GetGate(const Eigen::MatrixXd& gates, Eigen::Index gate) const
    {
        return gates.middleCols(gate * m_hidden, m_hidden);
    }

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

    double GetFirstStep() const override
    {
        return 0.3;
    }

  private:
    void Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const override;
    void Backward(const Moment& before, const Moment& now, Slopes& slopes) const override;
};

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

    double GetFirstStep() const override
    {
        return 1;
    }

  private:
    double GetFirstBias(Eigen::Index gate) const override;
    void Forward(const Eigen::MatrixXd& sums, const Moment& before, Moment& now) const override;
    void Backward(const Moment& before, const Moment& now, Slopes& slopes) const override;
};

} // namespace dml
} // namespace ns3

#endif /* DML_SPEED_MODEL_H */
