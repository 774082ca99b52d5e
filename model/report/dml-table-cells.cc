/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-table-cells.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @param part a difference, 0.1 for 10 % @return it in per cent, in at most five characters
std::string
FormatPercent(double part)
{
    const double percent = 100 * part;
    return percent >= 9999.5 ? ">9999"
                             : fmt::format("{:+.{}f}", percent, std::abs(percent) < 99.95 ? 1 : 0);
}

/// @param part an end of an interval @return it in per cent, in at most four characters
std::string
FormatLimit(double part)
{
    const double percent = 100 * part;
    return percent >= 999.5 ? ">999"
                            : fmt::format("{:+.{}f}", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

/// @param value of too few replications for an interval @return the mean, the least and the
/// greatest; the mean is left out where there is no room for it
std::string
FormatRange(const Confidence& value)
{
    std::string text;
    for (const bool withMean : {true, false})
    {
        for (const int digits : {4, 3})
        {
            const auto show = [digits](double end) {
                return end >= 1e7 ? fmt::format("{:.1e}", end)
                                  : FormatFixed(end, std::max(0, GetDecimals(end) + digits - 4));
            };
            text = (withMean ? FormatValue(*value.mean) + " " : "") + show(*value.least) + ".." +
                   show(*value.greatest);
            if (text.size() < INTERVAL_WIDTH)
            {
                return text;
            }
        }
    }
    return text;
}

} // namespace

std::string
Right(const std::string& text, std::size_t width)
{
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string
FormatInterval(const Confidence& value)
{
    if (!value.mean)
    {
        return "-";
    }
    const double mean = *value.mean;
    if (value.IsRange())
    {
        return FormatRange(value);
    }
    std::string halfWidth = "-";
    if (value.halfWidth)
    {
        // The interval with the decimals of the mean, unless either is too long for that.
        halfWidth = FormatFixed(*value.halfWidth, GetDecimals(mean));
        if (halfWidth.size() > 6 || mean >= 1e7)
        {
            halfWidth = fmt::format("{:.0e}", *value.halfWidth);
        }
    }
    return Right(FormatValue(mean), 7) + " +-" + Right(halfWidth, 7);
}

std::string
FormatDifference(const RelativeDifference& difference, bool grey)
{
    if (!difference.value)
    {
        return Right("- ", DIFFERENCE_WIDTH);
    }
    const std::string interval =
        difference.low ? FormatLimit(*difference.low) + ".." + FormatLimit(*difference.high) : "-";
    const bool significant = difference.IsSignificant();
    const std::string cell = Right(FormatPercent(*difference.value), 6) + Right(interval, 11) +
                             (significant ? " " : "?");
    return grey && !significant
               ? fmt::format("{}{}{}", terminalstyle::DIM, cell, terminalstyle::NORMAL)
               : cell;
}

std::string
FormatPercent(const Confidence& value, const char* sign)
{
    return value.mean ? fmt::format("{:+.2f} {} {}",
                                    *value.mean,
                                    sign,
                                    value.halfWidth ? fmt::format("{:.2f}", *value.halfWidth) : "-")
                      : "-";
}

std::string
FormatUnknown(std::size_t unknown, std::size_t runs, const std::string& why)
{
    return WrapRemark(fmt::format("      {} of {} runs are not known, so the mean may be of the "
                                  "better ones: {}",
                                  unknown,
                                  runs,
                                  why));
}

std::string
WrapRemark(const std::string& remark)
{
    const std::string text = EscapeControls(remark); // names may hold anything
    std::string result;
    const size_t indent = std::min(text.find_first_not_of(' '), text.size());
    std::string line(indent, ' ');
    bool begun = false; // the line has a word
    size_t at = indent;
    while (at < text.size())
    {
        const size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (begun && line.size() + 1 + word.size() > LINE_WIDTH)
        {
            result += line + "\n";
            line = std::string(indent + 2, ' ') + word;
        }
        else
        {
            line += (begun ? " " : "") + word;
        }
        begun = true;
        at = end + 1;
    }
    return result + line + "\n";
}

} // namespace ns3::dml
