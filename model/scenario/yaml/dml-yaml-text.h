/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_TEXT_H
#define DML_YAML_TEXT_H

#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @brief Read a text file whole, plain or gzipped.
 * @param path of the file
 * @param what what the file should be, for error messages ("a scenario")
 * @return its text: valid UTF-8 of at most 256 MiB, without control characters other than tab and
 * line ends; a byte order mark is left out
 * @throws InputError if there is no such file, it cannot be read, or it is not such text
 */
std::string ReadTextFile(const std::string& path, const std::string& what);

/**
 * @brief Check that text is UTF-8 without control characters other than tab and line ends.
 *
 * yaml-cpp takes byte 4 for the end of the file and replaces what is not UTF-8, both silently.
 * @param text to check
 * @param source its file, for the error message
 * @throws InputError with line and column of the first byte that is not accepted
 */
void CheckText(std::string_view text, const std::string& source);

} // namespace ns3::dml

#endif /* DML_YAML_TEXT_H */
