/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-import-formats.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace ns3
{
namespace dml
{

namespace
{

/// Records that are looked at before a JSON file is given up.
constexpr uint64_t MOST_RECORDS = 10000;

/// Bytes of a file that is not JSON that are looked at.
constexpr std::size_t HEAD = 65536;

/// @return true if @p text is one of @p names
bool
IsOneOf(std::string_view text, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), text) != names.end();
}

/// @return name of the format that an event of a Chrome trace belongs to, or empty if it does not
/// tell
std::string
DetectEvent(const JsonRecord& event)
{
    if (event.GetText("pid") == "CPU functions")
    {
        return "torch-legacy";
    }
    const std::string_view category = event.GetText("cat");
    if (category == "Op" || event.GetText("args.name") == "Allocators")
    {
        return "tf-timeline";
    }
    if (IsOneOf(category,
                {"cpu_op",
                 "Operator",
                 "user_annotation",
                 "kernel",
                 "Kernel",
                 "cuda_runtime",
                 "Runtime",
                 "gpu_memcpy",
                 "Memcpy",
                 "gpu_memset",
                 "Memset",
                 "python_function",
                 "Trace"}))
    {
        return "kineto";
    }
    return {};
}

/// @return name of the format of a JSON file, or empty; @p keys: what was found
std::string
DetectJson(TraceInput& input, std::string& keys)
{
    std::string format;
    uint64_t records = 0;
    const auto look = [&](const JsonRecord& record) {
        const std::string& list = record.GetList();
        if (list == "traceEvents" || list.empty())
        {
            format = DetectEvent(record);
        }
        else if (list == "nodes" && record.Has("id") && record.Has("name") &&
                 (record.Has("rf_id") || record.Has("ctrl_deps")))
        {
            format = "torch-et";
        }
        else if (list == "layers" && record.Has("fwd_us"))
        {
            format = "torch-layers";
        }
        else if (list == JsonRecord::HEADER && format.empty())
        {
            format = record.GetText("schema") == "torch-layer-profile/1" ? "torch-layers"
                     : record.Has("schemaVersion")                       ? "kineto"
                                                                         : "";
            keys = record.ListKeys(8);
        }
        return format.empty() && ++records < MOST_RECORDS;
    };
    JsonRecordReader({"traceEvents", "nodes", "layers"}, JsonRecordReader::Truncation::ACCEPT)
        .Read(input, look);
    return format;
}

/// @return true if @p head starts as the binary StepStats of a RunMetadata does: three messages,
/// each the first field of the one around it, and a device's name
bool
IsRunMetadata(std::string_view head)
{
    constexpr char FIRST_FIELD = '\x0a'; // number 1, length-delimited
    for (int level = 0; level < 3; ++level)
    {
        if (head.empty() || head.front() != FIRST_FIELD)
        {
            return false;
        }
        head.remove_prefix(1);
        std::size_t length = 0;
        while (length < head.size() && length < 10 && (head[length] & 0x80) != 0)
        {
            ++length;
        }
        head.remove_prefix(std::min(head.size(), length + 1));
    }
    return !head.empty() && head.front() == '/';
}

/// @return name of the format of a file that is not JSON, or empty
std::string
DetectText(std::string_view head)
{
    if (head.find("step_stats") != std::string_view::npos ||
        head.find("node_stats") != std::string_view::npos)
    {
        return "tf-runmetadata";
    }
    if (head.substr(0, 4) == "node" && head.find(" -- ") != std::string_view::npos)
    {
        return "pipedream";
    }
    return {};
}

} // namespace

const ImportFormat&
DetectImportFormat(const std::string& file)
{
    if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file) &&
        !std::filesystem::is_directory(file))
    {
        throw InputError(file + ": is no regular file, and its format is told by reading it twice; "
                                "accepted: the name of its format instead of auto");
    }
    TraceInput input(file);
    const std::string_view head = input.PeekAhead(HEAD);
    const std::size_t start = head.find_first_not_of(" \t\r\n");
    std::string found = "an empty file";
    std::string format;
    if (IsRunMetadata(head)) // whose first byte is a line feed
    {
        format = "tf-runmetadata";
    }
    else if (start != std::string_view::npos)
    {
        const bool json = head[start] == '{' || head[start] == '[';
        found = json ? "JSON" : "a file that is neither JSON nor of a known text or binary form";
        std::string keys;
        // Our own traces are told by how they start, as any other tool may write the same events.
        format = head.find("\"dml-trace/") != std::string_view::npos ? "dml-trace"
                 : json                                              ? DetectJson(input, keys)
                        : DetectText(head.substr(start));
        found += keys.empty() ? "" : " with the members " + keys;
    }
    if (format.empty())
    {
        std::string accepted;
        for (const auto& known : GetImportFormats())
        {
            accepted += (accepted.empty() ? "" : ", ") + known.contents;
        }
        throw InputError(file + ": found " + found + "; accepted: " + accepted);
    }
    return GetImportFormat(format);
}

} // namespace dml
} // namespace ns3
