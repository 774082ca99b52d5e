/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WHY_REPORT_H
#define DML_WHY_REPORT_H

#include "dml-scenario-variants.h"
#include "dml-what-if.h"

#include "ns3/dml-confidence.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// Below a table, on what the mark " ?" behind an interval means.
inline constexpr const char* DOUBT_NOTE =
    "  ?: may be 0 (95 % interval over replications with the same seeds)\n";

/**
 * @ingroup dml-why
 * @brief What a run's steps waited for.
 */
struct WhyAnalysis
{
    const RecordedJob* job{nullptr}; //!< the job
    const RunTrace* trace{nullptr};  //!< of the run; null: of a replay
    std::vector<StepPath> paths;     //!< of the steps that count
    /// What would shorten steps if it took 10 % less time, the best first.
    std::vector<WhatIf> whatIfs;
    /// By what-if: by how much a run's mean step got shorter; of those that were not run, nothing.
    std::vector<RelativeDifference> checked;
};

/**
 * @brief Find the critical paths of the steps that say how a job runs: all but each worker's first
 * one, which starts with empty queues, unless there is no other.
 * @param job that ran, with at least one step; must outlive the result
 * @param trace of its run, likewise, or null
 * @return what its steps waited for
 */
WhyAnalysis AnalyseRun(const RecordedJob& job, const RunTrace* trace);

/**
 * @brief Run the study again with what would shorten steps most.
 * @param analysis gets the results
 * @param variants of the study
 * @param engine of the run
 * @throws InputError, RunError as ScenarioVariants::Run()
 */
void CheckWhatIfs(WhyAnalysis& analysis, ScenarioVariants& variants, EngineKind engine);

/// @param analysis of a run @return lines of at most 80 columns
std::string FormatWhy(const WhyAnalysis& analysis);

} // namespace ns3::dml

#endif /* DML_WHY_REPORT_H */
