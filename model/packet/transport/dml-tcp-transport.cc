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
TcpTransport::Begin(const TransportEnds& ends, TransportListener& listener)
{
    m_asker = std::make_unique<TcpAsker>(m_sockets, ends.ops, listener);
    m_answerer = std::make_unique<TcpAnswerer>(m_sockets, ends.ops, listener);
}

void
TcpTransport::Ask(Ptr<Socket> socket)
{
    m_asker->Ask(std::move(socket));
}

void
TcpTransport::SetConnected(Ptr<Socket> socket)
{
    m_asker->SetConnected(socket);
}

bool
TcpTransport::IsConnected() const
{
    return m_asker->IsConnected();
}

void
TcpTransport::Answer(Ptr<Socket> socket)
{
    m_answerer->Answer(std::move(socket));
}

bool
TcpTransport::IsAnswering() const
{
    return m_answerer->IsAnswering();
}

void
TcpTransport::Close()
{
    m_asker->Close();
    m_answerer->Close();
}

void
TcpTransport::RequestTensor(OpIndex transfer, const std::string& name, uint32_t step)
{
    m_asker->RequestTensor(transfer, name, step);
}

void
TcpTransport::RequestRunGraph(const RunGraphRequest& request)
{
    m_asker->RequestRunGraph(request);
}

void
TcpTransport::AnswerRunGraph(int32_t call, const NamedValues& values)
{
    m_answerer->AnswerRunGraph(call, values);
}

uint64_t
TcpTransport::GetWindow([[maybe_unused]] OpIndex transfer) const
{
    return std::numeric_limits<uint64_t>::max();
}

void
TcpTransport::StartTurn(const Turn& turn, uint64_t tensorBytes)
{
    m_answerer->StartTurn(turn, tensorBytes);
}

OpenTurn
TcpTransport::GetOpenTurn() const
{
    return m_sockets == 1 ? m_answerer->GetOpenTurn() : OpenTurn();
}

void
TcpTransport::SkipSending(uint64_t bytes)
{
    m_answerer->SkipSending(bytes);
}

uint64_t
TcpTransport::GetMissing(int32_t call) const
{
    return m_asker->GetMissing(call);
}

void
TcpTransport::SkipReceiving(int32_t call, uint64_t bytes)
{
    m_asker->SkipReceiving(call, bytes);
}

} // namespace ns3::dml
