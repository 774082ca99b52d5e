/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-mistake.h"

#include "dml-unit-parser.h"
#include "dml-yaml-node.h"

#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
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

/// How people write a unit, in lower case, and what it is called here.
using Spellings = std::vector<std::pair<std::string_view, std::string_view>>;

const Spellings SIZE_SPELLINGS{
    {"b", "B"},       {"byte", "B"},    {"bytes", "B"}, {"k", "KB"},     {"kb", "KB"},
    {"kbyte", "KB"},  {"kbytes", "KB"}, {"m", "MB"},    {"mb", "MB"},    {"mbyte", "MB"},
    {"mbytes", "MB"}, {"g", "GB"},      {"gb", "GB"},   {"gbyte", "GB"}, {"gbytes", "GB"},
    {"ki", "KiB"},    {"kib", "KiB"},   {"mi", "MiB"},  {"mib", "MiB"},  {"gi", "GiB"},
    {"gib", "GiB"},
};

const Spellings RATE_SPELLINGS{
    {"bps", "bps"},       {"b/s", "bps"},       {"bit/s", "bps"},     {"bits/s", "bps"},
    {"byte/s", "B/s"},    {"bytes/s", "B/s"},   {"k", "kbps"},        {"kbit", "kbps"},
    {"kbps", "kbps"},     {"kb/s", "kbps"},     {"kbit/s", "kbps"},   {"kbits/s", "kbps"},
    {"kbyte/s", "kB/s"},  {"kbytes/s", "kB/s"}, {"kib/s", "Kib/s"},   {"m", "Mbps"},
    {"mbit", "Mbps"},     {"mbps", "Mbps"},     {"mb/s", "Mbps"},     {"mbit/s", "Mbps"},
    {"mbits/s", "Mbps"},  {"mbyte/s", "MB/s"},  {"mbytes/s", "MB/s"}, {"mib/s", "Mib/s"},
    {"g", "Gbps"},        {"gbe", "Gbps"},      {"gbit", "Gbps"},     {"gbps", "Gbps"},
    {"gb/s", "Gbps"},     {"gbit/s", "Gbps"},   {"gbits/s", "Gbps"},  {"gbyte/s", "GB/s"},
    {"gbytes/s", "GB/s"}, {"gib/s", "Gib/s"},
};

const Spellings TIME_SPELLINGS{
    {"ns", "ns"},     {"nsec", "ns"}, {"us", "us"},    {"usec", "us"},    {"ms", "ms"},
    {"msec", "ms"},   {"s", "s"},     {"sec", "s"},    {"secs", "s"},     {"second", "s"},
    {"seconds", "s"}, {"min", "min"}, {"mins", "min"}, {"minute", "min"}, {"minutes", "min"},
    {"h", "h"},       {"hr", "h"},    {"hour", "h"},   {"hours", "h"},
};

/// @return the text without white space, with "u" for the two characters that look like a mu
std::string
Simplify(std::string_view text)
{
    constexpr std::string_view MICRO = "\xC2\xB5"; // U+00B5
    constexpr std::string_view MU = "\xCE\xBC";    // U+03BC
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const std::string_view two = text.substr(i, 2);
        if (two == MICRO || two == MU)
        {
            result += 'u';
            ++i;
        }
        else if (!std::isspace(static_cast<unsigned char>(text[i])))
        {
            result += text[i];
        }
    }
    return result;
}

/**
 * @brief Find the unit that was meant, and try the number with it.
 * @param text as written
 * @param spellings of units
 * @param parse reads a text, if it can
 * @return text that can be read, or an empty one
 */
template <typename Parse>
std::string
SuggestUnit(std::string_view text, const Spellings& spellings, const Parse& parse)
{
    const std::string simple = Simplify(text);
    if (parse(simple))
    {
        return simple == text ? "" : simple;
    }
    const std::size_t end = std::min(simple.find_first_not_of("-0123456789."), simple.size());
    std::string unit = simple.substr(end);
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) {
        return std::tolower(c);
    });
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const auto& known) {
        return known.first == unit;
    });
    if (found == spellings.end())
    {
        return "";
    }
    const std::string meant = simple.substr(0, end) + std::string(found->second);
    return parse(meant) ? meant : "";
}

/// @return integers separated by @p separator, or none if one of the parts is no integer
std::vector<int64_t>
SplitIntegers(const std::string& text, const std::string& separator)
{
    std::vector<int64_t> integers;
    for (std::size_t from = 0; from <= text.size();)
    {
        const std::size_t end = std::min(text.find(separator, from), text.size());
        const auto integer = ParseInteger(text.substr(from, end - from));
        if (!integer)
        {
            return {};
        }
        integers.push_back(*integer);
        from = end + separator.size();
    }
    return integers;
}

/// @return the integers from @p first to @p last, of many only doubles of the first and the last
std::vector<int64_t>
FillRange(int64_t first, int64_t last)
{
    constexpr int64_t MOST = 16;
    std::vector<int64_t> integers;
    for (int64_t i = first; i < last; i = last - first < MOST ? i + 1 : 2 * i)
    {
        integers.push_back(i);
    }
    integers.push_back(last);
    return integers;
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

std::string
SuggestSize(std::string_view text)
{
    return SuggestUnit(text, SIZE_SPELLINGS, ParseSize);
}

std::string
SuggestRate(std::string_view text)
{
    return SuggestUnit(text, RATE_SPELLINGS, ParseBitRate);
}

std::string
SuggestTime(std::string_view text)
{
    return SuggestUnit(text, TIME_SPELLINGS, ParseNanoseconds);
}

std::string
SuggestNumber(std::string_view text)
{
    std::string simple = Simplify(text);
    const bool percent = !simple.empty() && simple.back() == '%';
    simple.resize(simple.size() - (percent ? 1 : 0));
    std::replace(simple.begin(), simple.end(), ',', '.');
    const auto value = ParseNumber(simple);
    if (!value)
    {
        return "";
    }
    if (!percent)
    {
        return simple == text ? "" : simple;
    }
    return fmt::format("{:.15g}", *value / 100);
}

std::string
SuggestIntegers(std::string_view text)
{
    constexpr int64_t MOST = 1000000;
    const std::string simple = Simplify(text);
    std::vector<int64_t> integers;
    for (const char* separator : {"-", "..", ":"})
    {
        const auto ends = SplitIntegers(simple, separator);
        if (ends.size() == 2 && ends[0] >= 1 && ends[0] < ends[1] && ends[1] <= MOST)
        {
            integers = FillRange(ends[0], ends[1]);
        }
    }
    if (integers.empty() && simple.find(',') != std::string::npos)
    {
        integers = SplitIntegers(simple, ",");
    }
    return integers.empty() ? "" : fmt::format("[{}]", fmt::join(integers, ", "));
}

} // namespace ns3::dml
