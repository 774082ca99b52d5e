/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_TEXT_H
#define DML_KEY_TEXT_H

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
    Paths paths{Paths::NONE}; //!< of what is in it
    bool isTable{false};      //!< its keys are the user's own words, which may hold dots
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

} // namespace ns3::dml

#endif /* DML_KEY_TEXT_H */
