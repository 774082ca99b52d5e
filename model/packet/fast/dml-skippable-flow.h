/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIPPABLE_FLOW_H
#define DML_SKIPPABLE_FLOW_H

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
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A directed link on the way of a flow.
struct LinkOnWay
{
    uint32_t link{0}; //!< number of it
    bool fifo{false}; //!< what waits for it is sent first in, first out
    double rate{0};   //!< of it, bytes per second
};

/**
 * @ingroup dml-packet
 * @brief What goes from one host to another, as FastForward sees it: bytes of it may be left out.
 */
class SkippableFlow
{
  public:
    virtual ~SkippableFlow() = default;

    std::vector<LinkOnWay> links;           //!< on its way
    std::pair<uint32_t, uint32_t> worker{}; //!< job and worker that it is of
    uint32_t kind{0};                       //!< number of the kind of its way
    std::size_t slot{0};                    //!< of its rate in the present state

    RateMeter meter; //!< of bytes that have arrived
    RateMeter acks;  //!< ACKs of its bytes
    double rate{0};  //!< bytes per second

    double expected{0}; //!< rate with which a check compares
    double counted{0};  //!< bytes when it began

    bool sends{false}; //!< now
    uint64_t left{0};  //!< bytes that may be left out
    double share{1};   //!< of these in what the meter counts

    /// @brief See what is sent now.
    virtual void Update() = 0;

    /// @return whether something is asked for, a connection too: what comes of it is not known yet
    virtual bool IsAsking() const
    {
        return false;
    }

    /// @return whether nothing that the network does changes what is sent
    virtual bool IsClosed() const
    {
        return true;
    }

    /// @return smoothed, of TCP; 0: nobody answers
    virtual Time GetRoundTrip() const
    {
        return {};
    }

    /// @return bytes per second that are known beforehand; 0: they have to be measured
    virtual double GetGivenRate() const
    {
        return 0;
    }

    /// @brief Leave out bytes, as if they had gone. @param from begin, time of the model
    /// @param to end @param acks that would have gone back
    /// @return bytes of messages that were left out
    virtual uint64_t Skip(const Time& from, const Time& to, uint64_t acks) = 0;
};

/// @param senders all flows that send, with their rates
/// @return whether no window will change these
bool AreWindowsSettled(const std::vector<SkippableFlow*>& senders);

/**
 * @ingroup dml-packet
 * @brief A flow over TCP: it is limited by a window.
 */
class SkippableTcpFlow : public SkippableFlow
{
  public:
    bool IsClosed() const override;

    Time GetRoundTrip() const override
    {
        return m_roundTrip;
    }

  protected:
    /// @param socket that sends from now on
    void Watch(Ptr<TcpSocketBase> socket);

    Ptr<TcpSocketBase> m_socket; //!< socket that sends; null: there is none

  private:
    void WindowChanged(uint32_t, uint32_t now)
    {
        m_window = now;
    }

    void RoundTripChanged(Time, Time now)
    {
        m_roundTrip = now;
    }

    void Acknowledged(SequenceNumber32 before, SequenceNumber32 now);

    uint32_t m_window{0}; //!< congestion window, bytes
    Time m_roundTrip;     //!< smoothed
};

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

#endif /* DML_SKIPPABLE_FLOW_H */
