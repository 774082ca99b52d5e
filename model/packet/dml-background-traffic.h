/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKGROUND_TRAFFIC_H
#define DML_BACKGROUND_TRAFFIC_H

#include "dml-cluster.h"

#include "ns3/application-container.h"
#include "ns3/dml-background-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Flows that are not of a training job, as ns-3's own applications.
 *
 * Constant rate and on/off are OnOffApplication over UDP, in datagrams that fill a packet; bulk is
 * BulkSendApplication over TCP with the scenario's settings.
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

    /// @return payload bytes that arrived, by flow in the order of Add(), of those that end here
    std::vector<uint64_t> GetReceivedBytes() const;

  private:
    const Cluster& m_cluster;     //!< where the hosts are
    Time m_origin;                //!< from which times count
    uint16_t m_port{60000};       //!< of the next sink
    ApplicationContainer m_sinks; //!< by flow
};

} // namespace dml
} // namespace ns3

#endif /* DML_BACKGROUND_TRAFFIC_H */
