/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-reference.h"

#include "ns3/dml-plugin-key.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr std::size_t COMMENT_COLUMN = 35; // of the block of defaults
constexpr std::size_t LAST_COLUMN = 99;

const std::string INTRODUCTION =
    R"(.. Written by "dml keys page" from what model/scenario declares; the test scenario-keys compares.

.. include:: replace.txt

Keys of a scenario
==================

``doc/scenario.schema.json`` says the same as a JSON Schema (draft 2020-12), with which an editor completes
keys and marks slips. In one that has yaml-language-server, this is the first line of a scenario::

  # yaml-language-server: $schema=../../doc/scenario.schema.json

It knows keys and values one by one; what must go together is said by ``dml check``.

All keys with their defaults
----------------------------

It can be pasted into a file two folders below the profile's, and does what a file with ``job.profile``
alone does; keys that have no default, or go with another value of another key only, are comments::

)";

/// A line of the block of defaults, with the comment in a column of its own, on as many lines as it
/// takes.
void
AddLine(const std::string& line, const std::string& comment, std::string& block)
{
    std::istringstream words(comment);
    std::string text = line;
    std::string start = "# ";
    for (std::string word; words >> word;)
    {
        const bool fits = text.size() + 1 + word.size() <= LAST_COLUMN;
        if (start == "# " || !fits)
        {
            if (start != "# ")
            {
                block += text + "\n";
                text.clear();
            }
            text.resize(std::max(text.size() + 2, COMMENT_COLUMN), ' ');
            text += start + word;
            start = "#   ";
            continue;
        }
        text += " " + word;
    }
    block += text + "\n";
}

/// @return whether a key stands for itself in the scenario of defaults, and not as a comment
bool
IsGiven(const KeyText& key)
{
    return key.applies && (!key.preset.is_null() || !key.sample.empty());
}

/// @return whether a key is a map of which errors know the keys
bool
IsSection(const KeyText& key)
{
    return key.paths == KeyText::Paths::INSIDE && !key.keys.empty();
}

/// @return whether a key of these, or of the maps in them, is given
bool
HasGiven(const std::vector<KeyText>& keys)
{
    return std::any_of(keys.begin(), keys.end(), [](const KeyText& key) {
        return IsSection(key) ? HasGiven(key.keys) : IsGiven(key);
    });
}

void
AddDefaults(const std::vector<KeyText>& keys, const std::string& indent, std::string& block)
{
    for (const auto& key : keys)
    {
        if (IsSection(key))
        {
            block += indent + (HasGiven(key.keys) ? "" : "# ") + key.name + ":\n";
            AddDefaults(key.keys, indent + "  ", block);
            continue;
        }
        const std::string value = key.sample.empty() ? key.fallback : key.sample;
        AddLine(indent + (IsGiven(key) ? "" : "# ") + key.name + ": " + value, key.accepted, block);
    }
}

/// A table of the keys of a map, and those of the maps in it.
void
AddTables(const std::vector<KeyText>& keys,
          const std::string& path,
          std::set<std::vector<std::string>>& seen,
          std::string& page)
{
    if (!seen.insert(NamesOf(keys)).second)
    {
        return;
    }
    const std::string title = path.empty() ? "The scenario" : "``" + path + "``";
    const std::string marker = path.empty() ? "scenario" : path;
    page += "\n" + title + "\n" + std::string(title.size(), '^') + "\n\n.. " + marker +
            " begins\n\n.. list-table::\n   :header-rows: 1\n   :widths: 18 30 17 35\n\n"
            "   * - key\n     - accepted\n     - default\n     - meaning\n";
    for (const auto& key : keys)
    {
        const bool literal = !key.preset.is_null();
        page += "   * - ``" + key.name + "``\n     - " + key.accepted + "\n     -" +
                (key.fallback.empty() ? ""
                 : literal            ? " ``" + key.fallback + "``"
                                      : " " + key.fallback) +
                "\n     - " + key.text + "\n";
    }
    page += "\n.. " + marker + " ends\n";
    for (const auto& key : keys)
    {
        if (!key.keys.empty())
        {
            AddTables(key.keys, path.empty() ? key.name : path + "." + key.name, seen, page);
        }
    }
}

} // namespace

std::string
WriteKeySchema()
{
    KeyJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "A scenario of dml"}};
    schema.update(MapSchema(DescribeScenario()));
    schema["$defs"] = {
        {"size", {{"type", {"integer", "string"}}, {"pattern", SizePattern()}}},
        {"rate", {{"type", "string"}, {"pattern", RatePattern()}}},
        {"time", {{"anyOf", {{{"const", 0}}, {{"type", "string"}, {"pattern", TimePattern()}}}}}},
        {"plugin", PluginDefinition()}};
    return schema.dump(1) + "\n";
}

std::string
WriteKeyPage()
{
    std::string block;
    AddDefaults(DescribeScenario(), "  ", block);
    std::string page = INTRODUCTION + block + "\nWhat they mean\n--------------\n";
    std::set<std::vector<std::string>> seen;
    AddTables(DescribeScenario(), "", seen, page);
    return page;
}

} // namespace ns3::dml
