/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-transport.h"

#include "ns3/uinteger.h"

#include <limits>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(TcpTransport);

TypeId
TcpTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TcpTransport")
                            .SetParent<Transport>()
                            .SetGroupName("Dml")
                            .AddConstructor<TcpTransport>()
                            .AddAttribute("Sockets",
                                          "Connections that this node opens to the peer; the peer "
                                          "must open as many.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&TcpTransport::m_sockets),
                                          MakeUintegerChecker<uint32_t>(1, TCP_MOST_SOCKETS));
    return tid;
}

uint32_t
TcpTransport::GetSockets() const
{
    return m_sockets;
}

uint64_t
TcpTransport::GetMessageSize(uint64_t tensorBytes) const
{
    return tensorBytes;
}

void
TcpTransport::Begin([[maybe_unused]] const TransportEnds& ends, TransportListener& listener)
{
    m_listener = &listener;
    m_askWriters.resize(m_sockets);
    m_answerWriters.resize(m_sockets);
    m_greeted.resize(m_sockets, false);
}

void
TcpTransport::Ask(Ptr<Socket> socket)
{
    const uint32_t number = m_askLanes.size();
    const TcpLane::Handlers handlers{
        [this](const TcpMessage& message, const std::string& body) { HandleAnswer(message, body); },
        [this](const std::string& text) { m_listener->Failed(text); },
        [this, number] { m_askLanes[number]->Pump(); }};
    m_askLanes.push_back(std::make_unique<TcpLane>(std::move(socket), handlers));
    TcpMessage hello;
    hello.id = number;
    hello.total = m_askWriters.size();
    m_askWriters[number].Add(hello);
    m_askLanes.back()->SetWriter(m_askWriters[number]);
}

void
TcpTransport::SetConnected(Ptr<Socket> socket)
{
    ++m_connected;
    for (const auto& lane : m_askLanes)
    {
        if (lane->IsOf(socket))
        {
            lane->SetConnected();
        }
    }
}

bool
TcpTransport::IsConnected() const
{
    return m_connected == m_askWriters.size();
}

void
TcpTransport::Close()
{
    for (const auto* lanes : {&m_askLanes, &m_answerLanes})
    {
        for (const auto& lane : *lanes)
        {
            lane->Close();
        }
    }
}

void
TcpTransport::RequestTensor(OpIndex transfer, const std::string& name, uint32_t step)
{
    Tensor& tensor = m_tensors[transfer];
    tensor = Tensor();
    tensor.isOpen = true;
    tensor.step = step;
    TcpMessage message{TcpMessageKind::TENSOR_WANTED};
    message.id = transfer;
    message.step = step;
    SendRequest(message, name);
}

void
TcpTransport::RequestRunGraph(const RunGraphRequest& request)
{
    m_lastCall = m_lastCall < std::numeric_limits<int32_t>::max() ? m_lastCall + 1 : 1;
    TcpMessage message{TcpMessageKind::RUN_GRAPH};
    message.id = m_lastCall;
    message.step = request.stepId;
    m_calls[message.id] = {message.step, request.graphHandle};
    SendRequest(message, request.Encode());
}

uint64_t
TcpTransport::GetMissing(int32_t call) const
{
    const Tensor& tensor = m_tensors.at(call - TCP_FIRST_CALL);
    return tensor.isOpen && tensor.isKnown ? tensor.total - tensor.received : 0;
}

void
TcpTransport::SkipReceiving(int32_t call, uint64_t bytes)
{
    m_tensors.at(call - TCP_FIRST_CALL).received += bytes;
}

void
TcpTransport::SendRequest(const TcpMessage& message, const std::string& body)
{
    m_askWriters.front().Add(message, body);
    m_askLanes.front()->Pump();
}

void
TcpTransport::HandleAnswer(const TcpMessage& message, const std::string& body)
{
    switch (message.kind)
    {
    case TcpMessageKind::PIECE:
        HandlePiece(message);
        break;
    case TcpMessageKind::GRAPH_DONE:
        HandleGraphDone(message, body);
        break;
    case TcpMessageKind::ARRIVAL_WANTED:
        HandleArrivalWanted(message);
        break;
    default:
        m_listener->Failed("a request came where answers are due");
    }
}

void
TcpTransport::HandlePiece(const TcpMessage& piece)
{
    const auto asked = m_tensors.find(piece.id);
    if (asked == m_tensors.end() || !asked->second.isOpen || asked->second.step != piece.step)
    {
        m_listener->Failed("a tensor came that was not asked for");
        return;
    }
    Tensor& tensor = asked->second;
    if (!std::exchange(tensor.isKnown, true))
    {
        tensor.total = piece.total;
    }
    if (piece.total != tensor.total || piece.length > tensor.total - tensor.received)
    {
        m_listener->Failed("the pieces of a tensor do not make it up");
        return;
    }
    tensor.received += piece.length;
    if (tensor.received < tensor.total)
    {
        return;
    }
    tensor.isOpen = false;
    if (tensor.isWatched)
    {
        HandleArrivalWanted(piece);
    }
    m_listener->TransferArrived(piece.id);
}

void
TcpTransport::HandleGraphDone(const TcpMessage& message, const std::string& body)
{
    const auto call = m_calls.find(message.id);
    if (call == m_calls.end())
    {
        m_listener->Failed("a response came that was not asked for");
        return;
    }
    const auto [step, graph] = call->second;
    m_calls.erase(call);
    const auto response = RunGraphResponse::Decode(body);
    if (!response)
    {
        m_listener->Failed("an answer to RunGraph cannot be understood");
        return;
    }
    m_listener->GraphDone(step, graph, response->recv);
}

void
TcpTransport::HandleArrivalWanted(const TcpMessage& message)
{
    const auto asked = m_tensors.find(message.id);
    if (asked == m_tensors.end() || asked->second.step < message.step)
    {
        m_listener->Failed("asked about a tensor that was not asked for");
        return;
    }
    Tensor& tensor = asked->second;
    if (tensor.isOpen && tensor.step == message.step)
    {
        tensor.isWatched = true; // other connections are behind this one
        return;
    }
    TcpMessage arrived{TcpMessageKind::ARRIVED};
    arrived.id = message.id;
    arrived.step = message.step;
    SendRequest(arrived);
}

} // namespace ns3::dml
