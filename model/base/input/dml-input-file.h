/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INPUT_FILE_H
#define DML_INPUT_FILE_H

#include "ns3/dml-open-file.h"

#include <istream>
#include <memory>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Open a file that a user names, or that lies in a folder of somebody else's, to read it.
 *
 * Never waits for the other end of a named pipe, nor wakes a device: only regular files are
 * accepted, and pipes that this process was started with, which the shell's "<(COMMAND)" and "|"
 * give (/dev/fd/N, /dev/stdin). All reading of files goes this way.
 * @param path of the file
 * @param accepted what could be read instead
 * @return the file
 * @throws FileError with the path and the reason; RunError if the machine is at its limits
 */
OpenFile OpenInput(const std::string& path, const std::string& accepted = "a file");

/// @param path of a file @param accepted as OpenInput() @return its bytes as a stream, which a
/// pipe's cannot be moved back in @throws as OpenInput()
std::unique_ptr<std::istream> OpenInputStream(const std::string& path,
                                              const std::string& accepted = "a file");

/// @param path of a file @return its content, or nothing if it cannot be opened
/// @throws RunError if the machine is at its limits, or the file cannot be read to its end
std::optional<std::string> ReadBytes(const std::string& path);

} // namespace ns3::dml

#endif /* DML_INPUT_FILE_H */
