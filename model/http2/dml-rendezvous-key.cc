/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rendezvous-key.h"

#include <charconv>
#include <string_view>

namespace ns3::dml
{

namespace
{

constexpr size_t INCARNATION_DIGITS = 16;
constexpr int HEXADECIMAL = 16;

/// @return true if all of @p text is a number in @p base, which is then in @p value
template <typename T>
bool
ParseNumber(std::string_view text, T& value, int base)
{
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value, base);
    return error == std::errc() && end == last;
}

/// Cuts the text before the next ';' off @p rest. @return false if there is none
bool
CutField(std::string_view& rest, std::string_view& field)
{
    const size_t end = rest.find(';');
    if (end == std::string_view::npos)
    {
        return false;
    }
    field = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
}

} // namespace

std::string
RendezvousKey::Encode() const
{
    char digits[INCARNATION_DIGITS];
    const auto result =
        std::to_chars(digits, digits + INCARNATION_DIGITS, incarnation, HEXADECIMAL);
    const auto count = static_cast<size_t>(result.ptr - digits);
    std::string text = source;
    text += ';';
    text.append(INCARNATION_DIGITS - count, '0');
    text.append(digits, count);
    text += ';' + destination + ';' + edge + ';' + std::to_string(frame) + ':' +
            std::to_string(iteration);
    return text;
}

std::optional<RendezvousKey>
RendezvousKey::Decode(const std::string& text)
{
    RendezvousKey key;
    std::string_view rest = text;
    std::string_view source;
    std::string_view incarnation;
    std::string_view destination;
    if (!CutField(rest, source) || !CutField(rest, incarnation) || !CutField(rest, destination))
    {
        return std::nullopt;
    }
    const size_t edgeEnd = rest.rfind(';');
    if (edgeEnd == std::string_view::npos)
    {
        return std::nullopt;
    }
    const std::string_view loop = rest.substr(edgeEnd + 1);
    const size_t colon = loop.find(':');
    if (incarnation.size() != INCARNATION_DIGITS || colon == std::string_view::npos ||
        !ParseNumber(incarnation, key.incarnation, HEXADECIMAL) ||
        !ParseNumber(loop.substr(0, colon), key.frame, 10) ||
        !ParseNumber(loop.substr(colon + 1), key.iteration, 10))
    {
        return std::nullopt;
    }
    key.source = source;
    key.destination = destination;
    key.edge = rest.substr(0, edgeEnd);
    return key;
}

std::string
DeviceName(const std::string& job, uint32_t task)
{
    return "/job:" + job + "/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
}

} // namespace ns3::dml
