/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_METER_H
#define DML_TRANSFER_METER_H

#include "dml-distribution.h"
#include "dml-step-window.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How long transfers waited, and how long they took. Seconds.
 */
struct TransferTimes
{
    Distribution wait;     //!< from when the sender could start until the first byte
    Distribution transfer; //!< from the first byte to the last at the receiver
};

/**
 * @ingroup dml-metrics
 * @brief Measures wait and transfer time of gradients (pushes) and parameters (pulls), as Prophet
 * does (section 5), over all of them and, on request, for each tensor.
 *
 * Steps from each worker's first on count.
 */
class TransferMeter : public RunListener<TransferMeter>
{
  public:
    /**
     * @param workers number of workers; records of others are ignored
     * @param tensors number of tensors to tell apart; 0: only all together
     * @param first steps that count
     */
    TransferMeter(uint32_t workers, uint32_t tensors, const FirstSteps& first);

    void On(const TransferRecord& record);

    /// @param direction uplink for gradients @return times of all transfers in that direction
    const TransferTimes& GetTimes(Direction direction) const;

    /// @return times by tensor: at 2 * tensor, + 1 for the uplink
    const std::vector<TransferTimes>& GetTensors() const
    {
        return m_tensors;
    }

  private:
    uint32_t m_workers;                   //!< number of workers
    FirstSteps m_first;                   //!< steps that count
    TransferTimes m_all[2];               //!< by direction
    std::vector<TransferTimes> m_tensors; //!< as GetTensors()
};

} // namespace ns3::dml

#endif /* DML_TRANSFER_METER_H */
