/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-range.h"

#include "ns3/dml-error.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <sstream>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Keys, and groups of them, that say what is trained and what is measured of it.
const std::vector<std::string> FIXED_KEYS{"job.profile",
                                          "job.scale",
                                          "job.steps",
                                          "job.warmup",
                                          "job.workers",
                                          "name",
                                          "output",
                                          "replications",
                                          "seed",
                                          "sweep"};

} // namespace

KeyRange::KeyRange(const std::string& text)
{
    const auto refuse = [&text](const std::string& why) {
        throw InputError("--keys: found '" + text + "'" + why +
                         "; accepted: KEY=LOW..HIGH, such as transfer.partition=64KB..16MB, both "
                         "sizes, times or numbers");
    };
    const std::size_t equals = text.find('=');
    const std::size_t dots = equals == std::string::npos ? equals : text.find("..", equals);
    if (equals == 0 || dots == std::string::npos)
    {
        refuse("");
    }
    m_key = text.substr(0, equals);
    if (std::find(FIXED_KEYS.begin(), FIXED_KEYS.end(), m_key.substr(0, m_key.find('.'))) !=
            FIXED_KEYS.end() ||
        std::find(FIXED_KEYS.begin(), FIXED_KEYS.end(), m_key) != FIXED_KEYS.end())
    {
        throw InputError("--keys: found " + m_key +
                         ", with which something else is trained or measured, not the same faster; "
                         "accepted: any other key");
    }
    const std::string low = text.substr(equals + 1, dots - equals - 1);
    const std::string high = text.substr(dots + 2);
    const auto read = [&](auto parse, Unit unit) {
        const auto first = parse(low);
        const auto last = parse(high);
        if (first && last)
        {
            m_low = static_cast<double>(*first);
            m_high = static_cast<double>(*last);
            m_unit = unit;
        }
        return first && last;
    };
    if (!read(ParseInteger, Unit::INTEGER) && !read(ParseNumber, Unit::DECIMAL) &&
        !read(ParseSize, Unit::BYTES) && !read(ParseNanoseconds, Unit::NANOSECONDS))
    {
        refuse("");
    }
    if (!(m_low < m_high))
    {
        refuse(", whose first value is not below the second one");
    }
    m_logarithmic = m_low > 0 && m_high >= 10 * m_low;
}

const std::string&
KeyRange::GetKey() const
{
    return m_key;
}

std::string
KeyRange::GetValue(double place) const
{
    const double value = std::clamp(m_logarithmic ? m_low * std::pow(m_high / m_low, place)
                                                  : m_low + place * (m_high - m_low),
                                    m_low,
                                    m_high);
    const std::string whole = std::to_string(std::llround(value));
    switch (m_unit)
    {
    case Unit::BYTES:
        return whole + "B";
    case Unit::NANOSECONDS:
        return whole + "ns";
    case Unit::INTEGER:
        return whole;
    case Unit::DECIMAL:
        break;
    }
    return fmt::format("{:.6g}", value);
}

std::vector<KeyRange>
ReadKeyRanges(const std::string& text)
{
    if (text.empty())
    {
        throw InputError("--keys: found nothing; accepted: KEY=LOW..HIGH, such as "
                         "transfer.partition=64KB..16MB");
    }
    std::vector<KeyRange> ranges;
    std::istringstream items(text + ","); // an item that is missing is one without text
    for (std::string item; std::getline(items, item, ',');)
    {
        ranges.emplace_back(item);
        const auto twin =
            std::find_if(ranges.begin(), ranges.end() - 1, [&ranges](const KeyRange& range) {
                return range.GetKey() == ranges.back().GetKey();
            });
        if (twin != ranges.end() - 1)
        {
            throw InputError("--keys: found " + twin->GetKey() + " twice; accepted: each key once");
        }
    }
    return ranges;
}

} // namespace ns3::dml
