/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-folder.h"

#include "dml-output-folder.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-plot-writer.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <istream>
#include <regex>
#include <set>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace ns3::dml
{

namespace
{

[[noreturn]] void
Refuse(const std::string& path, const std::string& why)
{
    throw InputError(path + ": cannot write results there: " + why +
                     "; accepted: --out with a folder that can be written");
}

} // namespace

ResultFolder::ResultFolder(const std::string& path, Lock lock)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    const std::string accepted = "--out with a folder that can be written";
    if (error)
    {
        ThrowFileError(path + ": cannot write results there", error.value(), accepted);
    }
    try
    {
        // flock() excludes the processes of other machines only with a descriptor that can write
        m_lock = OutputFolder(path + "/.lock").Open(O_RDWR | O_CREAT, accepted);
    }
    catch (const FileError&)
    {
        if (lock == Lock::EXCLUSIVE || access(path.c_str(), W_OK) == 0)
        {
            throw;
        }
        std::error_code none;
        if (!std::filesystem::exists(path + "/.lock", none))
        {
            return; // nobody can write here
        }
        m_lock = OutputFolder(path + "/.lock").Open(O_RDONLY, accepted);
    }
    // the children of a killed run hold the lock for a moment more
    constexpr int TRIES = 10;
    constexpr int WAIT_MICROSECONDS = 100000;
    const int operation = (lock == Lock::SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;
    int failed = flock(m_lock.Get(), operation);
    for (int i = 0; i < TRIES && failed != 0 && errno == EWOULDBLOCK; ++i)
    {
        usleep(WAIT_MICROSECONDS);
        failed = flock(m_lock.Get(), operation);
    }
    const bool without = errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP;
    if (failed != 0 && !(lock == Lock::SHARED && without))
    {
        const std::string why =
            errno == EWOULDBLOCK ? "another run does so now" : std::strerror(errno);
        Refuse(path, why);
    }
}

std::string
MakeFolderName(const std::string& text)
{
    constexpr std::size_t LONGEST = 100;
    constexpr std::size_t DIGITS = 8;
    std::string name;
    for (const char c : text)
    {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
        if ((plain || c == '-') && (!name.empty() || (c != '.' && c != '-')))
        {
            name += c;
        }
        else if (!plain && !name.empty())
        {
            name += '-';
        }
    }
    name.resize(std::min(name.size(), LONGEST));
    if (name == text && !name.empty())
    {
        return name;
    }
    // what the name has lost tells it from others; no name that stays as it is has a '+'
    return (name.empty() ? "unnamed" : name) + "+" + MakeChecksum(text).substr(0, DIGITS);
}

namespace
{

namespace fs = std::filesystem;

/// Tables and other files of which there is one.
const std::set<std::string> RESULTS{"summary.json",
                                    "certificate.json",
                                    "report.html",
                                    "trace.json",
                                    "missing-cases.txt",
                                    "steps.csv",
                                    "throughput.csv",
                                    "matched.csv",
                                    "transfers.csv",
                                    "connections.csv",
                                    "links.csv",
                                    "network.csv",
                                    "shares.csv",
                                    "gradients.csv",
                                    "versions.csv",
                                    "learning.csv",
                                    "ops.csv"};

/// @param name of a file @return whether a study calls its captures and timelines so
bool
IsCaptureName(const std::string& name)
{
    static const std::regex captures("(V[0-9]+-)?W[0-9]+-.*\\.(pcap|xml|timeline\\.json)");
    return name.find('\n') == std::string::npos && std::regex_match(name, captures);
}

/// @param path of a file @return whether it is the script of a plot of dml's
bool
IsPlotScript(const fs::path& path)
{
    std::string line;
    return path.extension() == ".gp" && std::getline(*OpenInputStream(path), line) &&
           line == GetPlotHead(path.stem().string());
}

/// @param folder any @return paths of the plain files in it; none if there is no such folder
std::vector<fs::path>
ListFiles(const fs::path& folder)
{
    std::vector<fs::path> files;
    if (!fs::exists(folder))
    {
        return files;
    }
    for (const auto& entry : fs::directory_iterator(folder))
    {
        if (fs::is_regular_file(entry.symlink_status()))
        {
            files.push_back(entry.path());
        }
    }
    return files;
}

} // namespace

bool
IsUnfinished(const std::string& folder)
{
    std::error_code none;
    return fs::exists((folder.empty() ? "." : folder) + UNFINISHED, none);
}

bool
HoldsStudy(const std::string& folder)
{
    const fs::path place = folder.empty() ? "." : folder;
    std::error_code none;
    return IsUnfinished(folder) || fs::exists(place / "study.json", none) ||
           fs::exists(place / "summary.json", none);
}

std::string
FindResult(const std::string& folder)
{
    const auto found =
        std::find_if(RESULTS.begin(), RESULTS.end(), [&folder](const std::string& name) {
            std::error_code none;
            return fs::exists(fs::path(folder) / name, none);
        });
    return found == RESULTS.end() ? "" : *found;
}

void
RemoveResults(const std::string& folder)
{
    for (const auto& path : ListFiles(folder))
    {
        const std::string name = path.filename().string();
        if (IsPlotScript(path))
        {
            for (const char* end : {".svg", ".gp"})
            {
                fs::remove(fs::path(path).replace_extension(end));
            }
        }
        else if (RESULTS.count(name) > 0 || IsCaptureName(name))
        {
            fs::remove(path);
        }
    }
    const fs::path timelines = fs::path(folder) / "timelines";
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(timelines, ignored)))
    {
        return; // it is not there, or a link leads elsewhere
    }
    for (const auto& path : ListFiles(timelines))
    {
        if (IsCaptureName(path.filename().string()))
        {
            fs::remove(path);
        }
    }
    fs::remove(timelines, ignored); // unless it is not empty
}

} // namespace ns3::dml
