/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-words.h"

#include "dml-progress-board.h"

#include <cstdarg>
#include <cstdio>

namespace ns3
{
namespace dml
{

std::string
FormatText(const char* format, ...)
{
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    std::string text(std::vsnprintf(nullptr, 0, format, arguments), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

std::string
PercentText(const RelativeDifference& difference, int decimals, const std::string& unit)
{
    if (!difference.value)
    {
        return "-";
    }
    const std::string value = FormatText("%+.*f", decimals, 100 * *difference.value) + unit;
    return difference.low && difference.high ? value + FormatText(" (%+.*f..%+.*f)",
                                                                  decimals,
                                                                  100 * *difference.low,
                                                                  decimals,
                                                                  100 * *difference.high)
                                             : value;
}

std::string
KeepEnd(std::string text, std::size_t width)
{
    if (text.size() > width)
    {
        text.replace(0, text.size() - width + 3, "...");
    }
    return text;
}

std::string
RateText(double bitsPerSecond)
{
    return bitsPerSecond >= 1e9 ? FormatText("%.4g Gbit/s", bitsPerSecond / 1e9)
                                : FormatText("%.4g Mbit/s", bitsPerSecond / 1e6);
}

std::string
RoughDuration(double seconds)
{
    return seconds < 10 ? FormatText("%.2g s", seconds) : FormatDuration(seconds);
}

std::string
SpentTime(double seconds)
{
    return seconds < 999.5 ? FormatText("%.3g s", seconds) : FormatDuration(seconds);
}

} // namespace dml
} // namespace ns3
