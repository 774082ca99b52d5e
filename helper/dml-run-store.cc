/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-store.h"

#include "dml-checksum.h"
#include "dml-result-file.h"
#include "dml-study-case.h"

#include "ns3/dml-error.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* RESULT = "/result";   //!< sealed result of a run
constexpr const char* RUNNING = ".running"; //!< end of the name of an unfinished run's folder

/// @param folder of a run @return true if its files are those of the list, which names checksums
bool
AreIntact(const fs::path& folder, const Json& checksums)
{
    for (const auto& [name, checksum] : checksums.items())
    {
        const fs::path path = folder / name;
        // a capture leaves the folder before the other rows do
        const bool moved = IsCapture(path) && !fs::exists(path);
        if (!moved && ChecksumOfFile(path) != checksum)
        {
            return false;
        }
    }
    return true;
}

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
    const auto sealed = ReadBytes(folder + RESULT);
    if (!sealed || sealed->size() < Checksum::DIGITS)
    {
        return std::nullopt;
    }
    const std::string content = sealed->substr(Checksum::DIGITS);
    std::size_t at = 0;
    const auto study = TakeLine(content, at);
    const auto checksums = TakeLine(content, at);
    if (!checksums || study != m_study ||
        MakeChecksum(content) != sealed->substr(0, Checksum::DIGITS))
    {
        return std::nullopt;
    }
    if (rows && !AreIntact(folder, Json::parse(*checksums)))
    {
        return std::nullopt;
    }
    return content.substr(at);
}

void
RunStore::Import(uint32_t run, const RunStore& other) const
{
    const std::string folder = MakeRunFolder(run);
    for (const auto& file : fs::directory_iterator(other.GetRunFolder(run)))
    {
        const fs::path path = folder / file.path().filename();
        std::error_code error;
        fs::create_hard_link(file.path(), path, error);
        if (error)
        {
            fs::copy_file(file.path(), path);
        }
    }
    fs::remove_all(GetRunFolder(run));
    fs::rename(folder, GetRunFolder(run));
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
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_folder, error))
    {
        kept += fs::exists(entry.path().string() + RESULT) && entry.path().extension() != RUNNING;
    }
    return kept;
}

std::optional<std::string>
ReadBytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (!file || error)
    {
        return std::nullopt;
    }
    std::string bytes(size, '\0');
    file.read(bytes.data(), bytes.size());
    bytes.resize(file.gcount());
    return bytes;
}

std::string
GetProcessName()
{
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return MakeChecksum(host).substr(0, 8) + "-" + std::to_string(getpid());
}

} // namespace dml
} // namespace ns3
