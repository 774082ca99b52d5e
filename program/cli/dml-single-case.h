/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What commands share that run one case of a scenario again and again.

#ifndef DML_SINGLE_CASE_H
#define DML_SINGLE_CASE_H

#include "dml-command-line.h"

#include "ns3/dml-scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// @param options of a command @return runs at the same time
uint32_t CountJobs(const CommandOptions& options);

/// @param options of a command @return the engine that --engine names; the first one without it
/// @throws InputError if it names several
EngineKind ChooseOneEngine(const CommandOptions& options);

/**
 * @param options of a command whose operand is a scenario
 * @param settings as of --set, instead of those of the command
 * @return the scenario
 * @throws InputError as ReadScenario(), or if it is of several cases
 */
Scenario ReadSingleCase(const CommandOptions& options, const std::vector<std::string>& settings);

} // namespace ns3::dml

#endif /* DML_SINGLE_CASE_H */
