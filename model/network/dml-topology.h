/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TOPOLOGY_H
#define DML_TOPOLOGY_H

#include "dml-network-builder.h"

#include "ns3/object.h"

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Who is connected to whom: what scenarios choose as `network.topology`.
 *
 * Derived classes register a TypeId. The same object may build many networks, of different numbers
 * of workers.
 */
class Topology : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Add the nodes and links of one network.
     * @param builder knows the hosts
     * @throws NetworkError if the network cannot be built
     */
    virtual void Build(NetworkBuilder& builder) const = 0;
};

} // namespace ns3::dml

#endif /* DML_TOPOLOGY_H */
