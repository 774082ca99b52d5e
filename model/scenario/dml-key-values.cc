/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-values.h"

#include "ns3/dml-unit-parser.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// A plain value of T, which is its own echo.
template <typename T>
Value<T>
PlainValue(const std::string& accepted,
           const KeyJson& schema,
           const std::function<T(const YamlField&)>& read)
{
    return {{accepted, schema, {}, nullptr}, read, [](const T& value) { return KeyJson(value); }};
}

KeyJson
TextSchema(const std::string& name)
{
    return {{"$ref", "#/$defs/" + name}};
}

std::string
WriteSize(const KeyJson& echo)
{
    return echo.is_number() ? FormatSize(echo.get<uint64_t>()) : FlowText(echo);
}

std::string
WriteRate(const KeyJson& echo)
{
    return FormatBitRate(ParseBitRate(echo.get<std::string>()).value_or(0));
}

std::string
WriteTime(const KeyJson& echo)
{
    return FormatNanoseconds(*ParseNanoseconds(echo.get<std::string>()));
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

Value<bool>
BoolValue()
{
    return PlainValue<bool>("true or false", {{"type", "boolean"}}, &YamlField::GetBool);
}

Value<std::string>
WordValue(const std::vector<std::string>& words)
{
    return PlainValue<std::string>(
        fmt::format("{}", fmt::join(words, " | ")),
        WordSchema(words),
        [words](const YamlField& field) { return field.GetChoice(words); });
}

Value<std::string>
NameValue(const std::string& accepted)
{
    return PlainValue<std::string>(
        accepted,
        {{"type", {"string", "number", "boolean"}}}, // all that is one word in YAML
        [accepted](const YamlField& field) { return field.GetString(accepted); });
}

Value<uint64_t>
IntegerValue(uint64_t low, uint64_t high)
{
    return PlainValue<uint64_t>(
        std::to_string(low) + " to " + std::to_string(high),
        {{"type", "integer"}, {"minimum", low}, {"maximum", high}},
        [low, high](const YamlField& field) { return field.GetInteger(low, high); });
}

Value<uint64_t>
SizeValue(uint64_t low, uint64_t high)
{
    KeyJson schema = TextSchema("size");
    schema.update({{"minimum", low}, {"maximum", high}});
    auto value = PlainValue<uint64_t>(
        "a size, " + FormatSize(low) + " to " + FormatSize(high),
        schema,
        [low, high](const YamlField& field) { return field.GetSize(low, high); });
    value.write = WriteSize;
    return value;
}

Value<double>
NumberValue(double high, const std::string& what)
{
    return PlainValue<double>(
        fmt::format("0 to {:.15g} {}", high, what),
        {{"type", "number"}, {"minimum", 0}, {"maximum", high}},
        [high, what](const YamlField& field) { return field.GetNumber(high, what); });
}

Value<double>
PositiveValue(double high, const std::string& what, const std::string& accepted)
{
    return PlainValue<double>(fmt::format("above 0, to {:.15g} {}", high, what),
                              {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", high}},
                              [high, what, accepted](const YamlField& field) {
                                  const double number = field.GetNumber(high, what);
                                  if (number <= 0)
                                  {
                                      field.Fail(accepted);
                                  }
                                  return number;
                              });
}

Value<double>
PartValue(double high, const std::string& accepted)
{
    return PlainValue<double>(accepted,
                              AnySchema({{{"type", "number"}, {"minimum", 0}, {"maximum", high}},
                                         {{"type", "string"}, {"pattern", "^[0-9.]+%$"}}}),
                              [high, accepted](const YamlField& field) {
                                  std::string text = field.GetString(accepted);
                                  const bool percent = text.back() == '%';
                                  if (percent)
                                  {
                                      text.pop_back();
                                  }
                                  const double part =
                                      ParseNumber(text).value_or(-1) / (percent ? 100 : 1);
                                  if (!(part >= 0 && part <= high))
                                  {
                                      field.Fail(accepted);
                                  }
                                  return part;
                              });
}

Value<DataRate>
RateValue()
{
    return {{"a rate", TextSchema("rate"), {}, WriteRate},
            &YamlField::GetRate,
            [](const DataRate& rate) { return std::to_string(rate.GetBitRate()) + "bps"; }};
}

Value<Time>
TimeValue(const Time& low)
{
    return {{"a time from " + FormatNanoseconds(low.GetNanoSeconds()),
             TextSchema("time"),
             {},
             WriteTime},
            [low](const YamlField& field) { return field.GetTime(low); },
            TimeText};
}

std::string
TimeText(const Time& time)
{
    return std::to_string(time.GetNanoSeconds()) + "ns";
}

std::string
ReadExistingPath(const YamlField& field, const std::string& what)
{
    const std::string& file = field.GetFile();
    const std::string accepted = "the path of " + what;
    const std::string& text = field.GetString(accepted);
    std::filesystem::path path(text);
    const bool fromFile = *field.GetNode()->mark.source == file;
    if (fromFile && path.is_relative())
    {
        path = std::filesystem::path(file).parent_path() / path;
    }
    path = path.lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
    {
        field.FailWith("found " + QuoteText(text, '"') + ", but there is no file " +
                       PrintableText(path.string()) + "; accepted: " + accepted +
                       (fromFile ? ", relative to the scenario's folder"
                                 : ", relative to the current folder"));
    }
    return path.string();
}

} // namespace ns3::dml
