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
#include <string>
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

/// The way of the data of a training job's connection.
struct ChannelPath
{
    std::string from;                //!< endpoint that sends
    std::string to;                  //!< endpoint that receives
    std::vector<DirectedLink> links; //!< in order; none: both share a host without a local link
};

/// A link between switches, and how many connections of training jobs send data over it.
struct MultipathLink
{
    DirectedLink link{0};        //!< of the network
    std::string name;            //!< as network.csv has it
    LinkConnections connections; //!< that switches have sent over it, and would if all were alike
};

/**
 * @param network with hosts
 * @param jobs endpoints and channels of its training jobs
 * @return the paths of all data of their connections; where packets of a connection take several
 * paths, an arbitrary one of them
 */
std::vector<ChannelPath> ListChannelPaths(const ClusterNetwork& network,
                                          const std::vector<JobShape>& jobs);

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

/**
 * @brief List the links that switches choose from, where a policy sends each connection over one of
 * several paths.
 * @param network with its links
 * @param connections CountLinkConnections() of it
 * @return links between switches that some connection may take, in the network's order; none where
 * there is one path, or where packets of a connection take several
 */
std::vector<MultipathLink> ListMultipathLinks(const ClusterNetwork& network,
                                              const std::vector<LinkConnections>& connections);

} // namespace ns3::dml

#endif /* DML_LINK_CONNECTIONS_H */
