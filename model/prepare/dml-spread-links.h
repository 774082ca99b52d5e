/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPREAD_LINKS_H
#define DML_SPREAD_LINKS_H

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-equal-paths.h"
#include "ns3/dml-flow-network.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief Links over which switches spread the packets of each connection, as links of the
 * fair-share engine.
 *
 * Where all flows that take one of some links are spread over all of them in proportion to their
 * rates, these are one link with the rate of all: the links from a leaf to its spines, and those
 * from the spines to a leaf.
 */
class SpreadLinks
{
  public:
    /// @param cluster the network @param paths of it @param links gets links with the rates of
    /// several, after those of the network; all must outlive this
    SpreadLinks(const ClusterNetwork& cluster, const EqualPaths& paths, FlowNetwork& links);

    /**
     * @param from node
     * @param to node
     * @return links of the fair-share engine that its flows cross
     * @throws KeyError if links are not shared as above
     */
    std::vector<LinkId> FindRoute(uint32_t from, uint32_t to);

    /// @param link of the network @return whether it is one of several that are one
    bool IsSpread(DirectedLink link) const;

  private:
    LinkId Find(const std::vector<DirectedLink>& layer);

    const ClusterNetwork& m_cluster;                     //!< the network
    const EqualPaths& m_paths;                           //!< of it
    FlowNetwork& m_links;                                //!< gets links
    std::map<std::vector<DirectedLink>, LinkId> m_known; //!< by the links that they are
    std::map<DirectedLink, const std::vector<DirectedLink>*> m_layers; //!< by link: key of m_known
};

} // namespace ns3::dml

#endif /* DML_SPREAD_LINKS_H */
