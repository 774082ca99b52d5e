/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_MESSAGE_READER_H
#define DML_TCP_MESSAGE_READER_H

#include "dml-tcp-message.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief Finds the messages of TcpTransport in the bytes of one direction of a connection, wherever
 * these are cut. The bytes of tensors are counted, not kept.
 */
class TcpMessageReader
{
  public:
    /// Told a whole message and its body, which is empty for a PIECE.
    using Handler = std::function<void(const TcpMessage& message, const std::string& body)>;
    /// Told what is wrong; after that nothing more is read.
    using ErrorHandler = std::function<void(const std::string& text)>;

    /// @param message told each message @param failed told the first error
    TcpMessageReader(Handler message, ErrorHandler failed);

    /// @param data that come next @param n how many bytes
    void Receive(const uint8_t* data, size_t n);

    /// @return whether a message has begun and not ended
    bool IsInMessage() const
    {
        return !m_header.empty();
    }

  private:
    /// Take what the header lacks. @return bytes taken
    size_t ReadHeader(const uint8_t* data, size_t n);
    /// Take what the body lacks. @return bytes taken
    size_t ReadBody(const uint8_t* data, size_t n);
    /// Tell the message, if that was all of it.
    void Finish();

    Handler m_handler;           //!< told messages
    ErrorHandler m_errorHandler; //!< told the error
    bool m_failed{false};        //!< there was one
    std::string m_header;        //!< bytes of it so far
    TcpMessage m_message;        //!< once the header is complete
    std::string m_body;          //!< bytes of it so far, but for a PIECE
    uint32_t m_left{0};          //!< bytes that the body lacks
};

} // namespace ns3::dml

#endif /* DML_TCP_MESSAGE_READER_H */
