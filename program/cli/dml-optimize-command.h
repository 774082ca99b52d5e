/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OPTIMIZE_COMMAND_H
#define DML_OPTIMIZE_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Run the command `optimize`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a scenario that cannot be optimised
 */
int RunOptimize(const CommandOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_OPTIMIZE_COMMAND_H */
