/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-skippable-flow.h"

#include "ns3/simulator.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3::dml
{

namespace
{

/// Part of a link's rate with which it is full; the rest is headers, and ACKs of others.
constexpr double FULL = 0.9;

/// Bytes that a turn keeps, so that its end is a matter of packets.
constexpr uint64_t GUARD = 16384;

/// @return whether all that one end has sent is at the other
bool
IsDelivered(const Ptr<TcpSocketBase>& from, const Ptr<TcpSocketBase>& to)
{
    return !from || !to ||
           to->GetRxBuffer()->NextRxSequence() >= from->GetTxBuffer()->TailSequence();
}

} // namespace

bool
AreWindowsSettled(const std::vector<SkippableFlow*>& senders)
{
    struct Load
    {
        uint32_t senders{0}; //!< senders that use it
        double rate{0};      //!< of all of them
    };

    std::map<uint32_t, Load> loads; // by link
    for (const SkippableFlow* flow : senders)
    {
        for (const LinkOnWay& on : flow->links)
        {
            ++loads[on.link].senders;
            loads[on.link].rate += flow->rate;
        }
    }
    return std::all_of(senders.begin(), senders.end(), [&](const SkippableFlow* flow) {
        const auto& links = flow->links;
        const bool alone = std::all_of(links.begin(), links.end(), [&](const LinkOnWay& on) {
            return !on.fifo || loads[on.link].senders == 1;
        });
        const bool held = std::any_of(links.begin(), links.end(), [&](const LinkOnWay& on) {
            return loads[on.link].rate >= FULL * on.rate;
        });
        return (alone && held) || flow->IsClosed();
    });
}

void
SkippableTcpFlow::Watch(Ptr<TcpSocketBase> socket)
{
    m_socket = socket;
    m_window = 0;
    socket->TraceConnectWithoutContext("CongestionWindow",
                                       MakeCallback(&SkippableTcpFlow::WindowChanged, this));
    socket->TraceConnectWithoutContext("RTT",
                                       MakeCallback(&SkippableTcpFlow::RoundTripChanged, this));
    socket->TraceConnectWithoutContext("HighestRxAck",
                                       MakeCallback(&SkippableTcpFlow::Acknowledged, this));
}

bool
SkippableTcpFlow::IsClosed() const
{
    UintegerValue buffer;
    m_socket->GetAttribute("SndBufSize", buffer);
    return m_window >= buffer.Get();
}

void
SkippableTcpFlow::Acknowledged(SequenceNumber32 before, SequenceNumber32 now)
{
    const double time = Simulator::Now().GetSeconds();
    meter.Count(now - before, time);
    acks.Count(1, time);
}

void
SkippableStream::Add(Ptr<Socket> socket, uint32_t index)
{
    if (index != peer)
    {
        return;
    }
    const auto tcp = DynamicCast<TcpSocketBase>(socket);
    socket->TraceConnectWithoutContext(
        "State",
        MakeBoundCallback(&SkippableStream::StateChanged, this, PeekPointer(tcp)));
    if (!application->HasAccepted(*socket))
    {
        m_asks = tcp;
        return;
    }
    Watch(tcp);
}

void
SkippableStream::StateChanged(SkippableStream* stream,
                              TcpSocketBase* socket,
                              TcpSocket::TcpStates_t,
                              TcpSocket::TcpStates_t state)
{
    if (socket == PeekPointer(stream->m_asks))
    {
        stream->m_opening = state == TcpSocket::SYN_SENT;
    }
    for (auto* end : {&stream->m_asks, &stream->m_socket})
    {
        if (state == TcpSocket::CLOSED && *end == socket)
        {
            *end = nullptr;
        }
    }
}

bool
SkippableStream::IsAsking() const
{
    if (!m_asks || m_opening)
    {
        return m_opening;
    }
    if (!counterpart->m_socket) // it has not accepted yet
    {
        return m_asks->GetTxBuffer()->Size() > 0;
    }
    return !IsDelivered(m_asks, counterpart->m_socket);
}

void
SkippableStream::Update()
{
    const Transport* transport = application->FindTransport(peer);
    const uint64_t before = m_turn.number;
    m_turn = transport ? transport->GetOpenTurn() : OpenTurn();
    if (m_turn.number != before && m_socket)
    {
        m_begin = m_socket->GetTxBuffer()->TailSequence();
    }
    // of a process that has died TCP still sends what it has
    sends = m_turn.bytes > 0 || !IsDelivered(m_socket, counterpart->m_asks);
    const Transport* reader =
        m_turn.bytes > 0 ? counterpart->application->FindTransport(counterpart->peer) : nullptr;
    const uint64_t missing = reader ? reader->GetMissing(m_turn.call) : 0;
    const uint64_t most = std::min(m_turn.bytes, missing);
    // the ends of earlier turns must not be late by what is skipped
    const bool alone = m_socket && counterpart->m_asks &&
                       counterpart->m_asks->GetRxBuffer()->NextRxSequence() >= m_begin;
    left = alone && most > GUARD ? most - GUARD : 0;
    share = m_turn.share;
}

uint64_t
SkippableStream::Skip(const Time& from, const Time& to, uint64_t acks)
{
    const double seconds = (to - from).GetSeconds();
    const auto bytes = std::min<uint64_t>(left, std::llround(rate * seconds * share));
    application->FindTransport(peer)->SkipSending(bytes);
    SkippableStream& reader = *counterpart;
    reader.application->FindTransport(reader.peer)->SkipReceiving(m_turn.call, bytes);
    reader.received(
        {reader.peer, from, to, static_cast<uint64_t>(std::llround(bytes / share)), acks});
    return bytes;
}

} // namespace ns3::dml
