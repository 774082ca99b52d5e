/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_PRODUCT_H
#define DML_SPEED_PRODUCT_H

#include "dml-device-speed.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief Several influences on one device: their speeds are multiplied.
 *
 * Of the shares of processor and memory the smallest counts. A phase ends when that of any of them
 * does.
 */
class SpeedProduct : public DeviceSpeed
{
  public:
    /// @param factors any number, none of them null
    explicit SpeedProduct(std::vector<std::shared_ptr<const DeviceSpeed>> factors);

    SpeedPhase At(double time) const override;
    std::string GetKey(double time) const override;

  private:
    std::vector<std::shared_ptr<const DeviceSpeed>> m_factors; //!< not null
};

/**
 * @brief What remains of several influences.
 * @param factors any number; null: always 1
 * @return null if all are null, the only one that is not, or their product
 */
std::shared_ptr<const DeviceSpeed> MultiplySpeeds(
    std::vector<std::shared_ptr<const DeviceSpeed>> factors);

} // namespace ns3::dml

#endif /* DML_SPEED_PRODUCT_H */
