/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLURAL_H
#define DML_PLURAL_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// @param n how many @param what one of them, whose plural ends with s @return such as "2 runs"
inline std::string
Plural(uint64_t n, const std::string& what)
{
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

} // namespace ns3::dml

#endif /* DML_PLURAL_H */
