/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HELP_H
#define DML_HELP_H

#include <optional>
#include <string>

namespace ns3::dml
{

/// @return what the program can do, in lines for a person
std::string GetHelp();

/// @param command of the program @return its help, or nothing if there is no such command
std::optional<std::string> GetHelp(const std::string& command);

} // namespace ns3::dml

#endif /* DML_HELP_H */
