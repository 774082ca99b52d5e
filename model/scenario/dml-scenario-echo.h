/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_ECHO_H
#define DML_SCENARIO_ECHO_H

#include "dml-scenario.h"

#include <nlohmann/json_fwd.hpp>

namespace ns3::dml
{

/**
 * @brief A scenario as JSON, every key with its value, in the units of the YAML form.
 * @param scenario the scenario
 * @return an object with the keys of the YAML form
 */
nlohmann::ordered_json ScenarioToJson(const Scenario& scenario);

} // namespace ns3::dml

#endif /* DML_SCENARIO_ECHO_H */
