/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gradient-coder.h"

#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Before the number of a gradient, or of a word of bits.
const std::string NUMBER_MARK = "#";
/// Before a name that begins with a mark.
const std::string NAME_MARK = "=";
/// Bits of a word, which a double holds exactly.
constexpr uint32_t WORD = 32;

/// @return the number behind the mark; nothing if the name is none
std::optional<uint32_t>
ReadNumber(const std::string& name)
{
    constexpr std::size_t MOST_DIGITS = 9;
    const std::string digits = name.substr(std::min(name.size(), NUMBER_MARK.size()));
    if (name.compare(0, NUMBER_MARK.size(), NUMBER_MARK) != 0 || digits.empty() ||
        digits.size() > MOST_DIGITS || digits.find_first_not_of("0123456789") != std::string::npos)
    {
        return {};
    }
    return static_cast<uint32_t>(std::stoul(digits));
}

/// @return the value if it is a whole number of at most so many
std::optional<uint32_t>
ReadWhole(double value, double most)
{
    const bool good = value >= 0 && value <= most && value == std::floor(value);
    return good ? std::make_optional(static_cast<uint32_t>(value)) : std::nullopt;
}

} // namespace

GradientCoder::GradientCoder(const StepPlan& plan)
    : m_plan(plan),
      m_known(plan.collectives.size(), false)
{
    for (uint32_t gradient = 0; gradient < m_known.size(); ++gradient)
    {
        m_numbers[GetName(gradient)] = gradient;
    }
}

std::string
GradientCoder::GetName(uint32_t gradient) const
{
    const std::string& name = m_plan.names[m_plan.collectives[gradient].op];
    const std::string first = name.substr(0, 1);
    return (first == NUMBER_MARK || first == NAME_MARK ? NAME_MARK : "") + name;
}

std::optional<uint32_t>
GradientCoder::Find(const std::string& name) const
{
    const auto named = m_numbers.find(name);
    if (named != m_numbers.end())
    {
        return named->second;
    }
    const auto number = ReadNumber(name);
    return number && *number < m_known.size() ? number : std::nullopt;
}

NamedValues
GradientCoder::EncodeSet(const std::vector<uint32_t>& gradients) const
{
    NamedValues values;
    for (const uint32_t gradient : gradients)
    {
        if (m_known[gradient])
        {
            values[NUMBER_MARK + std::to_string(gradient / WORD)] +=
                std::exp2(static_cast<double>(gradient % WORD));
        }
        else
        {
            values[GetName(gradient)] = 1;
        }
    }
    return values;
}

std::optional<std::vector<uint32_t>>
GradientCoder::DecodeSet(const NamedValues& values) const
{
    std::vector<uint32_t> gradients;
    for (const auto& [name, value] : values)
    {
        const auto named = m_numbers.find(name);
        if (named != m_numbers.end())
        {
            gradients.push_back(named->second);
            continue;
        }
        const auto word = ReadNumber(name);
        const auto bits = ReadWhole(value, std::numeric_limits<uint32_t>::max());
        if (!word || !bits || *word > m_known.size() / WORD)
        {
            return {};
        }
        for (uint32_t bit = 0; bit < WORD; ++bit)
        {
            const uint32_t gradient = *word * WORD + bit;
            if ((*bits >> bit & 1U) == 0)
            {
                continue;
            }
            if (gradient >= m_known.size())
            {
                return {};
            }
            gradients.push_back(gradient);
        }
    }
    return gradients;
}

NamedValues
GradientCoder::EncodeOrder(const std::vector<uint32_t>& order) const
{
    NamedValues values;
    for (uint32_t place = 0; place < order.size(); ++place)
    {
        const uint32_t gradient = order[place];
        values[m_known[gradient] ? NUMBER_MARK + std::to_string(gradient) : GetName(gradient)] =
            place;
    }
    return values;
}

std::optional<std::vector<uint32_t>>
GradientCoder::DecodeOrder(const NamedValues& values) const
{
    std::vector<uint32_t> order(values.size());
    std::vector<bool> filled(values.size(), false);
    for (const auto& [name, value] : values)
    {
        const auto gradient = Find(name);
        const auto place = ReadWhole(value, static_cast<double>(values.size()) - 1);
        if (!gradient || !place || filled[*place])
        {
            return {};
        }
        order[*place] = *gradient;
        filled[*place] = true;
    }
    return order;
}

void
GradientCoder::Learn(const std::vector<uint32_t>& gradients)
{
    for (const uint32_t gradient : gradients)
    {
        m_known[gradient] = m_plan.negotiation->cached;
    }
}

} // namespace ns3::dml
