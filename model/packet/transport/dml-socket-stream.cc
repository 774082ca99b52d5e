/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-socket-stream.h"

#include "ns3/packet.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// More than this at once makes the socket merge packets after a hole at great cost (ns-3.37).
constexpr uint32_t RECEIVE_CHUNK = 65536;

} // namespace

SocketStream::SocketStream(Ptr<Socket> socket)
    : m_socket(std::move(socket)),
      m_writer(m_socket),
      m_buffer(RECEIVE_CHUNK)
{
    SetRefill();
    m_socket->SetRecvCallback(MakeCallback(&SocketStream::HandleReceive, this));
    m_socket->SetSendCallback(MakeCallback(&SocketStream::HandleRoom, this));
}

SocketStream::~SocketStream()
{
    m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    m_socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
}

void
SocketStream::Close()
{
    m_connected = false;
    m_writer.Flush(); // where the reader is at work now
    m_socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                MakeNullCallback<void, Ptr<Socket>>());
    m_socket->Close();
}

void
SocketStream::SetConnected()
{
    m_connected = true;
    Pump();
}

void
SocketStream::Pump()
{
    if (m_connected && HasOutput())
    {
        Fill(m_writer);
        m_writer.Flush();
    }
}

void
SocketStream::Progress()
{
    Pump();
}

void
SocketStream::SetRefill()
{
    UintegerValue sendBuffer; // may grow
    m_socket->GetAttribute("SndBufSize", sendBuffer);
    // Refilling after every ACK would cut the stream into segments smaller than the MSS.
    m_refillAt = std::max<uint32_t>(1, sendBuffer.Get() / 4);
}

void
SocketStream::HandleReceive(Ptr<Socket> socket)
{
    while (socket->GetRxAvailable() > 0)
    {
        const Ptr<Packet> packet = socket->Recv(RECEIVE_CHUNK, 0);
        const uint32_t size = packet->GetSize();
        packet->CopyData(m_buffer.data(), size);
        Take(m_buffer.data(), size);
    }
    Progress();
}

void
SocketStream::HandleRoom([[maybe_unused]] Ptr<Socket> socket, uint32_t room)
{
    if (room >= m_refillAt)
    {
        SetRefill();
        Progress();
    }
}

} // namespace ns3::dml
