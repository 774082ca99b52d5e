/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EXPLICIT_TOPOLOGY_H
#define DML_EXPLICIT_TOPOLOGY_H

#include "dml-topology.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief As `network.topology` lists switches and links; links of workers and servers that the
 * cluster does not have are left out.
 */
class ExplicitTopology : public Topology
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

#endif /* DML_EXPLICIT_TOPOLOGY_H */
