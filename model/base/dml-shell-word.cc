/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shell-word.h"

#include "dml-terminal-text.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @return the text as bash's $'...', in plain characters and one line; without a quote inside, so
/// that a shell that does not know this takes it for another word, not for a command
std::string
QuoteControls(const std::string& text)
{
    std::string quoted = "$'";
    for (const char c : text)
    {
        const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
        quoted +=
            plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return quoted + "'";
}

} // namespace

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
    if (EscapeControls(text) != text)
    {
        return QuoteControls(text);
    }
    std::string quoted = "'";
    for (const char c : text)
    {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

std::string
QuoteShellPath(const std::string& path)
{
    return QuoteShell((!path.empty() && path.front() == '-' ? "./" : "") + path);
}

} // namespace ns3::dml
