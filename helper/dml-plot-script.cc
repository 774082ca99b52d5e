/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-script.h"

#include <charconv>
#include <cmath>

namespace ns3
{
namespace dml
{

std::string
QuoteGnuplot(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text)
    {
        if (c == '\'')
        {
            quoted += '\'';
        }
        quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return quoted + "'";
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

} // namespace dml
} // namespace ns3
