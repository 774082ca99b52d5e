/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_DIFFERENCE_H
#define DML_ENGINE_DIFFERENCE_H

#include "dml-scenario-variants.h"
#include "dml-why-report.h"

#include <string>

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

/**
 * @brief How much of the difference of two engines the effects of the network make that a scenario
 * can switch off: of each, the difference without it, and the ratio of the engines' throughputs
 * with it over that without it.
 * @param variants runs
 * @param comparison the engines
 * @return lines of at most 80 columns; none if the scenario has no such effect
 * @throws InputError, RunError as ScenarioVariants::Run()
 */
std::string FormatEffects(ScenarioVariants& variants, const EngineComparison& comparison);

} // namespace ns3::dml

#endif /* DML_ENGINE_DIFFERENCE_H */
