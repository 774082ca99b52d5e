/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-suggestion.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

char
Lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Damerau-Levenshtein distance in which no part of a word is edited twice.
std::size_t
Distance(std::string_view a, std::string_view b)
{
    // rows of the table of distances between prefixes: two rows back, one back, current
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
    {
        above[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                Lower(a[i - 2]) == Lower(b[j - 1]))
            {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = above;
        above = row;
    }
    return above[b.size()];
}

/// @return true if @p word is the first or last of the words that make up @p candidate, as "reno"
/// in "linux-reno"
bool
IsPartOf(std::string_view word, std::string_view candidate)
{
    if (word.empty() || word.size() >= candidate.size())
    {
        return false;
    }
    const auto isSeparator = [](char c) { return c == '-' || c == '_' || c == '.'; };
    const std::size_t rest = candidate.size() - word.size();
    return (candidate.substr(rest) == word && isSeparator(candidate[rest - 1])) ||
           (candidate.substr(0, word.size()) == word && isSeparator(candidate[word.size()]));
}

} // namespace

std::string
Suggest(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t LONGEST = 200; // longer words are no typing errors, and cost time
    if (word.size() > LONGEST)
    {
        return "";
    }
    const std::size_t allowed = std::max<std::size_t>(1, (word.size() + 1) / 3);
    std::size_t best = allowed + 1;
    std::string result;
    for (const auto& candidate : candidates)
    {
        if (best > 1 && IsPartOf(word, candidate))
        {
            best = 1;
            result = candidate;
            continue;
        }
        const std::size_t longer = std::max(candidate.size(), word.size());
        const std::size_t shorter = std::min(candidate.size(), word.size());
        if (longer - shorter >= best)
        {
            continue;
        }
        const std::size_t distance = Distance(word, candidate);
        if (distance < best)
        {
            best = distance;
            result = candidate;
        }
    }
    return result;
}

std::string
AcceptedText(const std::string& meant, const std::string& accepted)
{
    return (meant.empty() ? "; " : "; did you mean '" + meant + "'? ") + "accepted: " + accepted;
}

std::string
JoinWords(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
    {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

} // namespace ns3::dml
