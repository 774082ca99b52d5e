/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-store.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-timeline-writer.h"

#include <filesystem>
#include <map>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* RESULT = "/result";   //!< sealed result of a run
constexpr const char* RUNNING = ".running"; //!< end of the name of an unfinished run's folder

/// @param text of a line, from @p at on @return it, and @p at behind it; nothing if there is no end
std::optional<std::string>
TakeLine(const std::string& text, std::size_t& at)
{
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos)
    {
        return std::nullopt;
    }
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    return line;
}

/// The parts of a sealed result.
struct Sealed
{
    std::string study;     //!< name of the study
    std::string checksums; //!< of the run's files by name, as JSON
    std::string result;    //!< of the run
};

/// @param folder of a run @return its result, if it is there and intact
std::optional<Sealed>
ReadSealed(const std::string& folder)
{
    const auto bytes = ReadBytes(folder + RESULT);
    if (!bytes || bytes->size() < Checksum::DIGITS)
    {
        return std::nullopt;
    }
    const std::string content = bytes->substr(Checksum::DIGITS);
    std::size_t at = 0;
    const auto study = TakeLine(content, at);
    const auto checksums = TakeLine(content, at);
    if (!checksums || MakeChecksum(content) != bytes->substr(0, Checksum::DIGITS))
    {
        return std::nullopt;
    }
    return Sealed{*study, *checksums, content.substr(at)};
}

/// Of a run's files by name.
using Checksums = std::map<std::string, std::string>;

/// @return what the result says of its files, or nothing if no study says so
std::optional<Checksums>
ReadChecksums(const Sealed& sealed)
{
    const Json json = ParseOwnJson(sealed.checksums);
    if (!json.is_object())
    {
        return std::nullopt;
    }
    Checksums checksums;
    for (const auto& [name, checksum] : json.items())
    {
        if (!IsFileName(name) || !checksum.is_string())
        {
            return std::nullopt;
        }
        checksums[name] = checksum.get<std::string>();
    }
    return checksums;
}

/// @return whether a file in a run's folder is a step in the form of TensorFlow's timelines
bool
IsTimeline(const fs::path& path)
{
    const std::string name = path.filename().string();
    const std::string end = TimelineWriter::SUFFIX;
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Link to a file, or copy it where that is not possible.
void
TakeFile(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::create_hard_link(from, to, error);
    if (error)
    {
        fs::copy_file(from, to);
    }
}

} // namespace

RunStore::RunStore(const std::string& folder, const std::string& study)
    : m_folder(folder),
      m_study(study)
{
}

std::string
RunStore::GetRunFolder(uint32_t run) const
{
    return m_folder + "/" + std::to_string(run);
}

std::string
RunStore::MakeRunFolder(uint32_t run) const
{
    const std::string folder = GetRunFolder(run) + "." + GetProcessName() + RUNNING;
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

void
RunStore::Keep(uint32_t run, const std::string& result) const
{
    const std::string folder = GetRunFolder(run) + "." + GetProcessName() + RUNNING;
    Json checksums = Json::object();
    for (const auto& file : fs::directory_iterator(folder))
    {
        checksums[file.path().filename().string()] = ChecksumOfFile(file.path());
    }
    const std::string content = m_study + "\n" + checksums.dump() + "\n" + result;
    ResultFile::Replace(folder + RESULT, MakeChecksum(content) + content);
    std::error_code error;
    fs::rename(folder, GetRunFolder(run), error);
    if (error && Load(run))
    {
        fs::remove_all(folder, error); // another process was quicker
        return;
    }
    if (error)
    {
        fs::remove_all(GetRunFolder(run)); // damaged
        fs::rename(folder, GetRunFolder(run));
    }
}

std::optional<std::string>
RunStore::Load(uint32_t run, bool rows) const
{
    const std::string folder = GetRunFolder(run);
    std::error_code missing;
    if (!fs::is_directory(fs::symlink_status(folder, missing)))
    {
        return std::nullopt; // or a link, and what it leads to is not this study's
    }
    const auto sealed = ReadSealed(folder);
    if (!sealed || sealed->study != m_study)
    {
        return std::nullopt;
    }
    const auto checksums = ReadChecksums(*sealed);
    if (!checksums)
    {
        return std::nullopt;
    }
    for (const auto& [name, checksum] : rows ? *checksums : Checksums())
    {
        const fs::path path = fs::path(folder) / name;
        // a capture leaves the folder before the other rows do
        const bool moved = IsCapture(path) && !fs::exists(path);
        const fs::path found = moved ? GetMovedPath(path) : path;
        std::error_code error;
        // what is no plain file is not of a run, and might never end
        if (!fs::is_regular_file(fs::symlink_status(found, error)) ||
            ChecksumOfFile(found) != checksum)
        {
            return std::nullopt;
        }
    }
    return sealed->result;
}

void
RunStore::Import(uint32_t run, const RunStore& other) const
{
    const std::string folder = MakeRunFolder(run);
    const std::string from = other.GetRunFolder(run);
    for (const auto& file : fs::directory_iterator(from))
    {
        TakeFile(file.path(), folder / file.path().filename());
    }
    const auto sealed = ReadSealed(from);
    const auto checksums = sealed ? ReadChecksums(*sealed) : std::nullopt;
    for (const auto& [name, checksum] : checksums.value_or(Checksums()))
    {
        const fs::path path = fs::path(from) / name;
        if (IsCapture(path) && !fs::exists(path))
        {
            TakeFile(other.GetMovedPath(path), fs::path(folder) / name);
        }
    }
    fs::remove_all(GetRunFolder(run));
    fs::rename(folder, GetRunFolder(run));
}

fs::path
RunStore::GetMovedPath(const fs::path& capture) const
{
    return fs::path(m_folder).parent_path() / GetCapturePath(capture);
}

void
RunStore::RemoveUnfinished() const
{
    std::vector<fs::path> unfinished;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_folder, error))
    {
        if (entry.path().extension() == RUNNING)
        {
            unfinished.push_back(entry.path());
        }
    }
    for (const auto& path : unfinished)
    {
        fs::remove_all(path, error);
    }
}

uint32_t
RunStore::Count() const
{
    uint32_t kept = 0;
    if (!fs::exists(m_folder))
    {
        return kept;
    }
    // that the folder cannot be listed must not pass for an empty one, which would be begun anew
    for (const auto& entry : fs::directory_iterator(m_folder))
    {
        kept += fs::exists(entry.path().string() + RESULT) && entry.path().extension() != RUNNING;
    }
    return kept;
}

std::vector<fs::path>
ListPaths(const std::string& folder, const std::function<bool(const fs::path&)>& chosen)
{
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder))
    {
        if (chosen(entry.path()))
        {
            paths.push_back(entry.path());
        }
    }
    return paths;
}

bool
IsCapture(const fs::path& path)
{
    return path.extension() == ".pcap" || path.extension() == ".xml" || IsTimeline(path);
}

fs::path
GetCapturePath(const fs::path& path)
{
    return IsTimeline(path) ? "timelines" / path.filename() : path.filename();
}

std::string
GetProcessName()
{
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return MakeChecksum(host).substr(0, 8) + "-" + std::to_string(getpid());
}

} // namespace ns3::dml
