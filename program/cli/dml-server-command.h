/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SERVER_COMMAND_H
#define DML_SERVER_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

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

} // namespace dml
} // namespace ns3

#endif /* DML_SERVER_COMMAND_H */
