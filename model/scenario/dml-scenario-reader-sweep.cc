/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-sweep.h"

#include "dml-scenario-reader-keys.h"
#include "dml-yaml-field.h"
#include "dml-yaml-suggestion.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace dml
{

namespace
{

constexpr std::size_t MAX_VARIANTS = 10000;

/// One key under `sweep`.
struct Axis
{
    YamlPath path;                   //!< where the values go
    std::vector<YamlNodePtr> values; //!< at least one
};

[[noreturn]] void
FailAt(const YamlMark& mark, const std::string& key, const std::string& text)
{
    throw InputError(mark.ToString() + ": " + PrintableText(JoinPath("sweep", key)) + ": " + text);
}

void
CheckPath(const YamlEntry& entry)
{
    const auto paths = ScenarioPaths();
    const std::string& key = entry.key;
    if (key == "name" || key.rfind("output.", 0) == 0)
    {
        FailAt(entry.mark,
               key,
               "found in a sweep; accepted there: keys of one run, and this one is of the whole "
               "study");
    }
    const bool isOwn = key.rfind("job.placement.", 0) == 0 || key.rfind("job.devices.", 0) == 0;
    if (isOwn || std::count(paths.begin(), paths.end(), key) > 0)
    {
        return;
    }
    const bool isSection = key == "sweep" || !ScenarioKeys(key).empty();
    const std::string meant = isSection ? "" : Suggest(key, paths);
    FailAt(entry.mark,
           key,
           "unknown key " + QuoteText(key, '\'') +
               AcceptedText(meant, "the path of a key with one value, such as network.rate"));
}

std::vector<YamlNodePtr>
ReadValues(const YamlField& field)
{
    const std::string accepted = "a list of values, each once";
    std::vector<YamlNodePtr> values;
    std::set<std::string> seen;
    for (const auto& item : field.GetItems(accepted))
    {
        const std::string text = FlowYaml(*item.GetNode());
        if (!seen.insert(text).second)
        {
            item.FailWith("found " + QuoteText(text, '"') +
                          " a second time; accepted: " + accepted);
        }
        values.push_back(item.GetNode());
    }
    if (values.empty())
    {
        field.Fail(accepted);
    }
    return values;
}

/// @return true if an override gives the key, which then is no part of the sweep
bool
IsOverridden(const YamlEntry& entry, const YamlPath& path, const std::vector<YamlPath>& overrides)
{
    return std::any_of(overrides.begin(), overrides.end(), [&](const YamlPath& override) {
        if (override.Contains(path))
        {
            return true;
        }
        if (path.Contains(override))
        {
            FailAt(entry.mark,
                   entry.key,
                   "found a sweep that would undo --set " + override.GetText() +
                       "; accepted: keys other than those of --set");
        }
        return false;
    });
}

std::vector<Axis>
ReadAxes(const YamlField& sweep, const std::vector<YamlPath>& overrides)
{
    std::vector<Axis> axes;
    sweep.GetEntries("a map of lists, such as {network.rate: [1Gbps, 10Gbps]}");
    for (const auto& entry : sweep.GetNode()->entries)
    {
        CheckPath(entry);
        const auto values = ReadValues(sweep.Get(entry.key));
        YamlPath path(entry.key, entry.mark, ScenarioTables());
        for (const auto& axis : axes)
        {
            if (axis.path.Contains(path) || path.Contains(axis.path))
            {
                FailAt(entry.mark,
                       entry.key,
                       "found together with " + axis.path.GetText() +
                           "; accepted: keys that do not contain each other");
            }
        }
        if (!IsOverridden(entry, path, overrides))
        {
            axes.push_back({std::move(path), values});
        }
    }
    return axes;
}

} // namespace

std::vector<SweepVariant>
UnfoldSweep(const YamlNodePtr& document, const std::vector<YamlPath>& overrides)
{
    std::vector<SweepVariant> variants{{document, {}}};
    const YamlField sweep = YamlField(document).Get("sweep");
    if (!sweep)
    {
        return variants;
    }
    for (const auto& axis : ReadAxes(sweep, overrides))
    {
        if (variants.size() * axis.values.size() > MAX_VARIANTS)
        {
            sweep.FailWith("found more than " + std::to_string(MAX_VARIANTS) +
                           " combinations; accepted: fewer");
        }
        std::vector<SweepVariant> unfolded;
        for (const auto& variant : variants)
        {
            for (const auto& value : axis.values)
            {
                SweepVariant next{axis.path.Set(variant.document, value), variant.values};
                next.values.emplace_back(axis.path.GetText(), FlowYaml(*value));
                unfolded.push_back(std::move(next));
            }
        }
        variants = std::move(unfolded);
    }
    return variants;
}

} // namespace dml
} // namespace ns3
