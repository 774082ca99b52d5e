/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-json-record.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Largest time accepted, in microseconds: the nanoseconds of two of them fit 64 bits in sum.
constexpr int64_t MAX_US = 4000000000000000;

/// Longest piece of a value that a message repeats.
constexpr std::size_t MAX_QUOTE = 60;

/// @return true if all of @p text is a number, which @p value then is
template <typename T>
bool
ReadNumber(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/**
 * @brief Read "-12.3456" without losing digits to a binary fraction.
 * @param text digits, at most one point, no exponent
 * @param ns the value times 1000, rounded half away from zero
 * @return true if it is such a number, and its size at most MAX_US
 */
bool
ReadDecimalMicroseconds(std::string_view text, int64_t& ns)
{
    const bool negative = !text.empty() && text.front() == '-';
    text.remove_prefix(negative ? 1 : 0);
    const std::size_t point = text.find('.');
    int64_t us = 0;
    if (!ReadNumber(text.substr(0, point), us) || us < 0 || us > MAX_US)
    {
        return false;
    }
    ns = us * 1000;
    if (point != std::string_view::npos)
    {
        const std::string_view decimals = text.substr(point + 1);
        if (decimals.empty() || decimals.find_first_not_of("0123456789") != std::string_view::npos)
        {
            return false;
        }
        int64_t weight = 100;
        for (std::size_t i = 0; i < decimals.size() && i < 3; ++i, weight /= 10)
        {
            ns += (decimals[i] - '0') * weight;
        }
        ns += decimals.size() > 3 && decimals[3] >= '5' ? 1 : 0;
    }
    ns = negative ? -ns : ns;
    return true;
}

} // namespace

const JsonRecord::Field*
JsonRecord::Find(std::string_view key) const
{
    const auto end = m_fields.begin() + m_size;
    const auto field =
        std::find_if(m_fields.begin(), end, [key](const Field& known) { return known.key == key; });
    return field == end ? nullptr : &*field;
}

std::string_view
JsonRecord::GetText(std::string_view key) const
{
    const Field* field = Find(key);
    return field ? std::string_view(field->text) : std::string_view();
}

std::string
JsonRecord::GetString(std::string_view key) const
{
    const Field* field = Find(key);
    if (!field || field->type != JsonType::STRING)
    {
        Fail(key, "accepted is a string");
    }
    return field->text;
}

int64_t
JsonRecord::GetInteger(std::string_view key, int64_t min, int64_t max) const
{
    const Field* field = Find(key);
    int64_t value = 0;
    if (!field || field->type > JsonType::NUMBER || !ReadNumber(field->text, value) ||
        value < min || value > max)
    {
        Fail(key,
             "accepted is a whole number from " + std::to_string(min) + " to " +
                 std::to_string(max));
    }
    return value;
}

int64_t
JsonRecord::GetNanoseconds(std::string_view key) const
{
    const Field* field = Find(key);
    if (field && field->type <= JsonType::NUMBER)
    {
        int64_t ns = 0;
        if (ReadDecimalMicroseconds(field->text, ns))
        {
            return ns;
        }
        // Some writers use exponents.
        double us = 0;
        if (ReadNumber(field->text, us) && std::abs(us) <= static_cast<double>(MAX_US))
        {
            return static_cast<int64_t>(us * 1000 + (us < 0 ? -0.5 : 0.5));
        }
    }
    Fail(key, "accepted is a number of microseconds, at most 4e15");
}

std::string
JsonRecord::GetFieldString(std::size_t field) const
{
    if (m_fields[field].type != JsonType::STRING)
    {
        Fail(m_fields[field].key, "accepted is a string");
    }
    return m_fields[field].text;
}

std::string
JsonRecord::ListKeys(std::size_t most) const
{
    std::string keys;
    for (std::size_t i = 0; i < m_size && i < most; ++i)
    {
        keys += (i > 0 ? ", '" : "'") + m_fields[i].key + "'";
    }
    return m_size > most ? keys + ", ..." : keys;
}

std::string
JsonRecord::GetPlace() const
{
    return *m_file + ":" + std::to_string(m_line) + ":" + std::to_string(m_column);
}

void
JsonRecord::Fail(std::string_view key, const std::string& what) const
{
    const Field* field = Find(key);
    std::string path = m_list == HEADER
                           ? ""
                           : "/" + m_list + (m_list.empty() ? "" : "/") + std::to_string(m_index);
    if (!key.empty())
    {
        path += "/" + std::string(key);
        std::replace(path.end() - key.size(), path.end(), '.', '/');
    }
    std::string found;
    if (field)
    {
        const char* const quote = field->type == JsonType::STRING ? "'" : "";
        found = "found " + std::string(quote) + field->text.substr(0, MAX_QUOTE) +
                (field->text.size() > MAX_QUOTE ? "..." : "") + quote + "; ";
    }
    else if (!key.empty())
    {
        found = "missing; ";
    }
    const std::string place =
        field ? *m_file + ":" + std::to_string(field->line) + ":" + std::to_string(field->column)
              : GetPlace();
    throw InputError(place + ": " + (path.empty() ? "/" : path) + ": " + found + what);
}

} // namespace ns3::dml
