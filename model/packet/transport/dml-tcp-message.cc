/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-message.h"

#include <limits>

namespace ns3::dml
{

namespace
{

constexpr uint16_t MAGIC = 0x646d;
constexpr uint8_t VERSION = 1;

template <typename T>
void
AppendNumber(T number, std::string& bytes)
{
    for (int shift = 8 * (sizeof(T) - 1); shift >= 0; shift -= 8)
    {
        bytes.push_back(static_cast<char>(number >> shift & 0xff));
    }
}

template <typename T>
T
TakeNumber(const std::string& bytes, std::size_t& at)
{
    uint64_t number = 0;
    for (std::size_t end = at + sizeof(T); at < end; ++at)
    {
        number = number << 8 | static_cast<uint8_t>(bytes[at]);
    }
    return number;
}

/// @return whether the numbers of a call are in range
bool
IsCall(const TcpMessage& message)
{
    return message.id > 0 && message.id <= std::numeric_limits<int32_t>::max() &&
           message.length <= TCP_MOST_BODY && message.offset == 0 && message.total == 0;
}

/// @return whether the message has only its head, without offset and total
bool
IsNote(const TcpMessage& message)
{
    return message.length == 0 && message.offset == 0 && message.total == 0;
}

/// @return what is wrong with the values of a message of its kind, or empty
std::string
FindFault(const TcpMessage& message)
{
    bool good = false;
    switch (message.kind)
    {
    case TcpMessageKind::HELLO:
        good = message.length == 0 && message.step == 0 && message.offset == 0 &&
               message.id < message.total && message.total <= TCP_MOST_SOCKETS;
        break;
    case TcpMessageKind::RUN_GRAPH:
    case TcpMessageKind::GRAPH_DONE:
        good = IsCall(message);
        break;
    case TcpMessageKind::TENSOR_WANTED:
        good = message.length > 0 && message.length <= TCP_MOST_BODY && message.offset == 0 &&
               message.total == 0;
        break;
    case TcpMessageKind::PIECE:
        good = message.length <= TCP_SLICE && message.length <= message.total &&
               message.offset <= message.total - message.length &&
               (message.length > 0 || message.total == 0);
        break;
    case TcpMessageKind::ARRIVAL_WANTED:
    case TcpMessageKind::ARRIVED:
        good = IsNote(message);
        break;
    default:
        return "a message of unknown kind " + std::to_string(static_cast<int>(message.kind));
    }
    return good ? "" : "a message with values that its kind does not have";
}

} // namespace

std::string
TcpMessage::Encode() const
{
    std::string bytes;
    bytes.reserve(TCP_MESSAGE_HEADER);
    AppendNumber(MAGIC, bytes);
    AppendNumber(VERSION, bytes);
    AppendNumber(static_cast<uint8_t>(kind), bytes);
    AppendNumber(length, bytes);
    AppendNumber(id, bytes);
    AppendNumber(step, bytes);
    AppendNumber(offset, bytes);
    AppendNumber(total, bytes);
    return bytes;
}

std::optional<TcpMessage>
TcpMessage::Decode(const std::string& bytes, std::string& error)
{
    std::size_t at = 0;
    const auto magic = TakeNumber<uint16_t>(bytes, at);
    const auto version = TakeNumber<uint8_t>(bytes, at);
    if (magic != MAGIC || version != VERSION)
    {
        error = "bytes that are no message";
        return std::nullopt;
    }
    TcpMessage message;
    message.kind = static_cast<TcpMessageKind>(TakeNumber<uint8_t>(bytes, at));
    message.length = TakeNumber<uint32_t>(bytes, at);
    message.id = TakeNumber<uint32_t>(bytes, at);
    message.step = TakeNumber<uint32_t>(bytes, at);
    message.offset = TakeNumber<uint64_t>(bytes, at);
    message.total = TakeNumber<uint64_t>(bytes, at);
    error = FindFault(message);
    return error.empty() ? std::make_optional(message) : std::nullopt;
}

} // namespace ns3::dml
