/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_CLUSTER_H
#define DML_FAIR_SHARE_CLUSTER_H

#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-topology-builder.h"

#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @param scenario the scenario
 * @param jobs sizes of its jobs, the first one first
 * @return how the fair-share engine shares links: `auto` is `equal` for one server and one job on a
 *         plain star, else `max-min`
 */
SharingRule GetSharingRule(const Scenario& scenario, const std::vector<JobSize>& jobs);

/**
 * @ingroup dml-helper
 * @brief What the fair-share engine sees of a scenario's network.
 *
 * The nodes, links and routes are those of BuildNetwork(), which the packet engine uses too. A link
 * carries its goodput; datagrams count as the tensor bytes that would take the same time. It
 * changes as ListLinkChanges() says: a link that is down carries nothing, one with another rate the
 * goodput of that. Random losses are not modelled.
 *
 * @param scenario the scenario
 * @param jobs sizes of its jobs, the first one first
 * @param replication number of the replication: on and off times of background flows are drawn
 * @return links, routes and rule
 */
FairShareNetwork MakeFairShareNetwork(const Scenario& scenario,
                                      const std::vector<JobSize>& jobs,
                                      uint32_t replication);

} // namespace dml
} // namespace ns3

#endif /* DML_FAIR_SHARE_CLUSTER_H */
