/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-variants.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-stored-path.h"
#include "ns3/dml-stored-scenario.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// @param json a time, as an echo of a scenario has it: "10000ns" @param factor of it
void
ScaleTime(Json& json, double factor)
{
    const std::string& text = json.get_ref<const std::string&>();
    const double time = std::strtod(text.c_str(), nullptr);
    if (text == std::to_string(std::llround(time)) + "ns")
    {
        json = std::to_string(std::llround(factor * time)) + "ns";
    }
}

/// @param json a rate, as an echo of a scenario has it, or one for each direction @param factor by
/// which it becomes smaller
void
DivideRate(Json& json, double factor)
{
    if (json.is_structured())
    {
        for (auto& each : json)
        {
            DivideRate(each, factor);
        }
    }
    else if (json.is_string())
    {
        const double rate = std::strtod(json.get_ref<const std::string&>().c_str(), nullptr);
        json = std::to_string(static_cast<uint64_t>(rate / factor + 0.5)) + "bps";
    }
}

/// Make what links take @p factor times as long: by their rates, and by their delays.
void
ScaleLinks(Json& json, double factor)
{
    for (auto& [key, value] : json.items())
    {
        if (key == "rate")
        {
            DivideRate(value, factor);
        }
        else if (value.is_structured() && key != "background")
        {
            ScaleLinks(value, factor);
        }
        else if (key == "delay" && value.is_string())
        {
            ScaleTime(value, factor);
        }
    }
}

/// Let classes of devices whose time for a batch a scenario tells take @p factor of it.
/// @return whether there are any: a profile says nothing but how it is shared out among the ops
bool
ScaleDevices(Json& classes, double factor)
{
    bool any = false;
    for (auto& [name, keys] : classes.items())
    {
        for (auto& [key, value] : keys.items())
        {
            if (key == "rate" && value.is_number())
            {
                value = value.get<double>() / factor;
                any = true;
            }
            else if ((key == "launch" || key == "per_sample" || key == "floor") &&
                     value.is_string())
            {
                ScaleTime(value, factor);
                any = true;
            }
        }
    }
    return any;
}

/// Multiply what receivers spend on tensors, @p overhead and the servers' own, by @p factor.
void
MultiplyParsing(Json& overhead, double factor)
{
    for (auto& [key, value] : overhead.items())
    {
        if (value.is_object())
        {
            MultiplyParsing(value, factor);
        }
        else if (value.is_number())
        {
            value = factor * value.get<double>();
        }
    }
}

} // namespace

ScenarioVariants::ScenarioVariants(const std::string& summary,
                                   const std::string& model,
                                   const RecordedJob& run,
                                   uint32_t jobs)
    : m_summary(summary),
      m_study(jobs)
{
    Json json = ReadSummaryJson(summary);
    m_scenario = std::move(json["scenario"]);
    Json& job = m_scenario["job"];
    const auto lists = [](const Json& values, uint32_t value) {
        return values == value || (values.is_array() &&
                                   std::find(values.begin(), values.end(), value) != values.end());
    };
    if (json["model"] != model || !job.is_object() || !lists(job["workers"], run.workers) ||
        job["parameter_servers"] != run.servers)
    {
        throw InputError(summary + ": is not of the run of " + model + " with " +
                         Plural(run.workers, "worker") + " and " +
                         Plural(run.servers, "parameter server") +
                         " that the trace has; accepted: the summary.json of the same results, "
                         "or --check=none");
    }
    job["workers"] = Json::array({run.workers});
    LinkFolders(m_scenario);
}

void
ScenarioVariants::LinkFolders(Json& json)
{
    namespace fs = std::filesystem;
    for (auto& [key, value] : json.items())
    {
        if (value.is_structured())
        {
            LinkFolders(value);
        }
        else if (value.is_string())
        {
            const auto& text = value.get_ref<const std::string&>();
            const fs::path path = FindStoredPath(text);
            if (path != text && path.filename() == fs::path(text).filename())
            {
                const std::string link =
                    m_study.GetFolder() + "/folder" + std::to_string(m_files++);
                std::error_code ignored; // what cannot be read then says so
                fs::create_directory_symlink(fs::absolute(path, ignored).parent_path(),
                                             link,
                                             ignored);
                value = link + "/" + path.filename().string();
            }
        }
    }
}

