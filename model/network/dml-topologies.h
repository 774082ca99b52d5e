/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TOPOLOGIES_H
#define DML_TOPOLOGIES_H

#include "dml-topology.h"

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Every host on its own link to the node "switch".
 */
class StarTopology : public Topology
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    void Build(NetworkBuilder& builder) const override;
};

/**
 * @ingroup dml-network
 * @brief Parameter servers on the node "left", workers on "right", extra hosts left and right in
 * turn; one trunk between the two.
 */
class DumbbellTopology : public Topology
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    void Build(NetworkBuilder& builder) const override;
};

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
    /// @return the object TypeId
    static TypeId GetTypeId();
    void Build(NetworkBuilder& builder) const override;
};

/**
 * @ingroup dml-network
 * @brief As `network.topology` lists switches and links; links of workers and servers that the
 * cluster does not have are left out.
 */
class ExplicitTopology : public Topology
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    void Build(NetworkBuilder& builder) const override;
};

/// @return the topologies that `network.topology` may choose
const PluginKind& Topologies();

} // namespace ns3::dml

#endif /* DML_TOPOLOGIES_H */
