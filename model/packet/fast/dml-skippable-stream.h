/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIPPABLE_STREAM_H
#define DML_SKIPPABLE_STREAM_H

#include "dml-rate-meter.h"

#include "ns3/dml-step-application.h"
#include "ns3/dml-transport.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-base.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// A part of a connection's stream that was left out.
struct SkippedStream
{
    uint32_t peer{0};  //!< index of who would have sent it
    Time from;         //!< time of the model in which it would have begun to come
    Time to;           //!< in which it would have ended
    uint64_t bytes{0}; //!< of TCP's stream
    uint64_t acks{0};  //!< that would have gone back
};

/// The way from an application to one of its peers.
struct StreamPath
{
    Endpoint peer;              //!< who is at its end
    std::string kind;           //!< workers with paths of the same kinds are interchangeable
    std::vector<uint32_t> fifo; //!< directed links on it whose queues are first in, first out
};

/**
 * @ingroup dml-packet
 * @brief What an application sends to one of its peers: bytes of it may be left out.
 */
class SkippableStream
{
  public:
    /// Told what an application was spared to receive.
    using Received = std::function<void(const SkippedStream& skipped)>;

    Ptr<StepApplication> application;      //!< who sends
    uint32_t job{0};                       //!< its job
    Endpoint endpoint;                     //!< which one it is
    uint32_t peer{0};                      //!< index of the other end
    StreamPath path;                       //!< to the other end
    Received received;                     //!< told of what it is spared to receive
    SkippableStream* counterpart{nullptr}; //!< what the other end sends
    uint32_t kind{0};                      //!< number of the path's kind
    std::size_t slot{0};                   //!< of its rate in the present state

    RateMeter meter; //!< of bytes acknowledged
    RateMeter acks;  //!< that acknowledge them
    double rate{0};  //!< of TCP's stream, bytes per second

    double expected{0}; //!< rate with which a check compares
    double counted{0};  //!< bytes when it began

    bool sends{false}; //!< a turn is open, or its bytes are under way
    OpenTurn turn;     //!< the open one
    uint64_t left{0};  //!< bytes of it that may be left out

    /// Trace sink: the application has a connection to a peer.
    void Add(Ptr<Socket> socket, uint32_t index);

    /// @brief See what is sent now.
    void Update();

    /// @return whether it asks the other end for something, or for a connection
    bool IsAsking() const;

    /// @return whether the send buffer, not the congestion window, limits what is under way
    bool IsClosed() const;

    /// @return smoothed, of TCP
    Time GetRoundTrip() const
    {
        return m_roundTrip;
    }

    /// @brief Leave out bytes, as if they had gone. @param from begin, time of the model
    /// @param to end @param acks per second
    /// @return bytes of messages that were left out
    uint64_t Skip(const Time& from, const Time& to, double acks);

  private:
    /// What is closed sends no more, and is not kept.
    static void StateChanged(SkippableStream* stream,
                             TcpSocketBase* socket,
                             TcpSocket::TcpStates_t,
                             TcpSocket::TcpStates_t state);
    void WindowChanged(uint32_t, uint32_t now);
    void RoundTripChanged(Time, Time now);
    void Acknowledged(SequenceNumber32 before, SequenceNumber32 now);

    Ptr<TcpSocketBase> m_asks;    //!< on which the application asks
    Ptr<TcpSocketBase> m_answers; //!< on which it sends tensors
    bool m_opening{false};        //!< that is not established yet
    uint32_t m_window{0};         //!< congestion window of that, bytes
    Time m_roundTrip;             //!< of that
    SequenceNumber32 m_begin;     //!< of TCP's bytes: what is before it belongs to earlier turns
};

} // namespace dml
} // namespace ns3

#endif /* DML_SKIPPABLE_STREAM_H */
