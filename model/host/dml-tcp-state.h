/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_STATE_H
#define DML_TCP_STATE_H

#include <cstdint>

namespace ns3::dml
{

/// What the kernel tells of a connection (TCP_INFO).
struct TcpState
{
    uint64_t received{0};         //!< bytes in order, since it was opened
    uint64_t retransmissions{0};  //!< segments sent again, since it was opened
    uint64_t congestionWindow{0}; //!< bytes that may be on their way
    double roundTrip{0};          //!< smoothed, in seconds
};

/// @param file of a TCP connection @return its state; zeros if it has none
TcpState ReadTcpState(int file);

} // namespace ns3::dml

#endif /* DML_TCP_STATE_H */
