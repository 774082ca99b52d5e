/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-output-file.h"

#include "ns3/dml-draft-file.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-terminal-text.h"

#include <exception>
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

/// @return a text that starts with another file's path
std::string
ReplaceStart(const std::string& text, const std::string& from, const std::string& to)
{
    return text.rfind(from, 0) == 0 ? to + text.substr(from.size()) : text;
}

/// @param path of a file @throws FileError, RunError if no file can be made in its folder
void
TryToWrite(const std::string& path)
{
    const OutputFolder place(path);
    if (!place.TakesNamelessFiles())
    {
        const DraftFile draft(place, ".new");
    }
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
    if (!path.empty())
    {
        TryToWrite(FollowLinks(path)); // now, and not after the work
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
        const fs::path folder = target.parent_path();
        if (HoldsStudy(folder.string()))
        {
            throw InputError(target.string() +
                             ": is a link in a folder of results, which may be anybody's; "
                             "accepted: the file that it leads to, or another one for -o");
        }
        target = folder / fs::read_symlink(target, error);
    }
    return target.string();
}

void
WriteOutput(const std::string& path, std::string_view text)
{
    WriteCheckedOutput(path, text, [](const std::string&) {});
}

void
WriteCheckedOutput(const std::string& path,
                   std::string_view text,
                   const std::function<void(const std::string&)>& check)
{
    const std::string target = FollowLinks(path);
    // "x.new" may be a file of the user's
    const std::string ending = "." + std::to_string(getpid()) + ".draft";
    try
    {
        ResultFile::ReplaceChecked(target, text, ending, check);
    }
    catch (const std::exception& failure)
    {
        const std::string text = ReplaceStart(ReplaceStart(failure.what(), target + ending, path),
                                              target + ":",
                                              path + ":");
        if (dynamic_cast<const FileError*>(&failure))
        {
            throw FileError(text);
        }
        if (dynamic_cast<const InputError*>(&failure))
        {
            throw InputError(text);
        }
        if (dynamic_cast<const RunError*>(&failure))
        {
            throw RunError(text);
        }
        throw;
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
