/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-keys.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-yaml-field.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MAX_VARIANTS = 10000;

/// Keys with a short form of one value, which is the value of that key in the long form.
const std::vector<std::pair<std::string, std::string>> SHORT_FORMS{{"network.tcp", "variant"},
                                                                   {"network.topology", "type"}};

/// A place of the scenario and its value in some variants.
struct Setting
{
    YamlPath path;     //!< where the value goes
    YamlNodePtr value; //!< any
};

/// What one variant sets, in the order of the sweep.
struct Combination
{
    std::vector<std::shared_ptr<const Setting>> settings; //!< no two of them in one place
    YamlMark mark; //!< of the case in a list; of a grid that is in none, without source
};

[[noreturn]] void
FailAt(const YamlMark& mark, const std::string& path, const std::string& text)
{
    throw InputError(mark.ToString() + ": " + PrintableText(path) + ": " + text);
}

/// @return whether a path leads through keys of a scenario, as far as its sections are known
bool
IsKnown(const std::string& path)
{
    const std::vector<KeyText>* keys = &DescribeScenario();
    for (std::size_t start = 0; start < path.size();)
    {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string part = path.substr(start, dot - start);
        const auto key = std::find_if(keys->begin(), keys->end(), [&part](const KeyText& known) {
            return known.name == part.substr(0, part.find('['));
        });
        if (key == keys->end())
        {
            return false;
        }
        if (key->paths == KeyText::Paths::NONE || key->keys.empty() || key->hasAttributes)
        {
            return true; // whoever reads that key knows what may be in it
        }
        keys = &key->keys;
        start = dot + 1;
    }
    return !path.empty();
}

/// @param entry of a grid or a case; @param place path of the map that it is in
void
CheckPath(const YamlEntry& entry, const std::string& place)
{
    const std::string& key = entry.key;
    const std::string first = key.substr(0, key.find_first_of(".["));
    if (first == "name" || first == "output" || first == "sweep")
    {
        FailAt(entry.mark,
               JoinPath(place, key),
               "found in a sweep; accepted there: keys of one run, and this one is of the whole "
               "study");
    }
    if (!IsKnown(key))
    {
        FailAt(entry.mark,
               JoinPath(place, key),
               "unknown key " + QuoteText(key, '\'') +
                   AcceptedText(Suggest(key, ScenarioPaths()),
                                "the path of a key, such as network.rate or job.sync.ssp"));
    }
}

/// @return a text that tells combinations apart, whatever their order
std::string
Identify(const Combination& combination)
{
    std::set<std::string> texts;
    for (const auto& setting : combination.settings)
    {
        texts.insert(setting->path.GetText() + "=" + FlowYaml(*setting->value));
    }
    std::string identity;
    for (const auto& text : texts)
    {
        identity += text + ", ";
    }
    return identity;
}

/// Unfolds sweeps into combinations of settings.
class Unfolder
{
  public:
    explicit Unfolder(const std::vector<YamlPath>& overrides)
        : m_overrides(overrides)
    {
    }

    std::vector<Combination> Unfold(const YamlField& sweep)
    {
        if (sweep.IsList())
        {
            return UnfoldCases(sweep);
        }
        if (!sweep.IsMap())
        {
            sweep.Fail(
                "a map of lists, such as {network.rate: [1Gbps, 10Gbps]}, or a list of maps, "
                "such as [{network.rate: 1Gbps, network.delay: 1ms}]");
        }
        return UnfoldMap(sweep, false);
    }

    /// @return true if an override has taken a key out of a sweep
    bool HasDropped() const
    {
        return m_dropped;
    }

  private:
    /// A grid, whose keys have lists of values, or a case, whose keys have one each, and perhaps a
    /// sweep within it.
    std::vector<Combination> UnfoldMap(const YamlField& map, bool isCase)
    {
        std::vector<Combination> combinations(1);
        std::vector<YamlPath> paths;
        for (const auto& entry : map.GetNode()->entries)
        {
            if (isCase && entry.key == "sweep")
            {
                continue;
            }
            const auto values =
                isCase ? std::vector<YamlNodePtr>{entry.value} : ReadValues(map.Get(entry.key));
            const auto path = ReadPath(entry, map.GetPath(), paths);
            if (!path)
            {
                continue;
            }
            std::vector<Combination> axis;
            for (const auto& value : values)
            {
                axis.push_back({{std::make_shared<const Setting>(Setting{*path, value})}, {}});
            }
            combinations = Multiply(combinations, axis, map);
        }
        if (const auto inner = map.Get("sweep"); isCase && inner)
        {
            m_outer.push_back(&paths);
            combinations = Multiply(combinations, Unfold(inner), map);
            m_outer.pop_back();
        }
        return combinations;
    }

    std::vector<Combination> UnfoldCases(const YamlField& list)
    {
        const std::string accepted =
            "a map of keys and values, such as {network.rate: 1Gbps, network.delay: 1ms}";
        std::vector<Combination> combinations;
        for (const auto& item : list.GetItems(accepted))
        {
            if (!item.IsMap() || item.GetNode()->entries.empty())
            {
                item.Fail(accepted);
            }
            for (auto& combination : UnfoldMap(item, true))
            {
                combination.mark = item.GetNode()->mark;
                combinations.push_back(std::move(combination));
            }
            CheckCount(combinations.size(), list);
        }
        if (combinations.empty())
        {
            list.FailWith("found an empty list; accepted: cases, each " + accepted);
        }
        return combinations;
    }

