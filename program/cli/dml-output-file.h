/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OUTPUT_FILE_H
#define DML_OUTPUT_FILE_H

#include "dml-command-line.h"

#include <functional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @brief Ask before a file is replaced.
 * @param path that --out tells, or of a file beside it; empty: none
 * @param force whether the user wants it replaced
 * @throws InputError if something is there that is no file, or that the user does not want
 * replaced, or is not there to be asked
 */
void CheckReplaceable(const std::string& path, bool force);

/// @param path of a file @return the one that it leads to if it is a link, there or not; else
/// itself
std::string FollowLinks(const std::string& path);

/// @brief Write a file that --out tells. @param path of it, or of a link to it @param text its
/// content
void WriteOutput(const std::string& path, std::string_view text);

/**
 * @brief Hand over keys that a command has found, to the file of --out or else to standard output.
 * @param options of the command, with or without --out
 * @param yaml keys of a scenario
 */
void WriteKeys(const CommandOptions& options, const std::string& yaml);

/**
 * @brief Write a file that --out tells, unless what it would hold is refused.
 * @param path of it, or of a link to it
 * @param text its content
 * @param check reads a draft of it, whose path it gets
 * @throws InputError as `check` does, with the file's path for the draft's; RunError if the file
 * cannot be written
 */
void WriteCheckedOutput(const std::string& path,
                        std::string_view text,
                        const std::function<void(const std::string&)>& check);

} // namespace ns3::dml

#endif /* DML_OUTPUT_FILE_H */
