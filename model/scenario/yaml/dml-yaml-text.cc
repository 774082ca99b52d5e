/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-text.h"

#include "ns3/dml-file-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <istream>
#include <vector>

namespace ns3::dml
{

namespace
{

/// What some editors write before UTF-8 text.
constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

/// Length of the UTF-8 character that starts at @p at, or 0 if none does (RFC 3629, table 3-7 of
/// Unicode).
std::size_t
CharacterLength(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) -> uint8_t {
        return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0;
    };
    const auto within = [&](std::size_t i, uint8_t low, uint8_t high) {
        return byte(i) >= low && byte(i) <= high;
    };
    const uint8_t lead = byte(0);
    if (lead < 0x80)
    {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF)
    {
        return within(1, 0x80, 0xBF) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF)
    {
        const bool second = within(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
        return second && within(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4)
    {
        const bool second = within(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
        return second && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

[[noreturn]] void
RefuseByte(std::string_view text, std::size_t at, const std::string& source)
{
    const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
    const std::size_t lineStart = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t column =
        at == 0 || lineStart == std::string_view::npos ? at + 1 : at - lineStart;
    throw InputError(
        fmt::format("{}:{}:{}: found byte 0x{:02X}; accepted: UTF-8 text without control "
                    "characters",
                    source,
                    line,
                    column,
                    static_cast<uint8_t>(text[at])));
}

/// @return whether a file begins as gzipped ones do (RFC 1952, section 2.3.1); nothing of it is
/// consumed
bool
IsGzipped(std::istream& file)
{
    constexpr int FIRST = 0x1F; // which text does not have
    return file.peek() == FIRST;
}

} // namespace

void
CheckText(std::string_view text, const std::string& source)
{
    std::size_t at = 0;
    while (at < text.size())
    {
        const auto byte = static_cast<uint8_t>(text[at]);
        const bool control =
            byte < 0x20 ? byte != '\t' && byte != '\n' && byte != '\r' : byte == 0x7F;
        const std::size_t length = control ? 0 : CharacterLength(text, at);
        if (length == 0)
        {
            RefuseByte(text, at, source);
        }
        at += length;
    }
}

std::string
ReadTextFile(const std::string& path, const std::string& what)
{
    constexpr std::size_t LIMIT = 256U << 20U;
    constexpr std::size_t BLOCK = 1U << 16U;
    std::error_code ignored;
    if (path.empty() || path.find('\0') != std::string::npos)
    {
        throw InputError("found an empty file name; accepted: the path of " + what);
    }
    if (std::filesystem::is_directory(path, ignored))
    {
        throw FileError(path + ": found a folder; accepted: " + what);
    }
    if (!std::filesystem::exists(path, ignored) && !ignored)
    {
        throw FileError(path + ": found no such file; accepted: " + what);
    }
    const auto file = OpenInputStream(path, what);
    std::string text;
    if (IsGzipped(*file))
    {
        text = TraceInput(*file, path).ReadText(LIMIT);
        CheckText(text, path);
        return text;
    }
    std::vector<char> block(BLOCK);
    while (file->read(block.data(), BLOCK) || file->gcount() > 0)
    {
        text.append(block.data(), file->gcount());
        if (std::memchr(block.data(), 0, file->gcount()))
        {
            break; // no text, and perhaps endless as /dev/zero
        }
        if (text.size() > LIMIT)
        {
            throw InputError(path + ": found more than 256 MiB; accepted: " + what +
                             " of at most 256 MiB");
        }
    }
    if (file->bad())
    {
        throw InputError(path + ": cannot be read; accepted: " + what);
    }
    if (text.rfind(BYTE_ORDER_MARK, 0) == 0)
    {
        text.erase(0, BYTE_ORDER_MARK.size());
    }
    CheckText(text, path);
    return text;
}

} // namespace ns3::dml
