/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_FORMAT_H
#define DML_IMPORT_FORMAT_H

#include "dml-import-options.h"
#include "dml-import-result.h"

#include "ns3/dml-json-record.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A file format that can be imported. A new one is a file with a function that returns this,
 * and a line in the list of GetImportFormats().
 */
struct ImportFormat
{
    std::string name;     //!< as the user gives it, as "kineto"
    std::string contents; //!< what such a file is, as "a PyTorch Kineto trace (JSON)"
    /// Names of the ImportOptions that it takes, as on the command line.
    std::vector<std::string> options;
    /// Imports files of one job; each contributes its steps.
    ImportResult (*import)(const std::vector<std::string>& files, const ImportOptions& options);
    /// Whether a file is one, by its first 64 KiB; null: they do not tell.
    bool (*startsSo)(std::string_view head){nullptr};
    /// Whether a file is one, by a record of a list in its JSON, or by JsonRecord::HEADER; null:
    /// they do not tell.
    bool (*hasRecord)(const JsonRecord& record){nullptr};
    /// Names of the lists of which hasRecord() is asked, besides a list that is all of the file.
    std::vector<std::string> lists{};
    /// Whether a file has records of parameter servers only, and belongs to ImportOptions::servers;
    /// null: no file has.
    bool (*isOfServers)(const std::string& file){nullptr};
};

/// @param head start of a file @return it without white space before it
inline std::string_view
SkipSpace(std::string_view head)
{
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    return head;
}

/// @param head start of a file @return whether the file is JSON
inline bool
StartsAsJson(std::string_view head)
{
    head = SkipSpace(head);
    return !head.empty() && (head.front() == '{' || head.front() == '[');
}

/// @param record of a JSON file @return whether it is an event of a Chrome trace
inline bool
IsTraceEvent(const JsonRecord& record)
{
    return record.GetList() == "traceEvents" || record.GetList().empty();
}

} // namespace ns3::dml

#endif /* DML_IMPORT_FORMAT_H */
