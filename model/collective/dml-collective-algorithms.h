/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_ALGORITHMS_H
#define DML_COLLECTIVE_ALGORITHMS_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return the algorithms of all-reduce
const PluginKind& CollectiveAlgorithms();

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_ALGORITHMS_H */
