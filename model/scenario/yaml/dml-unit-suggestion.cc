/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-unit-suggestion.h"

#include "dml-unit-parser.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fmt/core.h>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

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
    std::string list;
    for (const int64_t integer : integers)
    {
        list += (list.empty() ? "" : ", ") + std::to_string(integer);
    }
    return list.empty() ? "" : "[" + list + "]";
}

} // namespace ns3::dml
