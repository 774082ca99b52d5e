/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EQUAL_PATHS_H
#define DML_EQUAL_PATHS_H

#include "dml-cluster-network.h"
#include "dml-five-tuple.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief The equally short paths of a network, and which of them a policy takes.
 *
 * Lengths are the links' metrics, as ns-3's global routing has them.
 */
class EqualPaths
{
  public:
    /// @param network must outlive this
    explicit EqualPaths(const ClusterNetwork& network)
        : m_network(network)
    {
    }

    /**
     * @param node any
     * @param to another node
     * @return the links on which a shortest path from it begins, in ascending order; none if there
     * is no path
     */
    const std::vector<DirectedLink>& GetNext(uint32_t node, uint32_t to) const;

    /**
     * @brief The path of a packet.
     * @param from node
     * @param to node
     * @param tuple of the packets that go there
     * @param policy that chooses at each node; of policies that do not choose by connection, what
     * comes out is one path of many
     * @return directed links in order, empty if from is to
     * @throws InputError if there is none
     */
    std::vector<DirectedLink> FindChosen(uint32_t from,
                                         uint32_t to,
                                         const FiveTuple& tuple,
                                         MultipathPolicy& policy) const;

    /// @param from node @param to node @return all links on shortest paths, in ascending order
    std::vector<DirectedLink> FindAll(uint32_t from, uint32_t to) const;

    /**
     * @brief How much of what goes from a node to another crosses links, if every switch sends as
     * much to each of the next ones.
     * @param from node
     * @param to node
     * @return shares above 0 and at most 1, by directed link; none if from is to
     * @throws InputError if there is no path
     */
    std::map<DirectedLink, double> FindShares(uint32_t from, uint32_t to) const;

    /**
     * @brief Where packets may be after 1, 2, ... hops, if switches choose freely.
     * @param from node
     * @param to node
     * @return sets of links in ascending order; none if from is to
     * @throws InputError if there is no path, or paths of different numbers of hops are equally
     * short
     */
    std::vector<std::vector<DirectedLink>> FindLayers(uint32_t from, uint32_t to) const;

  private:
    /// By node: the links on which shortest paths to a certain node begin.
    using Tree = std::vector<std::vector<DirectedLink>>;

    const Tree& GetTree(uint32_t to) const;
    /// @throws InputError where there is no path
    const std::vector<DirectedLink>& Require(uint32_t node, uint32_t to) const;

    const ClusterNetwork& m_network;          //!< the network
    mutable std::map<uint32_t, Tree> m_trees; //!< by destination, once asked for
};

} // namespace ns3::dml

#endif /* DML_EQUAL_PATHS_H */
