/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_H
#define DML_KEY_H

#include "dml-key-values.h"

#include "ns3/dml-suggestion.h"
#include "ns3/dml-yaml-field.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief A key of a map in a scenario, declared once: what reads it, its echo, its default and what
 * the manual and editors are told all come from here.
 *
 * A new key is one line in the list of its map, beside the member that has its value:
 * @code
 * Key{"mtu", &NetworkSpec::mtu, IntegerValue(576, 65535), "bytes of an IP packet"},
 * @endcode
 * Its default is the member's value in a new Spec.
 * @tparam Spec what the map is read into
 */
template <typename Spec>
struct Key : KeyText
{
    /// Reads the key, and those that go with it; the field is that of the map, which may be
    /// missing.
    using Reader = void (*)(const YamlField& map, Spec& spec);
    /// @return the value as JSON in the units of YAML; null to leave the key out
    using Echo = KeyJson (*)(const Spec& spec);

    /**
     * @brief A key with a member of its own.
     * @param keyName name
     * @param member gets the value; an optional one that has none is not in the echo
     * @param value what is accepted
     * @param meaning see KeyText::text
     */
    template <typename T, typename V>
    Key(const std::string& keyName,
        T Spec::*member,
        const Value<V>& value,
        const std::string& meaning)
        : KeyText(keyName, value, meaning),
          read([keyName, member, value](const YamlField& map, Spec& spec) {
              if (const auto field = map.Get(keyName))
              {
                  spec.*member = value.read(field);
              }
          }),
          echo([member, value](const Spec& spec) { return EchoMember(spec.*member, value); })
    {
        SetDefault(echo(Spec()));
    }

    /**
     * @brief A key of a form of its own.
     * @param keyName name
     * @param reader of the key; null if that of another key reads it
     * @param toJson its echo; null if it has none
     * @param shape what is accepted
     * @param meaning see KeyText::text
     */
    Key(const std::string& keyName,
        Reader reader,
        Echo toJson,
        const KeyShape& shape,
        const std::string& meaning)
        : KeyText(keyName, shape, meaning),
          read(reader),
          echo(toJson)
    {
        SetDefault(echo ? echo(Spec()) : KeyJson());
    }

    /// @param words for people, where there is no default but a rule @return the key
    Key& Default(const std::string& words)
    {
        fallback = words;
        preset = nullptr;
        return *this;
    }

    /// @param condition on which the key is in the echo @return the key
    Key& EchoIf(bool (*condition)(const Spec&))
    {
        echo = [condition, always = echo](const Spec& spec) {
            return condition(spec) ? always(spec) : KeyJson();
        };
        applies = condition(Spec());
        return *this;
    }

    /// @return the key, which is in the echo unless it has its default
    Key& EchoIfChanged()
    {
        echo = [always = echo, unchanged = echo(Spec())](const Spec& spec) {
            KeyJson value = always(spec);
            return value == unchanged ? KeyJson() : value;
        };
        return *this;
    }

    /// @param value for examples, where there is no default @return the key
    Key& Sample(const std::string& value)
    {
        sample = value;
        return *this;
    }

    /// @param other key before which it is in the echo, instead of in its place @return the key
    Key& EchoBefore(const std::string& other)
    {
        echoBefore = other;
        return *this;
    }

    /// @param when -1: before the other keys, 1: after them @return the key, read then
    Key& Turn(int when)
    {
        turn = when;
        return *this;
    }

    /// @param rule called after reading, whether or not the key is given @return the key
    Key& Then(void (*rule)(Spec&))
    {
        read = [rule, before = read](const YamlField& map, Spec& spec) {
            before(map, spec);
            rule(spec);
        };
        return *this;
    }

    /// @return the key, whose value is also a map whose keys errors and suggestions know
    Key& AlsoMap()
    {
        paths = Paths::BOTH;
        return *this;
    }

    /// @return the key, whose map may choose a class by its TypeId
    Key& AlsoPlugin()
    {
        hasAttributes = true;
        return *this;
    }

    /// @return the key, whose value is a map with the user's own words, which may hold dots
    Key& Table()
    {
        isTable = true;
        return *this;
    }

    std::function<void(const YamlField&, Spec&)> read; //!< as Reader
    std::function<KeyJson(const Spec&)> echo;          //!< as Echo
    std::string echoBefore;                            //!< see EchoBefore(); empty: in its place
    int turn{0};                                       //!< see Turn()

