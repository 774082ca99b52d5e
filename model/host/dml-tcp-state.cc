/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-state.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace ns3::dml
{

TcpState
ReadTcpState(int file)
{
    tcp_info info{};
    socklen_t size = sizeof(info);
    TcpState state;
    if (getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
    {
        state.received = info.tcpi_bytes_received;
        state.retransmissions = info.tcpi_total_retrans;
        state.congestionWindow = uint64_t{info.tcpi_snd_cwnd} * info.tcpi_snd_mss;
        state.roundTrip = 1e-6 * info.tcpi_rtt;
    }
    return state;
}

} // namespace ns3::dml
