/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_ASKER_H
#define DML_TCP_ASKER_H

#include "dml-tcp-lane.h"
#include "dml-transport.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief The part of a TcpTransport that asks: requests go out on the first of the connections that
 * this node has opened, tensors come in on all of them.
 */
class TcpAsker
{
  public:
    /// @param sockets connections that there will be @param ops of the plan
    /// @param listener told what happens
    TcpAsker(uint32_t sockets, std::size_t ops, TransportListener& listener);

    /// @param socket as Transport::Ask()
    void Ask(Ptr<Socket> socket);
    /// @param socket as Transport::SetConnected()
    void SetConnected(const Ptr<Socket>& socket);

    /// @return whether all connections are established
    bool IsConnected() const
    {
        return m_connected == m_writers.size();
    }

    /// @param transfer to ask for @param name of it @param step number of the step
    void RequestTensor(OpIndex transfer, const std::string& name, uint32_t step);
    /// @param request to run a graph
    void RequestRunGraph(const RunGraphRequest& request);
    /// @param call as Transport::GetMissing()
    uint64_t GetMissing(int32_t call) const;
    /// @param call as Transport::SkipReceiving() @param bytes that will not come
    void SkipReceiving(int32_t call, uint64_t bytes);
    /// @brief Close all connections.
    void Close();

  private:
    /// A tensor that was asked for.
    struct Tensor
    {
        bool isOpen{false};    //!< not all of it has come
        bool isKnown{false};   //!< some of it has
        bool isWatched{false}; //!< the sender wants to know when all has come
        uint32_t step{0};      //!< number of the step
        uint64_t total{0};     //!< its size, bytes
        uint64_t received{0};  //!< bytes that have come
    };

    /// A graph that was asked for.
    struct Call
    {
        uint32_t step;     //!< number of the step
        std::string graph; //!< its handle
    };

    void Handle(const TcpMessage& message, const std::string& body);
    void HandlePiece(const TcpMessage& piece);
    void HandleGraphDone(const TcpMessage& message, const std::string& body);
    void HandleArrivalWanted(const TcpMessage& message);
    /// Send a message on the first connection.
    void Send(const TcpMessage& message, const std::string& body = {});

    TransportListener& m_listener;                 //!< told what happens
    std::vector<TcpMessageWriter> m_writers;       //!< by connection
    std::vector<std::unique_ptr<TcpLane>> m_lanes; //!< the connections
    uint32_t m_connected{0};                       //!< of these, those that are established
    std::vector<Tensor> m_tensors;                 //!< by op
    int32_t m_lastCall{0};                         //!< number of the last call
    std::unordered_map<uint32_t, Call> m_calls;    //!< not answered, by number
};

} // namespace ns3::dml

#endif /* DML_TCP_ASKER_H */
