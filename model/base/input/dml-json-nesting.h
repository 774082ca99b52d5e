/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_NESTING_H
#define DML_JSON_NESTING_H

#include <cstddef>
#include <string_view>

namespace ns3::dml
{

/// Arrays and objects of JSON may lie in each other so deep: what reads and writes them recurses.
constexpr std::size_t MAX_JSON_LEVELS = 64;

/**
 * @ingroup dml-base
 * @brief Find out before parsing whether JSON nests too deeply.
 * @param json any text
 * @return offset of the first bracket that goes deeper than MAX_JSON_LEVELS; npos if none does
 */
std::size_t FindDeepJson(std::string_view json);

} // namespace ns3::dml

#endif /* DML_JSON_NESTING_H */
