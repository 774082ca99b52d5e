/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-unit-parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// A unit and how many of the base unit it is.
struct Unit
{
    std::string_view name; //!< as written, case matters
    uint64_t factor;       //!< base units in it
};

constexpr uint64_t KILO = 1000;
constexpr uint64_t MEGA = 1000 * KILO;
constexpr uint64_t GIGA = 1000 * MEGA;
constexpr uint64_t KIBI = 1024;
constexpr uint64_t MEBI = 1024 * KIBI;
constexpr uint64_t GIBI = 1024 * MEBI;

constexpr std::array<Unit, 8> SIZE_UNITS{{{"", 1},
                                          {"B", 1},
                                          {"KB", KILO},
                                          {"MB", MEGA},
                                          {"GB", GIGA},
                                          {"KiB", KIBI},
                                          {"MiB", MEBI},
                                          {"GiB", GIBI}}};

/// Units of ns3::DataRate (data-rate.cc of ns-3.37), in bit/s.
constexpr std::array<Unit, 26> RATE_UNITS{
    {{"bps", 1},         {"b/s", 1},          {"Bps", 8},         {"B/s", 8},
     {"kbps", KILO},     {"kb/s", KILO},      {"Kbps", KILO},     {"Kb/s", KILO},
     {"kBps", 8 * KILO}, {"kB/s", 8 * KILO},  {"KBps", 8 * KILO}, {"KB/s", 8 * KILO},
     {"Kib/s", KIBI},    {"KiB/s", 8 * KIBI}, {"Mbps", MEGA},     {"Mb/s", MEGA},
     {"MBps", 8 * MEGA}, {"MB/s", 8 * MEGA},  {"Mib/s", MEBI},    {"MiB/s", 8 * MEBI},
     {"Gbps", GIGA},     {"Gb/s", GIGA},      {"GBps", 8 * GIGA}, {"GB/s", 8 * GIGA},
     {"Gib/s", GIBI},    {"GiB/s", 8 * GIBI}}};

constexpr std::array<Unit, 6> TIME_UNITS{
    {{"ns", 1}, {"us", KILO}, {"ms", MEGA}, {"s", GIGA}, {"min", 60 * GIGA}, {"h", 3600 * GIGA}}};

/// A decimal number as written: digits before and after the point, then the rest.
struct Decimal
{
    std::string_view whole;    //!< at least one digit
    std::string_view fraction; //!< without trailing zeros
    std::string_view rest;     //!< what follows the number
};

std::size_t
CountDigits(std::string_view text)
{
    return std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; }) -
           text.begin();
}

std::optional<Decimal>
SplitDecimal(std::string_view text)
{
    Decimal result;
    result.whole = text.substr(0, CountDigits(text));
    if (result.whole.empty())
    {
        return std::nullopt;
    }
    text.remove_prefix(result.whole.size());
    if (!text.empty() && text.front() == '.')
    {
        text.remove_prefix(1);
        const std::size_t digits = CountDigits(text);
        if (digits == 0)
        {
            return std::nullopt;
        }
        result.fraction = text.substr(0, digits);
        const std::size_t last = result.fraction.find_last_not_of('0');
        result.fraction = result.fraction.substr(0, last == std::string_view::npos ? 0 : last + 1);
        text.remove_prefix(digits);
    }
    result.rest = text;
    return result;
}

