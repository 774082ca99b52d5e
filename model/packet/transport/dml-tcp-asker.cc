/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-asker.h"

#include <limits>
#include <utility>

namespace ns3::dml
{

TcpAsker::TcpAsker(uint32_t sockets, std::size_t ops, TransportListener& listener)
    : m_listener(listener),
      m_writers(sockets),
      m_tensors(ops)
{
}

void
TcpAsker::Ask(Ptr<Socket> socket)
{
    const uint32_t number = m_lanes.size();
    const TcpLane::Handlers handlers{
        [this](const TcpMessage& message, const std::string& body) { Handle(message, body); },
        [this](const std::string& text) { m_listener.Failed(text); },
        [this, number] { m_lanes[number]->Pump(); }};
    m_lanes.push_back(std::make_unique<TcpLane>(std::move(socket), handlers));
    TcpMessage hello;
    hello.id = number;
    hello.total = m_writers.size();
    m_writers[number].Add(hello);
    m_lanes.back()->SetWriter(m_writers[number]);
}

void
TcpAsker::SetConnected(const Ptr<Socket>& socket)
{
    ++m_connected;
    for (const auto& lane : m_lanes)
    {
        if (lane->IsOf(socket))
        {
            lane->SetConnected();
        }
    }
}

void
TcpAsker::RequestTensor(OpIndex transfer, const std::string& name, uint32_t step)
{
    m_tensors[transfer] = Tensor();
    m_tensors[transfer].isOpen = true;
    m_tensors[transfer].step = step;
    TcpMessage message{TcpMessageKind::TENSOR_WANTED};
    message.id = transfer;
    message.step = step;
    Send(message, name);
}

void
TcpAsker::RequestRunGraph(const RunGraphRequest& request)
{
    m_lastCall = m_lastCall < std::numeric_limits<int32_t>::max() ? m_lastCall + 1 : 1;
    TcpMessage message{TcpMessageKind::RUN_GRAPH};
    message.id = m_lastCall;
    message.step = request.stepId;
    m_calls[message.id] = {message.step, request.graphHandle};
    Send(message, request.Encode());
}

uint64_t
TcpAsker::GetMissing(int32_t call) const
{
    const Tensor& tensor = m_tensors.at(call - TCP_FIRST_CALL);
    return tensor.isOpen && tensor.isKnown ? tensor.total - tensor.received : 0;
}

void
TcpAsker::SkipReceiving(int32_t call, uint64_t bytes)
{
    m_tensors.at(call - TCP_FIRST_CALL).received += bytes;
}

void
TcpAsker::Close()
{
    for (const auto& lane : m_lanes)
    {
        lane->Close();
    }
}

void
TcpAsker::Send(const TcpMessage& message, const std::string& body)
{
    m_writers.front().Add(message, body);
    m_lanes.front()->Pump();
}

void
TcpAsker::Handle(const TcpMessage& message, const std::string& body)
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
        m_listener.Failed("a request came where answers are due");
    }
}

void
TcpAsker::HandlePiece(const TcpMessage& piece)
{
    if (piece.id >= m_tensors.size() || !m_tensors[piece.id].isOpen ||
        m_tensors[piece.id].step != piece.step)
    {
        m_listener.Failed("a tensor came that was not asked for");
        return;
    }
    Tensor& tensor = m_tensors[piece.id];
    if (!std::exchange(tensor.isKnown, true))
    {
        tensor.total = piece.total;
    }
    if (piece.total != tensor.total || piece.length > tensor.total - tensor.received)
    {
        m_listener.Failed("the pieces of a tensor do not make it up");
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
    m_listener.TransferArrived(piece.id);
}

void
TcpAsker::HandleGraphDone(const TcpMessage& message, const std::string& body)
{
    const auto call = m_calls.find(message.id);
    if (call == m_calls.end())
    {
        m_listener.Failed("a response came that was not asked for");
        return;
    }
    const auto [step, graph] = call->second;
    m_calls.erase(call);
    const auto response = RunGraphResponse::Decode(body);
    if (!response)
    {
        m_listener.Failed("an answer to RunGraph cannot be understood");
        return;
    }
    m_listener.GraphDone(step, graph, response->recv);
}

void
TcpAsker::HandleArrivalWanted(const TcpMessage& message)
{
    if (message.id >= m_tensors.size() || m_tensors[message.id].step < message.step)
    {
        m_listener.Failed("asked about a tensor that was not asked for");
        return;
    }
    Tensor& tensor = m_tensors[message.id];
    if (tensor.isOpen && tensor.step == message.step)
    {
        tensor.isWatched = true; // other connections are behind this one
        return;
    }
    TcpMessage arrived{TcpMessageKind::ARRIVED};
    arrived.id = message.id;
    arrived.step = message.step;
    Send(arrived);
}

} // namespace ns3::dml
