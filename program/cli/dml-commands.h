/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the commands of the program do, each of which gets its options and returns the exit code,
// and what some of them share.

#ifndef DML_COMMANDS_H
#define DML_COMMANDS_H

#include "dml-command-line.h"

#include "ns3/dml-scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

struct RunTrace;
struct RunTraces;

/**
 * @brief `run`: a whole study, the list of its runs as commands (`--emit-cases`), or some of its
 * runs (`--case`).
 * @param options of the command line
 * @param scenario path of the scenario
 * @return exit code
 */
int RunStudy(const CommandOptions& options, const std::string& scenario);

/// @brief `check`. @param options of the command line @param scenario path of it @return exit code
int CheckStudy(const CommandOptions& options, const std::string& scenario);

// Of the following, `options` are those of the command line, and what is returned is the exit code.
// They throw InputError if something is wrong with the command line or a file.

/// @brief `run-rank`, which RankLauncher starts: one of the processes of one run; operands are the
/// folder of the run and the scenario.
int RunRank(const CommandOptions& options);

/// @brief `merge`: puts runs together that emitted commands have done; returns 1 if runs are
/// missing, after writing the results of the others.
int RunMerge(const CommandOptions& options);

/// @brief `compare A B`: two folders of results side by side.
int RunCompare(const CommandOptions& options);

/// @brief `certify`: how far engines are from real processes on a scenario in small.
int RunCertify(const CommandOptions& options);

/// @brief `match RESULTS`: recorded steps beside the fair-share engine's, from where they began.
int RunMatch(const CommandOptions& options);

/// @brief `init PROFILE|TRACE...`: a scenario to begin with.
int RunInit(const CommandOptions& options);

/// @brief Make a profile of traces as `import` does, whose operands these are, and print a report.
void ImportProfile(const CommandOptions& options);

/// @brief `import FORMAT FILE... -o PROFILE`: make a profile of the measurements of other tools.
int RunImport(const CommandOptions& options);

/// @brief `import job`: traces of a whole job become its global data-flow graph; @p import has the
/// user's choices, for traces of other programs.
int RunImportJob(const CommandOptions& options, const ImportOptions& import);

/// @brief `fit-overhead FORMAT FILE...`: estimate the cost of parsing, the window and the link's
/// rate from the transfers that a framework recorded (Li et al., ICPE 2020, section 3.2).
int RunFitOverhead(const CommandOptions& options);

/// @brief `fit-server SCENARIO POINTS`: fit what tensors cost a server to measured throughputs. The
/// fair-share engine predicts, with the seeds of the scenario in every trial.
int RunFitServer(const CommandOptions& options);

/// @brief `replay`: predict the steps of a job, beside what was measured.
int RunReplay(const CommandOptions& options);

/// @brief `why`: what steps waited for.
int RunWhy(const CommandOptions& options);

/// @brief `tune`: search for good values of keys.
int RunTune(const CommandOptions& options);

/// @brief `optimize`: search for a good strategy of a job.
int RunOptimize(const CommandOptions& options);

/// @brief `memory`: what a worker's memory holds in a step.
int RunMemory(const CommandOptions& options);

/// @brief `learn`: how fast the schemes of some results learn.
int RunLearn(const CommandOptions& options);

/**
 * @brief What the steps in a study's trace waited for, and where engines differ; draws
 * critical-path.svg.
 * @param folder of results
 * @param[in,out] warnings gets one if the picture was not drawn
 * @return lines of at most 80 columns, or why there are none; nothing without a trace
 */
std::string ExplainResults(const std::string& folder, std::vector<std::string>& warnings);

/// @return what the program can do, in lines for a person
std::string GetHelp();

/// @param command of the program @return its help, or nothing if there is no such command
std::optional<std::string> GetHelp(const std::string& command);

/// @param options of a command @return runs at the same time
uint32_t CountJobs(const CommandOptions& options);

/// @param options of a command @return the engine that --engine names; the first one without it
/// @throws InputError if it names several
EngineKind ChooseOneEngine(const CommandOptions& options);

/**
 * @param options of a command whose operand is a scenario
 * @param settings as of --set, instead of those of the command
 * @return the scenario
 * @throws InputError as ReadScenario(), or if it is of several cases
 */
Scenario ReadSingleCase(const CommandOptions& options, const std::vector<std::string>& settings);

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

} // namespace ns3::dml

#endif /* DML_COMMANDS_H */
