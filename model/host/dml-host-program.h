/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_PROGRAM_H
#define DML_HOST_PROGRAM_H

#include "ns3/dml-child-program.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Look for a program of the system's administration, also where only root looks.
 * @param name "ip" or "tc"
 * @return its path
 * @throws RunError that names the Debian package if there is none
 */
std::string FindHostProgram(const std::string& name);

/**
 * @ingroup dml-host
 * @brief Run such a program in the network namespace of the calling thread, 20 s at most.
 * @param program path
 * @param arguments of it
 * @param input its standard input
 * @return how it ended, with the first 16 MB of its output
 * @throws RunError if no process can be made
 */
ChildProgramEnd TryHostProgram(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::string& input);

/**
 * @ingroup dml-host
 * @brief The same for what has to work.
 * @param program path
 * @param arguments of it
 * @param input its standard input
 * @return its output
 * @throws RunError with the program's words if it fails or takes too long
 */
std::string RunHostProgram(const std::string& program,
                           const std::vector<std::string>& arguments,
                           const std::string& input);

} // namespace ns3::dml

#endif /* DML_HOST_PROGRAM_H */
