/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The connections that the peer has opened: requests come in on the first, tensors go out on all.

#include "dml-tcp-transport.h"

#include "ns3/dml-flag-guard.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

void
TcpTransport::Answer(Ptr<Socket> socket)
{
    const uint32_t place = m_answerLanes.size();
    const TcpLane::Handlers handlers{
        [this, place](const TcpMessage& message, const std::string& body) {
            HandleRequest(*m_answerLanes[place], message, body);
        },
        [this](const std::string& text) { m_listener->Failed(text); },
        [this, place] {
            m_answerLanes[place]->Pump();
            EndTurns();
        }};
    m_answerLanes.push_back(std::make_unique<TcpLane>(std::move(socket), handlers));
    m_answerLanes.back()->SetConnected();
}

bool
TcpTransport::IsAnswering() const
{
    return m_answerLanes.size() == m_answerWriters.size();
}

void
TcpTransport::StopAnswering()
{
    for (const auto& lane : m_answerLanes)
    {
        lane->Close();
    }
    m_answerLanes.clear();
    m_greeted.assign(m_greeted.size(), false);
}

void
TcpTransport::AnswerRunGraph(int32_t call, const NamedValues& values)
{
    RunGraphResponse response;
    response.recv = values;
    TcpMessage message{TcpMessageKind::GRAPH_DONE};
    message.id = call;
    SendAnswer(message, response.Encode());
}

uint64_t
TcpTransport::GetWindow([[maybe_unused]] OpIndex transfer) const
{
    return std::numeric_limits<uint64_t>::max();
}

void
TcpTransport::StartTurn(const Turn& turn, uint64_t tensorBytes)
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
TcpTransport::GetOpenTurn() const
{
    if (!m_turnOpen || m_sockets > 1)
    {
        return {};
    }
    const double piece = GetTcpPieceSize(TCP_SLICE, m_answerWriters.size());
    return {m_turns,
            static_cast<int32_t>(m_turnId) + TCP_FIRST_CALL,
            m_answerWriters.front().GetSkippable(),
            piece / (piece + TCP_MESSAGE_HEADER)};
}

void
TcpTransport::SkipSending(uint64_t bytes)
{
    m_answerWriters.front().Skip(bytes);
}

void
TcpTransport::AddSlice(Request& request, uint32_t slice, uint64_t tensorBytes)
{
    const uint32_t most = GetTcpPieceSize(slice, m_answerWriters.size());
    const uint64_t end = request.sent + slice;
    do
    {
        TcpMessage piece{TcpMessageKind::PIECE};
        piece.length = std::min<uint64_t>(most, end - request.sent);
        piece.id = request.id;
        piece.step = request.step;
        piece.offset = request.sent;
        piece.total = tensorBytes;
        m_answerWriters[m_next].AddPiece(piece);
        m_next = (m_next + 1) % m_answerWriters.size();
        request.sent += piece.length;
    } while (request.sent < end);
}

void
TcpTransport::Pump()
{
    for (const auto& lane : m_answerLanes)
    {
        lane->Pump();
    }
}

bool
TcpTransport::HasPieces() const
{
    return std::any_of(m_answerWriters.begin(), m_answerWriters.end(), [](const auto& writer) {
        return writer.CountPieces() > 0;
    });
}

void
TcpTransport::EndTurns()
{
    if (m_ending)
    {
        return;
    }
    const FlagGuard guard(m_ending);
    while (m_turnOpen && !HasPieces())
    {
        m_turnOpen = false;
        const OpIndex op = m_listener->TurnServed(); // which may start the next turn
        if (op != NO_INDEX)
        {
            const Request& request = m_requests[op];
            m_watched[{request.id, request.step}] = op;
            TcpMessage message{TcpMessageKind::ARRIVAL_WANTED};
            message.id = request.id;
            message.step = request.step;
            SendAnswer(message);
        }
    }
}

void
TcpTransport::SendAnswer(const TcpMessage& message, const std::string& body)
{
    m_answerWriters.front().Add(message, body);
    Pump();
}

void
TcpTransport::HandleRequest(TcpLane& lane, const TcpMessage& message, const std::string& body)
{
    if (lane.HasWriter() == (message.kind == TcpMessageKind::HELLO))
    {
        m_listener->Failed("a connection began without a greeting, or had a second one");
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
        m_listener->Failed("an answer came where requests are due");
    }
}

void
TcpTransport::HandleHello(TcpLane& lane, const TcpMessage& hello)
{
    if (hello.total != m_answerWriters.size() || m_greeted[hello.id])
    {
        m_listener->Failed("connection " + std::to_string(hello.id) + " of " +
                           std::to_string(hello.total) + " came where each of " +
                           std::to_string(m_answerWriters.size()) + " is due once");
        return;
    }
    m_greeted[hello.id] = true;
    lane.SetWriter(m_answerWriters[hello.id]);
}

void
TcpTransport::HandleRunGraph(const TcpMessage& message, const std::string& body)
{
    const auto request = RunGraphRequest::Decode(body);
    if (!request || request->stepId != message.step)
    {
        m_listener->Failed("a request to run a graph came that cannot be understood");
        return;
    }
    m_listener->GraphRequested(message.id, *request);
}

void
TcpTransport::HandleTensorWanted(const TcpMessage& message, const std::string& name)
{
    const OpIndex op = m_listener->FindTransfer(name, message.step);
    if (op == NO_INDEX)
    {
        m_listener->Failed("asked for '" + name + "' of step " + std::to_string(message.step) +
                           ", which is not to be had");
        return;
    }
    m_requests[op] = {message.id, message.step, 0};
    m_listener->TransferRequested(op);
}

void
TcpTransport::HandleArrived(const TcpMessage& message)
{
    const auto watched = m_watched.find({message.id, message.step});
    if (watched == m_watched.end())
    {
        m_listener->Failed("a tensor arrived of which nobody asked");
        return;
    }
    const OpIndex op = watched->second;
    m_watched.erase(watched);
    m_listener->TransferAcknowledged(op);
}

} // namespace ns3::dml
