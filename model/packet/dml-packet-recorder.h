/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_RECORDER_H
#define DML_PACKET_RECORDER_H

#include "dml-packet-animation.h"

#include "ns3/flow-monitor-helper.h"

#include <memory>
#include <string>

namespace ns3
{

namespace dml
{

/**
 * @ingroup dml-packet
 * @brief Files on request: ns-3's animation for NetAnim, and its FlowMonitor.
 */
class PacketRecorder
{
  public:
    PacketRecorder();
    ~PacketRecorder();
    PacketRecorder(const PacketRecorder&) = delete;
    PacketRecorder& operator=(const PacketRecorder&) = delete;

    /**
     * @brief As MakePacketAnimation(), until Close().
     * @param cluster with nodes
     * @param path of the XML file
     * @throws RunError if there is no NetAnim
     */
    void EnableAnimation(const Cluster& cluster, const std::string& path);

    /// @param path of the XML file with what FlowMonitor measures, written by Close()
    void EnableFlowMonitor(const std::string& path);

    /// Write the files, before the simulator is destroyed.
    void Close();

  private:
    std::unique_ptr<PacketAnimation> m_animation; //!< or null
    FlowMonitorHelper m_flows;                    //!< holds the monitor
    std::string m_flowFile;                       //!< empty: no FlowMonitor
};

} // namespace dml
} // namespace ns3

#endif /* DML_PACKET_RECORDER_H */
