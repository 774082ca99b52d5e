/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMMAND_H
#define DML_COMMAND_H

namespace ns3::dml
{

/**
 * @ingroup dml-cli
 * @brief The program dml: run, check and import.
 *
 * Texts for people go to standard output, errors and progress to standard error.
 * Whatever happens ends with a line on standard error and an exit code.
 * @param argc number of words of the command line
 * @param argv the words, the program's name first
 * @param commit that the program was made from, or ""
 * @return exit code: 0 done, 1 the run failed, 2 bad usage or input
 */
int RunCommand(int argc, char** argv, const char* commit);

} // namespace ns3::dml

#endif /* DML_COMMAND_H */
