/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-segment-writer.h"

#include "ns3/pointer.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

SegmentWriter::SegmentWriter(Ptr<Socket> socket)
    : m_socket(std::move(socket)),
      m_tcp(DynamicCast<TcpSocketBase>(m_socket))
{
    UintegerValue segment;
    m_socket->GetAttribute("SegmentSize", segment);
    m_segment = segment.Get();
    PointerValue control;
    if (m_tcp && m_tcp->GetAttributeFailSafe("CongestionOps", control))
    {
        const auto ops = control.Get<TcpCongestionOps>();
        m_byRate = ops && ops->HasCongControl();
    }
}

size_t
SegmentWriter::GetRoom()
{
    return m_socket->GetTxAvailable() - m_size;
}

void
SegmentWriter::Write(const uint8_t* data, size_t n)
{
    if (IsFirstAlone())
    {
        SendFirst(ns3::Create<Packet>(data, n));
        return;
    }
    Announce();
    while (n > 0)
    {
        const uint32_t part = std::min<size_t>(n, m_left);
        m_real.resize(m_real.size() + m_zeros);
        m_zeros = 0;
        m_real.insert(m_real.end(), data, data + part);
        Grow(part);
        data += part;
        n -= part;
    }
}

void
SegmentWriter::WriteZeros(size_t n)
{
    if (IsFirstAlone())
    {
        SendFirst(ns3::Create<Packet>(n));
        return;
    }
    Announce();
    while (n > 0)
    {
        const uint32_t part = std::min<size_t>(n, m_left);
        m_zeros += part;
        Grow(part);
        n -= part;
    }
}

void
SegmentWriter::Flush()
{
    if (m_size > 0)
    {
        Send();
    }
    m_announced = false;
}

bool
SegmentWriter::IsFirstAlone() const
{
    // such a congestion control judges by the first part whether the application has enough to send
    return m_byRate && !m_announced;
}

void
SegmentWriter::SendFirst(Ptr<Packet> packet)
{
    m_socket->Send(packet);
    m_announced = true;
    m_left = m_segment - GetUnsent() % m_segment;
}

void
SegmentWriter::Announce()
{
    if (!m_announced)
    {
        SendFirst(ns3::Create<Packet>());
    }
}

uint32_t
SegmentWriter::GetUnsent() const
{
    if (!m_tcp)
    {
        return 0;
    }
    const auto buffer = m_tcp->GetTxBuffer();
    const uint32_t sent = buffer->BytesInFlight() + buffer->GetSacked() + buffer->GetLost() -
                          buffer->GetRetransmitsCount();
    return buffer->Size() - sent;
}

void
SegmentWriter::Grow(uint32_t n)
{
    m_size += n;
    m_left -= n;
    if (m_left == 0)
    {
        Send();
        m_left = m_segment;
    }
}

void
SegmentWriter::Send()
{
    // zeros stay virtual only behind real bytes: ns-3.37 corrupts memory when it appends a packet
    // with virtual bytes before real ones to another one
    auto packet = ns3::Create<Packet>(m_zeros);
    if (!m_real.empty())
    {
        const auto front = ns3::Create<Packet>(m_real.data(), m_real.size());
        if (m_zeros > 0)
        {
            front->AddAtEnd(packet);
        }
        packet = front;
    }
    m_socket->Send(packet);
    m_size = 0;
    m_real.clear();
    m_zeros = 0;
}

} // namespace ns3::dml
