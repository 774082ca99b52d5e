/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECURRENT_SPEED_H
#define DML_RECURRENT_SPEED_H

#include "dml-network-speed.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief A recurrent network that is given the last LookBack speeds, and nothing else.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), sections 3.2.2 and 5.4, with a look-back of 2 (Table 3).
 */
class RecurrentSpeed : public NetworkSpeed
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

  protected:
    uint32_t GetLookBack() const override
    {
        return m_lookBack;
    }

  private:
    std::vector<double> MakeInputs(std::size_t next, double cpu, double memory) const override;

    uint32_t m_lookBack{2}; //!< attribute
};

} // namespace ns3::dml

#endif /* DML_RECURRENT_SPEED_H */
