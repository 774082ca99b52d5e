/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader.h"

#include "dml-scenario-check.h"
#include "dml-scenario-keys.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-error.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-parser.h"
#include "ns3/dml-yaml-path.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// The scenario's file: the path itself, or scenario.yaml in it if it is a folder.
std::string
FindFile(const std::string& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored))
    {
        return path;
    }
    const auto file = std::filesystem::path(path) / "scenario.yaml";
    if (!std::filesystem::exists(file, ignored))
    {
        throw InputError(path + ": found a folder without scenario.yaml; accepted: a YAML file, or "
                                "a folder that holds scenario.yaml");
    }
    return file.lexically_normal().string();
}

/// @throws InputError if the document is no scenario
void
CheckDocument(const YamlNode& document, const std::string& file)
{
    if (document.kind != YamlNode::Kind::MAP)
    {
        throw InputError(document.mark.ToString() + ": found " + DescribeYaml(document) +
                         "; accepted: a scenario, a map with the keys job, network, ...");
    }
    const YamlEntry* schema = document.Find("schema");
    const bool isProfile = (schema && schema->value->text.rfind("dml-profile/", 0) == 0) ||
                           (document.Find("tensors") && document.Find("ops"));
    if (isProfile && !document.Find("job"))
    {
        throw InputError(
            document.mark.ToString() +
            ": found a profile; accepted: a scenario, which names it as job.profile: " +
            PrintableText(file) + " ('dml order' takes the profile itself)");
    }
}

/// Apply one "key.path=value"; @return its path
YamlPath
ApplyOverride(YamlNodePtr& document, const std::string& text)
{
    const std::string source = "--set " + PrintableText(text);
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
    {
        throw InputError(source + ": found no '='; accepted: key.path=value");
    }
    const YamlMark mark{std::make_shared<const std::string>(source), 0, 0};
    const YamlPath path(text.substr(0, sign), mark, ScenarioTables());
    document = path.Set(document, ParseYamlOption(text.substr(sign + 1), source));
    return path;
}

/// A list of workers for each host tells how many there are, too.
void
CountWorkers(const Scenario& scenario, const std::string& key, JobSpec& job)
{
    const uint64_t total = job.workersPerHost.GetTotal();
    if (total > 0 && !IsGiven(scenario, key + ".workers"))
    {
        job.workers = {static_cast<uint32_t>(total)};
    }
}

/// Read one variant. Values are checked one by one, not against each other.
Scenario
ReadVariant(const YamlNodePtr& document, const std::string& file)
{
    const YamlField root(document, "to sweep it, name it under sweep: {%: [...]}");
    root.CheckKeys(NamesOf(RootKeys()), ScenarioPaths());
    Scenario scenario;
    scenario.file = file;
    ReadKeys(root, RootKeys(), scenario);
    CollectLocations(*document, "", scenario.locations);
    CountWorkers(scenario, "job", scenario.job);
    for (std::size_t i = 0; i < scenario.otherJobs.size(); ++i)
    {
        CountWorkers(scenario, JobKey(i + 1), scenario.otherJobs[i]);
    }
    return scenario;
}

/// Payload of a TCP segment at MTU 1500: no window of a real connection is smaller.
constexpr uint64_t SMALLEST_WINDOW = 1460;

