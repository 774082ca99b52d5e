/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WHY_REPORT_H
#define DML_WHY_REPORT_H

#include "dml-scenario-variants.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-plot-script.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// Below a table, on what the mark " ?" behind an interval means.
inline constexpr const char* DOUBT_NOTE =
    "  ?: may be 0 (95 % interval over replications with the same seeds; of fewer\n"
    "  than 4, the least and the greatest)\n";

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

/**
 * @brief Write critical-path.csv: a row for each segment of the critical paths of all steps that
 * count, with the columns workers, engine, worker, step, start, end, part (see ToString(TimePart)),
 * kind, op, op_worker, op_step, device, link (nothing, dependency or device), queued (seconds of
 * its end in which the next op waited in the queue of this one's device). Times in seconds.
 * @param path of the file
 * @param runs of one trace
 * @throws InputError if it cannot be created, RunError if it cannot be written
 */
void WritePathCsv(const std::string& path, const std::vector<WhyAnalysis>& runs);

/**
 * @brief Write a trace again with a process for each run whose threads are the critical paths of
 * its workers, and with arrows along them between what ran.
 * @param path of the file
 * @param trace path of the trace
 * @param runs of it
 * @throws InputError if it cannot be created, RunError if it cannot be written
 */
void WritePathTrace(const std::string& path,
                    const std::string& trace,
                    const std::vector<WhyAnalysis>& runs);

/**
 * @param title of the plot
 * @param runs at least one
 * @return critical-path: for each worker the mean seconds of a step by TimePart, one panel per run
 */
PlotScript PlotPaths(const std::string& title, const std::vector<WhyAnalysis>& runs);

} // namespace ns3::dml

#endif /* DML_WHY_REPORT_H */
