/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_CHOICE_H
#define DML_TRACE_CHOICE_H

#include "dml-command-line.h"

#include "ns3/dml-path-files.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-why-report.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// @param results a folder of results, or a trace in one @return path of the trace
/// @throws InputError if a folder has none
std::string FindTrace(const std::string& results);

/**
 * @param traces of a file
 * @param options of the command: --engine; without it, all engines that there are
 * @param path of the file, for messages
 * @return the runs with the most workers of these engines, at least one
 * @throws InputError if there is none with a step
 */
std::vector<const RunTrace*> ChooseRuns(const RunTraces& traces,
                                        const CommandOptions& options,
                                        const std::string& path);

/// Runs of a trace, and why they took as long as they did.
struct ExplainedTrace
{
    /**
     * @brief Read the runs; `jobs` and `analyses` are still empty.
     * @param path of the trace
     * @param options of the command: which engines, see ChooseRuns()
     * @throws InputError if it is no trace, or has no such run with a step
     */
    ExplainedTrace(const std::string& path, const CommandOptions& options);

    /// Make `jobs`. @throws InputError if a run tells no steps
    void MakeJobs();
    /// Make `analyses`, after MakeJobs().
    void Analyse();

    ExplainedTrace(const ExplainedTrace&) = delete;
    ExplainedTrace& operator=(const ExplainedTrace&) = delete;

    /// @return the runs for files and pictures
    std::vector<ExplainedRun> GetRuns() const;
    /// Draw the critical paths. @param folder of the pictures @return a warning, or nothing
    std::string Draw(const std::string& folder) const;

    std::string path;                  //!< of the file
    RunTraces traces;                  //!< all runs of the file
    std::vector<const RunTrace*> runs; //!< those that are explained
    std::vector<RecordedJob> jobs;     //!< one for each of `runs`
    std::vector<WhyAnalysis> analyses; //!< one for each of `jobs`, to which they refer
};

} // namespace ns3::dml

#endif /* DML_TRACE_CHOICE_H */
