/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_NETWORK_H
#define DML_SCENARIO_READER_NETWORK_H

#include "dml-key.h"

#include "ns3/dml-network-spec.h"

namespace ns3
{
namespace dml
{

/// @return the keys of `network`
const Keys<NetworkSpec>& NetworkKeys();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_NETWORK_H */
