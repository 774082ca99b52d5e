/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_NETWORK_H
#define DML_SPEED_NETWORK_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class RngStream;

namespace dml
{

/// Inputs of NARX with a look-back of 2: two speeds, three shares of the CPU, three of the memory.
using SpeedInputs = std::array<double, 8>;

/// What was known before a step, and its speed.
struct SpeedExample
{
    SpeedInputs inputs{}; //!< what F() of equation 4 is given
    double speed{0};      //!< samples/s
};

/**
 * @ingroup dml-sync
 * @brief The function F() of NARX: a feedforward network with one hidden layer of tanh units.
 *
 * Inputs and speeds are normalised by the mean and standard deviation of the examples that it was
 * last trained with. Training is by Levenberg-Marquardt (Eigen's), with every fifth example kept
 * out to stop early (Yao et al., 2007): the weights that served those best are kept.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 3.2.2. The paper says neither how many units the
 * hidden layer has nor how it was trained but for early stopping, mostly within 10 steps.
 */
class SpeedNetwork
{
  public:
    /**
     * @param hidden units of the hidden layer, at least 1
     * @param random for the first weights, uniform as Glorot and Bengio (AISTATS 2010) have it
     */
    SpeedNetwork(uint32_t hidden, RngStream& random);

    /// @return examples that Train() needs at least
    std::size_t GetFewestExamples() const;

    /**
     * @brief Train on, from the weights so far.
     * @param examples at least GetFewestExamples(), in order of time
     * @param passes over the examples, at most
     * @return passes that were made
     */
    uint32_t Train(const std::vector<SpeedExample>& examples, uint32_t passes);

    /// @param inputs of the step to come @return samples/s, possibly below 0; only after Train()
    double Predict(const SpeedInputs& inputs) const;

  private:
    uint32_t m_hidden;             //!< units of the hidden layer
    std::vector<double> m_weights; //!< a row for each hidden unit (inputs, bias), then the output's
    SpeedExample m_mean;           //!< of the examples
    SpeedExample m_scale;          //!< their standard deviations; 1 for what did not vary
};

} // namespace dml
} // namespace ns3

#endif /* DML_SPEED_NETWORK_H */
