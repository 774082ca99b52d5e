/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKGROUND_TRAFFIC_H
#define DML_BACKGROUND_TRAFFIC_H

#include "dml-background-source.h"

#include "ns3/dml-cluster.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Flows that are not of a training job: UDP at a constant rate and on/off, in datagrams that
 * fill a packet, and bulk over TCP with the scenario's settings. They end in ns-3's PacketSink.
 */
class BackgroundTraffic
{
  public:
    /**
     * @param cluster where the hosts are; must outlive the traffic
     * @param origin simulation time from which the flows' times count
     */
    BackgroundTraffic(const Cluster& cluster, Time origin);

    /**
     * @brief Install a flow, or the end of it that is on this rank.
     * @param flow between two hosts of the cluster
     * @param times the same flow, with the on and off times that both engines have
     */
    void Add(const BackgroundSpec& flow, const BackgroundFlow& times);

    /// @return bytes of payload of a datagram
    uint32_t GetDatagramSize() const;

    /// @return senders of the flows in the order of Add(), of those that begin on this rank
    const std::vector<Ptr<BackgroundSource>>& GetSources() const
    {
        return m_sources;
    }

  private:
    const Cluster& m_cluster;                     //!< where the hosts are
    Time m_origin;                                //!< from which times count
    uint16_t m_port{60000};                       //!< of the next sink
    std::vector<Ptr<BackgroundSource>> m_sources; //!< of the flows
};

} // namespace ns3::dml

#endif /* DML_BACKGROUND_TRAFFIC_H */
