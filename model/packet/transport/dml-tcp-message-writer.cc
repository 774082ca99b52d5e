/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-message-writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3::dml
{

void
TcpMessageWriter::Add(TcpMessage message, const std::string& body)
{
    message.length = body.size();
    m_messages.push_back(message.Encode() + body);
}

void
TcpMessageWriter::AddPiece(const TcpMessage& piece)
{
    m_pieces.push_back(piece);
}

uint64_t
TcpMessageWriter::GetSkippable() const
{
    if (!m_messages.empty())
    {
        return 0; // they would be late
    }
    return std::accumulate(
        m_pieces.begin(),
        m_pieces.end(),
        uint64_t{0},
        [](uint64_t sum, const TcpMessage& piece) { return sum + piece.length; });
}

void
TcpMessageWriter::Skip(uint64_t bytes)
{
    while (bytes > 0)
    {
        TcpMessage& piece = m_pieces.front();
        const uint32_t n = std::min<uint64_t>(bytes, piece.length);
        piece.offset += n;
        piece.length -= n;
        bytes -= n;
        if (piece.length == 0)
        {
            m_pieces.pop_front();
        }
    }
}

void
TcpMessageWriter::Fill(ByteSink& sink)
{
    while (HasOutput())
    {
        const std::size_t room = sink.GetRoom();
        if (room == 0)
        {
            return;
        }
        if (m_current.IsEmpty())
        {
            TakeNext();
        }
        if (const std::size_t left = m_current.bytes.size() - m_current.next)
        {
            const std::size_t n = std::min(room, left);
            sink.Write(reinterpret_cast<const uint8_t*>(m_current.bytes.data()) + m_current.next,
                       n);
            m_current.next += n;
        }
        else
        {
            const uint32_t n = std::min<std::size_t>(room, m_current.zeros);
            sink.WriteZeros(n);
            m_current.zeros -= n;
        }
        if (m_current.IsEmpty())
        {
            m_current = Output();
        }
    }
}

void
TcpMessageWriter::TakeNext()
{
    if (!m_messages.empty())
    {
        m_current.bytes = std::move(m_messages.front());
        m_messages.pop_front();
    }
    else
    {
        m_current = {m_pieces.front().Encode(), 0, m_pieces.front().length, true};
        m_pieces.pop_front();
    }
}

} // namespace ns3::dml
