/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-mistake.h"

#include "dml-yaml-node.h"

#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

const std::string SPACES = " \t\r";

/// A line of YAML without indentation, dashes of lists, comment and space at its end.
struct Line
{
    uint32_t number{0};    //!< from 1
    std::size_t indent{0}; //!< bytes before the text
    std::string text;      //!< empty if there is nothing else
};

Line
MakeLine(uint32_t number, const std::string& written)
{
    Line line;
    line.number = number;
    line.indent = std::min(written.find_first_not_of(SPACES + "-"), written.size());
    line.text = written.substr(line.indent);
    const std::size_t comment = line.text.find(" #");
    line.text.resize(line.text.rfind('#', 0) == 0 ? 0 : std::min(comment, line.text.size()));
    line.text.resize(line.text.find_last_not_of(SPACES) + 1);
    return line;
}

/// @return the lines that are not empty, up to line @p last
std::vector<Line>
SplitLines(const std::string& text, uint32_t last)
{
    std::vector<Line> lines;
    std::istringstream stream(text);
    std::string written;
    for (uint32_t number = 1; number <= last && std::getline(stream, written); ++number)
    {
        Line line = MakeLine(number, written);
        if (!line.text.empty())
        {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

bool
IsKeyLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

/// @return length of the word that @p text starts with
std::size_t
KeyLength(std::string_view text)
{
    return std::find_if_not(text.begin(), text.end(), IsKeyLetter) - text.begin();
}

YamlMistake
MakeMistake(const Line& line, const std::string& text)
{
    return {line.number, static_cast<uint32_t>(line.indent + 1), text};
}

/// A bracket of YAML's flow style.
struct Bracket
{
    char kind;       //!< [ or {
    uint32_t line;   //!< from 1
    uint32_t column; //!< from 1
};

/// @return the brackets that are open at the end of @p text, which has no quotes over line ends
std::vector<Bracket>
FindOpenBrackets(const std::string& text)
{
    std::vector<Bracket> open;
    std::istringstream stream(text);
    std::string line;
    for (uint32_t number = 1; std::getline(stream, line); ++number)
    {
        char quote = 0;
        for (std::size_t i = 0; i < line.size(); ++i)
        {
            const char c = line[i];
            if (quote != 0)
            {
                quote = c == quote ? 0 : quote;
            }
            else if (c == '#' && (i == 0 || line[i - 1] == ' '))
            {
                break;
            }
            else if (c == '"' || c == '\'')
            {
                quote = c;
            }
            else if (c == '[' || c == '{')
            {
                open.push_back({c, number, static_cast<uint32_t>(i + 1)});
            }
            else if ((c == ']' || c == '}') && !open.empty())
            {
                open.pop_back();
            }
        }
    }
    return open;
}

} // namespace

std::string
SuggestSpace(std::string_view text)
{
    const std::size_t key = KeyLength(text);
    const bool glued = key > 0 && key + 1 < text.size() && text[key] == ':' &&
                       SPACES.find(text[key + 1]) == std::string::npos && text[key + 1] != '/' &&
                       text[key + 1] != ':';
    return glued ? std::string(text.substr(0, key + 1)) + " " + std::string(text.substr(key + 1))
                 : "";
}

std::optional<YamlMistake>
FindYamlMistake(const std::string& text, uint32_t line)
{
    const std::vector<Line> lines = SplitLines(text, line);
    // what the parser took for one text together with the key where it gave up
    for (std::size_t i = lines.size(); i-- > 0 && i + 2 >= lines.size();)
    {
        std::size_t first = i;
        while (first > 0 && !SuggestSpace(lines[first - 1].text).empty())
        {
            --first;
        }
        const std::string meant = SuggestSpace(lines[first].text);
        if (!meant.empty())
        {
            return MakeMistake(lines[first],
                               "found " + QuoteText(lines[first].text, '\'') +
                                   " without a space behind the colon" +
                                   AcceptedText(PrintableText(meant), "key: value"));
        }
    }
    const auto open = FindOpenBrackets(text);
    if (!open.empty())
    {
        const Bracket& last = open.back();
        return YamlMistake{last.line,
                           last.column,
                           std::string("found a '") + last.kind +
                               "' that nothing closes; accepted: a list or map with '" +
                               (last.kind == '[' ? ']' : '}') + "' at its end"};
    }
    if (lines.size() < 2)
    {
        return std::nullopt;
    }
    const Line& here = lines.back();
    const Line& before = lines[lines.size() - 2];
    const bool isKey = KeyLength(here.text) > 0 && here.text.find(':') != std::string::npos;
    if (isKey && KeyLength(before.text) > 0 && before.text.find(':') == std::string::npos)
    {
        return MakeMistake(before,
                           "found " + QuoteText(before.text, '\'') +
                               " without a colon; accepted: key: value, or key: alone before "
                               "deeper lines");
    }
    const std::size_t colon = before.text.find(": ");
    if (isKey && here.indent > before.indent && colon != std::string::npos)
    {
        return MakeMistake(here,
                           "found a key that is indented deeper than that of the line before, " +
                               QuoteText(before.text.substr(0, colon), '\'') +
                               ", which has a value; accepted: the same indentation");
    }
    return std::nullopt;
}

} // namespace ns3::dml
