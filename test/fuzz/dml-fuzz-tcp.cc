/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Bytes from the peer of a TcpTransport.

#include "dml-fuzz-target.h"

#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-tcp-message-reader.h"

#include <algorithm>
#include <cstdlib>

namespace ns3::dml
{

/// The first byte of an input says how the rest is cut.
void
FuzzTcpMessages(const std::string& bytes)
{
    bool failed = false;
    TcpMessageReader reader(
        [&failed](const TcpMessage& message, const std::string& body) {
            RunGraphRequest::Decode(body);
            RunGraphResponse::Decode(body);
            const bool kept =
                message.kind == TcpMessageKind::PIECE || body.size() == message.length;
            std::string error;
            const bool same = TcpMessage::Decode(message.Encode(), error).has_value();
            if (failed || !kept || !same)
            {
                std::abort();
            }
        },
        [&failed](const std::string&) { failed = true; });
    const std::size_t choice = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
    const std::size_t piece = choice == 0 ? bytes.size() + 1 : choice;
    for (std::size_t at = 1; at < bytes.size(); at += piece)
    {
        reader.Receive(reinterpret_cast<const uint8_t*>(bytes.data()) + at,
                       std::min(piece, bytes.size() - at));
    }
}

} // namespace ns3::dml
