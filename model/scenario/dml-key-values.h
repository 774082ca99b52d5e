/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_VALUES_H
#define DML_KEY_VALUES_H

#include "ns3/data-rate.h"
#include "ns3/dml-yaml-field.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

using KeyJson = nlohmann::ordered_json;

struct KeyText;

/// What values a key accepts.
struct KeyShape
{
    /// @return a default as people write it, such as "1MB", from its echo
    using Writer = std::string (*)(const KeyJson& echo);

    KeyShape() = default;
    /// @param people @param editors @param parts @param writer see the members, in this order
    KeyShape(const std::string& people,
             const KeyJson& editors,
             const std::vector<KeyText>& parts = {},
             Writer writer = nullptr);

    std::string accepted;      //!< for people, such as "a size"
    KeyJson schema;            //!< JSON Schema, draft 2020-12
    std::vector<KeyText> keys; //!< of a map
    Writer write{nullptr};     //!< null: a default is written as its echo
};

/// What is known of a key, whatever has its value.
struct KeyText : KeyShape
{
    /// Whether key paths lead into its map, as far as errors and suggestions know.
    enum class Paths
    {
        NONE,   //!< it is a value, or a map whose reader alone knows its keys
        INSIDE, //!< it is a map
        BOTH,   //!< it is a value as well as a map
    };

    /// @param keyName name @param shape values @param meaning text
    KeyText(const std::string& keyName, const KeyShape& shape, const std::string& meaning);

    /// @param echo of the default; null if there is none
    void SetDefault(const KeyJson& echo);

    std::string name;     //!< as it is written
    std::string text;     //!< meaning, unit: one sentence in reStructuredText without its full stop
    std::string fallback; //!< default for people; empty if there is none
    KeyJson preset;       //!< default for editors; null if there is none
    std::string sample;   //!< a value for examples, where there is no default
    bool applies{true};   //!< false: it goes with another value of another key only
    Paths paths{Paths::NONE};  //!< of what is in it
    bool isTable{false};       //!< its keys are the user's own words, which may hold dots
    bool hasAttributes{false}; //!< its map may have attributes of a class, which no list knows
};

/// @param json any @return it in YAML's flow style, without quotes
std::string FlowText(const KeyJson& json);

/// @param words accepted @return a schema
KeyJson WordSchema(const std::vector<std::string>& words);

/// @param schemas of all forms @return a schema of any of them
KeyJson AnySchema(const std::vector<KeyJson>& schemas);

/// @param item schema of an item @return the schema of a list
KeyJson ListSchema(const KeyJson& item);

/// @param value schema of a value @return the schema of a map with keys of the user's
KeyJson TableSchema(const KeyJson& value);

/// @param keys of a map @return the schema of the map
KeyJson MapSchema(const std::vector<KeyText>& keys);

/// What a key accepts, how it is read and what its echo is.
template <typename T>
struct Value : KeyShape
{
    std::function<T(const YamlField&)> read; //!< @throws InputError with position and key path
    std::function<KeyJson(const T&)> echo;   //!< what could be read again
};

/// @return true or false
Value<bool> BoolValue();
/// @param words accepted @return one of them
Value<std::string> WordValue(const std::vector<std::string>& words);
/// @param accepted what it is, such as "the name of a host" @return any text that is not empty
Value<std::string> NameValue(const std::string& accepted);
/// @param low smallest and @param high largest accepted @return an integer
Value<uint64_t> IntegerValue(uint64_t low, uint64_t high);
/// @param low smallest and @param high largest accepted @return bytes
Value<uint64_t> SizeValue(uint64_t low, uint64_t high);
/// @param high largest accepted @param what unit @return a number from 0
Value<double> NumberValue(double high, const std::string& what);
/// @param high largest accepted @param what unit @param accepted for the error @return above 0
Value<double> PositiveValue(double high,
                            const std::string& what,
                            const std::string& accepted = "a number above 0");
