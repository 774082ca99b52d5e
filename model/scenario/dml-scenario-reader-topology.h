/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_TOPOLOGY_H
#define DML_SCENARIO_READER_TOPOLOGY_H

#include "dml-key-values.h"

#include "ns3/dml-network-spec.h"

namespace ns3
{
namespace dml
{

/// @return how nodes are connected: a name, or a map
Value<TopologySpec> TopologyValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_TOPOLOGY_H */
