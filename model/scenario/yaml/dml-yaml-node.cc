/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-node.h"

#include "ns3/dml-utf8.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

std::string
YamlMark::ToString() const
{
    return line == 0 ? *source : fmt::format("{}:{}:{}", *source, line, column);
}

const YamlEntry*
YamlNode::Find(std::string_view key) const
{
    const auto entry = std::find_if(entries.begin(), entries.end(), [key](const auto& known) {
        return known.key == key;
    });
    return entry == entries.end() ? nullptr : &*entry;
}

std::string
PrintableText(std::string_view text)
{
    constexpr std::size_t LIMIT = 200;
    std::string result;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (result.size() >= LIMIT && !ContinuesCharacter(c))
        {
            return result + "...";
        }
        result += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
    return result;
}

std::string
QuoteText(std::string_view text, char quote)
{
    return quote + PrintableText(text) + quote;
}

std::string
DescribeYaml(const YamlNode& node)
{
    switch (node.kind)
    {
    case YamlNode::Kind::SCALAR:
        return QuoteText(node.text, '"');
    case YamlNode::Kind::LIST:
        return node.items.empty() ? "an empty list"
                                  : "a list of " + std::to_string(node.items.size());
    case YamlNode::Kind::MAP:
        return node.entries.empty() ? "an empty map" : "a map";
    case YamlNode::Kind::EMPTY:
        break;
    }
    return "nothing";
}

std::string
FlowYaml(const YamlNode& node)
{
    std::string text;
    switch (node.kind)
    {
    case YamlNode::Kind::SCALAR:
        return node.text;
    case YamlNode::Kind::LIST:
        for (const auto& item : node.items)
        {
            text += (text.empty() ? "" : ", ") + FlowYaml(*item);
        }
        return "[" + text + "]";
    case YamlNode::Kind::MAP:
        for (const auto& entry : node.entries)
        {
            text += (text.empty() ? "" : ", ") + entry.key + ": " + FlowYaml(*entry.value);
        }
        return "{" + text + "}";
    case YamlNode::Kind::EMPTY:
        break;
    }
    return "null";
}

void
CollectLocations(const YamlNode& node,
                 const std::string& path,
                 std::map<std::string, std::string>& locations)
{
    locations.emplace(path, node.mark.ToString());
    for (std::size_t i = 0; i < node.items.size(); ++i)
    {
        CollectLocations(*node.items[i], JoinPath(path, i), locations);
    }
    for (const auto& entry : node.entries)
    {
        CollectLocations(*entry.value, JoinPath(path, entry.key), locations);
    }
}

std::string
JoinPath(const std::string& path, const std::string& key)
{
    return path.empty() ? key : path + "." + key;
}

std::string
JoinPath(const std::string& path, std::size_t index)
{
    return path + "[" + std::to_string(index) + "]";
}

} // namespace ns3::dml
