/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WHY_COMMAND_H
#define DML_WHY_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Run the command `why`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for results that it cannot explain
 */
int RunWhy(const CommandOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_WHY_COMMAND_H */
