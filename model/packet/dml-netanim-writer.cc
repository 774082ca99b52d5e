/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Empty where ns-3 has no NetAnim. In the standalone build a library of its own.

#ifdef DML_NETANIM

#include "dml-packet-animation.h"

#include "ns3/animation-interface.h"

#include <array>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Row of a node in the picture, from above.
uint32_t
RowOf(const NetworkNode& node)
{
    const std::size_t dot = node.name.find('.'); // job1.ps0
    const std::string name = dot == std::string::npos ? node.name : node.name.substr(dot + 1);
    return node.isSwitch ? 1 : name.rfind("ps", 0) == 0 ? 0 : 2;
}

} // namespace

} // namespace ns3::dml

void
DmlMakeNetAnimWriter(const ns3::dml::Cluster& cluster,
                     const std::string& path,
                     ns3::dml::PacketAnimation& animation)
{
    using ns3::AnimationInterface;
    constexpr double COLUMN = 10; // in NetAnim's units
    constexpr double ROW = 30;
    const auto& nodes = cluster.GetNetwork().GetNodes();
    std::array<uint32_t, 3> columns{};
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        const uint32_t row = ns3::dml::RowOf(nodes[i]);
        AnimationInterface::SetConstantPosition(cluster.GetNode(i),
                                                COLUMN * ++columns[row],
                                                ROW * row);
    }
    // it writes the positions at once
    const auto writer = std::make_shared<AnimationInterface>(path);
    animation = writer;
    writer->SetMaxPktsPerTraceFile(std::numeric_limits<uint32_t>::max()); // one file
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        writer->UpdateNodeDescription(cluster.GetNode(i), nodes[i].name);
    }
}

#endif // DML_NETANIM
