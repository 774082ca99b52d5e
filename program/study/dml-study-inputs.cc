/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-inputs.h"

#include "dml-stored-path.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-scenario-check.h"

#include <filesystem>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char* PROFILE = "checksum of the profile";
constexpr const char* TRACE = "checksum of the trace of ";

/// @return end of the name of a checksum
std::string
NameJob(uint32_t index)
{
    return index == 0 ? "" : " of " + JobKey(index);
}

/// @return the member of an object, or null
Json
Get(const Json& json, const std::string& key)
{
    const auto found = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && found != json.end() ? *found : Json();
}

/// Add a file, if both are texts.
void
AddInput(const Json& path, const Json& checksum, bool profile, StudyInputs& inputs)
{
    if (path.is_string() && checksum.is_string())
    {
        inputs[path.get<std::string>()] = {checksum.get<std::string>(), profile};
    }
}

void
AddInputsOf(const Json& variant, StudyInputs& inputs)
{
    std::vector<Json> jobs{Get(variant, "job")};
    const Json others = Get(variant, "other_jobs");
    jobs.insert(jobs.end(), others.begin(), others.end());
    for (uint32_t index = 0; index < jobs.size(); ++index)
    {
        AddInput(Get(jobs[index], "profile"), Get(variant, PROFILE + NameJob(index)), true, inputs);
        const Json devices = Get(jobs[index], "devices");
        for (const auto& [device, keys] : devices.items())
        {
            AddInput(Get(Get(keys, "trace"), "file"),
                     Get(variant, TRACE + device + NameJob(index)),
                     false,
                     inputs);
        }
    }
}

} // namespace

void
AddInputChecksums(const Scenario& scenario, ProfileCache& profiles, Json& variant)
{
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        const JobSpec& job = GetJob(scenario, index);
        variant[PROFILE + NameJob(index)] = profiles.GetChecksum(job.profile);
        for (const auto& [device, spec] : job.devices)
        {
            if (!spec.trace.file.empty())
            {
                variant[TRACE + device + NameJob(index)] = ChecksumOfFile(spec.trace.file);
            }
        }
    }
}

StudyInputs
ReadStudyInputs(const std::string& folder)
{
    StudyInputs inputs;
    for (const char* name : {"/study.json", "/unfinished/study.json"})
    {
        const Json study = ParseOwnJson(ReadBytes(folder + name).value_or(""));
        if (study.is_object())
        {
            for (const auto& [part, variant] : study.items())
            {
                AddInputsOf(variant, inputs);
            }
        }
    }
    return inputs;
}

void
CheckStudyInputs(const std::string& folder, const std::string& accepted)
{
    for (const auto& [stored, input] : ReadStudyInputs(folder))
    {
        const std::string path = FindStoredPath(stored);
        std::error_code none;
        if (!std::filesystem::exists(path, none))
        {
            continue; // what reads it says so
        }
        // a profile is told by what it says, with its samples, a trace by its bytes
        const std::string is =
            input.profile ? ProfileCache().GetChecksum(path) : ChecksumOfFile(path);
        if (is != input.checksum)
        {
            throw InputError(path + ": has changed since the results in " + folder +
                             " were made of it: its checksum is " + is + " and was " +
                             input.checksum +
                             "; accepted: the file as it was, results of a new run" +
                             (accepted.empty() ? "" : ", or " + accepted));
        }
    }
}

void
CheckSameInputs(const std::vector<std::string>& folders)
{
    std::map<std::string, std::pair<std::string, std::string>> known; // by path: checksum, folder
    for (const auto& folder : folders)
    {
        for (const auto& [path, input] : ReadStudyInputs(folder))
        {
            const auto [other, added] = known.emplace(path, std::make_pair(input.checksum, folder));
            if (!added && other->second.first != input.checksum)
            {
                throw InputError(folder + ": was made of " + path + " when its checksum was " +
                                 input.checksum + ", and " + other->second.second +
                                 " when it was " + other->second.first +
                                 "; accepted: results of the same files, or of files with other "
                                 "names");
            }
        }
    }
}

} // namespace ns3::dml