Scenario
ScenarioVariants::MakeScenario() const
{
    return m_study.MakeScenario(ListStoredSettings(m_scenario));
}

Throughputs
ScenarioVariants::Run(const Json& scenario, EngineKind engine)
{
    const auto settings = ListStoredSettings(scenario);
    try
    {
        return m_study.Run(m_study.MakeScenario(settings), engine);
    }
    catch (const InputError& error)
    {
        throw InputError(m_summary + ": its scenario cannot be run: " +
                         DescribeStoredError(error.what(), settings));
    }
}

const Throughputs&
ScenarioVariants::RunUnchanged(EngineKind engine)
{
    auto found = m_unchanged.find(engine);
    if (found == m_unchanged.end())
    {
        found = m_unchanged.emplace(engine, Run(m_scenario, engine)).first;
    }
    return found->second;
}

std::optional<Json>
ScenarioVariants::MakeWithout(const MatchEffect& effect, std::string& obstacle) const
{
    obstacle.clear();
    if (!effect.without)
    {
        return std::nullopt;
    }
    auto settings = ListStoredSettings(m_scenario);
    const Scenario before = m_study.MakeScenario(settings);
    const auto changes = effect.without(before);
    settings.insert(settings.end(), changes.begin(), changes.end());
    try
    {
        Json after = ScenarioToJson(m_study.MakeScenario(settings));
        return after == Json(ScenarioToJson(before)) ? std::nullopt : std::optional(after);
    }
    catch (const InputError& error)
    {
        obstacle = DescribeStoredError(error.what(), settings);
        return std::nullopt;
    }
}

std::optional<Json>
ScenarioVariants::Shorten(const WhatIf& set, double part)
{
    using Scope = WhatIf::Scope;
    Json scenario = m_scenario;
    if (set.scope == Scope::NETWORK)
    {
        ScaleLinks(scenario["network"], 1 - part);
        Json& fairShare = scenario["fair_share"];
        if (fairShare.contains("one_way_delay")) // else delays are those of the links
        {
            ScaleTime(fairShare["one_way_delay"], 1 - part);
        }
        return scenario;
    }
    if (set.scope == Scope::PARSE)
    {
        MultiplyParsing(scenario["overhead"], 1 - part);
        return scenario;
    }
    if (set.scope != Scope::COMPUTE && set.scope != Scope::UPDATE && set.scope != Scope::OP)
    {
        return std::nullopt;
    }
    if (scenario["job"].contains("devices") && ScaleDevices(scenario["job"]["devices"], 1 - part) &&
        set.scope == Scope::OP)
    {
        return std::nullopt;
    }
    if (set.scope == Scope::UPDATE)
    {
        scenario = m_scenario;
    }
    if (!m_profile)
    {
        m_profile = ReadProfile(scenario["job"]["profile"].get<std::string>());
    }
    Profile profile = *m_profile;
    bool any = false;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        const Op& known = profile.graph.Get(op);
        if (IsTransfer(known.kind) || !(set.scope == Scope::COMPUTE  ? RunsOnDevice(known.kind)
                                        : set.scope == Scope::UPDATE ? known.kind == OpKind::UPDATE
                                                                     : known.name == set.name))
        {
            continue;
        }
        any = true;
        for (double& seconds : profile.samples[op])
        {
            seconds *= 1 - part;
        }
    }
    if (!any)
    {
        return std::nullopt;
    }
    const std::string path = m_study.GetFolder() + "/profile" + std::to_string(m_files++) + ".yaml";
    ResultFile::Replace(path, FormatProfile(profile));
    scenario["job"]["profile"] = path;
    return scenario;
}

} // namespace ns3::dml
