/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"

#include "dml-attribute-text.h"

#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ns3::dml
{

namespace
{

/// @return other words, then the names of a kind
std::vector<std::string>
ListWords(const PluginKind& kind, std::vector<std::string> words)
{
    words.insert(words.end(), kind.GetNames().begin(), kind.GetNames().end());
    return words;
}

/// @throws InputError unless the key `type` of a map names a plug-in
std::string
ReadType(const YamlField& type, const PluginKind& kind)
{
    const auto types = kind.ListTypes();
    const std::string accepted = "the TypeId of a " + kind.GetWhat() + ": " + JoinWords(types);
    const std::string& text = type.GetString(accepted);
    TypeId known;
    if (!TypeId::LookupByNameFailSafe(text, &known))
    {
        type.FailMeant(Suggest(text, types),
                       accepted + "; or one of a library of yours, which --plugin=LIBRARY loads");
    }
    if (!kind.HasType(text))
    {
        type.Fail(accepted);
    }
    return text;
}

/// @return the text of an attribute. @throws InputError unless the attribute takes it
std::string
ReadAttribute(const YamlField& field, const TypeId::AttributeInformation& attribute)
{
    const std::string accepted = DescribeAttribute(attribute);
    if (accepted.empty())
    {
        field.FailWith(
            "found an attribute of type " + NameValueType(attribute) +
            "; accepted: attributes that take true or false, a number, a time, a rate, a queue "
            "size, a word or a text");
    }
    const std::string& text = field.GetText(accepted);
    if (!TakesText(attribute, text))
    {
        field.Fail(accepted);
    }
    return text;
}

} // namespace

KeyJson
PluginSchema()
{
    return {{"$ref", "#/$defs/plugin"}};
}

KeyJson
PluginDefinition()
{
    return {{"type", "object"},
            {"properties", {{"type", {{"type", "string"}, {"pattern", "::"}}}}},
            {"required", {"type"}},
            {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
}

bool
ChoosesPlugin(const YamlField& field)
{
    return field.IsMap() && field.Get("type");
}

PluginSpec
ReadPlugin(const YamlField& field, const PluginKind& kind, const std::vector<std::string>& others)
{
    PluginSpec plugin;
    plugin.name = ReadType(field.Get("type"), kind);
    const auto attributes = ListAttributes(TypeId::LookupByName(plugin.name));
    std::vector<std::string> keys{"type"};
    for (const auto& attribute : attributes)
    {
        keys.push_back(attribute.name);
    }
    keys.insert(keys.end(), others.begin(), others.end());
    field.CheckKeys(keys);
    for (const auto& attribute : attributes)
    {
        const bool isOther =
            std::find(others.begin(), others.end(), attribute.name) != others.end();
        if (const auto value = field.Get(attribute.name); value && !isOther)
        {
            plugin.attributes[attribute.name] = ReadAttribute(value, attribute);
        }
    }
    return plugin;
}

PluginSpec
ReadPluginOrName(const YamlField& field,
                 const PluginKind& kind,
                 const std::vector<std::string>& words)
{
    if (ChoosesPlugin(field))
    {
        return ReadPlugin(field, kind);
    }
    return {field.GetChoice(ListWords(kind, words), PLUGIN_FORM), {}};
}

KeyJson
EchoPlugin(const PluginKind& kind, const PluginSpec& spec)
{
    if (!kind.HasType(spec.name))
    {
        return spec.name;
    }
    KeyJson json{{"type", spec.name}};
    for (const auto& [name, text] : spec.attributes)
    {
        json[name] = text;
    }
    return json;
}

Value<PluginSpec>
PluginValue(const PluginKind& kind)
{
    return {PluginShape(kind),
            [&kind](const YamlField& field) { return ReadPluginOrName(field, kind); },
            [&kind](const PluginSpec& spec) { return EchoPlugin(kind, spec); }};
}

KeyShape
PluginShape(const PluginKind& kind, const std::vector<std::string>& words)
{
    const auto all = ListWords(kind, words);
    return {fmt::format("{} | {}", fmt::join(all, " | "), PLUGIN_FORM),
            AnySchema({WordSchema(all), PluginSchema()})};
}

} // namespace ns3::dml
