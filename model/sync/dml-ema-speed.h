/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EMA_SPEED_H
#define DML_EMA_SPEED_H

#include "dml-speed-predictor.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief The exponential moving average of the speeds, which starts with the first one.
 */
class EmaSpeed : public SpeedPredictor
{
  public:
    static constexpr double DEFAULT_ALPHA = 0.2; //!< LB-BSP, Table 3

    /// @return the object TypeId
    static TypeId GetTypeId();

    void Observe(double speed, double cpu, double memory) override;
    double Predict(double cpu, double memory) const override;

  private:
    double m_alpha{DEFAULT_ALPHA}; //!< attribute
    double m_average{0};           //!< samples/s; 0: no speed was observed
};

} // namespace ns3::dml

#endif /* DML_EMA_SPEED_H */
