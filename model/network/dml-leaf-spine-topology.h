/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LEAF_SPINE_TOPOLOGY_H
#define DML_LEAF_SPINE_TOPOLOGY_H

#include "dml-topology.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Hosts are dealt to "leaf0", "leaf1", ... in turn, the servers of all jobs first, then
 * workers, then extra hosts; every leaf has a link to every spine.
 *
 * What leaf k sends goes over spine k mod spines only, so that `oversubscription` is the rate of a
 * leaf's hosts over that of one trunk: all trunks are that much slower than the hosts of the leaf
 * with the fastest ones.
 */
class LeafSpineTopology : public Topology
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Build(NetworkBuilder& builder) const override;
};

} // namespace ns3::dml

#endif /* DML_LEAF_SPINE_TOPOLOGY_H */
