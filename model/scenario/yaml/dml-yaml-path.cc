/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-path.h"

#include "dml-unit-parser.h"

#include "ns3/dml-error.h"

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

} // namespace

bool
YamlPath::Part::operator==(const Part& other) const
{
    return isIndex == other.isIndex ? index == other.index && key == other.key
                                    : GetIndex() == other.GetIndex();
}

std::optional<std::size_t>
YamlPath::Part::GetIndex() const
{
    if (isIndex)
    {
        return index;
    }
    const auto number = ParseInteger(key);
    return number && *number >= 0 ? std::optional<std::size_t>(*number) : std::nullopt;
}

YamlPath::YamlPath(const std::string& text, YamlMark mark, const std::vector<std::string>& tables)
    : m_text(text),
      m_mark(std::move(mark))
{
    std::size_t start = 0;
    while (true)
    {
        bool inTable = false;
        for (const auto& table : tables)
        {
            inTable = inTable || (start > 0 && IsTable(text.substr(0, start - 1), table));
        }
        CheckLevels();
        const std::size_t dot = inTable ? std::string::npos : text.find('.', start);
        const std::string part =
            text.substr(start, dot == std::string::npos ? std::string::npos : dot - start);
        if (inTable && !part.empty())
        {
            m_parts.push_back({part});
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
    std::size_t open = text.find('[');
    const std::string key = text.substr(0, open);
    if (key.empty() || key.find_first_of(" \t]") != std::string::npos)
    {
        Fail(0, QuoteText(m_text, '"'), "a key path such as network.rate or job.workers[0]");
    }
    m_parts.push_back({key});
    while (open != std::string::npos)
    {
        const std::size_t close = text.find(']', open);
        const auto index = close == std::string::npos
                               ? std::nullopt
                               : ParseInteger(text.substr(open + 1, close - open - 1));
        const bool ends = close != std::string::npos && close + 1 == text.size();
        if (!index || *index < 0 || (!ends && text[close + 1] != '['))
        {
            Fail(0, QuoteText(m_text, '"'), "a key path such as network.rate or job.workers[0]");
        }
        CheckLevels();
        m_parts.push_back({"", true, static_cast<std::size_t>(*index)});
        open = ends ? std::string::npos : close + 1;
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
        const auto index = part.GetIndex();
        if (node->kind == YamlNode::Kind::LIST && index && *index < node->items.size())
        {
            node = node->items[*index];
            continue;
        }
        const YamlEntry* entry = part.isIndex ? nullptr : node->Find(part.key);
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
    const auto index = part.GetIndex();
    if (part.isIndex || (index && node->kind == YamlNode::Kind::LIST))
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
    if (other.m_parts.size() < m_parts.size())
    {
        return false;
    }
    for (std::size_t i = 0; i < m_parts.size(); ++i)
    {
        if (!(m_parts[i] == other.m_parts[i]))
        {
            return false;
        }
    }
    return true;
}

const std::string&
YamlPath::GetText() const
{
    return m_text;
}

std::string
YamlPath::GetPrefix(std::size_t depth) const
{
    std::string path;
    for (std::size_t i = 0; i < depth; ++i)
    {
        path =
            m_parts[i].isIndex ? JoinPath(path, m_parts[i].index) : JoinPath(path, m_parts[i].key);
    }
    return PrintableText(path);
}

void
YamlPath::Fail(std::size_t depth, const std::string& found, const std::string& accepted) const
{
    const std::string prefix = GetPrefix(depth);
    throw InputError(m_mark.ToString() + ": " + (prefix.empty() ? "" : prefix + ": ") + "found " +
                     found + "; accepted: " + accepted);
}

} // namespace ns3::dml
