/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-reordering-report.h"

#include "ns3/dml-paragraph.h"
#include "ns3/dml-stored-scenario.h"

#include <filesystem>
#include <string_view>

namespace ns3::dml
{

std::string
FormatReordering(const std::string& summary)
{
    constexpr std::string_view PREFIX = "reordering: "; // as MakeReorderNotes() has it
    std::error_code none;
    if (!std::filesystem::exists(summary, none))
    {
        return "";
    }
    std::string text;
    for (const auto& note : ListStoredNotes(summary))
    {
        if (note.rfind(PREFIX, 0) == 0)
        {
            text += text.empty() ? "packets come out of order\n\n" : "";
            AppendParagraph(text, "  ", note.substr(PREFIX.size()));
        }
    }
    return text;
}

} // namespace ns3::dml