bool
EndsWith(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// @return the last part of a key path
std::string_view
LastKey(std::string_view path)
{
    const std::size_t dot = path.rfind('.');
    return path.substr(dot == std::string_view::npos ? 0 : dot + 1);
}

/// @return such as "8 Gbit/s"
std::string
RateText(uint64_t bitsPerSecond)
{
    const double rate = static_cast<double>(bitsPerSecond);
    return rate >= 1e9 ? fmt::format("{:.15g} Gbit/s", rate / 1e9)
                       : fmt::format("{:.15g} Mbit/s", rate / 1e6);
}

/// @return what is odd about the rate of a link, or nothing
std::string
DoubtRate(std::string_view path, const std::string& text)
{
    const auto rate = ParseBitRate(text);
    if (LastKey(path) != "rate" || !rate || !EndsWith(text, "Bps"))
    {
        return "";
    }
    const std::string number = text.substr(0, text.find_first_not_of("0123456789."));
    const std::string prefix = text.substr(number.size(), text.size() - number.size() - 3);
    return ", bytes per second as ns-3 reads it: " + RateText(*rate) + "; did you mean '" + number +
           prefix + "bps'? If not, write " + number + prefix + "B/s";
}

/// @return what is odd about a window, or nothing
std::string
DoubtWindow(std::string_view path, const std::string& text)
{
    const std::string_view key = LastKey(path);
    const auto size = ParseSize(text);
    if (path.rfind("transfer.window", 0) != 0 || key == "window_rule" || key == "worker" ||
        key == "server" || !size || *size >= SMALLEST_WINDOW)
    {
        return "";
    }
    const bool bare = text.find_first_not_of("0123456789") == std::string::npos;
    return ", which is " + std::to_string(*size) + " bytes, less than one packet" +
           (bare ? "; did you mean '" + text + "MB'?" : "");
}

/**
 * @brief Find values that can be read, but are probably not meant as they are written.
 *
 * These are rates in bytes that look like rates in bits ("1GBps"), and windows of less than a
 * packet ("28", which is 28 bytes).
 * @param node of a scenario that has been read without an error
 * @param path of it
 * @param[out] doubts warnings, "file:line:column: key: found ...; did you mean ...?"
 */
void
FindDoubts(const YamlNode& node, const std::string& path, std::vector<std::string>& doubts)
{
    for (std::size_t i = 0; i < node.items.size(); ++i)
    {
        FindDoubts(*node.items[i], JoinPath(path, i), doubts);
    }
    for (const auto& entry : node.entries)
    {
        FindDoubts(*entry.value, JoinPath(path, entry.key), doubts);
    }
    if (node.kind != YamlNode::Kind::SCALAR)
    {
        return;
    }
    for (const auto& doubt : {DoubtRate(path, node.text), DoubtWindow(path, node.text)})
    {
        if (!doubt.empty())
        {
            doubts.push_back(node.mark.ToString() + ": " + PrintableText(path) + ": found " +
                             QuoteText(node.text, '"') + doubt);
        }
    }
}

/// @return whether a key was given on the command line
bool
IsOverridden(const Scenario& scenario, const std::string& key)
{
    const auto found = scenario.locations.find(key);
    return found != scenario.locations.end() && found->second.rfind("--set ", 0) == 0;
}

/**
 * @brief Let keys of the file follow those that bound them and that the command line changes.
 *
 * An engine's own `replications` are the first so many of all, so they are all that there are. A
 * warm-up that is no longer shorter than the steps becomes half of them, and a warning says so.
 */
void
FollowOverrides(Scenario& scenario)
{
    if (IsOverridden(scenario, "replications"))
    {
        for (const auto& [key, own] :
             {std::pair{"packet.replications", &scenario.packet.replications},
              std::pair{"host.replications", &scenario.host.replications}})
        {
            *own = IsOverridden(scenario, key) ? *own : std::min(*own, scenario.replications);
        }
    }
    JobSpec& job = scenario.job;
    if (IsOverridden(scenario, "job.steps") && !job.autoSteps.on &&
        IsGiven(scenario, "job.warmup") && !IsOverridden(scenario, "job.warmup") &&
        job.warmup >= job.steps)
    {
        const uint32_t half = job.steps / 2;
        scenario.doubts.push_back(LocateKey(scenario, "job.warmup") + "found " +
                                  std::to_string(job.warmup) + ", not less than " +
                                  scenario.locations.at("job.steps") + ": taken as " +
                                  std::to_string(half));
        job.warmup = half;
    }
}

} // namespace

std::vector<Scenario>
ReadScenario(const std::string& path, const std::vector<std::string>& overrides)
{
    const std::string file = FindFile(path);
    YamlNodePtr document = ParseYaml(ReadTextFile(file, "a scenario (a YAML file)"), file);
    std::vector<YamlPath> paths;
    CheckDocument(*document, file);
    for (const auto& text : overrides)
    {
        paths.push_back(ApplyOverride(document, text));
    }
    std::vector<Scenario> scenarios;
    for (auto& variant : UnfoldSweep(document, paths))
    {
        scenarios.push_back(ReadVariant(variant.document, file));
        scenarios.back().variant = std::move(variant.values);
        FindDoubts(*variant.document, "", scenarios.back().doubts);
        FollowOverrides(scenarios.back());
        CheckScenario(scenarios.back());
    }
    return scenarios;
}

} // namespace ns3::dml
