/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-csv-name.h"

#include "ns3/dml-terminal-text.h"

#include <charconv>
#include <fmt/core.h>
#include <system_error>

namespace ns3::dml
{

namespace
{

/// @return whether a spreadsheet would calculate the text, apostrophes before it apart
bool
StartsFormula(std::string_view text)
{
    const std::size_t first = text.find_first_not_of('\'');
    return first != std::string_view::npos &&
           std::string_view("=+-@").find(text[first]) != std::string_view::npos;
}

/// @return whether a text is nothing but a number, such as -1.5e3
bool
IsNumber(std::string_view text)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

} // namespace

std::string
WriteCsvName(std::string_view text)
{
    std::string doubled;
    for (const char c : text)
    {
        doubled.append(c == '\\' ? 2 : 1, c);
    }
    std::string field = EscapeControls(doubled);
    if (StartsFormula(field) && !IsNumber(field))
    {
        field.insert(0, 1, '\'');
    }
    if (field.find_first_of(",\"") == std::string::npos)
    {
        return field;
    }
    std::string quoted = "\"";
    for (const char c : field)
    {
        quoted.append(c == '"' ? 2 : 1, c);
    }
    return quoted + '"';
}

std::string
WriteCsvNumber(std::optional<double> value)
{
    return value ? fmt::format("{:.9g}", *value) : "";
}

std::string
ReadCsvName(std::string_view field)
{
    if (!field.empty() && field.front() == '\'' && StartsFormula(field))
    {
        field.remove_prefix(1);
    }
    std::string text;
    for (std::size_t at = 0; at < field.size(); ++at)
    {
        if (field[at] != '\\' || at + 1 == field.size())
        {
            text += field[at];
            continue;
        }
        const char kind = field[++at];
        unsigned char byte = 0;
        const char* const digits = field.data() + at + 1;
        const bool hexadecimal = kind == 'x' && at + 2 < field.size() &&
                                 std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        text += hexadecimal   ? static_cast<char>(byte)
                : kind == 'n' ? '\n'
                : kind == 't' ? '\t'
                : kind == 'r' ? '\r'
                              : kind;
        at += hexadecimal ? 2 : 0;
    }
    return text;
}

} // namespace ns3::dml
