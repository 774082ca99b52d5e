/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STAR_TOPOLOGY_H
#define DML_STAR_TOPOLOGY_H

#include "dml-topology.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Every host on its own link to the node "switch".
 */
class StarTopology : public Topology
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

#endif /* DML_STAR_TOPOLOGY_H */
