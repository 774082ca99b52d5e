/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-json-nesting.h"

namespace ns3::dml
{

std::size_t
FindDeepJson(std::string_view json)
{
    std::size_t levels = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < json.size(); ++at)
    {
        const char c = json[at];
        if (quoted && c == '\\')
        {
            ++at;
        }
        else if (c == '"')
        {
            quoted = !quoted;
        }
        else if (!quoted && (c == '[' || c == '{') && ++levels > MAX_JSON_LEVELS)
        {
            return at;
        }
        else if (!quoted && (c == ']' || c == '}') && levels > 0)
        {
            --levels;
        }
    }
    return std::string_view::npos;
}

} // namespace ns3::dml
