/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-peer.h"

#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{
namespace dml
{

NS_LOG_COMPONENT_DEFINE("DmlStepPeer");

namespace
{

/// Number of the PING that asks whether transfer 0 has arrived; 0 is not allowed.
constexpr uint64_t FIRST_PING = 1;

} // namespace

StepApplication::Peer::AskingListener::AskingListener(Peer& peer)
    : m_peer(peer)
{
}

StepApplication::Peer::AnsweringListener::AnsweringListener(Peer& peer)
    : m_peer(peer)
{
}

StepApplication::Peer::Peer(StepApplication& application, uint32_t index, std::size_t ops)
    : m_application(application),
      m_index(index),
      m_askingListener(*this),
      m_answeringListener(*this),
      m_requests(ops)
{
    std::ostringstream authority;
    authority << application.m_addresses[index].address.GetIpv4() << ':'
              << application.m_addresses[index].address.GetPort();
    m_authority = authority.str();
}

Http2Config
StepApplication::Peer::MakeConfig(Http2Role role) const
{
    // tensors arrive where this node asks for them
    return {role,
            role == Http2Role::CLIENT ? GetLocalWindow(0) : m_application.m_window,
            m_application.m_maxFrameSize,
            [this] { return m_application.GetNow(); }};
}

uint32_t
StepApplication::Peer::GetLocalWindow(uint32_t step) const
{
    const auto& windows = m_application.m_peerWindows;
    return windows.empty()
               ? m_application.m_window
               : windows[m_index][std::min<std::size_t>(step, windows[m_index].size() - 1)];
}

void
StepApplication::Peer::Ask(Ptr<Socket> socket)
{
    m_asking = std::make_unique<GrpcConnection>(MakeConfig(Http2Role::CLIENT),
                                                MakeGrantRule(m_application.m_grantRule),
                                                m_askingListener,
                                                std::move(socket));
}

void
StepApplication::Peer::Answer(Ptr<Socket> socket)
{
    m_answering = std::make_unique<GrpcConnection>(MakeConfig(Http2Role::SERVER),
                                                   MakeGrantRule(m_application.m_grantRule),
                                                   m_answeringListener,
                                                   std::move(socket));
    m_answering->SetConnected();
}

void
StepApplication::Peer::SetConnected()
{
    m_connected = true;
    m_asking->SetConnected();
}

bool
StepApplication::Peer::IsConnected() const
{
    return m_connected;
}

void
StepApplication::Peer::AnnounceWindow(uint32_t step)
{
    if (!m_application.m_peerWindows.empty())
    {
        m_asking->GetSession().AnnounceWindow(GetLocalWindow(step));
        m_asking->Pump();
    }
}

void
StepApplication::Peer::RequestTensor(OpIndex op, uint32_t step)
{
    RecvTensorRequest request;
    request.stepId = step;
    RendezvousKey key;
    key.source = m_application.GetPeerDeviceName(m_index);
    key.destination = GetDeviceName(m_application.GetEndpoint());
    key.edge = m_application.m_plan.names[m_application.m_plan.ops[op].counterpart];
    request.rendezvousKey = key.Encode();
    const int32_t stream =
        m_asking->GetSession().SendRequest(RECV_TENSOR_PATH, m_authority, request.Encode());
    m_awaited[stream] = {op, step, {}};
    m_asking->Pump();
}

void
StepApplication::Peer::RequestRunGraph(uint32_t step,
                                       const std::string& graph,
                                       const NamedValues& values)
{
    RunGraphRequest request;
    request.stepId = step;
    request.graphHandle = graph;
    request.send = values;
    const int32_t stream =
        m_asking->GetSession().SendRequest(RUN_GRAPH_PATH, m_authority, request.Encode());
    m_awaited[stream] = {NO_INDEX, step, graph};
    m_asking->Pump();
}

void
StepApplication::Peer::AnswerRunGraph(int32_t stream, const NamedValues& values)
{
    RunGraphResponse response;
    response.recv = values;
    m_answering->GetSession().SubmitResponse(stream, response.Encode(), 0, SendMode::AT_ONCE);
    m_answering->Pump();
}

void
StepApplication::Peer::Close()
{
    for (const auto* connection : {&m_asking, &m_answering})
    {
        if (*connection)
        {
            (*connection)->Close();
        }
    }
}

uint64_t
StepApplication::Peer::GetWindow(OpIndex op) const
{
    return m_answering->GetSession().GetRemoteWindow(m_requests[op].stream);
}

void
StepApplication::Peer::StartTurn(const Turn& turn)
{
    Http2Session& session = m_answering->GetSession();
    Request& request = m_requests[turn.transfer];
    if (!request.submitted)
    {
        const uint64_t bytes = m_application.m_whole->ops[turn.transfer].bytes;
        session.SubmitResponse(request.stream, RecvTensorResponseHead(bytes), bytes);
        request.submitted = true;
    }
    session.Grant(request.stream, turn.bytes);
    m_answering->Pump();
}

void
StepApplication::Peer::HandleRecvTensor(int32_t stream, const RecvTensorRequest& request)
{
    const auto key = RendezvousKey::Decode(request.rendezvousKey);
    const auto op = m_application.m_opByName.find(key ? key->edge : std::string());
    StepExecutor& executor = m_application.GetExecutorOf(m_index);
    if (op == m_application.m_opByName.end() ||
        !executor.CanBeRequested(op->second, request.stepId))
    {
        m_application.Fail("asked for '" + request.rendezvousKey + "' of step " +
                           std::to_string(request.stepId) + ", which is not to be had");
        return;
    }
    m_requests[op->second] = {stream, false};
    executor.TransferRequested(op->second);
}

void
StepApplication::Peer::AskingListener::OnResponse(int32_t streamId,
                                                  const std::string& head,
                                                  uint32_t length)
{
    const auto awaited = m_peer.m_awaited.find(streamId);
    if (awaited == m_peer.m_awaited.end())
    {
        m_peer.m_application.Fail("a response came that was not asked for");
        return;
    }
    const auto [op, step, graph] = awaited->second;
    m_peer.m_awaited.erase(awaited);
    NS_LOG_LOGIC("stream " << streamId << " complete: " << length << " bytes");
    if (op == NO_INDEX)
    {
        const auto response = RunGraphResponse::Decode(head);
        if (!response || head.size() < length)
        {
            m_peer.m_application.Fail("an answer to RunGraph cannot be understood");
            return;
        }
        m_peer.m_application.HandleRunGraphDone(m_peer.m_index, step, graph, response->recv);
    }
    else
    {
        m_peer.m_application.GetExecutorOf(m_peer.m_index).TransferArrived(op);
    }
}

void
StepApplication::Peer::AskingListener::OnTrailers(int32_t streamId, int32_t grpcStatus)
{
    if (grpcStatus != 0)
    {
        m_peer.m_application.Fail("the call on stream " + std::to_string(streamId) +
                                  " failed with gRPC status " + std::to_string(grpcStatus));
    }
}

void
StepApplication::Peer::AskingListener::OnError(const std::string& text)
{
    m_peer.m_application.Fail(text);
}

void
StepApplication::Peer::AnsweringListener::OnRequest(int32_t streamId,
                                                    const std::string& path,
                                                    const std::string& message)
{
    if (path == RUN_GRAPH_PATH)
    {
        if (const auto request = RunGraphRequest::Decode(message))
        {
            m_peer.m_application.HandleRunGraph(m_peer.m_index, streamId, *request);
            return;
        }
    }
    else if (path == RECV_TENSOR_PATH)
    {
        if (const auto request = RecvTensorRequest::Decode(message))
        {
            m_peer.HandleRecvTensor(streamId, *request);
            return;
        }
    }
    m_peer.m_application.Fail("a request that cannot be understood came for " + path);
}

void
StepApplication::Peer::AnsweringListener::OnTurnEnded([[maybe_unused]] int32_t streamId,
                                                      [[maybe_unused]] uint64_t bytes,
                                                      [[maybe_unused]] bool messageDone)
{
    const uint32_t channel = m_peer.m_application.GetSendChannel(m_peer.m_index);
    StepExecutor& executor = m_peer.m_application.GetExecutorOf(m_peer.m_index);
    const OpIndex op = executor.GetOpenTransfer(channel);
    if (executor.TurnEnded(channel, false) && executor.WantsAcknowledgements(channel))
    {
        m_peer.m_answering->GetSession().SendPing(op + FIRST_PING);
    }
}

void
StepApplication::Peer::AnsweringListener::OnPingAcknowledged(uint64_t number)
{
    m_peer.m_application.GetExecutorOf(m_peer.m_index).TransferAcknowledged(number - FIRST_PING);
}

void
StepApplication::Peer::AnsweringListener::OnWindowOpened([[maybe_unused]] int32_t streamId)
{
    const uint32_t channel = m_peer.m_application.GetSendChannel(m_peer.m_index);
    m_peer.m_application.GetExecutorOf(m_peer.m_index).TryNextTurn(channel);
}

void
StepApplication::Peer::AnsweringListener::OnError(const std::string& text)
{
    m_peer.m_application.Fail(text);
}

} // namespace dml
} // namespace ns3
