/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stored-scenario.h"

#include "dml-scratch-study.h"
#include "dml-stored-path.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-cursor.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-trace-input.h"
#include "ns3/dml-yaml-node.h"

#include <sstream>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Largest summary that is read: a study of thousands of configurations has 100 MB.
constexpr uint64_t MOST_BYTES = 1000000000;

/// Name files as they are called now, where the echo of a scenario has names that are no UTF-8.
void
FindFiles(Json& json)
{
    for (auto& [key, value] : json.items())
    {
        if (value.is_structured())
        {
            FindFiles(value);
        }
        else if (value.is_string())
        {
            value = FindStoredPath(value.get_ref<const std::string&>());
        }
    }
}

/// @param item configuration of a summary @param first its first run of real processes
/// @param disturbed gets those of its runs that were disturbed
void
ListDisturbed(const Json& item, const RunKey& first, std::set<RunKey>& disturbed)
{
    static const Json::json_pointer RUNS("/engines/host/replications");
    if (!item.contains(RUNS))
    {
        return;
    }
    for (const auto& run : item.at(RUNS))
    {
        const Json host = run.is_object() ? run.value("host", Json()) : Json();
        const Json number = run.is_object() ? run.value("replication", Json()) : Json();
        if (host.is_object() && host.value("disturbed", Json()) == true &&
            number.is_number_unsigned())
        {
            RunKey key = first;
            std::get<3>(key) = number.get<uint32_t>();
            disturbed.insert(std::move(key));
        }
    }
}

/// @param settings "key.path=value": all that it says @return the scenario that they make
/// @throws InputError if they make none
Scenario
ReadSettings(const std::vector<std::string>& settings)
{
    const ScratchStudy scratch(1);
    const std::string empty = scratch.GetFolder() + "/scenario.yaml";
    ResultFile::Replace(empty, "{}\n");
    return std::move(ReadScenario(empty, settings).front());
}

} // namespace

namespace
{

/// @return a summary.json with a scenario, or what a script has for it @throws InputError for
/// others
Json
ParseSummary(const std::string& path)
{
    TraceInput input(path);
    const std::string text = input.ReadText(MOST_BYTES);
    Json json;
    if (FindDeepJson(text) == std::string_view::npos)
    {
        json = Json::parse(text, nullptr, false);
    }
    if (json.is_discarded() || json.is_null())
    {
        std::istringstream again(text);
        JsonCursor::Parse(again, path); // which says what is wrong, and where
    }
    if (!json.is_object() || !json.contains("scenario") || !json["scenario"].is_object())
    {
        throw InputError(path + ": has no scenario; accepted is a summary.json of a run");
    }
    return json;
}

} // namespace

bool
IsOfScript(const std::string& path)
{
    return ParseSummary(path)["scenario"].contains("script");
}

std::vector<std::string>
ListStoredNotes(const std::string& path)
{
    std::vector<std::string> texts;
    const Json json = ParseSummary(path);
    const auto notes = json.find("notes");
    if (notes != json.end() && notes->is_array())
    {
        for (const auto& note : *notes)
        {
            if (note.is_string())
            {
                texts.push_back(note.get<std::string>());
            }
        }
    }
    return texts;
}

Json
ReadSummaryJson(const std::string& path)
{
    Json json = ParseSummary(path);
    if (json["scenario"].contains("script"))
    {
        throw InputError(path + ": is of a script, which has no scenario; accepted is a "
                                "summary.json of 'dml run'");
    }
    return json;
}

std::vector<std::string>
ListStoredSettings(const Json& scenario)
{
    std::vector<std::string> settings;
    for (const auto& [key, value] : scenario.items())
    {
        settings.push_back(key + "=" + value.dump());
    }
    return settings;
}

std::string
DescribeStoredError(const std::string& error, const std::vector<std::string>& settings)
{
    for (const auto& setting : settings)
    {
        const std::string source = "--set " + PrintableText(setting);
        if (error.rfind(source, 0) == 0)
        {
            const std::size_t end = error.find(": ", source.size());
            return error.substr(end == std::string::npos ? source.size() : end + 2);
        }
    }
    return error;
}

