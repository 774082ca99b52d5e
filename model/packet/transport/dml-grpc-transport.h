/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_TRANSPORT_H
#define DML_GRPC_TRANSPORT_H

#include "dml-grpc-requests.h"
#include "dml-transport.h"

#include "ns3/dml-http2-session.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

class GrpcConnection;

/**
 * @ingroup dml-transport
 * @brief Requests and tensors as TensorFlow sends them: RPCs of gRPC over HTTP/2.
 *
 * Each end has one connection on which it calls RunGraph and RecvTensor, and one on which the peer
 * does. Where a policy wants to know when a transfer has arrived, an HTTP/2 PING follows its last
 * DATA frame; the peer, which sends no tensors on that connection, answers at once.
 */
class GrpcTransport : public Transport, private GrpcRequestHandler
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    GrpcTransport();
    ~GrpcTransport() override;

    uint64_t GetMessageSize(uint64_t tensorBytes) const override;
    void Begin(const TransportEnds& ends, TransportListener& listener) override;
    void Ask(Ptr<Socket> socket) override;
    void SetConnected(Ptr<Socket> socket) override;
    bool IsConnected() const override;
    void Answer(Ptr<Socket> socket) override;
    bool IsAnswering() const override;
    void StopAnswering() override;
    void Close() override;
    void AnnounceWindow(uint32_t step) override;
    void RequestTensor(OpIndex transfer, const std::string& name, uint32_t step) override;
    void RequestRunGraph(const RunGraphRequest& request) override;
    void AnswerRunGraph(int32_t call, const NamedValues& values) override;
    uint64_t GetWindow(OpIndex transfer) const override;
    void StartTurn(const Turn& turn, uint64_t tensorBytes) override;
    uint64_t GetStreamWindow() const override;
    OpenTurn GetOpenTurn() const override;
    void SkipSending(uint64_t bytes) override;
    uint64_t GetMissing(int32_t call) const override;
    void SkipReceiving(int32_t call, uint64_t bytes) override;

  private:
    /// What the asking connection reports.
    class AskingListener : public Http2Listener
    {
      public:
        explicit AskingListener(GrpcTransport& transport);
        void OnResponse(int32_t streamId, const std::string& head, uint32_t length) override;
        void OnTrailers(int32_t streamId, int32_t grpcStatus) override;
        void OnError(const std::string& text) override;

      private:
        GrpcTransport& m_transport; //!< transport of the connection
    };

    /// What the answering connection reports.
    class AnsweringListener : public Http2Listener
    {
      public:
        explicit AnsweringListener(GrpcTransport& transport);
        void OnRequest(int32_t streamId,
                       const std::string& path,
                       const std::string& message) override;
        void OnTurnEnded(int32_t streamId, uint64_t bytes, bool messageDone) override;
        void OnWindowOpened(int32_t streamId) override;
        void OnPingAcknowledged(uint64_t number) override;
        void OnError(const std::string& text) override;

      private:
        GrpcTransport& m_transport; //!< transport of the connection
    };

    /// What this node has asked for on a stream.
    struct Awaited
    {
        OpIndex op;        //!< a transfer; NO_INDEX: RunGraph
        uint32_t step;     //!< number of the step
        std::string graph; //!< of RunGraph: its handle
    };

    /// A transfer that the peer has asked for.
    struct Request
    {
        int32_t stream{0};     //!< to be answered
        bool submitted{false}; //!< whether the answer was given to the session
    };

    void HandleTensor(int32_t call, OpIndex transfer, const std::string& message) override;
    Http2Config MakeConfig(Http2Role role) const;
    uint32_t GetLocalWindow(uint32_t step) const;

    uint32_t m_window{28000000};                     //!< attribute, bytes
    uint32_t m_maxFrameSize{16384};                  //!< attribute, bytes
    std::string m_grantRule{"message"};              //!< attribute
    TransportEnds m_ends;                            //!< both ends of the conversation
    TransportListener* m_listener{nullptr};          //!< told what happens
    std::string m_authority;                         //!< address and port, for requests
    AskingListener m_askingListener;                 //!< outlives the connection
    AnsweringListener m_answeringListener;           //!< outlives the connection
    std::unique_ptr<GrpcConnection> m_asking;        //!< opened by this node
    std::unique_ptr<GrpcConnection> m_answering;     //!< opened by the peer
    bool m_connected{false};                         //!< the asking one
    bool m_growing{false};                           //!< the grant rule raises the window
    std::unordered_map<int32_t, Awaited> m_awaited;  //!< by stream
    std::unordered_map<OpIndex, Request> m_requests; //!< by op, once asked for
    int32_t m_turn{0};                               //!< stream of the last turn; 0: none yet
    uint64_t m_turns{0};                             //!< turns that have begun
};

} // namespace ns3::dml

#endif /* DML_GRPC_TRANSPORT_H */
