/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_MESSAGE_H
#define DML_TCP_MESSAGE_H

#include "ns3/dml-message-framing.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dml
{

/// What a message of TcpTransport says.
enum class TcpMessageKind : uint8_t
{
    HELLO = 1,          //!< first on a connection: `id` is its number of `total`, from 0
    RUN_GRAPH = 2,      //!< call `id` of step `step`: the body is a RunGraphRequest
    GRAPH_DONE = 3,     //!< answer to call `id`: the body is a RunGraphResponse
    TENSOR_WANTED = 4,  //!< the body is the name; `id` is the receiver's own number of the transfer
    PIECE = 5,          //!< the body is a part of tensor `id`: from `offset` on, of `total` bytes
    ARRIVAL_WANTED = 6, //!< the sender of tensor `id` wants to know when all of it has come
    ARRIVED = 7,        //!< all of tensor `id` has come
};

/// OpenTurn::call of tensor 0, and so on.
constexpr int32_t TCP_FIRST_CALL = 1;

/// Largest body of a message that is no PIECE, in bytes.
constexpr uint32_t TCP_MOST_BODY = 1048576;

/**
 * @ingroup dml-transport
 * @brief Header of a message of TcpTransport: TCP_MESSAGE_HEADER bytes, numbers in network order.
 *
 * The form is that of Gloo's transport over TCP (gloo/transport/tcp/pair.h, Op::preamble: nbytes,
 * opcode, slot, offset, length), in which a fixed header says what the bytes behind it are:
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 2 | 0x646d, "dm" |
 * | 2 | 1 | version, 1 |
 * | 3 | 1 | kind, TcpMessageKind |
 * | 4 | 4 | bytes of the body, which follows the header |
 * | 8 | 4 | id: of a tensor, a call or a connection |
 * | 12 | 4 | number of the step |
 * | 16 | 8 | offset of a piece in its tensor |
 * | 24 | 8 | total: bytes of the tensor, or connections |
 *
 * What a kind does not use is zero.
 */
struct TcpMessage
{
    TcpMessageKind kind{TcpMessageKind::HELLO}; //!< what it says
    uint32_t length{0};                         //!< of the body, bytes
    uint32_t id{0};                             //!< of a tensor, a call or a connection
    uint32_t step{0};                           //!< number of the step
    uint64_t offset{0};                         //!< of a piece, bytes
    uint64_t total{0};                          //!< of a tensor, bytes; of connections

    /// @return the header's bytes
    std::string Encode() const;

    /**
     * @param bytes TCP_MESSAGE_HEADER of them
     * @param error gets what is wrong with them
     * @return what they say; nothing if a kind of message has other values than it may have
     */
    static std::optional<TcpMessage> Decode(const std::string& bytes, std::string& error);
};

} // namespace ns3::dml

#endif /* DML_TCP_MESSAGE_H */
