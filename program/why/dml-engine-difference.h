/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_DIFFERENCE_H
#define DML_ENGINE_DIFFERENCE_H

#include "dml-scenario-variants.h"
#include "dml-why-report.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @brief Where the steps of one engine's run differ from another's: parts of the critical path, and
 * the transfers that take another time from when they could be sent until they have arrived, with
 * how many others share the server's link meanwhile.
 * @param one a run
 * @param other a run of the same job with as many workers
 * @return lines of at most 80 columns
 */
std::string FormatDifference(const WhyAnalysis& one, const WhyAnalysis& other);

/// Something in which engines differ, and which a scenario can switch off.
struct NetworkEffect
{
    std::string name;                //!< for people, "FIFO order in the switch"
    nlohmann::ordered_json scenario; //!< without it
};

/**
 * @param scenario echo of a scenario
 * @return effects that it has, each with the scenario without it
 */
std::vector<NetworkEffect> ListNetworkEffects(const nlohmann::ordered_json& scenario);

/// How much of the difference of two engines an effect makes.
struct EffectCheck
{
    RelativeDifference before; //!< one engine's throughput over the other's - 1
    RelativeDifference after;  //!< the same without the effect
    RelativeDifference change; //!< the ratio before over the ratio after - 1
};

/**
 * @param variants runs
 * @param comparison the engines
 * @param effects of the network
 * @return for each effect what switching it off changes
 * @throws InputError, RunError as ScenarioVariants::Run()
 */
std::vector<EffectCheck> CheckEffects(ScenarioVariants& variants,
                                      const EngineComparison& comparison,
                                      const std::vector<NetworkEffect>& effects);

/// @param comparison the engines @param effects of the network @param checks one for each
/// @return lines of at most 80 columns
std::string FormatEffects(const EngineComparison& comparison,
                          const std::vector<NetworkEffect>& effects,
                          const std::vector<EffectCheck>& checks);

} // namespace dml
} // namespace ns3

#endif /* DML_ENGINE_DIFFERENCE_H */
