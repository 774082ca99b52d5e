/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHILD_PROGRAM_H
#define DML_CHILD_PROGRAM_H

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What a program reads, and how much of what it writes is kept.
struct ChildProgramText
{
    std::string input{};           //!< its standard input
    std::size_t mostOutput{65536}; //!< characters of its output that are kept, the first ones
    /// Writes the standard input through a pipe while the program runs, in place of `input`, and
    /// closes the stream. At most 64 KiB, which a pipe takes at once: the output is read
    /// afterwards. If the program ends early, writing fails with EPIPE, without a signal.
    std::function<void(std::FILE*)> write{};
};

/// How a program ended.
struct ChildProgramEnd
{
    std::string output;  //!< of standard output and error, as much as was to be kept
    bool timeout{false}; //!< it was ended because it took too long
    int status{0};       //!< what it exited with; of a signal: 128 + its number
};

/**
 * @ingroup dml-base
 * @brief Look for a program as a shell does, but never where the user happens to be.
 * @param name of the program, without a slash
 * @param more folders to look in after those of PATH, separated by colons
 * @return its path in the first folder that has it, relative folders left out; empty if none has
 */
std::string FindProgram(const std::string& name, const std::string& more = "");

/**
 * @ingroup dml-base
 * @brief Run a program without a shell, and wait for it.
 * @param command absolute path of the program, and its arguments
 * @param folder the folder to run it in
 * @param environment NAME=VALUE: set for it; NAME alone: removed
 * @param limit what it may take; then it and those that it started are killed
 * @param text what it reads, and how much of what it writes is kept
 * @return how it ended
 * @throws RunError if no process can be made
 */
ChildProgramEnd RunProgram(const std::vector<std::string>& command,
                           const std::string& folder,
                           const std::vector<std::string>& environment,
                           std::chrono::milliseconds limit,
                           const ChildProgramText& text = {});

} // namespace ns3::dml

#endif /* DML_CHILD_PROGRAM_H */
