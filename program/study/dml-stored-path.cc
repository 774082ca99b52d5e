/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stored-path.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

constexpr const char* REPLACEMENT = "\xEF\xBF\xBD"; // U+FFFD

/// @return a name as results have it
std::string
Store(const std::string& name)
{
    using Json = nlohmann::ordered_json;
    return Json::parse(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace))
        .get<std::string>();
}

} // namespace

std::string
FindStoredPath(const std::string& stored)
{
    fs::path found;
    for (const auto& part : fs::path(stored))
    {
        if (part.string().find(REPLACEMENT) == std::string::npos)
        {
            found /= part;
            continue;
        }
        std::vector<fs::path> meant;
        std::error_code error;
        for (fs::directory_iterator entry(found.empty() ? "." : found, error);
             !error && entry != fs::directory_iterator();
             entry.increment(error))
        {
            if (Store(entry->path().filename().string()) == part.string())
            {
                meant.push_back(entry->path().filename());
            }
        }
        if (meant.size() != 1)
        {
            return stored;
        }
        found /= meant.front();
    }
    return found.string();
}

} // namespace ns3::dml