StoredScenario::StoredScenario(const std::string& summary, const std::vector<std::string>& changes)
    : m_summary(summary),
      m_changes(changes)
{
    for (const auto& change : changes)
    {
        const std::string path = change.substr(0, change.find('='));
        if (path == "sweep" || path.rfind("sweep.", 0) == 0)
        {
            throw InputError("--set " + path +
                             ": found a sweep; accepted: keys of one model, as each command "
                             "predicts with one");
        }
    }
    Json json = ReadSummaryJson(summary);
    ListVariants(json);
    FindFiles(json["scenario"]);
    const auto settings = ListStoredSettings(json["scenario"]);
    for (const auto& variant : m_variants)
    {
        auto all = settings;
        for (const auto& [key, value] : variant)
        {
            all.push_back(key + "=" + value);
        }
        m_settings.push_back(std::move(all));
    }
    if (m_variants.empty())
    {
        throw InputError(summary + ": has no cases; accepted: a summary.json of a run");
    }
    for (std::size_t i = 0; i < m_variants.size(); ++i)
    {
        m_models.push_back(ReadModel(m_settings[i]));
        m_models.back().variant = m_variants[i];
    }
    m_prepared.resize(m_models.size());
}

Scenario
StoredScenario::ChangeModel(std::size_t variant, const std::vector<std::string>& changes) const
{
    auto kept = m_settings[variant];
    kept.insert(kept.end(), changes.begin(), changes.end()); // nobody gave these
    auto all = m_settings[variant];
    all.insert(all.end(), m_changes.begin(), m_changes.end());
    all.insert(all.end(), changes.begin(), changes.end());
    try
    {
        Scenario model = ReadSettings(all);
        model.variant = m_variants[variant];
        return model;
    }
    catch (const InputError& error)
    {
        throw InputError(DescribeStoredError(error.what(), kept));
    }
}

Scenario
StoredScenario::ReadModel(const std::vector<std::string>& settings) const
{
    Scenario stored;
    try
    {
        stored = ReadSettings(settings);
    }
    catch (const InputError& error)
    {
        throw InputError(m_summary + ": its scenario cannot be read: " +
                         DescribeStoredError(error.what(), settings));
    }
    if (m_changes.empty())
    {
        return stored;
    }
    auto all = settings;
    all.insert(all.end(), m_changes.begin(), m_changes.end());
    Scenario model;
    try
    {
        model = ReadSettings(all);
    }
    catch (const InputError& error)
    {
        throw InputError(m_summary + ": its scenario cannot be read, with --set: " +
                         DescribeStoredError(error.what(), settings));
    }
    if (model.job.workers != stored.job.workers)
    {
        throw InputError("--set: found other numbers of workers than " + m_summary +
                         " has in job.workers; accepted: other keys, as the recorded steps tell "
                         "how many workers there are");
    }
    return model;
}

void
StoredScenario::ListVariants(const Json& json)
{
    const Json cases = json.value("cases", Json::array());
    for (const auto& item : cases)
    {
        const Json set = item.is_object() ? item.value("variant", Json::object()) : Json();
        Variant variant;
        for (const auto& [key, value] : set.items())
        {
            variant.emplace_back(key, value.is_string() ? value.get<std::string>() : "");
        }
        const Json count = item.is_object() ? item.value("workers", Json()) : Json();
        if (count.is_number_unsigned())
        {
            m_cases.insert({NameVariant(variant), count.get<uint32_t>()});
            ListDisturbed(item,
                          {NameVariant(variant), count.get<uint32_t>(), "host", 0},
                          m_disturbed);
        }
        if (m_variants.empty() || m_variants.back() != variant)
        {
            m_variants.push_back(variant);
        }
    }
}

const PreparedScenario*
StoredScenario::Find(const std::string& variant, uint32_t workers)
{
    if (m_cases.count({variant, workers}) == 0)
    {
        return nullptr;
    }
    for (std::size_t i = 0; i < m_models.size(); ++i)
    {
        if (NameVariant(m_variants[i]) == variant)
        {
            if (!m_prepared[i])
            {
                m_prepared[i] = PrepareScenario(m_models[i], false);
            }
            return &*m_prepared[i];
        }
    }
    return nullptr;
}

} // namespace ns3::dml
