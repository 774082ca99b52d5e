/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-values.h"

#include "ns3/dml-unit-parser.h"

#include <sstream>

namespace ns3::dml
{

namespace
{

/// A plain value of T, which is its own echo.
template <typename T>
Value<T>
PlainValue(const std::string& accepted,
           const KeyJson& schema,
           const std::function<T(const YamlField&)>& read)
{
    return {{accepted, schema, {}, nullptr}, read, [](const T& value) { return KeyJson(value); }};
}

/// @param number without unit, its fraction without zeros
std::string
NumberText(double number)
{
    std::ostringstream text;
    text.precision(15);
    text << number;
    return text.str();
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
    return FormatBitRate(*ParseBitRate(echo.get<std::string>()));
}

std::string
WriteTime(const KeyJson& echo)
{
    return FormatNanoseconds(*ParseNanoseconds(echo.get<std::string>()));
}

} // namespace

Value<bool>
BoolValue()
{
    return PlainValue<bool>("true or false", {{"type", "boolean"}}, &YamlField::GetBool);
}

Value<std::string>
WordValue(const std::vector<std::string>& words)
{
    std::string accepted;
    for (const auto& word : words)
    {
        accepted += (accepted.empty() ? "" : " | ") + word;
    }
    return PlainValue<std::string>(accepted, WordSchema(words), [words](const YamlField& field) {
        return field.GetChoice(words);
    });
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
        "0 to " + NumberText(high) + " " + what,
        {{"type", "number"}, {"minimum", 0}, {"maximum", high}},
        [high, what](const YamlField& field) { return field.GetNumber(high, what); });
}

Value<double>
PositiveValue(double high, const std::string& what, const std::string& accepted)
{
    return PlainValue<double>("above 0, to " + NumberText(high) + " " + what,
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

} // namespace ns3::dml
