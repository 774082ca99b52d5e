/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_SWEEP_H
#define DML_SCENARIO_READER_SWEEP_H

#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-path.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief One combination of the values under `sweep`.
 */
struct SweepVariant
{
    YamlNodePtr document; //!< the scenario with the values put in their places, without its sweep
    /// Key paths and values, in the order of the sweep.
    std::vector<std::pair<std::string, std::string>> values;
};

/**
 * @brief Unfold the key `sweep` of a scenario.
 *
 * A map of lists is a grid: all combinations, first key slowest. A list of maps is a list of cases,
 * each of which gives its keys one value; a key `sweep` in a case is a sweep again, of that case.
 * Values may be of any shape. A path may lead through a single value, which then becomes a map.
 * @param document the scenario after its overrides
 * @param overrides paths of the overrides; keys that they give leave the sweep
 * @return all variants; the document alone if there is no sweep, or nothing is left of it
 * @throws InputError if the sweep is malformed, names one place twice or overwrites an override
 * only in part, has a variant twice or more than 10000 of them
 */
std::vector<SweepVariant> UnfoldSweep(const YamlNodePtr& document,
                                      const std::vector<YamlPath>& overrides);

} // namespace ns3::dml

#endif /* DML_SCENARIO_READER_SWEEP_H */
