/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_SNIFFER_H
#define DML_TCP_SNIFFER_H

#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Keeps the bytes that the sockets of an application send, in the order of the stream.
class TcpSniffer
{
  public:
    /// To be connected to StepApplication's trace source Connection.
    void Watch(Ptr<Socket> socket, uint32_t /* peer */)
    {
        m_streams.push_back(std::make_unique<Stream>());
        socket->TraceConnectWithoutContext("Tx",
                                           MakeCallback(&Stream::Sent, m_streams.back().get()));
    }

    /// @return bytes of each stream
    std::vector<std::string> GetStreams() const
    {
        std::vector<std::string> all;
        for (const auto& stream : m_streams)
        {
            all.push_back(stream->bytes);
        }
        return all;
    }

  private:
    struct Stream
    {
        void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
        {
            // data begins behind the SYN, which has number 0 in ns-3
            const uint32_t at = header.GetSequenceNumber().GetValue() - 1;
            const uint32_t size = packet->GetSize();
            if (size > 0)
            {
                bytes.resize(std::max<std::size_t>(bytes.size(), at + size), '?');
                packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()) + at, size);
            }
        }

        std::string bytes; //!< as far as they were sent
    };

    std::vector<std::unique_ptr<Stream>> m_streams; //!< by socket
};

/// A message as doc/transports.rst has it, read without the code under test.
struct SniffedMessage
{
    uint32_t kind;
    uint32_t length;
    uint32_t id;
    uint32_t step;
    uint64_t offset;
    uint64_t total;
    std::string body;
};

/**
 * @param bytes of a stream
 * @param messages gets its messages
 * @return whether they are all of it
 */
inline bool
SniffMessages(const std::string& bytes, std::vector<SniffedMessage>& messages)
{
    std::size_t at = 0;
    const auto number = [&](std::size_t place, int size) {
        uint64_t value = 0;
        for (int i = 0; i < size; ++i)
        {
            value = 256 * value + static_cast<unsigned char>(bytes[at + place + i]);
        }
        return value;
    };
    while (at + 32 <= bytes.size() && bytes.compare(at, 3, "dm\x01") == 0)
    {
        SniffedMessage message{static_cast<uint32_t>(number(3, 1)),
                               static_cast<uint32_t>(number(4, 4)),
                               static_cast<uint32_t>(number(8, 4)),
                               static_cast<uint32_t>(number(12, 4)),
                               number(16, 8),
                               number(24, 8),
                               {}};
        if (at + 32 + message.length > bytes.size())
        {
            return false;
        }
        message.body = bytes.substr(at + 32, message.length);
        messages.push_back(message);
        at += 32 + message.length;
    }
    return at == bytes.size();
}

} // namespace ns3::dml

#endif /* DML_TCP_SNIFFER_H */