    static std::vector<YamlNodePtr> ReadValues(const YamlField& field)
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

    /// Read a key of a grid or a case. @param entry the key; @param place path of the map;
    /// @param[in,out] paths of the same map; @return its path, nothing if an override gives it
    std::optional<YamlPath> ReadPath(const YamlEntry& entry,
                                     const std::string& place,
                                     std::vector<YamlPath>& paths)
    {
        CheckPath(entry, place);
        YamlPath path(entry.key, entry.mark, ScenarioTables());
        CheckApart(entry, place, path, paths);
        for (const auto* outer : m_outer)
        {
            CheckApart(entry, place, path, *outer);
        }
        paths.push_back(path);
        if (IsOverridden(entry, place, path))
        {
            m_dropped = true;
            return std::nullopt;
        }
        return path;
    }

    static void CheckApart(const YamlEntry& entry,
                           const std::string& place,
                           const YamlPath& path,
                           const std::vector<YamlPath>& others)
    {
        for (const auto& other : others)
        {
            if (other.Contains(path) || path.Contains(other))
            {
                FailAt(entry.mark,
                       JoinPath(place, entry.key),
                       "found together with " + other.GetText() +
                           "; accepted: keys that do not contain each other");
            }
        }
    }

    /// @return true if an override gives the key, which then is no part of the sweep
    bool IsOverridden(const YamlEntry& entry, const std::string& place, const YamlPath& path) const
    {
        return std::any_of(m_overrides.begin(), m_overrides.end(), [&](const YamlPath& override) {
            if (override.Contains(path))
            {
                return true;
            }
            if (path.Contains(override))
            {
                FailAt(entry.mark,
                       JoinPath(place, entry.key),
                       "found a sweep that would undo --set " + override.GetText() +
                           "; accepted: keys other than those of --set");
            }
            return false;
        });
    }

    static void CheckCount(std::size_t count, const YamlField& sweep)
    {
        if (count > MAX_VARIANTS)
        {
            sweep.FailWith("found more than " + std::to_string(MAX_VARIANTS) +
                           " combinations; accepted: fewer");
        }
    }

    static std::vector<Combination> Multiply(const std::vector<Combination>& slow,
                                             const std::vector<Combination>& fast,
                                             const YamlField& sweep)
    {
        CheckCount(slow.size() * fast.size(), sweep);
        std::vector<Combination> product;
        for (const auto& outer : slow)
        {
            for (const auto& inner : fast)
            {
                product.push_back(outer);
                auto& settings = product.back().settings;
                settings.insert(settings.end(), inner.settings.begin(), inner.settings.end());
            }
        }
        return product;
    }

    const std::vector<YamlPath>& m_overrides;          //!< of the command line
    std::vector<const std::vector<YamlPath>*> m_outer; //!< paths of the cases around a sweep
    bool m_dropped{false};                             //!< see HasDropped()
};

/// Drop variants that overrides have made equal. @throws InputError if they were before
std::vector<Combination>
DropEqual(std::vector<Combination> combinations, bool overridden)
{
    std::vector<Combination> different;
    std::set<std::string> seen;
    for (auto& combination : combinations)
    {
        if (seen.insert(Identify(combination)).second)
        {
            different.push_back(std::move(combination));
        }
        else if (!overridden)
        {
            FailAt(combination.mark,
                   "sweep",
                   "found a case that is there already; accepted: each once");
        }
    }
    for (const auto& combination : different)
    {
        if (combination.settings.empty() && different.size() > 1)
        {
            FailAt(combination.mark,
                   "sweep",
                   "found a case whose keys --set all gives, beside others; accepted: cases that "
                   "keep a key");
        }
    }
    return different;
}

/// Put a value into the scenario.
YamlNodePtr
Apply(YamlNodePtr document, const Setting& setting)
{
    for (const auto& [key, longKey] : SHORT_FORMS)
    {
        const YamlPath path(key, setting.value->mark, ScenarioTables());
        const YamlNodePtr node = path.Find(document);
        const bool isBelow = path.Contains(setting.path) && !setting.path.Contains(path);
        if (isBelow && node && node->kind == YamlNode::Kind::SCALAR)
        {
            auto map = std::make_shared<YamlNode>();
            map->kind = YamlNode::Kind::MAP;
            map->mark = node->mark;
            map->entries.push_back({longKey, node->mark, node});
            document = path.Set(document, map);
        }
    }
    return setting.path.Set(document, setting.value, YamlPath::SingleValue::REPLACE);
}

} // namespace

std::vector<SweepVariant>
UnfoldSweep(const YamlNodePtr& document, const std::vector<YamlPath>& overrides)
{
    const YamlField sweep = YamlField(document).Get("sweep");
    if (!sweep)
    {
        return {{document, {}}};
    }
    Unfolder unfolder(overrides);
    auto combinations = unfolder.Unfold(sweep);
    combinations = DropEqual(std::move(combinations), unfolder.HasDropped());
    const auto base = std::make_shared<YamlNode>(*document);
    base->entries.erase(base->entries.begin() +
                        (document->Find("sweep") - document->entries.data()));
    std::vector<SweepVariant> variants;
    for (const auto& combination : combinations)
    {
        variants.push_back({base, {}});
        for (const auto& setting : combination.settings)
        {
            auto& variant = variants.back();
            variant.document = Apply(variant.document, *setting);
            variant.values.emplace_back(setting->path.GetText(), FlowYaml(*setting->value));
        }
    }
    return variants;
}

} // namespace ns3::dml
