/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-echo.h"

#include "dml-scenario-keys.h"

namespace ns3::dml
{

nlohmann::ordered_json
ScenarioToJson(const Scenario& scenario)
{
    return EchoKeys(RootKeys(), scenario);
}

} // namespace ns3::dml
