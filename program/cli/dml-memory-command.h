/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEMORY_COMMAND_H
#define DML_MEMORY_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Run the command `memory`.
 * @param options of the command line
 * @return exit code
 * @throws InputError for a profile that does not tell what ops hold, or options that do not fit it
 */
int RunMemory(const CommandOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_MEMORY_COMMAND_H */
