/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_H
#define DML_SCENARIO_READER_H

#include "dml-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Read a scenario from YAML, with every check that needs no profile (CheckScenario()).
 *
 * `sweep: {network.rate: [1Gbps, 10Gbps], job.parameter_servers: [1, 2]}` yields one scenario per
 * combination, in the order of the listing with the first key slowest; a list of maps under `sweep`
 * yields one for each map (UnfoldSweep()). Scenario::variant names it. A list under job.workers is
 * no such sweep, it stays in Scenario::job.
 *
 * An override replaces or adds a value before the sweep is unfolded; an override of a swept key
 * takes the key out of the sweep. Its value is parsed as YAML; list items have an index
 * ("job.workers[1]=4"). Paths in the file start at its folder, paths in overrides at the current
 * one.
 * @param path a YAML file, or a folder that holds scenario.yaml
 * @param overrides "key.path=value", as given to --set, applied in order
 * @return the variants, at least one
 * @throws InputError as "file:line:column: key.path: found ...; accepted: ..."; for a value of an
 * override the place is "--set key.path=value"
 */
std::vector<Scenario> ReadScenario(const std::string& path,
                                   const std::vector<std::string>& overrides = {});

} // namespace ns3::dml

#endif /* DML_SCENARIO_READER_H */
