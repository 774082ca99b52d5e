/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_TRANSPORT_H
#define DML_TCP_TRANSPORT_H

#include "dml-tcp-lane.h"
#include "dml-transport.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief Requests and tensors as length-prefixed messages (TcpMessage) on plain TCP connections.
 *
 * Gloo (gloo/transport/tcp) works like that with one connection, NCCL (src/transport/net_socket.cc)
 * with several, `NCCL_SOCKET_NTHREADS` x `NCCL_NSOCKS_PERTHREAD`: each connection begins with its
 * number, and tensors are cut into pieces that the connections get in turn (GetTcpPieceSize()).
 * Requests and answers go over the first one, before the pieces that wait there. Nothing but TCP
 * holds back a sender. Where a policy wants to know when a transfer has arrived, the sender asks
 * behind it, and the receiver answers when it has every byte. A connection is known by its number;
 * until that has come, what is to go there waits.
 *
 * What NCCL does otherwise: its sender opens the connections, it has one more for the sizes of
 * messages, and no more than 8 slices are on their way at once.
 */
class TcpTransport : public Transport
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    uint32_t GetSockets() const override;
    uint64_t GetMessageSize(uint64_t tensorBytes) const override;
    void Begin(const TransportEnds& ends, TransportListener& listener) override;
    void Ask(Ptr<Socket> socket) override;
    void SetConnected(Ptr<Socket> socket) override;
    bool IsConnected() const override;
    void Answer(Ptr<Socket> socket) override;
    bool IsAnswering() const override;
    void StopAnswering() override;
    void Close() override;
    void RequestTensor(OpIndex transfer, const std::string& name, uint32_t step) override;
    void RequestRunGraph(const RunGraphRequest& request) override;
    void AnswerRunGraph(int32_t call, const NamedValues& values) override;
    uint64_t GetWindow(OpIndex transfer) const override;
    void StartTurn(const Turn& turn, uint64_t tensorBytes) override;
    OpenTurn GetOpenTurn() const override;
    void SkipSending(uint64_t bytes) override;
    uint64_t GetMissing(int32_t call) const override;
    void SkipReceiving(int32_t call, uint64_t bytes) override;

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

    /// A transfer that the peer has asked for.
    struct Request
    {
        uint32_t id{0};   //!< its number at the peer
        uint32_t step{0}; //!< number of the step
        uint64_t sent{0}; //!< bytes that have had a turn
    };

    void HandleAnswer(const TcpMessage& message, const std::string& body);
    void HandlePiece(const TcpMessage& piece);
    void HandleGraphDone(const TcpMessage& message, const std::string& body);
    void HandleArrivalWanted(const TcpMessage& message);
    /// Send a message on the first connection that this node has opened.
    void SendRequest(const TcpMessage& message, const std::string& body = {});

    void HandleRequest(TcpLane& lane, const TcpMessage& message, const std::string& body);
    void HandleHello(TcpLane& lane, const TcpMessage& hello);
    void HandleRunGraph(const TcpMessage& message, const std::string& body);
    void HandleTensorWanted(const TcpMessage& message, const std::string& name);
    void HandleArrived(const TcpMessage& message);
    /// Send a message on the first connection that the peer has opened.
    void SendAnswer(const TcpMessage& message, const std::string& body = {});
    /// Give each connection its pieces of the next bytes of a tensor, at most TCP_SLICE of them.
    void AddSlice(Request& request, uint32_t slice, uint64_t tensorBytes);
    /// Write tensors and answers as far as sockets have room.
    void Pump();
    /// End the turn if all of it is written, and those that follow.
    void EndTurns();
    /// @return whether there are pieces that have not been written
    bool HasPieces() const;

    uint32_t m_sockets{1};                  //!< attribute
    TransportListener* m_listener{nullptr}; //!< told what happens

    // The connections that this node has opened: requests go out on the first of them, tensors come
    // in on all of them.
    std::vector<TcpMessageWriter> m_askWriters;       //!< by number of the connection
    std::vector<std::unique_ptr<TcpLane>> m_askLanes; //!< likewise
    uint32_t m_connected{0};                          //!< of these, those that are established
    std::unordered_map<OpIndex, Tensor> m_tensors;    //!< by op, once asked for
    int32_t m_lastCall{0};                            //!< number of the last call
    std::unordered_map<uint32_t, Call> m_calls;       //!< not answered, by number

    // Those that the peer has opened: requests come in on the first of them, tensors go out on all.
    std::vector<TcpMessageWriter> m_answerWriters;       //!< by number of the connection
    std::vector<std::unique_ptr<TcpLane>> m_answerLanes; //!< as they were accepted
    std::vector<bool> m_greeted;                         //!< by number: its HELLO has come
    std::unordered_map<OpIndex, Request> m_requests;     //!< by op, likewise
    uint32_t m_next{0};                                  //!< connection of the next piece
    bool m_turnOpen{false};                              //!< a turn is not written to its end
    uint64_t m_turns{0};                                 //!< turns that have begun
    uint32_t m_turnId{0};                                //!< of the last one's tensor, at the peer
    bool m_ending{false};                                //!< inside EndTurns()
    /// Transfers of whose arrival the peer is to tell, by its number and step.
    std::map<std::pair<uint32_t, uint32_t>, OpIndex> m_watched;
};

} // namespace ns3::dml

#endif /* DML_TCP_TRANSPORT_H */
