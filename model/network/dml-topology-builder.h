/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TOPOLOGY_BUILDER_H
#define DML_TOPOLOGY_BUILDER_H

#include "dml-cluster-network.h"
#include "dml-host-names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Build the network of a cluster.
 *
 * Its Topology adds nodes and links: StarTopology, DumbbellTopology, LeafSpineTopology,
 * ExplicitTopology, or one of the user's.
 *
 * Where several paths are equally short, a fixed small addition to each link's length decides.
 *
 * @param spec the scenario's network
 * @param jobs sizes of the training jobs, at least one
 * @return the network, in which every worker, server and extra host has a node
 * @throws NetworkError if it cannot be built, or a host cannot be reached
 */
ClusterNetwork BuildNetwork(const NetworkSpec& spec, const std::vector<JobSize>& jobs);

/// @return how many networks this process has built, for tests
uint64_t CountBuiltNetworks();

/**
 * @brief Directed links that a fault of the spec hits.
 * @param network built from the same spec
 * @param fault the fault
 * @return both directions of the link, or of all links
 * @throws NetworkError if there is no such link
 */
std::vector<DirectedLink> FindFaultLinks(const ClusterNetwork& network, const FaultSpec& fault);

} // namespace ns3::dml

#endif /* DML_TOPOLOGY_BUILDER_H */
