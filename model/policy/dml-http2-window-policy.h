/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_WINDOW_POLICY_H
#define DML_HTTP2_WINDOW_POLICY_H

#include "dml-transfer-policy.h"

#include <boost/circular_buffer.hpp>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Stream scheduling of gRPC's HTTP/2 transport: first in, first out, one window per turn.
 *
 * The head of the queue sends min(rest, window) bytes; if that was not all, it rejoins the tail
 * when its turn ends. A stream whose window is zero is passed over and keeps its place. With the
 * two-turns window this is the multiplexing model of Li et al., ICPE 2020, section 3.2.2.
 *
 * Attribute RejoinAtStart: the unfinished stream rejoins the tail when its turn starts, so streams
 * that become ready during the turn queue behind it. In gRPC a stream queues again when its window
 * opens, while its first window is still being written; the first stream of a burst on an idle
 * connection then mostly finishes before the others start.
 */
class Http2WindowPolicy : public TransferPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;
    uint32_t GetSize() const override;

  private:
    /// @return bytes of a turn at most, whatever the window
    virtual uint64_t GetTurnLimit() const
    {
        return std::numeric_limits<uint64_t>::max();
    }

    /// A transfer that is not finished.
    struct Stream
    {
        OpIndex transfer;   //!< the transfer
        uint32_t turns;     //!< turns that it has had
        uint64_t remaining; //!< bytes not yet served
    };

    boost::circular_buffer<Stream> m_queue{16}; //!< waiting, head first
    bool m_rejoinAtStart{false};                //!< attribute
    Stream m_current{};                         //!< what the open turn leaves of it
    bool m_open{false};                         //!< whether a turn is open
};

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

    /// @return the object TypeId
    static TypeId GetTypeId();

  private:
    uint64_t GetTurnLimit() const override;

    uint32_t m_quantum{DEFAULT_QUANTUM}; //!< attribute, bytes
};

} // namespace ns3::dml

#endif /* DML_HTTP2_WINDOW_POLICY_H */