  private:
    template <typename T, typename V>
    static KeyJson EchoMember(const T& member, const Value<V>& value)
    {
        return value.echo(member);
    }

    template <typename T, typename V>
    static KeyJson EchoMember(const std::optional<T>& member, const Value<V>& value)
    {
        return member ? value.echo(*member) : KeyJson();
    }
};

/// The keys of a map, in the order in which errors list them.
template <typename Spec>
using Keys = std::vector<Key<Spec>>;

/// @param keys of a map @return what is known of them
template <typename Spec>
std::vector<KeyText>
Describe(const Keys<Spec>& keys)
{
    return {keys.begin(), keys.end()};
}

/**
 * @brief Read what is given of the keys of a map, without a look for other keys in it.
 * @param map the map; may be missing
 * @param keys its keys
 * @param spec gets the values; those of missing keys stay as they are
 * @throws InputError with position and key path
 */
template <typename Spec>
void
ReadKeys(const YamlField& map, const Keys<Spec>& keys, Spec& spec)
{
    for (const int turn : {-1, 0, 1})
    {
        for (const auto& key : keys)
        {
            if (key.turn == turn && key.read)
            {
                key.read(map, spec);
            }
        }
    }
}

/// @param member a part of a spec @param keys of the part @return the same as keys of the whole
template <typename Whole, typename Part>
Keys<Whole>
PartKeys(Part Whole::*member, const Keys<Part>& keys)
{
    Keys<Whole> lifted;
    for (const auto& key : keys)
    {
        Key<Whole> whole{key.name, nullptr, nullptr, key, key.text};
        static_cast<KeyText&>(whole) = key;
        whole.read = [member, read = key.read](const YamlField& map, Whole& spec) {
            read(map, spec.*member);
        };
        whole.echo = [member, echo = key.echo](const Whole& spec) { return echo(spec.*member); };
        lifted.push_back(whole);
    }
    return lifted;
}

/// @param list gets what @p more has behind its own
template <typename Spec>
void
AddKeys(Keys<Spec>& list, const Keys<Spec>& more)
{
    list.insert(list.end(), more.begin(), more.end());
}

/**
 * @brief Write what was read as it could be read again.
 * @param keys of a map
 * @param spec their values
 * @return an object
 */
template <typename Spec>
KeyJson
EchoKeys(const Keys<Spec>& keys, const Spec& spec)
{
    std::vector<const Key<Spec>*> order;
    for (const bool moved : {false, true})
    {
        for (const auto& key : keys)
        {
            if (key.echoBefore.empty() != moved)
            {
                const auto next =
                    std::find_if(order.begin(), order.end(), [&key](const auto* other) {
                        return other->name == key.echoBefore;
                    });
                order.insert(next, &key);
            }
        }
    }
    auto json = KeyJson::object();
    for (const auto* key : order)
    {
        auto value = key->echo ? key->echo(spec) : KeyJson();
        if (!value.is_null())
        {
            json[key->name] = std::move(value);
        }
    }
    return json;
}

/// Keys that a map must have.
struct NeededKeys
{
    std::vector<std::string> names; //!< of the keys
    std::string accepted;           //!< for the error about a missing one
};

/**
 * @brief A map whose keys are declared, as a value.
 * @param keys of the map, which stay where they are
 * @param accepted what the error calls it; empty: by its keys
 * @param shape what the manual calls it; empty: as the error
 * @param needed those of the keys that may not be missing
 * @return a map with any of these keys
 */
template <typename Spec>
Value<Spec>
MapValue(const Keys<Spec>& keys,
         const std::string& accepted,
         const std::string& shape = "",
         const NeededKeys& needed = {})
{
    const auto texts = Describe(keys);
    return {{shape.empty() ? accepted : shape, MapSchema(texts), texts},
            [&keys, accepted, needed](const YamlField& field) {
                if (!field.IsMap() && !accepted.empty())
                {
                    field.Fail(accepted);
                }
                field.CheckKeys(NamesOf(keys));
                for (const auto& name : needed.names)
                {
                    if (!field.Get(name))
                    {
                        field.FailWith("found no key " + name + "; accepted: " + needed.accepted);
                    }
                }
                Spec spec;
                ReadKeys(field, keys, spec);
                return spec;
            },
            [&keys](const Spec& spec) { return EchoKeys(keys, spec); }};
}

} // namespace ns3::dml

#endif /* DML_KEY_H */
