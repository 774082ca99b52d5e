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

#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @brief The command `run`: a whole study, the list of its runs as commands (`--emit-cases`), or
 * some of its runs (`--case`).
 * @param options of the command line
 * @param scenario path of the scenario
 * @return exit code
 */
int RunStudy(const CommandOptions& options, const std::string& scenario);

/// @brief The command `check`. @param options of the command line @param scenario path of the
/// scenario
/// @return exit code
int CheckStudy(const CommandOptions& options, const std::string& scenario);

/**
 * @brief The command `run-rank`, which RankLauncher starts: one of the processes of one run.
 * @param options of the command line, whose operands are the folder of the run and the scenario
 * @return exit code
 */
int RunRank(const CommandOptions& options);

/**
 * @brief The command `merge`: puts runs together that emitted commands have done.
 * @param options of the command line, whose operands are folders of results after the first one
 * @return exit code; 1 if runs are missing, after writing the results of the others
 */
int RunMerge(const CommandOptions& options);

/**
 * @brief `dml compare A B`: two folders of results side by side.
 * @param options of the command line
 * @return exit code
 * @throws InputError if one cannot be read, or they have nothing in common
 */
int RunCompare(const CommandOptions& options);

/**
 * @brief `dml init PROFILE|TRACE...`: a scenario to begin with.
 * @param options of the command line
 * @return exit code
 * @throws InputError if a file cannot be read, or is there already and not to be replaced
 */
int RunInit(const CommandOptions& options);

/**
 * @brief Make a profile of traces, and print a report.
 * @param options as of `dml import`; operands are that word, a format and files
 * @throws InputError if something is wrong with the command line or a file
 */
void ImportProfile(const CommandOptions& options);

/**
 * @brief `dml import FORMAT FILE... -o PROFILE`: make a profile of the measurements of other tools.
 * @param options the command line
 * @return exit code
 * @throws InputError if something is wrong with the command line or a file
 */
int RunImport(const CommandOptions& options);

/**
 * @brief `dml fit-overhead FORMAT FILE...`: estimate the cost of parsing, the window and the link's
 * rate from the transfers that a framework recorded (Li et al., ICPE 2020, section 3.2).
 * @param options the command line
 * @return exit code
 * @throws InputError if something is wrong with the command line or a file, or there are no
 * transfers
 */
int RunFitOverhead(const CommandOptions& options);

/**
 * @brief `dml fit-server SCENARIO POINTS`: fit what tensors cost a server to measured throughputs.
 *
 * The fair-share engine predicts, with the seeds of the scenario in every trial.
 * @param options of the command line
 * @return exit code
 * @throws InputError if something is wrong with scenario or points, or these tell no cost; RunError
 * if a run fails
 */
int RunFitServer(const CommandOptions& options);

/**
 * @brief Run `import job`: traces of a whole job become its global data-flow graph.
 * @param options of the command line; the files are from the third operand on
 * @param import the user's choices, for traces of other programs
 * @return exit code
 * @throws InputError for what is no such trace
 */
int RunImportJob(const CommandOptions& options, const ImportOptions& import);

/**
 * @brief Run the command `replay`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for what is no job
 */
int RunReplay(const CommandOptions& options);

/**
 * @brief Run the command `why`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for results that it cannot explain
 */
int RunWhy(const CommandOptions& options);

/**
 * @brief Run the command `tune`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a scenario or keys that cannot be tuned
 */
int RunTune(const CommandOptions& options);

/**
 * @brief Run the command `optimize`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a scenario that cannot be optimised
 */
int RunOptimize(const CommandOptions& options);

/**
 * @brief Run the command `memory`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a profile that does not tell what ops hold, or options that do not fit it
 */
int RunMemory(const CommandOptions& options);

/**
 * @brief Run the command `learn`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for results without versions of the parameters
 */
int RunLearn(const CommandOptions& options);

/**
 * @brief What the steps in a study's trace waited for, and where engines differ; draws
 * critical-path.svg.
 * @param folder of results
 * @return lines of at most 80 columns, or why there are none; nothing without a trace
 */
std::string ExplainResults(const std::string& folder);

/// @return what the program can do, in lines for a person
std::string GetHelp();

/// @param command of the program @return its help, or nothing if there is no such command
std::optional<std::string> GetHelp(const std::string& command);

} // namespace ns3::dml

#endif /* DML_COMMANDS_H */
