/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_SWEEP_H
#define DML_SCENARIO_READER_SWEEP_H

#include "dml-yaml-node.h"
#include "dml-yaml-path.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-scenario
 * @brief One combination of the values under `sweep`.
 */
struct SweepVariant
{
    YamlNodePtr document; //!< the scenario with the values put in their places
    /// Key paths and values, in the order of the sweep.
    std::vector<std::pair<std::string, std::string>> values;
};

/**
 * @brief Unfold the key `sweep` of a scenario.
 * @param document the scenario after its overrides
 * @param overrides paths of the overrides; keys that they give leave the sweep
 * @return all combinations, first key slowest; the document alone if there is no sweep
 * @throws InputError if the sweep is malformed, names one place twice or overwrites an override
 * only in part, or has more than 10000 combinations
 */
std::vector<SweepVariant> UnfoldSweep(const YamlNodePtr& document,
                                      const std::vector<YamlPath>& overrides);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_SWEEP_H */
