/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-path.h"

#include "dml-unit-parser.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return true if @p path is @p table, or an item of a list there: "sweep[2]" for "sweep"
bool
IsTable(const std::string& path, const std::string& table)
{
    return path.rfind(table, 0) == 0 && (path.size() == table.size() || path[table.size()] == '[');
}

/// @return the index that a text stands for, if it does
std::optional<std::size_t>
ReadIndex(const std::string& text)
{
    const auto number = ParseInteger(text);
    return number && *number >= 0 ? std::optional<std::size_t>(*number) : std::nullopt;
}

} // namespace

YamlPath::YamlPath(const std::string& text, YamlMark mark, const std::vector<std::string>& tables)
    : m_text(text),
      m_mark(std::move(mark))
{
    std::size_t start = 0;
    while (true)
    {
        const std::string place = text.substr(0, std::max<std::size_t>(start, 1) - 1);
        const bool inTable =
            start > 0 &&
            std::any_of(tables.begin(), tables.end(), [&place](const std::string& table) {
                return IsTable(place, table);
            });
        CheckLevels();
        const std::size_t dot = inTable ? std::string::npos : text.find('.', start);
        const std::string part =
            text.substr(start, dot == std::string::npos ? std::string::npos : dot - start);
        if (inTable && !part.empty())
        {
            m_parts.push_back({part, ReadIndex(part)});
        }
        else
        {
            AddKey(part);
        }
        if (dot == std::string::npos)
        {
            break;
        }
        start = dot + 1;
    }
}

void
YamlPath::AddKey(const std::string& text)
{
    const auto check = [this](bool fine) {
        if (!fine)
        {
            Fail(0, QuoteText(m_text, '"'), "a key path such as network.rate or job.workers[0]");
        }
    };
    std::size_t open = std::min(text.find('['), text.size());
    const std::string key = text.substr(0, open);
    check(!key.empty() && key.find_first_of(" \t]") == std::string::npos);
    m_parts.push_back({key, ReadIndex(key)});
    while (open < text.size())
    {
        const std::size_t close = text.find(']', open);
        check(text[open] == '[' && close != std::string::npos);
        const auto index = ReadIndex(text.substr(open + 1, close - open - 1));
        check(index.has_value());
        open = close + 1;
        check(open == text.size() || text[open] == '[');
        CheckLevels();
        m_parts.push_back({"", index});
    }
}

void
YamlPath::CheckLevels() const
{
    if (m_parts.size() >= MAX_YAML_LEVELS)
    {
        Fail(0,
             "a key path of more than " + std::to_string(MAX_YAML_LEVELS) +
                 " levels: " + QuoteText(m_text, '"'),
             "fewer");
    }
}

YamlNodePtr
YamlPath::Set(const YamlNodePtr& root, const YamlNodePtr& value, SingleValue single) const
{
    return SetBelow(root, 0, value, single);
}

YamlNodePtr
YamlPath::Find(const YamlNodePtr& root) const
{
    YamlNodePtr node = root;
    for (const auto& part : m_parts)
    {
        if (node->kind == YamlNode::Kind::LIST && part.index && *part.index < node->items.size())
        {
            node = node->items[*part.index];
            continue;
        }
        const YamlEntry* entry = part.IsKey() ? node->Find(part.key) : nullptr;
        if (!entry)
        {
            return nullptr;
        }
        node = entry->value;
    }
    return node;
}

YamlNodePtr
YamlPath::SetBelow(const YamlNodePtr& node,
                   std::size_t depth,
                   const YamlNodePtr& value,
                   SingleValue single) const
{
    if (depth == m_parts.size())
    {
        return value;
    }
    const Part& part = m_parts[depth];
    auto changed = std::make_shared<YamlNode>(*node);
    const auto& index = part.index;
    if (!part.IsKey() || (index && node->kind == YamlNode::Kind::LIST))
    {
        if (node->kind != YamlNode::Kind::LIST)
        {
            Fail(depth, DescribeYaml(*node), "a list, to change item " + std::to_string(*index));
        }
        if (*index >= node->items.size())
        {
            Fail(depth,
                 DescribeYaml(*node),
                 "an index less than " + std::to_string(node->items.size()));
        }
        changed->items[*index] = SetBelow(node->items[*index], depth + 1, value, single);
        return changed;
    }
    if (node->kind == YamlNode::Kind::SCALAR && single == SingleValue::REPLACE)
    {
        changed->text.clear();
        changed->mark = m_mark;
        changed->kind = YamlNode::Kind::MAP;
    }
    else if (node->kind == YamlNode::Kind::EMPTY)
    {
        changed->kind = YamlNode::Kind::MAP;
    }
    else if (node->kind != YamlNode::Kind::MAP)
    {
        Fail(depth, DescribeYaml(*node), "a map, to change its key " + QuoteText(part.key, '\''));
    }
    for (auto& entry : changed->entries)
    {
        if (entry.key == part.key)
        {
            entry.value = SetBelow(entry.value, depth + 1, value, single);
            return changed;
        }
    }
    auto empty = std::make_shared<YamlNode>();
    empty->mark = m_mark;
    changed->entries.push_back({part.key, m_mark, SetBelow(empty, depth + 1, value, single)});
    return changed;
}

bool
YamlPath::Contains(const YamlPath& other) const
{
    // a key and an index are the same where a list has the key for its index
    const auto same = [](const Part& a, const Part& b) {
        return a.index == b.index && (a.IsKey() != b.IsKey() || a.key == b.key);
    };
    return other.m_parts.size() >= m_parts.size() &&
           std::equal(m_parts.begin(), m_parts.end(), other.m_parts.begin(), same);
}

void
YamlPath::Fail(std::size_t depth, const std::string& found, const std::string& accepted) const
{
    std::string path;
    for (std::size_t i = 0; i < depth; ++i)
    {
        path =
            m_parts[i].IsKey() ? JoinPath(path, m_parts[i].key) : JoinPath(path, *m_parts[i].index);
    }
    throw InputError(m_mark.ToString() + ": " + (path.empty() ? "" : PrintableText(path) + ": ") +
                     "found " + found + "; accepted: " + accepted);
}

} // namespace ns3::dml
