/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_TRANSPORT_H
#define DML_TCP_TRANSPORT_H

#include "dml-tcp-answerer.h"
#include "dml-tcp-asker.h"
#include "dml-transport.h"

#include <memory>
#include <string>

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
 * behind it, and the receiver answers when it has every byte.
 *
 * What NCCL does otherwise: its sender opens the connections, it has one more for the sizes of
 * messages, and no more than 8 slices are on their way at once.
 */
class TcpTransport : public Transport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    uint32_t GetSockets() const override;
    uint64_t GetMessageSize(uint64_t tensorBytes) const override;
    void Begin(const TransportEnds& ends, TransportListener& listener) override;
    void Ask(Ptr<Socket> socket) override;
    void SetConnected(Ptr<Socket> socket) override;
    bool IsConnected() const override;
    void Answer(Ptr<Socket> socket) override;
    bool IsAnswering() const override;
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
    uint32_t m_sockets{1};                   //!< attribute
    std::unique_ptr<TcpAsker> m_asker;       //!< on the connections that this node opened
    std::unique_ptr<TcpAnswerer> m_answerer; //!< on those that the peer opened
};

} // namespace ns3::dml

#endif /* DML_TCP_TRANSPORT_H */
