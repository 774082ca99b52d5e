/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_COMMAND_H
#define DML_JOB_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

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

} // namespace dml
} // namespace ns3

#endif /* DML_JOB_COMMAND_H */
