/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-message-framing.h"

#include <algorithm>

namespace ns3::dml
{

uint32_t
GetTcpPieceSize(uint32_t slice, uint32_t sockets)
{
    return std::max(TCP_SMALLEST_PIECE, (slice + sockets - 1) / sockets);
}

MessageFraming
GetMessageFraming(const TransferSpec& transfer)
{
    return transfer.transport == "tcp"
               ? MessageFraming{GetTcpPieceSize(TCP_SLICE, transfer.sockets), TCP_MESSAGE_HEADER}
               : MessageFraming();
}

} // namespace ns3::dml
