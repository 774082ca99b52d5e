/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DUMBBELL_TOPOLOGY_H
#define DML_DUMBBELL_TOPOLOGY_H

#include "dml-topology.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Parameter servers on the node "left", workers on "right", extra hosts left and right in
 * turn; one trunk between the two.
 */
class DumbbellTopology : public Topology
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

#endif /* DML_DUMBBELL_TOPOLOGY_H */
