/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_ANSWERER_H
#define DML_TCP_ANSWERER_H

#include "dml-tcp-lane.h"
#include "dml-transport.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief The part of a TcpTransport that answers: requests come in on the first of the connections
 * that the peer has opened, tensors go out on all of them.
 *
 * A connection is known by its HELLO; until that has come, what is to go there waits.
 */
class TcpAnswerer
{
  public:
    /// @param sockets connections that there will be @param ops of the plan
    /// @param listener told what happens
    TcpAnswerer(uint32_t sockets, std::size_t ops, TransportListener& listener);

    /// @param socket as Transport::Answer()
    void Answer(Ptr<Socket> socket);

    /// @return whether the peer has opened all connections
    bool IsAnswering() const
    {
        return m_lanes.size() == m_writers.size();
    }

    /// @param call of the peer @param values that the graph gave
    void AnswerRunGraph(int32_t call, const NamedValues& values);
    /// @param turn of a transfer @param tensorBytes size of the tensor
    void StartTurn(const Turn& turn, uint64_t tensorBytes);
    /// @return the open turn, of one connection
    OpenTurn GetOpenTurn() const;
    /// @param bytes of the open turn to leave out, on one connection
    void SkipSending(uint64_t bytes);
    /// @brief Close all connections.
    void Close();

  private:
    /// A transfer that the peer has asked for.
    struct Request
    {
        uint32_t id{0};   //!< its number at the peer
        uint32_t step{0}; //!< number of the step
        uint64_t sent{0}; //!< bytes that have had a turn
    };

    void Handle(TcpLane& lane, const TcpMessage& message, const std::string& body);
    void HandleHello(TcpLane& lane, const TcpMessage& hello);
    void HandleRunGraph(const TcpMessage& message, const std::string& body);
    void HandleTensorWanted(const TcpMessage& message, const std::string& name);
    void HandleArrived(const TcpMessage& message);
    /// Give each connection its pieces of the next bytes of a tensor, at most TCP_SLICE of them.
    void AddSlice(Request& request, uint32_t slice, uint64_t tensorBytes);
    /// Write as far as sockets have room.
    void Pump();
    /// End the turn if all of it is written, and those that follow.
    void EndTurns();
    /// @return whether there are pieces that have not been written
    bool HasPieces() const;
    /// Send a message on the first connection.
    void Send(const TcpMessage& message, const std::string& body = {});

    TransportListener& m_listener;                 //!< told what happens
    std::vector<TcpMessageWriter> m_writers;       //!< by number of the connection
    std::vector<std::unique_ptr<TcpLane>> m_lanes; //!< the connections, as they were accepted
    std::vector<bool> m_greeted;                   //!< by number: its HELLO has come
    std::vector<Request> m_requests;               //!< by op
    uint32_t m_next{0};                            //!< connection of the next piece
    bool m_turnOpen{false};                        //!< a turn has not been written to its end
    uint64_t m_turns{0};                           //!< turns that have begun
    uint32_t m_turnId{0};                          //!< of the last one's tensor, at the peer
    bool m_ending{false};                          //!< inside EndTurns()
    /// Transfers of whose arrival the peer is to tell, by its number and step.
    std::map<std::pair<uint32_t, uint32_t>, OpIndex> m_watched;
};

} // namespace ns3::dml

#endif /* DML_TCP_ANSWERER_H */
