/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-state.h"

#include "dml-result-file.h"
#include "dml-study-case.h"

#include "ns3/dml-error.h"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>

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
constexpr std::size_t CHECKSUM_DIGITS = 16;

/// @return the file's content, or nothing if it cannot be read
std::optional<std::string>
ReadFile(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// FNV-1a of bytes that come bit by bit.
class Checksum
{
  public:
    void Add(const char* bytes, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
        {
            m_hash = (m_hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211U;
        }
    }

    std::string GetDigits() const
    {
        std::string digits(CHECKSUM_DIGITS, '0');
        uint64_t hash = m_hash;
        for (std::size_t i = CHECKSUM_DIGITS; i-- > 0; hash >>= 4)
        {
            digits[i] = "0123456789abcdef"[hash & 15];
        }
        return digits;
    }

  private:
    uint64_t m_hash{14695981039346656037U}; //!< of the bytes so far
};

/// @return checksum of a file, which may be larger than memory; empty if it cannot be read
std::string
ChecksumOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        return "";
    }
    Checksum checksum;
    char block[65536];
    while (file.read(block, sizeof(block)) || file.gcount() > 0)
    {
        checksum.Add(block, file.gcount());
    }
    return checksum.GetDigits();
}

/// @return the JSON value in the file, or nothing if there is none
std::optional<Json>
ReadJson(const fs::path& path)
{
    const auto text = ReadFile(path);
    Json json = text ? Json::parse(*text, nullptr, false) : Json();
    return json.is_object() ? std::optional<Json>(std::move(json)) : std::nullopt;
}

/// @return true for files that a study needs of a run after its rows have been merged
bool
StaysAfterMerge(const fs::path& path)
{
    return path.filename() == fs::path(RESULT).filename() || path.filename() == "trace.json";
}

/// @param folder of a run @return true if its files are those of the list, which names checksums
bool
AreIntact(const fs::path& folder, const Json& checksums)
{
    for (const auto& [name, checksum] : checksums.items())
    {
        const fs::path path = folder / name;
        // a capture leaves the folder before the other rows do
        const bool moved = IsCapture(path) && !fs::exists(path);
        if (!moved && ChecksumOf(path) != checksum)
        {
            return false;
        }
    }
    return true;
}

[[noreturn]] void
Refuse(const std::string& folder, const std::string& text)
{
    throw InputError(folder + ": " + text);
}

} // namespace

StudyState::StudyState(const std::string& folder,
                       const nlohmann::ordered_json& asked,
                       UnfinishedStudy unfinished)
    : m_results(folder),
      m_folder(folder + "/unfinished")
{
    // as study.json has it: names come from files of any encoding
    const std::string question = asked.dump(1, ' ', false, Json::error_handler_t::replace);
    const bool exists = fs::exists(m_folder);
    if (exists && !fs::exists(m_folder + "/study.json") && !fs::is_empty(m_folder))
    {
        Refuse(m_folder, "found files that are not of a study; accepted: another --out");
    }
    const uint32_t kept = exists ? CountKept() : 0;
    if (kept > 0 && unfinished == UnfinishedStudy::REFUSE)
    {
        Refuse(
            folder,
            "found an unfinished study, of which " + std::to_string(kept) +
                (kept == 1 ? " run is" : " runs are") +
                " done; accepted: --resume to go on with it, --restart to begin anew, or another "
                "--out");
    }
    if (unfinished == UnfinishedStudy::RESUME)
    {
        if (kept > 0)
        {
            Check(Json::parse(question));
            ReadMerged();
            return;
        }
        if (!exists && fs::exists(folder + "/summary.json"))
        {
            Refuse(folder,
                   "found the results of a study that has ended, and nothing to resume; accepted: "
                   "a run without --resume to begin anew, or another --out");
        }
    }
    fs::remove_all(m_folder);
    fs::create_directories(m_folder);
    ResultFile::Replace(m_folder + "/study.json", question + "\n", true);
}

uint32_t
StudyState::CountKept() const
{
    uint32_t kept = 0;
    for (const auto& entry : fs::directory_iterator(m_folder))
    {
        kept += fs::exists(entry.path().string() + RESULT) && entry.path().extension() != RUNNING;
    }
    return kept;
}

void
StudyState::Check(const nlohmann::ordered_json& asked) const
{
    const auto was = ReadJson(m_folder + "/study.json");
    const std::string difference =
        was ? DescribeDifference(*was, asked) : "its study.json is damaged";
    if (!difference.empty())
    {
        Refuse(m_results,
               "found an unfinished study that is not this one: " + difference +
                   "; accepted: --resume of the same study, --restart to begin anew, or another "
                   "--out");
    }
}

void
StudyState::ReadMerged()
{
    const auto json = ReadJson(m_folder + "/merged.json");
    if (!json)
    {
        return;
    }
    Merged merged;
    merged.runs = json->value("runs", 0u);
    merged.sizes = json->value("sizes", merged.sizes);
    merged.wallSeconds = json->value("wall_seconds", 0.0);
    for (const auto& [name, size] : merged.sizes)
    {
        std::error_code error;
        const auto found = fs::file_size(fs::path(m_results) / name, error);
        if (error || found < size)
        {
            return; // somebody removed or shortened the file: these runs must be done again
        }
    }
    m_merged = merged;
}

