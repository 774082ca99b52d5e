/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIPPABLE_STREAM_H
#define DML_SKIPPABLE_STREAM_H

#include "dml-skippable-flow.h"

#include "ns3/dml-step-application.h"
#include "ns3/dml-transport.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>

namespace ns3::dml
{

/// A part of a connection's stream that was left out.
struct SkippedStream
{
    uint32_t peer{0};  //!< index of who would have sent it
    Time from;         //!< time of the model in which it would have begun to come
    Time to;           //!< in which it would have ended
    uint64_t bytes{0}; //!< of TCP's stream
    uint64_t acks{0};  //!< ACKs that would have gone back
};

/**
 * @ingroup dml-packet
 * @brief What an application sends to one of its peers: bytes of it may be left out.
 */
class SkippableStream : public SkippableTcpFlow
{
  public:
    /// Told what an application was spared to receive.
    using Received = std::function<void(const SkippedStream& skipped)>;

    Ptr<StepApplication> application;      //!< sender
    uint32_t job{0};                       //!< its job
    Endpoint endpoint;                     //!< role and index of the sender
    uint32_t peer{0};                      //!< index of the other end
    Endpoint other;                        //!< the other end
    Received received;                     //!< told of what it is spared to receive
    SkippableStream* counterpart{nullptr}; //!< what the other end sends

    /// Trace sink: the application has a connection to a peer.
    void Add(Ptr<Socket> socket, uint32_t index);

    void Update() override;
    bool IsAsking() const override;
    uint64_t Skip(const Time& from, const Time& to, uint64_t acks) override;

  private:
    /// What is closed sends no more, and is not kept.
    static void StateChanged(SkippableStream* stream,
                             TcpSocketBase* socket,
                             TcpSocket::TcpStates_t,
                             TcpSocket::TcpStates_t state);

    Ptr<TcpSocketBase> m_asks; //!< on which the application asks; it sends tensors on m_socket
    bool m_opening{false};     //!< m_asks is not established yet
    OpenTurn m_turn;           //!< the open one
    SequenceNumber32 m_begin;  //!< of TCP's bytes: what is before it belongs to earlier turns
};

} // namespace ns3::dml

#endif /* DML_SKIPPABLE_STREAM_H */
