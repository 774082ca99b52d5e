/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-output-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-terminal-text.h"

#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// @return whether the person at the terminal says yes; false where there is nobody to ask
bool
Confirm(const std::string& question)
{
    if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
    {
        return false;
    }
    std::cerr << "dml: " << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace

void
CheckReplaceable(const CommandOptions& options)
{
    std::error_code error;
    if (std::filesystem::is_directory(options.out, error))
    {
        throw InputError(options.out + ": found a folder; accepted: a file for -o");
    }
    const auto folder = std::filesystem::path(options.out).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    {
        throw InputError(options.out + ": found no folder " + folder.string() +
                         "; accepted: a file in a folder that is there, for -o");
    }
    if (!options.force && std::filesystem::is_regular_file(options.out, error) &&
        !Confirm(EscapeControls(options.out) + " is there already; replace it?"))
    {
        throw InputError(options.out +
                         ": is there already; accepted: --force to replace it, or another file "
                         "for -o");
    }
}

void
WriteKeys(const CommandOptions& options, const std::string& yaml)
{
    if (options.out.empty())
    {
        std::cout << "for a scenario:\n" << yaml;
    }
    else
    {
        ResultFile::Replace(options.out, yaml);
        std::cout << "for a scenario: " << options.out << "\n";
    }
}

} // namespace ns3::dml
