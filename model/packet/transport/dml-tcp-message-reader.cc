/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-message-reader.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

TcpMessageReader::TcpMessageReader(Handler message, ErrorHandler failed)
    : m_handler(std::move(message)),
      m_errorHandler(std::move(failed))
{
}

void
TcpMessageReader::Receive(const uint8_t* data, size_t n)
{
    while (n > 0 && !m_failed)
    {
        const bool inHeader = m_header.size() < TCP_MESSAGE_HEADER;
        const size_t taken = inHeader ? ReadHeader(data, n) : ReadBody(data, n);
        data += taken;
        n -= taken;
        Finish();
    }
}

size_t
TcpMessageReader::ReadHeader(const uint8_t* data, size_t n)
{
    const size_t taken = std::min<size_t>(n, TCP_MESSAGE_HEADER - m_header.size());
    m_header.append(reinterpret_cast<const char*>(data), taken);
    if (m_header.size() == TCP_MESSAGE_HEADER)
    {
        std::string error;
        if (const auto message = TcpMessage::Decode(m_header, error))
        {
            m_message = *message;
            m_left = message->length;
        }
        else
        {
            m_failed = true;
            m_errorHandler(error + " came");
        }
    }
    return taken;
}

size_t
TcpMessageReader::ReadBody(const uint8_t* data, size_t n)
{
    const size_t taken = std::min<size_t>(n, m_left);
    if (m_message.kind != TcpMessageKind::PIECE)
    {
        m_body.append(reinterpret_cast<const char*>(data), taken);
    }
    m_left -= taken;
    return taken;
}

void
TcpMessageReader::Finish()
{
    if (m_failed || m_header.size() < TCP_MESSAGE_HEADER || m_left > 0)
    {
        return;
    }
    m_header.clear();
    m_handler(m_message, std::exchange(m_body, {}));
}

} // namespace ns3::dml
