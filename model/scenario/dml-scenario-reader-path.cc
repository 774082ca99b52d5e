/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-path.h"

#include <filesystem>

namespace ns3::dml
{

std::string
ReadExistingPath(const YamlField& field, const std::string& what)
{
    const std::string& file = field.GetFile();
    const std::string accepted = "the path of " + what;
    const std::string& text = field.GetString(accepted);
    std::filesystem::path path(text);
    const bool fromFile = *field.GetNode()->mark.source == file;
    if (fromFile && path.is_relative())
    {
        path = std::filesystem::path(file).parent_path() / path;
    }
    path = path.lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
    {
        field.FailWith("found " + QuoteText(text, '"') + ", but there is no file " +
                       PrintableText(path.string()) + "; accepted: " + accepted +
                       (fromFile ? ", relative to the scenario's folder"
                                 : ", relative to the current folder"));
    }
    return path.string();
}

} // namespace ns3::dml
