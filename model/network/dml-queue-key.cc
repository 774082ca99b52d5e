/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-queue-key.h"

#include <set>

namespace ns3::dml
{

std::string
FindQueueKey(const NetworkSpec& spec, const ClusterNetwork& network, DirectedLink port)
{
    if (!network.GetNodes()[network.GetSender(port)].isSwitch)
    {
        return "network.host_queue";
    }
    const NetworkLink& link = network.GetLinks()[port / 2];
    const auto& a = network.GetNodes()[link.ends[0]];
    const auto& b = network.GetNodes()[link.ends[1]];
    const auto& links = spec.topology.links;
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const std::set<std::string> ends(links[i].ends.begin(), links[i].ends.end());
        if (links[i].link.queue && ends == std::set<std::string>{a.name, b.name})
        {
            return "network.topology.links[" + std::to_string(i) + "].queue";
        }
    }
    for (const auto& node : {a, b})
    {
        const auto host = spec.hosts.find(node.name);
        if (host != spec.hosts.end() && host->second.queue)
        {
            return "network.hosts." + node.name + ".queue";
        }
    }
    const bool trunk = a.isSwitch && b.isSwitch && spec.topology.trunk.queue;
    return trunk ? "network.topology.trunk.queue" : "network.queue";
}

} // namespace ns3::dml
