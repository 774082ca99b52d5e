/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_NODE_H
#define DML_YAML_NODE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief Where a piece of YAML was written.
 */
struct YamlMark
{
    std::shared_ptr<const std::string> source; //!< file name, or "--set key=value"
    uint32_t line{0};                          //!< from 1; 0 if the source has no lines
    uint32_t column{0};                        //!< in bytes, from 1; 0 if the source has no lines

    /// @return "file:line:column", or the source alone if it has no lines
    std::string ToString() const;
};

struct YamlNode;
/// Nodes never change once built, so that aliases and variants of a scenario may share them.
using YamlNodePtr = std::shared_ptr<const YamlNode>;

/**
 * @ingroup dml-scenario
 * @brief One key of a YAML map, and its value.
 */
struct YamlEntry
{
    std::string key;   //!< unique within its map
    YamlMark mark;     //!< of the key
    YamlNodePtr value; //!< never null
};

/**
 * @ingroup dml-scenario
 * @brief A piece of YAML with its position. Plain data.
 */
struct YamlNode
{
    /// Shape of a node.
    enum class Kind : uint8_t
    {
        EMPTY,  //!< a key without a value, "~" or "null"
        SCALAR, //!< text
        LIST,   //!< items
        MAP,    //!< entries
    };

    Kind kind{Kind::EMPTY};         //!< shape
    YamlMark mark;                  //!< where it starts (for an empty value: its key)
    std::string text;               //!< of a scalar
    std::vector<YamlNodePtr> items; //!< of a list
    std::vector<YamlEntry> entries; //!< of a map, in the order written

    /// @param key name of an entry; @return its entry, or null if there is none or this is no map
    const YamlEntry* Find(std::string_view key) const;
};

/**
 * @brief Lists and maps may lie in each other so deep, aliases unfolded: what reads them recurses.
 *
 * A value may come to lie twice as deep, where `--set` puts it at the end of a path.
 */
constexpr std::size_t MAX_YAML_LEVELS = 64;

/**
 * @brief Name a node in an error message.
 * @param node any node
 * @return such as: "28 megs" (with its quotes), a list of 3, an empty map, nothing
 */
std::string DescribeYaml(const YamlNode& node);

/**
 * @brief Write a node on one line, as YAML flow style (for people: scalars are not quoted).
 * @param node any node
 * @return such as 10Gbps, [1, 2] or {a: 1}
 */
std::string FlowYaml(const YamlNode& node);

/**
 * @brief Make text from a file safe to print.
 * @param text any UTF-8 text
 * @return the text with spaces for control characters, cut after 200 bytes
 */
std::string PrintableText(std::string_view text);

/// @param text any UTF-8 text @param quote character put on both sides
/// @return PrintableText() between quotes
std::string QuoteText(std::string_view text, char quote);

/**
 * @brief Collect where every key below a node was given.
 * @param node any node
 * @param path key path of @p node, empty for the root
 * @param[out] locations "file:line:column" by key path, such as "job.workers[2]"
 */
void CollectLocations(const YamlNode& node,
                      const std::string& path,
                      std::map<std::string, std::string>& locations);

/// @param path key path of a map, empty for the root @param key name of an entry
/// @return the entry's key path
std::string JoinPath(const std::string& path, const std::string& key);

/// @param path key path of a list @param index of an item, from 0 @return the item's key path
std::string JoinPath(const std::string& path, std::size_t index);

} // namespace ns3::dml

#endif /* DML_YAML_NODE_H */