std::string
StudyState::GetRunFolder(uint32_t run) const
{
    return m_folder + "/" + std::to_string(run);
}

std::string
StudyState::MakeRunFolder(uint32_t run) const
{
    const std::string folder = GetRunFolder(run) + RUNNING;
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

void
StudyState::Keep(uint32_t run, const std::string& result) const
{
    const std::string folder = GetRunFolder(run) + RUNNING;
    Json checksums = Json::object();
    for (const auto& file : fs::directory_iterator(folder))
    {
        checksums[file.path().filename().string()] = ChecksumOf(file.path());
    }
    const std::string content = checksums.dump() + "\n" + result;
    ResultFile::Replace(folder + RESULT, MakeChecksum(content) + content);
    fs::remove_all(GetRunFolder(run));
    fs::rename(folder, GetRunFolder(run));
}

std::optional<std::string>
StudyState::Load(uint32_t run) const
{
    const std::string folder = GetRunFolder(run);
    const auto sealed = ReadFile(folder + RESULT);
    if (!sealed || sealed->size() < CHECKSUM_DIGITS)
    {
        return std::nullopt;
    }
    const std::string content = sealed->substr(CHECKSUM_DIGITS);
    const std::size_t line = content.find('\n');
    if (line == std::string::npos || MakeChecksum(content) != sealed->substr(0, CHECKSUM_DIGITS))
    {
        return std::nullopt;
    }
    if (run >= m_merged.runs && !AreIntact(folder, Json::parse(content.substr(0, line))))
    {
        return std::nullopt;
    }
    return content.substr(line + 1);
}

const StudyState::Merged&
StudyState::GetMerged() const
{
    return m_merged;
}

void
StudyState::SetMerged(const Merged& merged)
{
    for (uint32_t run = m_merged.runs; run < merged.runs; ++run)
    {
        for (const auto& file : fs::directory_iterator(GetRunFolder(run)))
        {
            if (StaysAfterMerge(file.path()))
            {
                ResultFile::SyncPath(file.path());
            }
        }
        ResultFile::SyncPath(GetRunFolder(run));
    }
    const Json json{{"runs", merged.runs},
                    {"sizes", merged.sizes},
                    {"wall_seconds", merged.wallSeconds}};
    ResultFile::Replace(m_folder + "/merged.json", json.dump(1) + "\n", true);
    for (uint32_t run = m_merged.runs; run < merged.runs; ++run)
    {
        std::vector<fs::path> rows;
        for (const auto& file : fs::directory_iterator(GetRunFolder(run)))
        {
            if (!StaysAfterMerge(file.path()))
            {
                rows.push_back(file.path());
            }
        }
        for (const auto& path : rows)
        {
            fs::remove(path);
        }
    }
    m_merged = merged;
}

void
StudyState::Remove()
{
    std::error_code ignored;
    // without it the runs' results, whose rows are gone, are worth nothing
    fs::remove(m_folder + "/merged.json", ignored);
    fs::remove_all(m_folder, ignored);
}

std::string
DescribeDifference(const nlohmann::ordered_json& was, const nlohmann::ordered_json& is)
{
    if (was == is)
    {
        return "";
    }
    const bool maps = was.is_object() && is.is_object();
    const bool lists = was.is_array() && is.is_array() && was.size() == is.size() &&
                       (was.empty() || was.front().is_structured());
    if (!maps && !lists)
    {
        return " is " + is.dump() + " and was " + was.dump();
    }
    const auto join = [maps](const std::string& key, const std::string& rest) {
        const bool atEnd = rest.empty() || rest.front() == ' ' || rest.front() == '[';
        return (maps ? key : "[" + key + "]") + (atEnd ? "" : ".") + rest;
    };
    for (const auto& [key, value] : was.items())
    {
        if (maps && !is.contains(key))
        {
            return join(key, " is not given and was " + value.dump());
        }
        const std::string rest = DescribeDifference(value, maps ? is[key] : is[std::stoul(key)]);
        if (!rest.empty())
        {
            return join(key, rest);
        }
    }
    for (const auto& [key, value] : is.items())
    {
        if (maps && !was.contains(key))
        {
            return join(key, " is " + value.dump() + " and was not given");
        }
    }
    return "";
}

std::string
MakeChecksum(const std::string& bytes)
{
    Checksum checksum;
    checksum.Add(bytes.data(), bytes.size());
    return checksum.GetDigits();
}

std::string
GetBuildName()
{
    Dl_info info = {};
    const bool found = dladdr(reinterpret_cast<const void*>(&GetBuildName), &info) != 0;
    return found && info.dli_fname ? ChecksumOf(info.dli_fname) : "";
}

} // namespace dml
} // namespace ns3
