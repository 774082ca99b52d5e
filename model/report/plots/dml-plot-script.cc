/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-script.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ns3::dml
{

std::string
QuoteGnuplot(std::string_view text)
{
    // inside single quotes gnuplot replaces neither `commands` nor @macros
    std::string quoted = "'";
    for (const char c : EscapeControls(text))
    {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + "'";
}

std::string
PlotTitle(std::string_view text, uint32_t width, const std::string& place)
{
    constexpr double LARGEST = 17; // pixels of a letter's height
    constexpr double SMALLEST = 10;
    constexpr double SLENDER = 0.56; // a letter's mean width over its height
    constexpr double MARGIN = 40;    // pixels that are left free
    const double room = (width - MARGIN) / SLENDER;
    const std::size_t most = room / SMALLEST;
    const std::string title = ShortenText(text, most);
    const double size = title.empty() ? LARGEST : std::min(LARGEST, room / title.size());
    return QuoteGnuplot(title) + place + " font '," + std::to_string(static_cast<int>(size)) + "'";
}

std::string
QuoteGnuplotTic(std::string_view text)
{
    std::string label;
    for (const char c : text)
    {
        label += c == '%' ? "%%" : std::string(1, c);
    }
    return QuoteGnuplot(label);
}

std::string
PlotNumber(double value)
{
    if (!std::isfinite(value))
    {
        return "NaN";
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    return std::string(text, end - text);
}

} // namespace ns3::dml
