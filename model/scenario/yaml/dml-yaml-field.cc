/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-field.h"

#include "dml-unit-parser.h"
#include "dml-unit-suggestion.h"
#include "dml-yaml-mistake.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// Largest rate accepted: at ten times of it, a small packet takes no nanosecond.
constexpr uint64_t MAX_BIT_RATE = 10000000000000;
/// Longest time accepted: it leaves room for sums in ns3::Time.
constexpr int64_t MAX_SECONDS = 1000000;

/// The path among @p paths whose last part is @p key, or an empty text.
std::string
FindElsewhere(const std::string& key, const YamlField::Elsewhere& paths)
{
    for (const auto& path : paths)
    {
        const std::size_t dot = path.rfind('.');
        if (path.substr(dot == std::string::npos ? 0 : dot + 1) == key)
        {
            return path;
        }
    }
    return "";
}

/// @return @p text if @p fits says so, else an empty text
template <typename Fits>
std::string
KeepIf(const std::string& text, const Fits& fits)
{
    return fits(text) ? text : "";
}

} // namespace

YamlField::YamlField(YamlNodePtr root, std::string listHint)
    : m_root(std::move(root)),
      m_node(m_root),
      m_listHint(std::move(listHint))
{
}

YamlField::operator bool() const
{
    return m_exists;
}

const std::string&
YamlField::GetPath() const
{
    return m_path;
}

const YamlNodePtr&
YamlField::GetNode() const
{
    return m_node;
}

const std::string&
YamlField::GetFile() const
{
    return *m_root->mark.source;
}

bool
YamlField::IsList() const
{
    return m_exists && m_node->kind == YamlNode::Kind::LIST;
}

bool
YamlField::IsWord(const std::string& word) const
{
    return m_exists && m_node->kind == YamlNode::Kind::SCALAR && m_node->text == word;
}

bool
YamlField::IsMap() const
{
    return m_exists && m_node->kind == YamlNode::Kind::MAP;
}

YamlField
YamlField::Get(const std::string& key) const
{
    YamlField field(*this);
    field.m_path = JoinPath(m_path, key);
    const YamlEntry* entry = m_exists ? m_node->Find(key) : nullptr;
    field.m_exists = entry != nullptr;
    if (entry)
    {
        field.m_node = entry->value;
    }
    return field;
}

YamlField
YamlField::WithRemark(std::string remark) const
{
    YamlField field(*this);
    field.m_remark = std::move(remark);
    return field;
}

void
YamlField::CheckKeys(const std::vector<std::string>& accepted, const Elsewhere& elsewhere) const
{
    if (!IsMap())
    {
        const bool isText = m_exists && m_node->kind == YamlNode::Kind::SCALAR;
        FailMeant(isText ? SuggestSpace(m_node->text.substr(0, m_node->text.find(' '))) : "",
                  "a map with the keys " + JoinWords(accepted));
    }
    for (const auto& entry : m_node->entries)
    {
        if (std::find(accepted.begin(), accepted.end(), entry.key) != accepted.end())
        {
            continue;
        }
        std::string meant = FindElsewhere(entry.key, elsewhere);
        const std::string spaced = SuggestSpace(entry.key);
        if (meant.empty())
        {
            const std::size_t end = spaced.find(':');
            meant = Suggest(entry.key.substr(0, end), accepted);
            meant += meant.empty() || spaced.empty() ? "" : PrintableText(spaced.substr(end));
        }
        throw InputError(entry.mark.ToString() + ": " + PrintableText(JoinPath(m_path, entry.key)) +
                         ": " + (m_remark.empty() ? "" : m_remark + ": ") + "unknown key " +
                         QuoteText(entry.key, '\'') + AcceptedText(meant, JoinWords(accepted)));
    }
}

std::vector<YamlField>
YamlField::GetItems(const std::string& accepted) const
{
    if (!IsList())
    {
        Fail(accepted);
    }
    std::vector<YamlField> items;
    items.reserve(m_node->items.size());
    for (std::size_t i = 0; i < m_node->items.size(); ++i)
    {
        YamlField item(*this);
        item.m_node = m_node->items[i];
        item.m_path = JoinPath(m_path, i);
        item.m_listHint.clear();
        items.push_back(std::move(item));
    }
    return items;
}

std::vector<std::pair<std::string, YamlField>>
YamlField::GetEntries(const std::string& accepted) const
{
    if (!IsMap())
    {
        Fail(accepted);
    }
    std::vector<std::pair<std::string, YamlField>> entries;
    entries.reserve(m_node->entries.size());
    for (const auto& entry : m_node->entries)
    {
        YamlField field(*this);
        field.m_node = entry.value;
        field.m_path = JoinPath(m_path, entry.key);
        entries.emplace_back(entry.key, std::move(field));
    }
    return entries;
}

