/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_PEER_H
#define DML_STEP_PEER_H

#include "dml-grpc-connection.h"
#include "dml-step-application.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-apps
 * @brief One peer of a StepApplication and the two connections with it.
 *
 * "Asking" is the connection that this node opened: it sends requests there. "Answering" is the one
 * that the peer opened. Where a policy wants to know when a transfer has arrived, an HTTP/2 PING
 * follows its last DATA frame; the peer, which sends no tensors on that connection, answers at
 * once.
 */
class StepApplication::Peer
{
  public:
    /**
     * @param application whose peer it is
     * @param index of the peer
     * @param ops number of ops of a plan
     */
    Peer(StepApplication& application, uint32_t index, std::size_t ops);

    /// @param socket connecting to the peer
    void Ask(Ptr<Socket> socket);
    /// @param socket accepted from the peer
    void Answer(Ptr<Socket> socket);
    /// @brief The asking connection is established.
    void SetConnected();

    /// @return true if the peer has opened its connection
    bool IsAnswering() const
    {
        return m_answering != nullptr;
    }

    /// @return true if the asking connection is established
    bool IsConnected() const;

    /// @brief Announce the window of a step. @param step number of the step
    void AnnounceWindow(uint32_t step);
    /// @param op transfer to ask for @param step number of the step
    void RequestTensor(OpIndex op, uint32_t step);
    /// @param step number of the step @param graph to run: its handle @param values fed to it
    void RequestRunGraph(uint32_t step, const std::string& graph, const NamedValues& values);
    /// @param stream RunGraph request to be answered @param values that the graph gave
    void AnswerRunGraph(int32_t stream, const NamedValues& values);
    /// @brief Close both connections, as the end of a process does.
    void Close();

    /// @param op a transfer @return bytes that the peer accepts now
    uint64_t GetWindow(OpIndex op) const;

    /// @param turn what to send of a transfer that the peer has asked for
    void StartTurn(const Turn& turn);

  private:
    /// What the asking connection reports.
    class AskingListener : public Http2Listener
    {
      public:
        explicit AskingListener(Peer& peer);
        void OnResponse(int32_t streamId, const std::string& head, uint32_t length) override;
        void OnTrailers(int32_t streamId, int32_t grpcStatus) override;
        void OnError(const std::string& text) override;

      private:
        Peer& m_peer; //!< whose connection
    };

    /// What the answering connection reports.
    class AnsweringListener : public Http2Listener
    {
      public:
        explicit AnsweringListener(Peer& peer);
        void OnRequest(int32_t streamId,
                       const std::string& path,
                       const std::string& message) override;
        void OnTurnEnded(int32_t streamId, uint64_t bytes, bool messageDone) override;
        void OnWindowOpened(int32_t streamId) override;
        void OnPingAcknowledged(uint64_t number) override;
        void OnError(const std::string& text) override;

      private:
        Peer& m_peer; //!< whose connection
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

    void HandleRecvTensor(int32_t stream, const RecvTensorRequest& request);
    Http2Config MakeConfig(Http2Role role) const;
    uint32_t GetLocalWindow(uint32_t step) const;

    StepApplication& m_application;                 //!< whose peer
    uint32_t m_index;                               //!< which one
    std::string m_authority;                        //!< address and port, for requests
    AskingListener m_askingListener;                //!< outlives the connection
    AnsweringListener m_answeringListener;          //!< outlives the connection
    std::unique_ptr<GrpcConnection> m_asking;       //!< opened by this node
    std::unique_ptr<GrpcConnection> m_answering;    //!< opened by the peer
    bool m_connected{false};                        //!< the asking one
    std::unordered_map<int32_t, Awaited> m_awaited; //!< by stream
    std::vector<Request> m_requests;                //!< by op
};

} // namespace dml
} // namespace ns3

#endif /* DML_STEP_PEER_H */
