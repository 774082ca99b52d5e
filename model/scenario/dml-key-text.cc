/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-text.h"

namespace ns3::dml
{

namespace
{

/// @return @p text without what reStructuredText marks it up with
std::string
PlainText(std::string text)
{
    for (const std::string mark : {"``", ":doc:", "`"})
    {
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        {
            text.erase(at, mark.size());
        }
    }
    return text;
}

} // namespace

KeyShape::KeyShape(const std::string& people,
                   const KeyJson& editors,
                   const std::vector<KeyText>& parts,
                   Writer writer)
    : accepted(people),
      schema(editors),
      keys(parts),
      write(writer)
{
}

KeyText::KeyText(const std::string& keyName, const KeyShape& shape, const std::string& meaning)
    : KeyShape(shape),
      name(keyName),
      text(meaning)
{
}

void
KeyText::SetDefault(const KeyJson& echo)
{
    fallback = echo.is_null() ? "" : write ? write(echo) : FlowText(echo);
    preset = write && !echo.is_null() ? KeyJson(fallback) : echo;
}

std::string
FlowText(const KeyJson& json)
{
    if (!json.is_structured())
    {
        return json.is_string() ? json.get<std::string>() : json.dump();
    }
    std::string text;
    for (const auto& [key, value] : json.items())
    {
        text += text.empty() ? "" : ", ";
        text += (json.is_object() ? key + ": " : "") + FlowText(value);
    }
    return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

KeyJson
WordSchema(const std::vector<std::string>& words)
{
    return {{"enum", words}};
}

KeyJson
AnySchema(const std::vector<KeyJson>& schemas)
{
    return {{"anyOf", schemas}};
}

KeyJson
ListSchema(const KeyJson& item)
{
    return {{"type", "array"}, {"items", item}};
}

KeyJson
TableSchema(const KeyJson& value)
{
    return {{"type", "object"}, {"additionalProperties", value}};
}

KeyJson
MapSchema(const std::vector<KeyText>& keys)
{
    auto properties = KeyJson::object();
    for (const auto& key : keys)
    {
        KeyJson& schema = properties[key.name];
        schema = {{"description", PlainText(key.text)}};
        if (!key.preset.is_null())
        {
            schema["default"] = key.preset;
        }
        schema.update(key.schema);
    }
    return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

} // namespace ns3::dml
