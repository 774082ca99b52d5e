/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-answerer.h"

#include "ns3/dml-flag-guard.h"

#include <algorithm>

namespace ns3::dml
{

TcpAnswerer::TcpAnswerer(uint32_t sockets, std::size_t ops, TransportListener& listener)
    : m_listener(listener),
      m_writers(sockets),
      m_greeted(sockets, false),
      m_requests(ops)
{
}

void
TcpAnswerer::Answer(Ptr<Socket> socket)
{
    const uint32_t place = m_lanes.size();
    const TcpLane::Handlers handlers{
        [this, place](const TcpMessage& message, const std::string& body) {
            Handle(*m_lanes[place], message, body);
        },
        [this](const std::string& text) { m_listener.Failed(text); },
        [this, place] {
            m_lanes[place]->Pump();
            EndTurns();
        }};
    m_lanes.push_back(std::make_unique<TcpLane>(std::move(socket), handlers));
    m_lanes.back()->SetConnected();
}

void
TcpAnswerer::AnswerRunGraph(int32_t call, const NamedValues& values)
{
    RunGraphResponse response;
    response.recv = values;
    TcpMessage message{TcpMessageKind::GRAPH_DONE};
    message.id = call;
    Send(message, response.Encode());
}

void
TcpAnswerer::StartTurn(const Turn& turn, uint64_t tensorBytes)
{
    Request& request = m_requests[turn.transfer];
    const uint64_t end = request.sent + turn.bytes;
    do // also for a tensor of no bytes
    {
        AddSlice(request, std::min<uint64_t>(TCP_SLICE, end - request.sent), tensorBytes);
    } while (request.sent < end);
    m_turnOpen = true;
    ++m_turns;
    m_turnId = request.id;
    Pump();
    EndTurns();
}

OpenTurn
TcpAnswerer::GetOpenTurn() const
{
    if (!m_turnOpen)
    {
        return {};
    }
    const double piece = GetTcpPieceSize(TCP_SLICE, m_writers.size());
    return {m_turns,
            static_cast<int32_t>(m_turnId) + TCP_FIRST_CALL,
            m_writers.front().GetSkippable(),
            piece / (piece + TCP_MESSAGE_HEADER)};
}

void
TcpAnswerer::SkipSending(uint64_t bytes)
{
    m_writers.front().Skip(bytes);
}

void
TcpAnswerer::AddSlice(Request& request, uint32_t slice, uint64_t tensorBytes)
{
    const uint32_t most = GetTcpPieceSize(slice, m_writers.size());
    const uint64_t end = request.sent + slice;
    do
    {
        TcpMessage piece{TcpMessageKind::PIECE};
        piece.length = std::min<uint64_t>(most, end - request.sent);
        piece.id = request.id;
        piece.step = request.step;
        piece.offset = request.sent;
        piece.total = tensorBytes;
        m_writers[m_next].AddPiece(piece);
        m_next = (m_next + 1) % m_writers.size();
        request.sent += piece.length;
    } while (request.sent < end);
}

void
TcpAnswerer::Close()
{
    for (const auto& lane : m_lanes)
    {
        lane->Close();
    }
}

void
TcpAnswerer::Pump()
{
    for (const auto& lane : m_lanes)
    {
        lane->Pump();
    }
}

bool
TcpAnswerer::HasPieces() const
{
    return std::any_of(m_writers.begin(), m_writers.end(), [](const auto& writer) {
        return writer.CountPieces() > 0;
    });
}

void
TcpAnswerer::EndTurns()
{
    if (m_ending)
    {
        return;
    }
    const FlagGuard guard(m_ending);
    while (m_turnOpen && !HasPieces())
    {
        m_turnOpen = false;
        const OpIndex op = m_listener.TurnServed(); // which may start the next turn
        if (op != NO_INDEX)
        {
            const Request& request = m_requests[op];
            m_watched[{request.id, request.step}] = op;
            TcpMessage message{TcpMessageKind::ARRIVAL_WANTED};
            message.id = request.id;
            message.step = request.step;
            Send(message);
        }
    }
}

void
TcpAnswerer::Send(const TcpMessage& message, const std::string& body)
{
    m_writers.front().Add(message, body);
    Pump();
}

void
TcpAnswerer::Handle(TcpLane& lane, const TcpMessage& message, const std::string& body)
{
    if (lane.HasWriter() == (message.kind == TcpMessageKind::HELLO))
    {
        m_listener.Failed("a connection began without a greeting, or had a second one");
        return;
    }
    switch (message.kind)
    {
    case TcpMessageKind::HELLO:
        HandleHello(lane, message);
        break;
    case TcpMessageKind::RUN_GRAPH:
        HandleRunGraph(message, body);
        break;
    case TcpMessageKind::TENSOR_WANTED:
        HandleTensorWanted(message, body);
        break;
    case TcpMessageKind::ARRIVED:
        HandleArrived(message);
        break;
    default:
        m_listener.Failed("an answer came where requests are due");
    }
}

void
TcpAnswerer::HandleHello(TcpLane& lane, const TcpMessage& hello)
{
    if (hello.total != m_writers.size() || m_greeted[hello.id])
    {
        m_listener.Failed("connection " + std::to_string(hello.id) + " of " +
                          std::to_string(hello.total) + " came where each of " +
                          std::to_string(m_writers.size()) + " is due once");
        return;
    }
    m_greeted[hello.id] = true;
    lane.SetWriter(m_writers[hello.id]);
}

void
TcpAnswerer::HandleRunGraph(const TcpMessage& message, const std::string& body)
{
    const auto request = RunGraphRequest::Decode(body);
    if (!request || request->stepId != message.step)
    {
        m_listener.Failed("a request to run a graph came that cannot be understood");
        return;
    }
    m_listener.GraphRequested(message.id, *request);
}

void
TcpAnswerer::HandleTensorWanted(const TcpMessage& message, const std::string& name)
{
    const OpIndex op = m_listener.FindTransfer(name, message.step);
    if (op == NO_INDEX)
    {
        m_listener.Failed("asked for '" + name + "' of step " + std::to_string(message.step) +
                          ", which is not to be had");
        return;
    }
    m_requests[op] = {message.id, message.step, 0};
    m_listener.TransferRequested(op);
}

void
TcpAnswerer::HandleArrived(const TcpMessage& message)
{
    const auto watched = m_watched.find({message.id, message.step});
    if (watched == m_watched.end())
    {
        m_listener.Failed("a tensor arrived of which nobody asked");
        return;
    }
    const OpIndex op = watched->second;
    m_watched.erase(watched);
    m_listener.TransferAcknowledged(op);
}

} // namespace ns3::dml
