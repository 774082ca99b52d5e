/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-state.h"

#include "dml-result-file.h"
#include "dml-study-case.h"

#include "ns3/dml-error.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* STATE = "/unfinished";
constexpr const char* STUDY = "/study.json";
constexpr const char* COMMAND = "/command.json";

/// @return true for files that a study needs of a run after its rows have been merged
bool
StaysAfterMerge(const fs::path& path)
{
    return path.filename() == "result" || path.filename() == "trace.json";
}

[[noreturn]] void
Refuse(const std::string& folder, const std::string& text)
{
    throw InputError(folder + ": " + text);
}

/// Write a file unless it is there, whatever other processes do.
void
WriteOnce(const std::string& path, const std::string& content)
{
    if (fs::exists(path))
    {
        return;
    }
    const std::string own = path + "." + GetProcessName();
    ResultFile::Replace(own, content, true);
    fs::rename(own, path);
}

/// @throws InputError if another question was asked in the folder, which has a state
void
CheckSame(const std::string& folder, const StudyQuestion& asked, const std::string& accepted)
{
    const auto was = ReadBytes(folder + STATE + STUDY);
    const std::string difference =
        was ? asked.DescribeDifference(*was) : "its study.json is missing";
    if (!difference.empty())
    {
        Refuse(folder,
               "found an unfinished study that is not this one: " + difference +
                   "; accepted: " + accepted);
    }
}

} // namespace

StudyState::StudyState(const std::string& folder,
                       const StudyQuestion& asked,
                       const std::string& command,
                       UnfinishedStudy unfinished)
    : m_results(folder),
      m_folder(folder + STATE),
      m_store(m_folder, asked.GetName())
{
    const bool join = unfinished == UnfinishedStudy::JOIN;
    const bool merge = unfinished == UnfinishedStudy::MERGE;
    const bool exists = fs::exists(m_folder);
    const bool begun = fs::exists(m_folder + STUDY);
    if (exists && !begun && !join && !fs::is_empty(m_folder))
    {
        Refuse(m_folder, "found files that are not of a study; accepted: another --out");
    }
    const uint32_t kept = begun ? m_store.Count() : 0;
    if (kept > 0 && unfinished == UnfinishedStudy::REFUSE)
    {
        Refuse(
            folder,
            "found an unfinished study, of which " + std::to_string(kept) +
                (kept == 1 ? " run is" : " runs are") +
                " done; accepted: --resume to go on with it, --restart to begin anew, or another "
                "--out");
    }
    if (begun && (join || (kept > 0 && (merge || unfinished == UnfinishedStudy::RESUME))))
    {
        CheckSame(folder,
                  asked,
                  join ? "cases that were emitted for that study, or another --out"
                  : merge
                      ? "folders of one study, and another --out"
                      : "--resume of the same study, --restart to begin anew, or another --out");
        ReadMerged();
        if (unfinished == UnfinishedStudy::RESUME)
        {
            m_store.RemoveUnfinished();
        }
        return;
    }
    if (!exists && fs::exists(folder + "/summary.json") &&
        (join || unfinished == UnfinishedStudy::RESUME))
    {
        Refuse(
            folder,
            std::string("found the results of a study that has ended, and nothing to ") +
                (join
                     ? "add to; accepted: another --out"
                     : "resume; accepted: a run without --resume to begin anew, or another --out"));
    }
    if (!join)
    {
        fs::remove_all(m_folder);
    }
    Begin(asked.GetText(), command);
    if (join)
    {
        CheckSame(folder, asked, "another --out"); // if another process was quicker
    }
}

void
StudyState::Begin(const std::string& question, const std::string& command) const
{
    fs::create_directories(m_folder);
    WriteOnce(m_folder + COMMAND, command);
    WriteOnce(m_folder + STUDY, question);
}

void
StudyState::ReadMerged()
{
    const auto text = ReadBytes(m_folder + "/merged.json");
    const Json json = text ? Json::parse(*text, nullptr, false) : Json();
    if (!json.is_object())
    {
        return;
    }
    Merged merged;
    merged.runs = json.value("runs", 0u);
    merged.sizes = json.value("sizes", merged.sizes);
    merged.wallSeconds = json.value("wall_seconds", 0.0);
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

const RunStore&
StudyState::GetStore() const
{
    return m_store;
}

std::optional<std::string>
StudyState::Load(uint32_t run) const
{
    return m_store.Load(run, run >= m_merged.runs);
}

void
StudyState::Import(const std::string& folder, const StudyQuestion& asked, uint32_t runs) const
{
    if (fs::exists(m_results) && fs::equivalent(folder, m_results))
    {
        return;
    }
    if (!fs::exists(folder + STATE + STUDY))
    {
        Refuse(folder,
               "found no unfinished study; accepted: folders in which emitted cases have run");
    }
    CheckSame(folder,
              asked,
              "folders of one study, its scenario, its profiles and the program "
              "unchanged since its cases were emitted");
    const RunStore other(folder + STATE, asked.GetName());
    for (uint32_t run = 0; run < runs; ++run)
    {
        if (other.Load(run) && !Load(run))
        {
            m_store.Import(run, other);
        }
    }
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
        for (const auto& file : fs::directory_iterator(m_store.GetRunFolder(run)))
        {
            if (StaysAfterMerge(file.path()))
            {
                ResultFile::SyncPath(file.path());
            }
        }
        ResultFile::SyncPath(m_store.GetRunFolder(run));
    }
    const Json json{{"runs", merged.runs},
                    {"sizes", merged.sizes},
                    {"wall_seconds", merged.wallSeconds}};
    ResultFile::Replace(m_folder + "/merged.json", json.dump(1) + "\n", true);
    for (uint32_t run = m_merged.runs; run < merged.runs; ++run)
    {
        std::vector<fs::path> rows;
        for (const auto& file : fs::directory_iterator(m_store.GetRunFolder(run)))
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
StudyState::Compare(const std::string& folder, const StudyQuestion& asked)
{
    const auto was = ReadBytes(folder + STATE + STUDY);
    return was ? asked.DescribeDifference(*was) : "";
}

std::optional<std::string>
StudyState::ReadCommand(const std::string& folder)
{
    return ReadBytes(folder + STATE + COMMAND);
}

} // namespace dml
} // namespace ns3
