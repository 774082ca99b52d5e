/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_CONNECTIONS_H
#define DML_LINK_CONNECTIONS_H

#include "ns3/dml-prepared-scenario.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Count how many connections of training jobs meet on links.
 * @param prepared a scenario
 * @param workers number of workers of its first job
 * @return by directed link, connections whose data crosses it; empty where packets of a connection
 * take several paths
 */
std::vector<uint32_t> CountLinkConnections(const PreparedScenario& prepared, uint32_t workers);

} // namespace ns3::dml

#endif /* DML_LINK_CONNECTIONS_H */
