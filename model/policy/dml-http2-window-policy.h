/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_WINDOW_POLICY_H
#define DML_HTTP2_WINDOW_POLICY_H

#include "dml-transfer-policy.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-policy
 * @brief Stream scheduling of gRPC's HTTP/2 transport: first in, first out, one window per turn.
 *
 * The head of the queue sends min(rest, window) bytes; if that was not all, it rejoins the tail
 * when its turn ends. A stream whose window is zero is passed over and keeps its place. With the
 * two-turns window this is the multiplexing model of Li et al., ICPE 2020, section 3.2.2.
 */
class Http2WindowPolicy : public TransferPolicy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;
    uint32_t GetSize() const override;

  private:
    /// A transfer that is not finished.
    struct Stream
    {
        OpIndex transfer;   //!< the transfer
        uint32_t turns;     //!< turns that it has had
        uint64_t remaining; //!< bytes not yet served
    };

    boost::circular_buffer<Stream> m_queue{16}; //!< waiting, head first
    Stream m_current{};                         //!< in its turn, if m_open
    uint64_t m_turnBytes{0};                    //!< bytes of the open turn
    bool m_open{false};                         //!< whether a turn is open
};

} // namespace dml
} // namespace ns3

#endif /* DML_HTTP2_WINDOW_POLICY_H */
