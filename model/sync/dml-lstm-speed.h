/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LSTM_SPEED_H
#define DML_LSTM_SPEED_H

#include "dml-recurrent-speed.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief A long short-term memory that is trained online on the speeds alone.
 *
 * The number of units is not in the paper; with 3 there are 64 weights, an eighth of the speeds
 * that it trains on.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), Table 3.
 */
class LstmSpeed : public RecurrentSpeed
{
  public:
    /// First ns-3 RNG stream of the first weights; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 12000000;

    /// @return the object TypeId
    static TypeId GetTypeId();

  private:
    std::unique_ptr<SpeedModel> MakeModel() const override;

    uint64_t GetStreamBase() const override
    {
        return STREAM_BASE;
    }

    uint32_t m_hidden{3}; //!< attribute
};

} // namespace ns3::dml

#endif /* DML_LSTM_SPEED_H */
