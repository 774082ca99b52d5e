/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_LIBRARY_TRANSPORT_H
#define DML_GRPC_LIBRARY_TRANSPORT_H

#include "ns3/dml-grpc-requests.h"
#include "ns3/dml-transport.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace grpc
{
class ByteBuffer;
} // namespace grpc

namespace ns3::dml
{

class GrpcPeer;

/**
 * @ingroup dml-host
 * @brief Requests and tensors by Google's own gRPC, on sockets of the kernel.
 *
 * As with GrpcTransport, each end calls RunGraph and RecvTensor on the connection that it has
 * opened. Frames and windows are the library's affair. So is the order of tensors unless Ordered:
 * then a message is given to the library when the one before has gone to the kernel. gRPC takes
 * messages whole, so a turn that is less than the rest of a message ends at once, and its bytes go
 * with the last one.
 */
class GrpcLibraryTransport : public Transport, private GrpcRequestHandler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    GrpcLibraryTransport();
    ~GrpcLibraryTransport() override;

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
    uint64_t GetStreamWindow() const override;

  private:
    /// A tensor that the peer has asked for.
    struct TensorAnswer
    {
        int32_t call{0};     //!< of the peer
        uint64_t bytes{0};   //!< bytes whose turns have come
        std::string message; //!< request for it
    };

    /// Told of a call's answer.
    using Done = std::function<void(const grpc::ByteBuffer&)>;

    void HandleTensor(int32_t call, OpIndex transfer, const std::string& message) override;
    void HandleRequest(int32_t call, const std::string& path, const std::string& message);
    void Call(const std::string& path, const std::string& message, Done done);
    void TurnEnded(OpIndex transfer);

    bool m_bdpProbe{true};                  //!< attribute
    uint32_t m_lookahead{0};                //!< attribute, bytes
    bool m_ordered{false};                  //!< attribute
    bool m_acknowledged{false};             //!< attribute
    bool m_windows{false};                  //!< attribute
    int m_answering{-1};                    //!< file of the peer's connection
    TransportEnds m_ends;                   //!< both ends of the conversation
    TransportListener* m_listener{nullptr}; //!< told what happens
    EventId m_turnEnd;                      //!< of a turn that ends at once
    std::vector<TensorAnswer> m_answers;    //!< by op
    std::map<std::string, OpIndex> m_sent;  //!< not acknowledged yet, by what asked for them
    std::set<std::string> m_early;          //!< acknowledged before their turns ended
    std::unique_ptr<GrpcPeer> m_peer;       //!< the conversation in gRPC's words; null: closed
};

} // namespace ns3::dml

/// Found by its name when the library is loaded. @return type of GrpcLibraryTransport
extern "C" ns3::TypeId DmlGrpcLibraryTransport();

#endif /* DML_GRPC_LIBRARY_TRANSPORT_H */
