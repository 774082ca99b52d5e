/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MESSAGE_FRAMING_H
#define DML_MESSAGE_FRAMING_H

#include "ns3/dml-transfer-spec.h"

#include <cstdint>

namespace ns3::dml
{

/// Bytes of the header of a message between endpoints that talk plain TCP (see TcpMessage).
constexpr uint32_t TCP_MESSAGE_HEADER = 32;
/// Most connections of plain TCP that an endpoint opens to another (NCCL's `MAX_SOCKETS`).
constexpr uint32_t TCP_MOST_SOCKETS = 64;
/// Most bytes of a tensor that plain TCP spreads over its sockets at once: a slot of NCCL's buffer
/// (`DEFAULT_BUFFSIZE`, 4 MiB, in `NCCL_STEPS`, 8).
constexpr uint32_t TCP_SLICE = 524288;
/// Fewest bytes that a socket gets of a slice, unless there are no more (NCCL's `MIN_CHUNKSIZE`).
constexpr uint32_t TCP_SMALLEST_PIECE = 65536;

/**
 * @brief How many bytes of a slice each socket gets: NCCL's rule (src/transport/net_socket.cc,
 * ncclNetSocketTest: `max(MIN_CHUNKSIZE, DIVUP(size, nSocks))`).
 * @param slice bytes, at most TCP_SLICE
 * @param sockets at least 1
 * @return bytes of a piece; the last one of a slice may have fewer
 */
uint32_t GetTcpPieceSize(uint32_t slice, uint32_t sockets);

/// What a transport puts around the bytes of a tensor.
struct MessageFraming
{
    uint32_t payload{16384}; //!< bytes of a tensor that go with one header; HTTP/2: a DATA frame
    uint32_t header{9};      //!< bytes of that header
};

/// @param transfer with its transport @return what that puts around the bytes of a tensor
MessageFraming GetMessageFraming(const TransferSpec& transfer);

} // namespace ns3::dml

#endif /* DML_MESSAGE_FRAMING_H */
