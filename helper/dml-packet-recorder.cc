/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-recorder.h"

#include "ns3/dml-error.h"

#ifdef DML_NETANIM
#include "ns3/animation-interface.h"
#else
namespace ns3
{

/// Stands in for what this ns-3 does not have.
class AnimationInterface
{
};

} // namespace ns3
#endif

#include <array>
#include <limits>

namespace ns3
{
namespace dml
{

#ifdef DML_NETANIM

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

#endif // DML_NETANIM

PacketRecorder::PacketRecorder() = default;

PacketRecorder::~PacketRecorder() = default;

void
PacketRecorder::EnableAnimation([[maybe_unused]] const ClusterHelper& cluster,
                                [[maybe_unused]] const std::string& path)
{
#ifndef DML_NETANIM
    throw RunError("output.netanim: this ns-3 was built without its module netanim");
#else
    constexpr double COLUMN = 10; // in NetAnim's units
    constexpr double ROW = 30;
    const auto& nodes = cluster.GetNetwork().GetNodes();
    std::array<uint32_t, 3> columns{};
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        const uint32_t row = RowOf(nodes[i]);
        AnimationInterface::SetConstantPosition(cluster.GetNode(i),
                                                COLUMN * ++columns[row],
                                                ROW * row);
    }
    // it writes the positions at once
    m_animation = std::make_unique<AnimationInterface>(path);
    m_animation->SetMaxPktsPerTraceFile(std::numeric_limits<uint32_t>::max()); // one file
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        m_animation->UpdateNodeDescription(cluster.GetNode(i), nodes[i].name);
    }
#endif
}

void
PacketRecorder::EnableFlowMonitor(const std::string& path)
{
    m_flowFile = path;
    m_flows.InstallAll();
}

void
PacketRecorder::Close()
{
    if (!m_flowFile.empty())
    {
        m_flows.GetMonitor()->CheckForLostPackets();
        m_flows.SerializeToXmlFile(m_flowFile, false, false);
    }
    m_animation.reset();
}

} // namespace dml
} // namespace ns3
