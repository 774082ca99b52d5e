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

namespace ns3::dml
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
    std::string name;          //!< of the effect
    RelativeDifference after;  //!< one engine's throughput over the other's - 1, without the effect
    RelativeDifference change; //!< the ratio with it over the ratio without it - 1
};

/// The difference of two engines, and what effects make of it.
struct EffectChecks
{
    RelativeDifference before;        //!< one engine's throughput over the other's - 1
    std::vector<EffectCheck> effects; //!< of the network
};

/**
 * @param variants runs
 * @param comparison the engines
 * @return for each effect of the network what switching it off changes
 * @throws InputError, RunError as ScenarioVariants::Run()
 */
EffectChecks CheckEffects(ScenarioVariants& variants, const EngineComparison& comparison);

/// @param comparison the engines @param checks of them @return lines of at most 80 columns
std::string FormatEffects(const EngineComparison& comparison, const EffectChecks& checks);

} // namespace ns3::dml

#endif /* DML_ENGINE_DIFFERENCE_H */