/// @param high largest accepted, part of 1 @param accepted for the error
/// @return a part of 1, from 0: a number, or one with a per cent sign
Value<double> PartValue(double high, const std::string& accepted);
/// @return a rate above 0
Value<DataRate> RateValue();
/// @param low shortest accepted @return a time
Value<Time> TimeValue(const Time& low);

/// @param time any @return a time as scenarios write it, in ns
std::string TimeText(const Time& time);

/**
 * @brief Read the path of another file, which must exist.
 * @param field the path; relative to the scenario's folder, or, if it was not given in the
 *        scenario's file, to the current folder
 * @param what what it should be, for the error: "a profile (a YAML file)"
 * @return the path as it can be opened from the current folder
 * @throws InputError with position and key path
 */
std::string ReadExistingPath(const YamlField& field, const std::string& what);

/**
 * @param item of the list
 * @param accepted what the error calls the list
 * @param instead what the error of an empty list accepts; empty: the list may have no items
 * @return a list of such values
 */
template <typename T>
Value<std::vector<T>>
ListValue(const Value<T>& item, const std::string& accepted, const std::string& instead = "")
{
    Value<std::vector<T>> list;
    list.accepted = accepted;
    list.schema = ListSchema(item.schema);
    list.keys = item.keys;
    list.read = [item, accepted, instead](const YamlField& field) {
        std::vector<T> values;
        for (const auto& entry : field.GetItems(accepted))
        {
            values.push_back(item.read(entry));
        }
        if (values.empty() && !instead.empty())
        {
            field.FailWith("found an empty list; accepted: " + instead);
        }
        return values;
    };
    list.echo = [item](const std::vector<T>& values) {
        auto json = KeyJson::array();
        for (const auto& value : values)
        {
            json.push_back(item.echo(value));
        }
        return json;
    };
    return list;
}

/**
 * @param value by name
 * @param accepted what the error calls the map
 * @return a map whose keys are the user's own words
 */
template <typename T>
Value<std::map<std::string, T>>
TableValue(const Value<T>& value, const std::string& accepted)
{
    Value<std::map<std::string, T>> table;
    table.accepted = accepted;
    table.schema = TableSchema(value.schema);
    table.keys = value.keys;
    table.read = [value, accepted](const YamlField& field) {
        std::map<std::string, T> values;
        for (const auto& [name, entry] : field.GetEntries(accepted))
        {
            values[name] = value.read(entry);
        }
        return values;
    };
    table.echo = [value](const std::map<std::string, T>& values) {
        auto json = KeyJson::object();
        for (const auto& [name, entry] : values)
        {
            json[name] = value.echo(entry);
        }
        return json;
    };
    return table;
}

/**
 * @param accepted for people
 * @param words of rules
 * @param isOwn whether a field has a form of its own, which makes the rule "explicit"
 * @param member gets what that form says
 * @param own how it is read; what it accepts stands in errors after the words
 * @return one of the words, or that form
 */
template <typename Spec, typename T>
Value<Spec>
RuleValue(const std::string& accepted,
          const std::vector<std::string>& words,
          bool (YamlField::*isOwn)() const,
          T Spec::*member,
          const Value<T>& own)
{
    constexpr const char* EXPLICIT = "explicit";
    Value<Spec> value;
    value.accepted = accepted;
    value.schema = AnySchema({WordSchema(words), own.schema});
    value.read = [words, isOwn, member, own](const YamlField& field) {
        Spec spec;
        if ((field.*isOwn)())
        {
            spec.rule = EXPLICIT;
            spec.*member = own.read(field);
        }
        else
        {
            spec.rule = field.GetChoice(words, own.accepted);
        }
        return spec;
    };
    value.echo = [member, own](const Spec& spec) {
        return spec.rule == EXPLICIT ? own.echo(spec.*member) : KeyJson(spec.rule);
    };
    return value;
}

} // namespace ns3::dml

#endif /* DML_KEY_VALUES_H */
