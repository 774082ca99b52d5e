/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_CLUSTER_H
#define DML_FAIR_SHARE_CLUSTER_H

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @param scenario the scenario
 * @param jobs sizes of its jobs, the first one first
 * @return how the fair-share engine shares links: `auto` is `drop-tail` with hosts of Linux and
 *         ports that may drop; else `equal` for one server and one job on a plain star, and
 * `max-min` for others
 */
SharingRule GetSharingRule(const Scenario& scenario, const std::vector<JobSize>& jobs);

/**
 * @ingroup dml-prepare
 * @brief What the fair-share engine sees of a scenario's network.
 *
 * The nodes, links and routes are those that the packet engine uses too. A link carries its
 * goodput; datagrams count as the tensor bytes that would take the same time. It changes as
 * ListLinkChanges() says: a link that is down carries nothing, one with another rate the goodput of
 * that. Random losses are not modelled. Tensors, requests and answers take the delays of the links
 * on their routes; where the scenario gives a delay of its own, tensors take that.
 *
 * @param scenario the scenario
 * @param cluster built from its network
 * @param shapes what its jobs send; empty: to and from servers
 * @return links, routes and rule, for replication 0
 */
FairShareNetwork MakeFairShareNetwork(const Scenario& scenario,
                                      const ClusterNetwork& cluster,
                                      std::vector<JobShape> shapes = {});

/**
 * @brief See whether packets of a connection keep their order, as bursts of it must.
 * @param cluster a network
 * @param network what MakeFairShareNetwork() makes of it
 * @throws SharingError if packets are spread over several paths; the error names what does so
 */
void CheckBurstPaths(const ClusterNetwork& cluster, const FairShareNetwork& network);

/**
 * @param cluster a network
 * @param host name of one in it
 * @param coordinator name of another, or the same
 * @return the delays of the links on the routes between them
 * @throws InputError if there is none
 */
CoordinatorDelays FindDelays(const ClusterNetwork& cluster,
                             const std::string& host,
                             const std::string& coordinator);

/**
 * @brief Draw what differs between replications: on and off times of background flows, random
 * shares.
 * @param replication number of the replication, from 0
 * @param[in,out] network as MakeFairShareNetwork() makes it
 */
void SetReplication(uint32_t replication, FairShareNetwork& network);

} // namespace ns3::dml

#endif /* DML_FAIR_SHARE_CLUSTER_H */
