/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-own-json.h"

#include "ns3/dml-json-cursor.h"

namespace ns3::dml
{

nlohmann::ordered_json
ParseOwnJson(std::string_view text)
{
    nlohmann::ordered_json json;
    if (FindDeepJson(text) == std::string_view::npos)
    {
        json = nlohmann::ordered_json::parse(text, nullptr, false);
    }
    return json.is_discarded() ? nlohmann::ordered_json() : json;
}

std::string
WriteAsciiJson(const nlohmann::ordered_json& json)
{
    return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

std::string
QuoteJson(const std::string& text)
{
    return WriteAsciiJson(text);
}

bool
IsFileName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

} // namespace ns3::dml
