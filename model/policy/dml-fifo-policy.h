/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FIFO_POLICY_H
#define DML_FIFO_POLICY_H

#include "dml-transfer-policy.h"

#include <boost/circular_buffer.hpp>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Whole transfers, first come first served: HTTP/2 with flow control switched off.
 *
 * A turn is the rest of the transfer whatever the window says; where the window is smaller (packet
 * engine), the connection waits for the receiver in mid-turn, as a strict order demands.
 */
class FifoPolicy : public TransferPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;

    uint32_t GetSize() const override
    {
        return m_queue.size();
    }

  private:
    boost::circular_buffer<Turn> m_queue{16}; //!< head is served; bytes is the whole size
};

} // namespace ns3::dml

#endif /* DML_FIFO_POLICY_H */
