/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-state.h"

#include "dml-study-case.h"

#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-shell-word.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* STUDY = "/study.json";
constexpr const char* COMMAND = "/command.json";
constexpr const char* MERGED = "/merged.json";
constexpr const char* REMOVED = ".removed"; //!< end of the name of a state that is to be removed

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
WriteOnce(const std::string& path, const std::string& content, bool durable)
{
    if (fs::exists(path))
    {
        return;
    }
    const std::string own = path + "." + GetProcessName();
    ResultFile::Replace(own, content, durable);
    fs::rename(own, path);
}

/**
 * @brief Remove a state so that a kill in between leaves nothing that looks like another state.
 * @param folder of it
 */
void
Discard(const std::string& folder)
{
    const std::string removed = folder + "." + GetProcessName() + REMOVED;
    std::error_code ignored; // what is left goes with the next study
    fs::remove_all(removed, ignored);
    fs::rename(folder, removed);
    fs::remove_all(removed, ignored);
}

/// @return true if a study that was killed before its study.json was there left the file or folder
bool
IsOfBeginning(const fs::path& path)
{
    // WriteOnce() has drafts, with further endings
    const std::string name = "/" + path.filename().string();
    return name.rfind(COMMAND, 0) == 0 || name.rfind(std::string(STUDY) + ".", 0) == 0 ||
           path.extension() == ".running";
}

/// @param folder of a state, which exists @return true if it holds what no study wrote
bool
HoldsForeignFiles(const std::string& folder)
{
    const fs::directory_iterator files(folder);
    return !std::all_of(begin(files), end(files), [](const auto& file) {
        return IsOfBeginning(file.path());
    });
}

/**
 * @param results folder of an unfinished study
 * @return what its merged.json says; nothing done if it is not there, or the result files hold less
 */
StudyState::Merged
ReadMerged(const std::string& results)
{
    const auto text = ReadBytes(results + UNFINISHED + MERGED);
    const Json json = text ? ParseOwnJson(*text) : Json();
    if (!json.is_object() || !json.contains("runs") || !json["runs"].is_number_unsigned() ||
        !json.contains("sizes") || !json["sizes"].is_object() || !json.contains("wall_seconds") ||
        !json["wall_seconds"].is_number())
    {
        return {};
    }
    StudyState::Merged merged;
    merged.runs = json["runs"].get<uint32_t>();
    merged.wallSeconds = json["wall_seconds"].get<double>();
    for (const auto& [name, size] : json["sizes"].items())
    {
        if (!IsFileName(name) || !size.is_number_unsigned())
        {
            return {};
        }
        merged.sizes[name] = size.get<uint64_t>();
    }
    for (const auto& [name, size] : merged.sizes)
    {
        std::error_code error;
        const auto found = fs::file_size(fs::path(results) / name, error);
        if (error || found < size)
        {
            return {}; // somebody removed or shortened the file: these runs must be done again
        }
    }
    return merged;
}

/// @throws InputError if another question was asked in the folder, which has a state
void
CheckSame(const std::string& folder, const StudyIdentity& asked, const std::string& accepted)
{
    const auto was = ReadBytes(folder + UNFINISHED + STUDY);
    const std::string difference =
        was ? asked.DescribeDifference(*was) : "its study.json is missing";
    if (!difference.empty())
    {
        Refuse(folder,
               "found an unfinished study that is not this one: " + difference +
                   "; accepted: " + accepted);
    }
}

/// @return whether a study has ended in the folder, or something that looks like one
bool
HoldsResults(const std::string& folder)
{
    return fs::exists(folder + STUDY) || fs::exists(folder + "/summary.json");
}

/// @throws InputError if the results in the folder are not those of the same study
void
CheckReplaceable(const std::string& folder, const StudyIdentity& asked)
{
    const std::string accepted = "; accepted: --force to replace them, or another --out";
    const auto was = ReadBytes(folder + STUDY);
    if (!was)
    {
        Refuse(folder,
               "found results that do not say of which study they are (study.json is missing)" +
                   accepted);
    }
    if (const std::string difference = asked.DescribeDifference(*was, StudyIdentity::PROGRAM);
        !difference.empty())
    {
        Refuse(folder,
               "found the results of a study that is not this one: " + difference + accepted);
    }
}

} // namespace

