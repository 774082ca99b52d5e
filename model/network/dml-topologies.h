/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TOPOLOGIES_H
#define DML_TOPOLOGIES_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return the topologies that `network.topology` may choose
const PluginKind& Topologies();

} // namespace ns3::dml

#endif /* DML_TOPOLOGIES_H */
