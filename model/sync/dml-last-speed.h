/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAST_SPEED_H
#define DML_LAST_SPEED_H

#include "dml-speed-predictor.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief The speed of the last step ("memoryless" in LB-BSP, Table 3).
 */
class LastSpeed : public SpeedPredictor
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Observe(double speed, double cpu, double memory) override;
    double Predict(double cpu, double memory) const override;

  private:
    double m_speed{0}; //!< samples/s
};

} // namespace ns3::dml

#endif /* DML_LAST_SPEED_H */
