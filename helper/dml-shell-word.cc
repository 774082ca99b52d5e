/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shell-word.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace ns3
{
namespace dml
{

std::string
QuoteShell(const std::string& text)
{
    const auto isPlain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_./:=,+@%-", c);
    };
    if (!text.empty() && text.front() != '=' && std::all_of(text.begin(), text.end(), isPlain))
    {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text)
    {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

} // namespace dml
} // namespace ns3
