/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-buffer-text.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-shared-buffer.h"
#include "ns3/dml-si-number.h"

#include <fmt/format.h>

namespace ns3::dml
{

std::string
DescribeBuffers(const PreparedScenario& prepared)
{
    const auto network = prepared.GetNetwork(prepared.GetMostWorkers());
    const auto buffers = FindSharedBuffers(*network);
    if (buffers.empty())
    {
        return "";
    }
    const SharedBuffer& first = buffers.front();
    const auto bytes = static_cast<double>(first.bytes);
    const auto alpha = [&](DirectedLink port) {
        return network->GetLinks()[port / 2].queues[port % 2].alpha;
    };
    double sum = 0;
    for (const DirectedLink port : first.ports)
    {
        sum += alpha(port);
    }
    const double own = alpha(first.ports.front());
    std::string text = fmt::format("  buffers     {} shares {} among {}; {} may hold {} alone",
                                   network->GetNodes()[first.node].name,
                                   FormatSi(bytes, "B"),
                                   Plural(first.ports.size(), "port"),
                                   network->GetName(first.ports.front()),
                                   FormatSi(GetSteadyLimit(bytes, own, own), "B"));
    if (first.ports.size() > 1)
    {
        text += fmt::format(",\n              {} beside another full one, {} when all are full",
                            FormatSi(GetSteadyLimit(bytes, own, own + alpha(first.ports[1])), "B"),
                            FormatSi(GetSteadyLimit(bytes, own, sum), "B"));
    }
    if (buffers.size() > 1)
    {
        const std::size_t more = buffers.size() - 1;
        text += fmt::format(";\n              the ports of {} more {} share memories, too",
                            more,
                            more == 1 ? "switch" : "switches");
    }
    return text + "\n";
}

} // namespace ns3::dml
