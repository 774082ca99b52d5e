/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_SECTIONS_H
#define DML_SCENARIO_READER_SECTIONS_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-node.h"

#include <string>

namespace ns3
{
namespace dml
{

/**
 * @brief Read one variant of a scenario. Values are checked one by one, not against each other.
 * @param root the document; its key `sweep` is left alone
 * @param file path of the scenario's file, against whose folder the profile's path is resolved
 * @return the scenario with its locations, without Scenario::variant
 * @throws InputError with position and key path
 */
Scenario ReadScenarioSections(const YamlNodePtr& root, const std::string& file);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_SECTIONS_H */
