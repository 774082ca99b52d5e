/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_CONNECTIONS_H
#define DML_LINK_CONNECTIONS_H

#include "dml-prepared-scenario.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-flow-network.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// How many connections of training jobs send data over a link.
struct LinkConnections
{
    uint32_t count{0}; //!< that do
    double even{0};    //!< that would if all paths were used alike: a share of each that may

    /// @return whether more connections meet here than need to
    bool IsCollision() const
    {
        return count > even * (1 + 1e-9);
    }
};

/**
 * @ingroup dml-prepare
 * @brief Count how many connections of training jobs meet on links.
 * @param network with their hosts
 * @param jobs endpoints and channels of its jobs
 * @return by directed link; empty where packets of a connection take several paths
 */
std::vector<LinkConnections> CountLinkConnections(const ClusterNetwork& network,
                                                  const std::vector<JobShape>& jobs);

/// @param prepared a scenario @param workers number of workers of its first job @return likewise
std::vector<LinkConnections> CountLinkConnections(const PreparedScenario& prepared,
                                                  uint32_t workers);

} // namespace ns3::dml

#endif /* DML_LINK_CONNECTIONS_H */
