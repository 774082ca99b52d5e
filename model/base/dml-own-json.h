/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OWN_JSON_H
#define DML_OWN_JSON_H

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Parse JSON of which dml says that it wrote it, in a folder that may be anybody's.
 * @param text of a file
 * @return what it says; null if it is no JSON, or nested deeper than anything that dml writes
 */
nlohmann::ordered_json ParseOwnJson(std::string_view text);

/// @param json any value; names in it may be of any encoding @return it in one line, in ASCII
/// characters
std::string WriteAsciiJson(const nlohmann::ordered_json& json);

/// @param text any; @return it as a JSON string, quotes included, in ASCII characters
std::string QuoteJson(const std::string& text);

/// @param name of a file in a folder of dml's; @return whether it can only be in that folder
bool IsFileName(const std::string& name);

} // namespace ns3::dml

#endif /* DML_OWN_JSON_H */
