/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-words.h"

#include "dml-progress-board.h"

#include "ns3/dml-utf8.h"

#include <fmt/core.h>

namespace ns3::dml
{

std::string
PercentText(const RelativeDifference& difference, int decimals, const std::string& unit)
{
    if (!difference.value)
    {
        return "-";
    }
    const std::string value = fmt::format("{:+.{}f}", 100 * *difference.value, decimals) + unit;
    return difference.low && difference.high ? value + fmt::format(" ({:+.{}f}..{:+.{}f})",
                                                                   100 * *difference.low,
                                                                   decimals,
                                                                   100 * *difference.high,
                                                                   decimals)
                                             : value;
}

std::string
KeepEnd(std::string text, std::size_t width)
{
    if (text.size() > width)
    {
        std::size_t from = text.size() - width + 3;
        while (from < text.size() && ContinuesCharacter(text[from]))
        {
            ++from; // no half of a character
        }
        text.replace(0, from, "...");
    }
    return text;
}

std::string
RoughDuration(double seconds)
{
    return seconds < 10 ? fmt::format("{:.2g} s", seconds) : FormatDuration(seconds);
}

std::string
SpentTime(double seconds)
{
    return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : FormatDuration(seconds);
}

} // namespace ns3::dml
