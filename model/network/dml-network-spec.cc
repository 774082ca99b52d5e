/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-spec.h"

namespace ns3
{
namespace dml
{

TcpSpec
LinuxTcp()
{
    TcpSpec tcp;
    tcp.timestamps = true;
    tcp.sendBuffer = 4194304;
    tcp.receiveBuffer = 8388608;
    tcp.autotuning = true;
    tcp.gso.reset();
    tcp.smallQueues = true;
    tcp.windowValidation = true;
    tcp.idleRestart = true;
    tcp.rack = true;
    tcp.ackJitter = MicroSeconds(100);
    return tcp;
}

void
UseTransport(const std::string& transport, NetworkSpec& network)
{
    network.transport = transport;
    network.tcp = transport == "linux" ? LinuxTcp() : TcpSpec();
    if (transport == "ideal")
    {
        network.queue.bytes = 0;
    }
}

} // namespace dml
} // namespace ns3
