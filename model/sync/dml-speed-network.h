/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_NETWORK_H
#define DML_SPEED_NETWORK_H

#include "dml-speed-model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class RngStream;

namespace dml
{

/// What was known before a step, and its speed.
struct SpeedExample
{
    std::vector<double> inputs; //!< as the model takes them
    double speed{0};            //!< samples/s
};

/**
 * @ingroup dml-sync
 * @brief A neural network that is trained to predict speeds.
 *
 * Inputs and speeds are normalised by the mean and standard deviation of the examples that it was
 * last trained with. Training is by Levenberg-Marquardt (Eigen's), with every fifth example kept
 * out to stop early (Yao et al., 2007): the weights that served those best are kept.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 4, "Online NARX Training", which says of the
 * training only that it stops early, mostly within 10 steps.
 */
class SpeedNetwork
{
  public:
    /// @param model its shape @param random for the first weights
    SpeedNetwork(std::unique_ptr<const SpeedModel> model, RngStream& random);

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
    double Predict(const std::vector<double>& inputs) const;

  private:
    std::unique_ptr<const SpeedModel> m_model; //!< shape
    std::vector<double> m_weights;             //!< of it
    std::vector<SpeedScale> m_inputs;          //!< of the examples' inputs
    SpeedScale m_speed;                        //!< of their speeds
};

} // namespace dml
} // namespace ns3

#endif /* DML_SPEED_NETWORK_H */
