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

namespace fs = std::filesystem;

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
CheckReplaceable(const std::string& path, bool force)
{
    std::error_code error;
    if (fs::is_directory(path, error))
    {
        throw InputError(path + ": found a folder; accepted: a file for -o");
    }
    const bool exists = fs::exists(path, error);
    if (exists && !fs::is_regular_file(path, error))
    {
        throw InputError(path + ": is no regular file; accepted: a file, there or new, for -o");
    }
    const auto folder = fs::path(FollowLinks(path)).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
    {
        throw InputError(path + ": found no folder " + folder.string() +
                         "; accepted: a file in a folder that is there, for -o");
    }
    if (!force && exists && !Confirm(EscapeControls(path) + " is there already; replace it?"))
    {
        throw InputError(path +
                         ": is there already; accepted: --force to replace it, or another file "
                         "for -o");
    }
}

std::string
FollowLinks(const std::string& path)
{
    constexpr int MOST_LINKS = 40; // as Linux
    std::error_code error;
    fs::path target = path;
    for (int i = 0; i < MOST_LINKS && fs::is_symlink(target, error); ++i)
    {
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    return target.string();
}

void
WriteOutput(const std::string& path, std::string_view text)
{
    ResultFile::Replace(FollowLinks(path), text);
}

void
WriteCheckedOutput(const std::string& path,
                   std::string_view text,
                   const std::function<void(const std::string&)>& check)
{
    const std::string target = FollowLinks(path);
    const std::string draft = target + ".draft";
    ResultFile::Replace(draft, text);
    std::error_code ignored;
    try
    {
        check(draft);
        fs::rename(draft, target);
    }
    catch (const InputError& error)
    {
        fs::remove(draft, ignored);
        const std::string reason = error.what();
        throw InputError(reason.rfind(draft, 0) == 0 ? path + reason.substr(draft.size()) : reason);
    }
    catch (const fs::filesystem_error& error)
    {
        fs::remove(draft, ignored);
        throw RunError(path + ": cannot be written: " + error.code().message());
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
        WriteOutput(options.out, yaml);
        std::cout << "for a scenario: " << options.out << "\n";
    }
}

} // namespace ns3::dml
