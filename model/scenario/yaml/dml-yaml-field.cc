/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-field.h"

#include "dml-unit-parser.h"
#include "dml-yaml-mistake.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>

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

/// @return @p value if it is from @p low to @p high
template <typename T>
std::optional<T>
KeepWithin(const std::optional<T>& value, T low, T high)
{
    return value && *value >= low && *value <= high ? value : std::nullopt;
}

/**
 * @brief Read a number with a unit, or without.
 * @param field its field
 * @param accepted for the error
 * @param read what a text is, or nothing
 * @param suggest finds what was probably meant, which the error has if that can be read
 * @return what its text is
 */
template <typename Read>
auto
ReadUnit(const YamlField& field,
         const std::string& accepted,
         const Read& read,
         std::string (*suggest)(std::string_view))
{
    const std::string& text = field.GetText(accepted);
    const auto value = read(text);
    if (!value)
    {
        const std::string meant = suggest(text);
        field.FailMeant(read(meant) ? meant : "", accepted);
    }
    return *value;
}

} // namespace

YamlField::YamlField(YamlNodePtr root, std::string listHint)
    : m_root(std::move(root)),
      m_node(m_root),
      m_listHint(std::move(listHint))
{
}

YamlField
YamlField::Enter(const YamlNodePtr& node, std::string path) const
{
    YamlField field(*this);
    field.m_node = node;
    field.m_path = std::move(path);
    return field;
}

YamlField
YamlField::Get(const std::string& key) const
{
    const YamlEntry* entry = m_exists ? m_node->Find(key) : nullptr;
    YamlField field = Enter(entry ? entry->value : m_node, JoinPath(m_path, key));
    field.m_exists = entry != nullptr;
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
        FailMeant(Is(YamlNode::Kind::SCALAR)
                      ? SuggestSpace(m_node->text.substr(0, m_node->text.find(' ')))
                      : "",
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
        items.push_back(Enter(m_node->items[i], JoinPath(m_path, i)));
        items.back().m_listHint.clear();
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
        entries.emplace_back(entry.key, Enter(entry.value, JoinPath(m_path, entry.key)));
    }
    return entries;
}

const std::string&
YamlField::GetText(const std::string& accepted) const
{
    if (!Is(YamlNode::Kind::SCALAR))
    {
        Fail(accepted);
    }
    return m_node->text;
}

const std::string&
YamlField::GetString(const std::string& accepted) const
{
    const std::string& text = GetText(accepted);
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
    const std::string& text = GetText(accepted);
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
    const auto value = ParseInteger(GetText(accepted));
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
    const auto read = [high](const std::string& text) {
        return KeepWithin(ParseNumber(text), 0.0, high);
    };
    const std::string accepted = fmt::format("a number of {} from 0 to {:.15g}", what, high);
    return ReadUnit(*this, accepted, read, SuggestNumber);
}

uint64_t
YamlField::GetSize(uint64_t low, uint64_t high, const std::string& alternative) const
{
    const std::string accepted =
        fmt::format("a size from {} to {} bytes: {}, such as 28MB", low, high, SIZE_FORM) +
        (alternative.empty() ? "" : ", or " + alternative);
    const auto read = [low, high](const std::string& text) {
        return KeepWithin(ParseSize(text), low, high);
    };
    return ReadUnit(*this, accepted, read, SuggestSize);
}

DataRate
YamlField::GetRate() const
{
    const std::string accepted(RATE_FORM);
    const uint64_t rate = ReadUnit(*this, accepted, ParseBitRate, SuggestRate);
    if (rate > MAX_BIT_RATE)
    {
        Fail("a rate of at most 10000Gbps");
    }
    return DataRate(rate);
}

Time
YamlField::GetTime(const Time& low) const
{
    const auto read = [low = low.GetNanoSeconds()](const std::string& text) {
        return KeepWithin(ParseNanoseconds(text), low, MAX_SECONDS * 1000000000);
    };
    const std::string accepted = fmt::format("{}, from {}us to {}s in whole nanoseconds",
                                             TIME_FORM,
                                             low.GetMicroSeconds(),
                                             MAX_SECONDS);
    return NanoSeconds(ReadUnit(*this, accepted, read, SuggestTime));
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
    throw InputError(m_node->mark.ToString() + ": " +
                     (m_path.empty() ? "" : PrintableText(m_path) + ": ") +
                     (m_remark.empty() ? "" : m_remark + ": ") + text);
}

} // namespace ns3::dml
