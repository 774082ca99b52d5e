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

/// Of its time, what ops save in what-ifs, unless something else is asked.
inline constexpr double SAVED_PART = 0.1;

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
    std::vector<StepPath> paths;     //!< of the steps that count
    double part{0.1};                //!< of its time that an op saves in `whatIfs`
    std::vector<WhatIf> whatIfs;     //!< what would shorten steps, the best first
    /// By what-if: by how much a run's mean step got shorter; of those that were not run, nothing.
    std::vector<RelativeDifference> checked;
};

/**
 * @param job that ran, with at least one step; must outlive the result
 * @param part of their time that ops save in what-ifs, above 0, at most 1
 * @return what its steps waited for
 */
WhyAnalysis AnalyseRun(const RecordedJob& job, double part);

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