/// @return the number that all of the text is
template <typename T>
std::optional<T>
ParseWhole(std::string_view text)
{
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

/// @return the text without a plus, which std::from_chars() does not take
std::string_view
RemovePlus(std::string_view text)
{
    return text.substr(text.size() > 1 && text.front() == '+' && text[1] != '-' ? 1 : 0);
}

/// The number times @p factor, exactly; nothing if that is no integer below 2^64.
std::optional<uint64_t>
Scale(const Decimal& number, uint64_t factor)
{
    constexpr std::size_t MAX_FRACTION = 18; // 10^18 is the last power below 2^63
    constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();
    const auto whole = ParseWhole<uint64_t>(number.whole);
    if (!whole || *whole > MAX / factor || number.fraction.size() > MAX_FRACTION)
    {
        return std::nullopt;
    }
    uint64_t result = *whole * factor;
    if (!number.fraction.empty())
    {
        uint64_t power = 1;
        for (std::size_t i = 0; i < number.fraction.size(); ++i)
        {
            power *= 10;
        }
        // fraction * factor / power without the overflow of the product
        const uint64_t common = std::gcd(factor, power);
        const uint64_t fraction = *ParseWhole<uint64_t>(number.fraction);
        const uint64_t divisor = power / common;
        if (fraction % divisor != 0)
        {
            return std::nullopt;
        }
        const uint64_t extra = fraction / divisor * (factor / common);
        if (result > MAX - extra)
        {
            return std::nullopt;
        }
        result += extra;
    }
    return result;
}

template <std::size_t N>
std::optional<uint64_t>
ParseWithUnit(std::string_view text, const std::array<Unit, N>& units)
{
    const auto number = SplitDecimal(text);
    if (!number)
    {
        return std::nullopt;
    }
    const auto unit = std::find_if(units.begin(), units.end(), [&number](const Unit& known) {
        return known.name == number->rest;
    });
    return unit == units.end() ? std::nullopt : Scale(*number, unit->factor);
}

template <std::size_t N>
std::string
FormatWithUnit(uint64_t number, std::string_view end, const std::array<Unit, N>& units)
{
    std::string shortest;
    for (const auto& [name, factor] : units)
    {
        const bool fits = name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
        const std::string text = std::to_string(number / factor) + std::string(name);
        if (fits && number % factor == 0 && (shortest.empty() || text.size() < shortest.size()))
        {
            shortest = text;
        }
    }
    return shortest;
}

template <std::size_t N>
std::string
MatchUnits(const std::array<Unit, N>& units)
{
    std::string names;
    for (const auto& unit : units)
    {
        names += (&unit == units.data() ? "" : "|") + std::string(unit.name);
    }
    return "^[0-9]+(\\.[0-9]+)?(" + names + ")$";
}

} // namespace

std::string
FormatSize(uint64_t bytes)
{
    return FormatWithUnit(bytes, "B", SIZE_UNITS);
}

std::string
FormatBitRate(uint64_t rate)
{
    return FormatWithUnit(rate, "bps", RATE_UNITS);
}

std::string
FormatNanoseconds(uint64_t time)
{
    return time == 0 ? "0s" : FormatWithUnit(time, "s", TIME_UNITS);
}

std::string
SizePattern()
{
    return MatchUnits(SIZE_UNITS);
}

std::string
PacketsPattern()
{
    return "^([0-9]+ packets|1 packet)$";
}

std::string
RatePattern()
{
    return MatchUnits(RATE_UNITS);
}

std::string
TimePattern()
{
    return MatchUnits(TIME_UNITS);
}

std::optional<uint64_t>
ParseSize(std::string_view text)
{
    return ParseWithUnit(text, SIZE_UNITS);
}

std::optional<uint64_t>
ParsePackets(std::string_view text)
{
    const std::size_t digits = CountDigits(text);
    const auto number = ParseWhole<uint64_t>(text.substr(0, digits));
    const std::string_view unit = text.substr(digits);
    return unit == " packets" || (unit == " packet" && number == uint64_t{1}) ? number
                                                                              : std::nullopt;
}

std::optional<uint64_t>
ParseBitRate(std::string_view text)
{
    const auto rate = ParseWithUnit(text, RATE_UNITS);
    return rate && *rate > 0 ? rate : std::nullopt;
}

std::optional<int64_t>
ParseNanoseconds(std::string_view text)
{
    if (text == "0")
    {
        return 0;
    }
    const bool negative = !text.empty() && text.front() == '-';
    const auto size = ParseWithUnit(negative ? text.substr(1) : text, TIME_UNITS);
    if (!size || *size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        return std::nullopt;
    }
    const auto magnitude = static_cast<int64_t>(*size);
    return negative ? -magnitude : magnitude;
}

std::optional<int64_t>
ParseInteger(std::string_view text)
{
    return ParseWhole<int64_t>(RemovePlus(text));
}

std::optional<double>
ParseNumber(std::string_view text)
{
    const auto value = ParseWhole<double>(RemovePlus(text));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

} // namespace ns3::dml
