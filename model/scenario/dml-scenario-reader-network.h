/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_NETWORK_H
#define DML_SCENARIO_READER_NETWORK_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-field.h"

namespace ns3
{
namespace dml
{

/// @return the keys of `network.tcp`
const Keys<TcpSpec>& TcpKeys();

/**
 * @brief Read the section `network`.
 * @param network the section, its keys checked; missing if it was not given
 * @return the network, with defaults for what was not given
 * @throws InputError naming the position and key of the first mistake
 */
NetworkSpec ReadNetworkSection(const YamlField& network);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_NETWORK_H */
