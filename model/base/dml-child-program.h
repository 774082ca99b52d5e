/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHILD_PROGRAM_H
#define DML_CHILD_PROGRAM_H

#include <chrono>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// How a program ended.
struct ChildProgramEnd
{
    std::string output;  //!< of standard output and error, at most the first 64 KiB
    bool timeout{false}; //!< it was ended because it took too long
};

/**
 * @ingroup dml-helper
 * @brief Look for a program as a shell does, but never where the user happens to be.
 * @param name of the program, without a slash
 * @return its path in the first folder of PATH that has it, relative folders left out; empty if
 * none has
 */
std::string FindProgram(const std::string& name);

/**
 * @ingroup dml-helper
 * @brief Run a program without a shell, and wait for it.
 * @param command absolute path of the program, and its arguments
 * @param folder the folder to run it in
 * @param environment NAME=VALUE: set for it; NAME alone: removed
 * @param limit what it may take; then it and those that it started are killed
 * @return how it ended
 * @throws RunError if no process can be made
 */
ChildProgramEnd RunProgram(const std::vector<std::string>& command,
                           const std::string& folder,
                           const std::vector<std::string>& environment,
                           std::chrono::milliseconds limit);

} // namespace dml
} // namespace ns3

#endif /* DML_CHILD_PROGRAM_H */
