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

/// Holds ns-3's writer.
class NetAnimWriter : public PacketAnimation
{
  public:
    NetAnimWriter(const Cluster& cluster, const std::string& path)
    {
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
    }

  private:
    std::unique_ptr<AnimationInterface> m_animation; //!< at work
};

} // namespace

} // namespace ns3::dml

ns3::dml::PacketAnimation*
DmlMakeNetAnimWriter(const ns3::dml::Cluster& cluster, const std::string& path)
{
    return new ns3::dml::NetAnimWriter(cluster, path);
}

#endif // DML_NETANIM