const std::string&
YamlField::GetScalar(const std::string& accepted) const
{
    if (!m_exists || m_node->kind != YamlNode::Kind::SCALAR)
    {
        Fail(accepted);
    }
    return m_node->text;
}

const std::string&
YamlField::GetText(const std::string& accepted) const
{
    return GetScalar(accepted);
}

const std::string&
YamlField::GetString(const std::string& accepted) const
{
    const std::string& text = GetScalar(accepted);
    if (text.empty())
    {
        Fail(accepted);
    }
    return text;
}

bool
YamlField::GetBool() const
{
    return GetChoice({"true", "false"}) == "true";
}

const std::string&
YamlField::GetChoice(const std::vector<std::string>& choices, const std::string& alternative) const
{
    const std::string accepted =
        JoinWords(choices) + (alternative.empty() ? "" : ", or " + alternative);
    const std::string& text = GetScalar(accepted);
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
    {
        FailMeant(choices.size() > 1 ? Suggest(text, choices) : "", accepted);
    }
    return text;
}

uint64_t
YamlField::GetInteger(uint64_t low, uint64_t high) const
{
    const std::string accepted =
        "an integer from " + std::to_string(low) + " to " + std::to_string(high);
    const auto value = ParseInteger(GetScalar(accepted));
    if (!value || *value < 0 || static_cast<uint64_t>(*value) < low ||
        static_cast<uint64_t>(*value) > high)
    {
        Fail(accepted);
    }
    return *value;
}

double
YamlField::GetNumber(double high, const std::string& what) const
{
    std::ostringstream accepted;
    accepted.precision(15);
    accepted << "a number of " << what << " from 0 to " << high;
    const std::string& text = GetScalar(accepted.str());
    const auto fits = [&](const std::string& number) {
        const auto value = ParseNumber(number);
        return value && *value >= 0 && *value <= high;
    };
    if (!fits(text))
    {
        FailMeant(KeepIf(SuggestNumber(text), fits), accepted.str());
    }
    return *ParseNumber(text);
}

uint64_t
YamlField::GetSize(uint64_t low, uint64_t high, const std::string& alternative) const
{
    const std::string accepted = "a size from " + std::to_string(low) + " to " +
                                 std::to_string(high) + " bytes: " + std::string(SIZE_FORM) +
                                 ", such as 28MB" +
                                 (alternative.empty() ? "" : ", or " + alternative);
    const std::string& text = GetScalar(accepted);
    const auto fits = [&](const std::string& size) {
        const auto value = ParseSize(size);
        return value && *value >= low && *value <= high;
    };
    if (!fits(text))
    {
        FailMeant(KeepIf(SuggestSize(text), fits), accepted);
    }
    return *ParseSize(text);
}

DataRate
YamlField::GetRate() const
{
    const std::string accepted(RATE_FORM);
    const std::string& text = GetScalar(accepted);
    const auto value = ParseBitRate(text);
    if (!value)
    {
        FailMeant(SuggestRate(text), accepted);
    }
    if (*value > MAX_BIT_RATE)
    {
        Fail("a rate of at most 10000Gbps");
    }
    return DataRate(*value);
}

Time
YamlField::GetTime(const Time& low) const
{
    std::ostringstream accepted;
    accepted << TIME_FORM << ", from " << low.GetMicroSeconds() << "us to " << MAX_SECONDS
             << "s in whole nanoseconds";
    const std::string& text = GetScalar(accepted.str());
    const auto fits = [&](const std::string& time) {
        const auto value = ParseNanoseconds(time);
        return value && NanoSeconds(*value) >= low && NanoSeconds(*value) <= Seconds(MAX_SECONDS);
    };
    if (!fits(text))
    {
        FailMeant(KeepIf(SuggestTime(text), fits), accepted.str());
    }
    return NanoSeconds(*ParseNanoseconds(text));
}

std::string
YamlField::GetPrefix() const
{
    std::string prefix = m_node->mark.ToString() + ": ";
    if (!m_path.empty())
    {
        prefix += PrintableText(m_path) + ": ";
    }
    return m_remark.empty() ? prefix : prefix + m_remark + ": ";
}

void
YamlField::Fail(const std::string& accepted) const
{
    std::string text =
        "found " + (m_exists ? DescribeYaml(*m_node) : "nothing") + "; accepted: " + accepted;
    if (IsList() && !m_listHint.empty())
    {
        text += "; ";
        for (const char c : m_listHint)
        {
            text += c == '%' ? PrintableText(m_path) : std::string(1, c);
        }
    }
    FailWith(text);
}

void
YamlField::FailMeant(const std::string& meant, const std::string& accepted) const
{
    if (meant.empty())
    {
        Fail(accepted);
    }
    FailWith("found " + DescribeYaml(*m_node) + AcceptedText(meant, accepted));
}

void
YamlField::FailWith(const std::string& text) const
{
    throw InputError(GetPrefix() + text);
}

} // namespace ns3::dml
