/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader.h"

#include "dml-scenario-check.h"
#include "dml-scenario-checks.h"
#include "dml-scenario-keys.h"
#include "dml-scenario-reader-sweep.h"

#include "ns3/dml-error.h"
#include "ns3/dml-yaml-parser.h"
#include "ns3/dml-yaml-path.h"
#include "ns3/dml-yaml-text.h"

#include <filesystem>

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
    return scenario;
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
        scenarios.back().doubts = FindDoubts(*variant.document);
        CheckScenario(scenarios.back());
    }
    return scenarios;
}

} // namespace ns3::dml
