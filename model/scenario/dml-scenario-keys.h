/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_KEYS_H
#define DML_SCENARIO_KEYS_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3::dml
{

/// @return the keys of a scenario
const Keys<Scenario>& RootKeys();

/**
 * @brief A scenario as JSON, every key with its value, in the units of the YAML form.
 * @param scenario the scenario
 * @return an object with the keys of the YAML form
 */
KeyJson ScenarioToJson(const Scenario& scenario);

/// @return the same, whatever they are read into
const std::vector<KeyText>& DescribeScenario();

/// @return the paths of all keys that are no maps, such as "network.rate"
const std::vector<std::string>& ScenarioPaths();

/// @return paths of maps whose keys are the user's own words, which may hold dots
const std::vector<std::string>& ScenarioTables();

} // namespace ns3::dml

#endif /* DML_SCENARIO_KEYS_H */
