/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-value-text.h"

#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

int
GetDecimals(double value)
{
    if (!(value > 0))
    {
        return 0;
    }
    const int decimals = 3 - static_cast<int>(std::floor(std::log10(value)));
    return decimals < 0 ? 0 : decimals > 4 ? 4 : decimals;
}

std::string
FormatValue(double value)
{
    if (std::abs(value) >= 1e7)
    {
        return fmt::format("{:.1e}", value);
    }
    return FormatFixed(value, GetDecimals(std::abs(value)));
}

std::string
FormatFixed(double value, int decimals)
{
    return fmt::format("{:.{}f}", value, decimals);
}

} // namespace ns3::dml
