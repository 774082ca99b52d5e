/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_COMMAND_H
#define DML_STUDY_COMMAND_H

#include "dml-command-line.h"

#include <string>

namespace ns3
{
namespace dml
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

} // namespace dml
} // namespace ns3

#endif /* DML_STUDY_COMMAND_H */