StudyState::StudyState(const std::string& folder,
                       const StudyIdentity& asked,
                       const std::string& command,
                       const Options& options)
    : m_results(folder),
      m_folder(folder + UNFINISHED),
      m_question(asked.GetText()),
      m_durable(options.durable),
      m_store(m_folder, asked.GetName())
{
    const auto unfinished = options.unfinished;
    const bool force = options.force;
    const bool join = unfinished == UnfinishedStudy::JOIN;
    const bool merge = unfinished == UnfinishedStudy::MERGE;
    if (fs::is_symlink(m_folder))
    {
        Refuse(m_folder, "is a symbolic link; accepted: a folder, none yet, or another --out");
    }
    const bool exists = fs::exists(m_folder);
    const bool begun = fs::exists(m_folder + STUDY);
    if (exists && !begun && !join && HoldsForeignFiles(m_folder))
    {
        Refuse(m_folder, "found files that are not of a study; accepted: another --out");
    }
    const uint32_t kept = begun ? m_store.Count() : 0;
    if (kept > 0 && unfinished == UnfinishedStudy::REFUSE && !force)
    {
        Refuse(
            folder,
            "found an unfinished study, of which " + std::to_string(kept) +
                (kept == 1 ? " run is" : " runs are") +
                " done; accepted: --resume to go on with it, --restart to begin anew, or another "
                "--out");
    }
    const bool other = merge && force && !Compare(folder, asked).empty();
    if (begun && (join || (kept > 0 && !other && (merge || unfinished == UnfinishedStudy::RESUME))))
    {
        CheckSame(folder,
                  asked,
                  join ? "cases that were emitted for that study, or another --out"
                  : merge
                      ? "folders of one study, and another --out"
                      : "--resume of the same study, --restart to begin anew, or another --out");
        m_merged = ReadMerged(folder);
        if (!join)
        {
            RemoveLeftovers();
        }
        if (unfinished == UnfinishedStudy::RESUME)
        {
            m_store.RemoveUnfinished();
        }
        return;
    }
    const bool ended = !exists && HoldsResults(folder);
    if (ended && (join || unfinished == UnfinishedStudy::RESUME))
    {
        Refuse(
            folder,
            std::string("found the results of a study that has ended, and nothing to ") +
                (join
                     ? "add to; accepted: another --out"
                     : "resume; accepted: a run without --resume to begin anew, or another --out"));
    }
    if (ended && !force)
    {
        CheckReplaceable(folder, asked);
        if (merge) // perhaps of a run that has ended since it was looked for
        {
            Refuse(folder,
                   "found the results of this study, which has ended; accepted: --force to replace "
                   "them, or another --out");
        }
    }
    if (!exists && !ended && !join && !force)
    {
        if (const std::string name = FindResult(folder); !name.empty())
        {
            Refuse(folder,
                   "found " + name +
                       ", which is of no study here; accepted: --force to replace it, or another "
                       "--out");
        }
    }
    if (!join)
    {
        RemoveLeftovers();
        if (exists || ended)
        {
            RemoveResults(folder);
        }
        if (exists)
        {
            Discard(m_folder);
        }
        if (exists || ended)
        {
            fs::remove(folder + STUDY); // the last: until then the folder says what is left there
        }
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
    WriteOnce(m_folder + COMMAND, command, m_durable);
    WriteOnce(m_folder + STUDY, question, m_durable);
}

void
StudyState::RemoveLeftovers() const
{
    const std::string beginning = std::string(UNFINISHED).substr(1) + ".";
    const auto isLeft = [&beginning](const fs::path& path) {
        return path.filename().string().rfind(beginning, 0) == 0 && path.extension() == REMOVED;
    };
    for (const auto& path : ListPaths(m_results, isLeft))
    {
        fs::remove_all(path);
    }
}

std::optional<std::string>
StudyState::Load(uint32_t run) const
{
    return m_store.Load(run, run >= m_merged.runs);
}

void
StudyState::Import(const std::string& folder, const StudyIdentity& asked, uint32_t runs) const
{
    std::error_code missing; // in one of two: then they are not the same
    if (fs::equivalent(folder, m_results, missing))
    {
        return;
    }
    if (!fs::exists(folder + UNFINISHED + STUDY))
    {
        Refuse(folder,
               "found no unfinished study; accepted: folders in which emitted cases have run");
    }
    CheckSame(folder,
              asked,
              "folders of one study, its scenario, its profiles and the program "
              "unchanged since its cases were emitted");
    if (const uint32_t merged = ReadMerged(folder).runs; merged > 0)
    {
        Refuse(folder,
               "holds results of which " + std::to_string(merged) +
                   (merged == 1 ? " run is" : " runs are") +
                   " in its files already; accepted: --out " + QuoteShell(folder));
    }
    const RunStore other(folder + UNFINISHED, asked.GetName());
    for (uint32_t run = 0; run < runs; ++run)
    {
        if (other.Load(run) && !Load(run))
        {
            m_store.Import(run, other);
        }
    }
}

void
StudyState::SetMerged(const Merged& merged)
{
    for (uint32_t run = m_merged.runs; run < merged.runs; ++run)
    {
        for (const auto& path : ListPaths(m_store.GetRunFolder(run), StaysAfterMerge))
        {
            ResultFile::SyncPath(path);
        }
        ResultFile::SyncPath(m_store.GetRunFolder(run));
    }
    const Json json{{"runs", merged.runs},
                    {"sizes", merged.sizes},
                    {"wall_seconds", merged.wallSeconds}};
    ResultFile::Replace(m_folder + MERGED, json.dump(1) + "\n", true);
    for (uint32_t run = m_merged.runs; run < merged.runs; ++run)
    {
        for (const auto& path : ListPaths(m_store.GetRunFolder(run), std::not_fn(StaysAfterMerge)))
        {
            fs::remove(path);
        }
    }
    m_merged = merged;
}

void
StudyState::Remove()
{
    ResultFile::Replace(m_results + STUDY, m_question, m_durable);
    try
    {
        Discard(m_folder);
    }
    catch (const fs::filesystem_error& error)
    {
        // with this file gone, no later study trusts what is left
        std::error_code ignored;
        fs::remove(m_folder + MERGED, ignored);
        throw RunError(m_results + ": the results are complete, yet " + m_folder +
                       " cannot be removed: " + error.code().message() +
                       "; to go on: the same command with --resume");
    }
}

std::string
StudyState::Compare(const std::string& folder, const StudyIdentity& asked)
{
    const auto was = ReadBytes(folder + UNFINISHED + STUDY);
    return was ? asked.DescribeDifference(*was) : "";
}

std::optional<std::string>
StudyState::ReadCommand(const std::string& folder)
{
    return ReadBytes(folder + UNFINISHED + COMMAND);
}

} // namespace ns3::dml
