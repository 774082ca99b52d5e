/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-si-number.h"

#include <array>
#include <fmt/core.h>

namespace ns3::dml
{

std::string
FormatSi(double value, const std::string& unit)
{
    constexpr std::array PREFIXES{"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    constexpr double ROUNDED_UP = 999.5; // which three digits make 1000
    std::size_t prefix = 0;
    for (; value >= ROUNDED_UP && prefix + 1 < PREFIXES.size(); ++prefix)
    {
        value /= 1000;
    }
    const bool word = unit.size() > 1;
    return fmt::format("{:.3g} {}{}{}",
                       value,
                       PREFIXES[prefix],
                       word && prefix > 0 ? " " : "",
                       unit);
}

std::string
FormatBitRate(double bitsPerSecond)
{
    return bitsPerSecond >= 1e9 ? fmt::format("{:.4g} Gbit/s", bitsPerSecond / 1e9)
                                : fmt::format("{:.4g} Mbit/s", bitsPerSecond / 1e6);
}

} // namespace ns3::dml
