/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MOST_COMMON_H
#define DML_MOST_COMMON_H

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace ns3::dml
{

/// @param values at least one, with an order
/// @return the value that most have; the first of several such
template <typename Value>
Value
FindMostCommon(const std::vector<Value>& values)
{
    std::map<Value, std::size_t> counts;
    for (const Value& value : values)
    {
        ++counts[value];
    }
    return *std::max_element(values.begin(), values.end(), [&](const auto& a, const auto& b) {
        return counts[a] < counts[b];
    });
}

} // namespace ns3::dml

#endif /* DML_MOST_COMMON_H */
