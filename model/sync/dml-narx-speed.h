/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NARX_SPEED_H
#define DML_NARX_SPEED_H

#include "dml-network-speed.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief A small neural network trained online: NARX with a look-back of 2.
 *
 * It predicts from the last two speeds and the CPU and memory of the step to come and the two
 * before. The units of the hidden layer are not in the paper; 5 units give a tenth as many weights
 * as speeds that it trains on.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 3.2.2, equation 4, and section 4, "Online NARX
 * Training".
 */
class NarxSpeed : public NetworkSpeed
{
  public:
    /// First ns-3 RNG stream of the first weights; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 10000000;

    /// @return the object TypeId
    static TypeId GetTypeId();

  protected:
    uint32_t GetLookBack() const override
    {
        return 2;
    }

  private:
    std::unique_ptr<SpeedModel> MakeModel() const override;

    uint64_t GetStreamBase() const override
    {
        return STREAM_BASE;
    }

    std::vector<double> MakeInputs(std::size_t next, double cpu, double memory) const override;

    uint32_t m_hidden{5}; //!< attribute
};

} // namespace ns3::dml

#endif /* DML_NARX_SPEED_H */
