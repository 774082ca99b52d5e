/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-recorder.h"

namespace ns3::dml
{

PacketRecorder::PacketRecorder() = default;

PacketRecorder::~PacketRecorder() = default;

void
PacketRecorder::EnableAnimation(const Cluster& cluster, const std::string& path)
{
    m_animation = MakePacketAnimation(cluster, path);
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

} // namespace ns3::dml
