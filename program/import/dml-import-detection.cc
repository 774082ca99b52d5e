/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-import-formats.h"

#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <filesystem>
#include <set>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Records that are looked at before a JSON file is given up.
constexpr uint64_t MOST_RECORDS = 10000;

/// Bytes of a file that is not JSON that are looked at.
constexpr std::size_t HEAD = 65536;

/// @return the format that a record is of, or null
const ImportFormat*
FindByRecord(const JsonRecord& record)
{
    for (const auto& format : GetImportFormats())
    {
        if (format.hasRecord && format.hasRecord(record))
        {
            return &format;
        }
    }
    return nullptr;
}

/// @return the format that a file is of whose start is @p head, or null
const ImportFormat*
FindByStart(std::string_view head)
{
    for (const auto& format : GetImportFormats())
    {
        if (format.startsSo && format.startsSo(head))
        {
            return &format;
        }
    }
    return nullptr;
}

/// @return names of the lists whose records tell a format
std::vector<std::string>
ListLists()
{
    std::set<std::string> lists;
    for (const auto& format : GetImportFormats())
    {
        lists.insert(format.lists.begin(), format.lists.end());
    }
    return {lists.begin(), lists.end()};
}

/// @return the format of a JSON file, or null; @p keys: what was found
const ImportFormat*
DetectJson(TraceInput& input, std::string& keys)
{
    const ImportFormat* format = nullptr;
    uint64_t records = 0;
    const auto look = [&](const JsonRecord& record) {
        format = format ? format : FindByRecord(record);
        if (record.GetList() == JsonRecord::HEADER)
        {
            keys = record.ListKeys(8);
        }
        return !format && ++records < MOST_RECORDS;
    };
    JsonRecordReader(ListLists(),
                     JsonRecordReader::Truncation::ACCEPT,
                     JsonRecordReader::Faults::MEND)
        .Read(input, look);
    return format;
}

} // namespace

const ImportFormat&
DetectImportFormat(const std::string& file)
{
    OpenInput(file); // a named pipe is none in any format
    if (!std::filesystem::is_regular_file(file))
    {
        throw InputError(file + ": is no regular file, and its format is told by reading it twice; "
                                "accepted: the name of its format instead of auto");
    }
    TraceInput input(file);
    const std::string_view head = input.PeekAhead(HEAD);
    if (const auto* format = FindByStart(head))
    {
        return *format;
    }
    std::string found = "an empty file";
    std::string keys;
    if (StartsAsJson(head))
    {
        if (const auto* format = DetectJson(input, keys))
        {
            return *format;
        }
        found = "JSON" + (keys.empty() ? "" : " with the members " + keys);
    }
    else if (!SkipSpace(head).empty())
    {
        found = "a file that is neither JSON nor of a known text or binary form";
    }
    std::string accepted;
    for (const auto& known : GetImportFormats())
    {
        accepted += (accepted.empty() ? "" : ", ") + known.contents;
    }
    throw InputError(file + ": found " + found + "; accepted: " + accepted);
}

} // namespace ns3::dml
