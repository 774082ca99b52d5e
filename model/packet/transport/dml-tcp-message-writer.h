/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_MESSAGE_WRITER_H
#define DML_TCP_MESSAGE_WRITER_H

#include "dml-tcp-message.h"

#include "ns3/dml-byte-sink.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief The messages that wait for their way through one direction of a connection.
 *
 * Messages go before the pieces of tensors that have not begun; a piece that has begun is ended
 * first. The bytes of tensors are zeros, which take no memory.
 */
class TcpMessageWriter
{
  public:
    /// @param message to send, no PIECE; its length is that of the body @param body of it
    void Add(TcpMessage message, const std::string& body = {});

    /// @param piece to send
    void AddPiece(const TcpMessage& piece);

    /// @return whether there is something to write
    bool HasOutput() const
    {
        return !m_current.IsEmpty() || !m_messages.empty() || !m_pieces.empty();
    }

    /// @return pieces that have not been written to their end
    std::size_t CountPieces() const
    {
        return m_pieces.size() + (m_current.isPiece ? 1 : 0);
    }

    /// @return bytes of tensors in pieces that have not begun; 0 while a message waits
    uint64_t GetSkippable() const;

    /// @brief Leave out the next of these. @param bytes less than GetSkippable()
    void Skip(uint64_t bytes);

    /// @param sink gets as much as it has room for
    void Fill(ByteSink& sink);

  private:
    /// What is left of a message.
    struct Output
    {
        std::string bytes;   //!< header and body, but for a piece
        std::size_t next{0}; //!< first byte not written
        uint32_t zeros{0};   //!< bytes of a tensor not written
        bool isPiece{false}; //!< part of a tensor

        /// @return whether all is written
        bool IsEmpty() const
        {
            return next == bytes.size() && zeros == 0;
        }
    };

    /// Take the next message in hand; there is one.
    void TakeNext();

    Output m_current;                   //!< being written
    std::deque<std::string> m_messages; //!< messages that go first, header and body
    std::deque<TcpMessage> m_pieces;    //!< of tensors
};

} // namespace ns3::dml

#endif /* DML_TCP_MESSAGE_WRITER_H */
