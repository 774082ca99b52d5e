/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLUGIN_KEY_H
#define DML_PLUGIN_KEY_H

#include "dml-key.h"

#include "ns3/dml-plugin-kind.h"
#include "ns3/dml-yaml-field.h"

#include <string>

namespace ns3::dml
{

/// How errors and the page of keys write the map that chooses a plug-in by its TypeId.
inline const std::string PLUGIN_FORM = "{type: TYPEID, ...}";

/// @return the schema of that map, a reference to PluginDefinition()
KeyJson PluginSchema();

/// @return `plugin` of the schema's `$defs`
KeyJson PluginDefinition();

/// @param field any @return whether it is a map with the key `type`
bool ChoosesPlugin(const YamlField& field);

/**
 * @brief Read `{type: TYPEID, ATTRIBUTE: VALUE, ...}`.
 * @param field such a map
 * @param kind what it may choose
 * @param others keys that the map may have besides, which are no attributes
 * @return TypeId and attributes, which can be made
 * @throws InputError with position and key path
 */
PluginSpec ReadPlugin(const YamlField& field,
                      const PluginKind& kind,
                      const std::vector<std::string>& others = {});

/**
 * @brief Read a name or such a map.
 * @param field any
 * @param kind what it may choose
 * @param words that are accepted besides
 * @return the choice
 * @throws InputError with position and key path
 */
PluginSpec ReadPluginOrName(const YamlField& field,
                            const PluginKind& kind,
                            const std::vector<std::string>& words = {});

/**
 * @param kind of the plug-in
 * @param spec a choice
 * @return it as it could be read again
 */
KeyJson EchoPlugin(const PluginKind& kind, const PluginSpec& spec);

/**
 * @param kind of the plug-in
 * @param words that are accepted besides
 * @return the shape of a name or such a map
 */
KeyShape PluginShape(const PluginKind& kind, const std::vector<std::string>& words = {});

/// @param kind of the plug-in @return a name or such a map, as a value
Value<PluginSpec> PluginValue(const PluginKind& kind);

/**
 * @brief A key whose value is a name or such a map.
 * @param key its name
 * @param name gets the name, or the TypeId
 * @param attributes get those of the TypeId
 * @param kind what it may choose
 * @param meaning see KeyText::text
 * @param words that are accepted besides the names
 * @return the key
 */
template <typename Spec>
Key<Spec>
PluginKey(const std::string& key,
          std::string Spec::*name,
          PluginAttributes Spec::*attributes,
          const PluginKind& kind,
          const std::string& meaning,
          const std::vector<std::string>& words = {})
{
    Key<Spec> result{key, nullptr, nullptr, PluginShape(kind, words), meaning};
    result.read = [=, &kind](const YamlField& map, Spec& spec) {
        if (const auto field = map.Get(key))
        {
            const PluginSpec plugin = ReadPluginOrName(field, kind, words);
            spec.*name = plugin.name;
            spec.*attributes = plugin.attributes;
        }
    };
    result.echo = [=, &kind](const Spec& spec) {
        return EchoPlugin(kind, {spec.*name, spec.*attributes});
    };
    result.SetDefault(result.echo(Spec()));
    return result;
}

} // namespace ns3::dml

#endif /* DML_PLUGIN_KEY_H */
