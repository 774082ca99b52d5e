/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHORTEST_PATHS_H
#define DML_SHORTEST_PATHS_H

#include "dml-cluster-network.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/// Shortest paths between one node and all others, by the metrics of the links.
struct ShortestPaths
{
    static constexpr uint64_t FAR = std::numeric_limits<uint64_t>::max(); //!< there is no path

    std::vector<uint64_t> distance; //!< length of the path, by node
    std::vector<uint32_t> previous; //!< neighbour on the path; where there is none, the node itself
};

/// Which way paths lead.
enum class PathDirection
{
    FROM, //!< from the one node to the others
    TO,   //!< from the others to the one node
};

/// @param network nodes and links @param node the one @param direction of the paths
/// @return found with Boost.Graph (Dijkstra)
ShortestPaths FindShortestPaths(const ClusterNetwork& network,
                                uint32_t node,
                                PathDirection direction);

} // namespace ns3::dml

#endif /* DML_SHORTEST_PATHS_H */
