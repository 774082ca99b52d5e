/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHELL_WORD_H
#define DML_SHELL_WORD_H

#include <string>

namespace ns3::dml
{

/// @param text any text without a NUL; @return it as one word of a shell command, quoted if need
/// be, without line ends; control characters as bash reads them ($'\012')
std::string QuoteShell(const std::string& text);

/// @param path of a file; @return QuoteShell() of it, in a form that no program takes for an option
std::string QuoteShellPath(const std::string& path);

} // namespace ns3::dml

#endif /* DML_SHELL_WORD_H */
