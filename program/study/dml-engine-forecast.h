/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_FORECAST_H
#define DML_ENGINE_FORECAST_H

#include "ns3/dml-engine-table.h"
#include "ns3/dml-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// An engine for a study, and why it was chosen.
struct EngineForecast
{
    EngineKind engine;  //!< the one that was chosen
    std::string reason; //!< a line for the user, with what the engines before it would take
};

/**
 * @ingroup dml-study
 * @brief Choose the engine that is nearest to reality among those that simulate fast enough:
 * packet, else burst, else fair-share, which is chosen whatever it takes.
 *
 * The same for all runs, so that they can be compared. It depends on the scenario alone, and not
 * on how fast this machine is.
 * @param scenarios checked variants of a study, at least one
 * @param seconds most CPU time that the longest run may be expected to take
 * @return the engine
 * @throws InputError for scenarios that no engine can run
 */
EngineForecast ChooseEngine(const std::vector<Scenario>& scenarios, double seconds);

/**
 * @param scenarios checked variants of a study, at least one
 * @param engine that runs them
 * @return CPU seconds that the longest run is expected to take, which depends on the scenario alone
 * @throws InputError for scenarios that the engine cannot run
 */
double EstimateLongest(const std::vector<Scenario>& scenarios, EngineKind engine);

} // namespace ns3::dml

#endif /* DML_ENGINE_FORECAST_H */
