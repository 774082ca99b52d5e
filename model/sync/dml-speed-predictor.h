/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_PREDICTOR_H
#define DML_SPEED_PREDICTOR_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief Predicts how fast a worker computes its next step, from those before.
 *
 * One object serves one worker. A speed is in samples/s, above 0; cpu and memory are the shares of
 * the processor and of the memory that the worker has in a step, 0 to 1. Memory and time per step
 * are bounded. Derived classes register a TypeId and are made by ObjectFactory.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 3.2.2.
 */
class SpeedPredictor : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @brief Before the first step. @param worker whose speed it is, for random streams
    virtual void Prepare(uint32_t worker);

    /// @brief A step is done. @param speed of it @param cpu in it @param memory in it
    virtual void Observe(double speed, double cpu, double memory) = 0;

    /// @param cpu of the step to come @param memory of it @return its speed, above 0; only after
    /// Observe()
    virtual double Predict(double cpu, double memory) const = 0;
};

} // namespace ns3::dml

#endif /* DML_SPEED_PREDICTOR_H */
