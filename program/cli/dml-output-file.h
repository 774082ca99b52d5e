/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OUTPUT_FILE_H
#define DML_OUTPUT_FILE_H

#include "dml-command-line.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Ask before the file of --out is replaced.
 * @param options of a command, with or without --out and --force
 * @throws InputError if the file is there and the user does not want it replaced, or is not there
 * to be asked
 */
void CheckReplaceable(const CommandOptions& options);

/**
 * @brief Hand over keys that a command has found, to the file of --out or else to standard output.
 * @param options of the command, with or without --out
 * @param yaml keys of a scenario
 */
void WriteKeys(const CommandOptions& options, const std::string& yaml);

} // namespace ns3::dml

#endif /* DML_OUTPUT_FILE_H */
