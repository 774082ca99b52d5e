/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-spec.h"

#include <algorithm>

namespace ns3::dml
{

Time
GetAckJitter(const TcpSpec& tcp)
{
    return tcp.ackJitter.value_or(MicroSeconds(100));
}

TcpSpec
PlainTcp()
{
    TcpSpec tcp;
    tcp.timestamps = false;
    tcp.sendBuffer = 262144;
    tcp.receiveBuffer = 1048576;
    tcp.autotuning = false;
    tcp.gso = 0;
    tcp.smallQueues = false;
    tcp.windowValidation = false;
    tcp.idleRestart = false;
    tcp.rack = false;
    tcp.ackJitter = Time(0);
    return tcp;
}

std::string
NetworkSpec::FindNicsKey() const
{
    if (nicsPerHost > 1)
    {
        return "network.nics_per_host";
    }
    const auto own = std::find_if(hosts.begin(), hosts.end(), [](const auto& host) {
        return host.second.nics.value_or(1) > 1;
    });
    return own == hosts.end() ? "" : "network.hosts." + own->first + ".nics";
}

std::vector<QueueSpec>
ListSwitchQueues(const NetworkSpec& network)
{
    std::vector<QueueSpec> queues{network.queue};
    const auto add = [&queues](const LinkSpec& link) {
        if (link.queue)
        {
            queues.push_back(*link.queue);
        }
    };
    add(network.topology.trunk);
    for (const auto& [name, link] : network.hosts)
    {
        add(link);
    }
    for (const auto& link : network.topology.links)
    {
        add(link.link);
    }
    return queues;
}

bool
HasOwnQueues(const NetworkSpec& network)
{
    auto queues = ListSwitchQueues(network);
    queues.push_back(network.hostQueue);
    return std::any_of(queues.begin(), queues.end(), [](const QueueSpec& queue) {
        return queue.own != nullptr;
    });
}

bool
HasSharedBuffers(const NetworkSpec& network)
{
    const auto queues = ListSwitchQueues(network);
    return std::any_of(queues.begin(), queues.end(), [](const QueueSpec& queue) {
        return queue.kind == QueueSpec::Kind::SHARED;
    });
}

void
UseTransport(const std::string& transport, NetworkSpec& network)
{
    network.transport = transport;
    network.tcp = transport == "linux" ? TcpSpec() : PlainTcp();
    if (transport == "ideal")
    {
        network.queue.bytes = 0;
    }
}

} // namespace ns3::dml
