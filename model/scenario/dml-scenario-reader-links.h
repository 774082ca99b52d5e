/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_LINKS_H
#define DML_SCENARIO_READER_LINKS_H

#include "dml-key.h"

#include "ns3/dml-network-spec.h"

namespace ns3::dml
{

/// @return a queue: its size, or a map
Value<QueueSpec> QueueValue();

/// @return bytes of an IP packet
Value<uint64_t> MtuValue();

/// @return what a link may have that differs from the network's others
const Keys<LinkSpec>& LinkKeys();

/// @return a map of LinkKeys()
Value<LinkSpec> LinkValue();

} // namespace ns3::dml

#endif /* DML_SCENARIO_READER_LINKS_H */
