/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHANGE_JSON_H
#define DML_CHANGE_JSON_H

#include <nlohmann/json.hpp>
#include <string>

/// What ChangeJson() takes for nothing.
inline const nlohmann::json REMOVED(nlohmann::json::value_t::discarded);

/// @param file to change @param path in it, a JSON pointer @param value to put there, or REMOVED
inline void
ChangeJson(nlohmann::json& file, const std::string& path, const nlohmann::json& value)
{
    const nlohmann::json::json_pointer place(path);
    if (value.is_discarded())
    {
        file[place.parent_pointer()].erase(place.back());
    }
    else
    {
        file[place] = value;
    }
}

#endif /* DML_CHANGE_JSON_H */
