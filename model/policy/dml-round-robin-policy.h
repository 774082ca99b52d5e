/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ROUND_ROBIN_POLICY_H
#define DML_ROUND_ROBIN_POLICY_H

#include "dml-http2-window-policy.h"

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Frame by frame: every transfer in turn sends one frame, the order of nghttp2 by default.
 *
 * A turn is min(rest, window, Quantum) bytes.
 */
class RoundRobinPolicy : public Http2WindowPolicy
{
  public:
    /// Default of the attribute Quantum, in bytes: the largest frame unless the receiver raises it
    /// (RFC 9113, section 6.5.2).
    static constexpr uint32_t DEFAULT_QUANTUM = 16384;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    uint64_t GetTurnLimit() const override;

    uint32_t m_quantum{DEFAULT_QUANTUM}; //!< attribute, bytes
};

} // namespace ns3::dml

#endif /* DML_ROUND_ROBIN_POLICY_H */
