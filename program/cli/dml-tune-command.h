/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TUNE_COMMAND_H
#define DML_TUNE_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Run the command `tune`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a scenario or keys that cannot be tuned
 */
int RunTune(const CommandOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_TUNE_COMMAND_H */
