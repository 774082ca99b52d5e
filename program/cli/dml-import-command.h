/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_COMMAND_H
#define DML_IMPORT_COMMAND_H

#include "dml-command-line.h"

namespace ns3
{
namespace dml
{

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

} // namespace dml
} // namespace ns3

#endif /* DML_IMPORT_COMMAND_H */
