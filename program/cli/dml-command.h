/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMMAND_H
#define DML_COMMAND_H

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-cli
 * @brief The program dml: run, check and import.
 *
 * Texts for people go to standard output, errors and progress to standard error.
 * @param arguments command line without the program's name
 * @return exit code: 0 done, 1 the run failed, 2 bad usage or input
 */
int RunCommand(const std::vector<std::string>& arguments);

} // namespace ns3::dml

#endif /* DML_COMMAND_H */
