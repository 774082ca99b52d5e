/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSPORT_H
#define DML_TRANSPORT_H

#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-transfer-policy.h"
#include "ns3/inet-socket-address.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The two ends of a conversation, as one of them sees it.
struct TransportEnds
{
    std::string self; //!< device of this node, such as DeviceName("ps", 0)
    std::string peer; //!< device of the peer
    InetSocketAddress address{Ipv4Address(), 0}; //!< where the peer listens
    std::size_t ops{0};                          //!< of the plan: transfers are numbered below
    std::vector<uint64_t> windows; //!< bytes of a transfer that this node lets the peer send ahead,
                                   //!< by step, the last one staying; where the window grows by
                                   //!< itself, to which it does; empty: as the attributes say
    std::function<double()> clock; //!< current time, seconds
};

/// A turn under way, as FastForward sees it.
struct OpenTurn
{
    uint64_t number{0}; //!< of turns that have begun
    int32_t call{0};    //!< at both ends; 0: there is none
    uint64_t bytes{0};  //!< of message that are not given to TCP yet, and may be left out
    double share{1};    //!< of messages in the bytes of TCP's stream
};

/**
 * @ingroup dml-transport
 * @brief What a Transport tells its application of the conversation with one peer.
 */
class TransportListener
{
  public:
    virtual ~TransportListener() = default;

    /// @param name of a transfer that the peer asks for @param step any number
    /// @return its number here; NO_INDEX if the peer may not ask for it now
    virtual OpIndex FindTransfer(const std::string& name, int64_t step) = 0;

    /// @brief The peer wants a transfer: Transport::StartTurn() may be called for it from now on,
    /// also from within. @param transfer that FindTransfer() has given
    virtual void TransferRequested(OpIndex transfer) = 0;

    /// @brief The bytes of the open turn are on their way; the next one may start from within.
    /// @return the transfer if that was the end of it and the application wants to know when it has
    /// arrived, else NO_INDEX
    virtual OpIndex TurnServed() = 0;

    /// @brief The peer has all of a transfer. @param transfer that TurnServed() has given
    virtual void TransferAcknowledged(OpIndex transfer) = 0;

    /// @brief The peer accepts more of some transfer than before.
    virtual void WindowOpened() = 0;

    /// @brief All of a transfer is here. @param transfer that was asked for
    virtual void TransferArrived(OpIndex transfer) = 0;

    /// @brief The peer asks to run a graph. @param call to be answered, above 0
    /// @param request the request
    virtual void GraphRequested(int32_t call, const RunGraphRequest& request) = 0;

    /// @brief The peer has run a graph. @param step number of the step
    /// @param graph its handle @param values that it gave
    virtual void GraphDone(uint32_t step, const std::string& graph, const NamedValues& values) = 0;

    /// @brief The conversation cannot go on. @param text why
    virtual void Failed(const std::string& text) = 0;
};

/**
 * @ingroup dml-transport
 * @brief The conversation of two endpoints: how requests, answers and tensors go over TCP.
 *
 * There is one object at each end. Each end opens GetSockets() connections to the other: on those
 * it asks for tensors and graphs, on those that the peer has opened it answers. The application
 * makes and watches the sockets, and decides which turn of which transfer comes when; at most one
 * turn is open at a time. All that a transport knows of its peer comes out of the sockets.
 *
 * Derived classes register a TypeId; StepApplication makes them by the ObjectFactory in its
 * attribute Transport.
 */
class Transport : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @return connections that each end opens, at least 1
    virtual uint32_t GetSockets() const
    {
        return 1;
    }

    /// @param tensorBytes size of a tensor
    /// @return bytes of the message that carries it: turns and windows count these
    virtual uint64_t GetMessageSize(uint64_t tensorBytes) const = 0;

    /// @brief Called once, before all that follows. @param ends of the conversation
    /// @param listener told what happens; must outlive the object
    virtual void Begin(const TransportEnds& ends, TransportListener& listener) = 0;

    /// @param socket that is connecting to the peer, not used by anyone else
    virtual void Ask(Ptr<Socket> socket) = 0;
    /// @brief It is connected. @param socket given to Ask()
    virtual void SetConnected(Ptr<Socket> socket) = 0;
    /// @return whether all sockets given to Ask() are connected, GetSockets() of them
    virtual bool IsConnected() const = 0;
    /// @param socket accepted from the peer, not used by anyone else
    virtual void Answer(Ptr<Socket> socket) = 0;
    /// @return whether the peer has opened all its connections
    virtual bool IsAnswering() const = 0;
    /// @brief Close what was given to Answer(): the peer opens other connections, and has asked for
    /// nothing on these.
    virtual void StopAnswering() = 0;
    /// @brief Close all connections, as the end of a process does.
    virtual void Close() = 0;

    /// @brief A step begins here: tell the peer how much it may send ahead, if that changes.
    /// @param step number of the step
    virtual void AnnounceWindow(uint32_t step);
    /// @param transfer to ask for @param name of it, which both ends know
    /// @param step number of the step
    virtual void RequestTensor(OpIndex transfer, const std::string& name, uint32_t step) = 0;
    /// @param request to run a graph at the peer
    virtual void RequestRunGraph(const RunGraphRequest& request) = 0;
    /// @param call of the peer @param values that the graph gave
    virtual void AnswerRunGraph(int32_t call, const NamedValues& values) = 0;

    /// @param transfer that the peer has asked for @return bytes of it that may be sent now
    virtual uint64_t GetWindow(OpIndex transfer) const = 0;
    /// @brief Send so much of a transfer; TransportListener::TurnServed() tells the end of it.
    /// @param turn of a transfer that the peer has asked for
    /// @param tensorBytes size of the tensor
    virtual void StartTurn(const Turn& turn, uint64_t tensorBytes) = 0;

    /// @return bytes that the peer lets a new stream send ahead, as it has announced; 0: not known
    virtual uint64_t GetStreamWindow() const
    {
        return 0;
    }

    /// @return the open turn; by default there is none of which bytes may be left out
    virtual OpenTurn GetOpenTurn() const;
    /// @brief Leave out the next bytes of the open turn. @param bytes less than OpenTurn::bytes
    virtual void SkipSending(uint64_t bytes);
    /// @param call OpenTurn::call of the peer @return bytes of its message that are not here yet,
    /// of which some may be left out; 0: none
    virtual uint64_t GetMissing(int32_t call) const;
    /// @brief Count bytes that the peer leaves out. @param call OpenTurn::call of the peer
    /// @param bytes less than GetMissing()
    virtual void SkipReceiving(int32_t call, uint64_t bytes);
};

} // namespace ns3::dml

#endif /* DML_TRANSPORT_H */
