/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_TRAFFIC_H
#define DML_SCENARIO_READER_TRAFFIC_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-field.h"

#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @brief Read the list `network.background`.
 * @param background the list; missing if it was not given
 * @return the flows
 * @throws InputError naming the position and key of the first mistake
 */
std::vector<BackgroundSpec> ReadBackground(const YamlField& background);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_TRAFFIC_H */
