/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shared-buffer.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace ns3::dml
{

std::vector<SharedBuffer>
FindSharedBuffers(const ClusterNetwork& network)
{
    std::map<uint32_t, SharedBuffer> buffers; // by switch
    for (DirectedLink port = 0; port < network.GetDirectedLinks(); ++port)
    {
        const uint32_t node = network.GetSender(port);
        const QueueSpec& queue = network.GetLinks()[port / 2].queues[port % 2];
        if (queue.kind != QueueSpec::Kind::SHARED || !network.GetNodes()[node].isSwitch)
        {
            continue;
        }
        SharedBuffer& buffer =
            buffers.try_emplace(node, SharedBuffer{node, queue.bytes}).first->second;
        if (buffer.bytes != queue.bytes)
        {
            throw NetworkError(
                "queue",
                fmt::format("one switch that has {} shared bytes for {} and {} for {}",
                            buffer.bytes,
                            network.GetName(buffer.ports.front()),
                            queue.bytes,
                            network.GetName(port)),
                "the same size for all ports of a switch that share its memory; "
                "alpha may differ");
        }
        buffer.ports.push_back(port);
    }
    std::vector<SharedBuffer> found;
    std::transform(buffers.begin(), buffers.end(), std::back_inserter(found), [](const auto& each) {
        return each.second;
    });
    return found;
}

double
GetDynamicLimit(double bytes, double alpha, double others)
{
    return alpha / (1 + alpha) * std::max(0.0, bytes - others);
}

double
GetSteadyLimit(double bytes, double alpha, double sum)
{
    return alpha * bytes / (1 + sum);
}

double
GetLargestContent(const QueueSpec& queue)
{
    const auto bytes = static_cast<double>(queue.bytes);
    return queue.kind == QueueSpec::Kind::SHARED ? GetDynamicLimit(bytes, queue.alpha, 0) : bytes;
}

} // namespace ns3::dml
