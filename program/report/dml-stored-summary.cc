/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stored-summary.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-cursor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr const char* SUMMARY_SCHEMA = "dml-summary/1";
constexpr uint32_t MOST_NODES = 1000000;
constexpr double MOST_THROUGHPUT = 1e15; //!< samples/s
constexpr uint64_t MOST_SEED = std::numeric_limits<uint64_t>::max();

StoredRuns
ReadRuns(const JsonCursor& engine)
{
    StoredRuns runs;
    for (const auto& run : engine.Get("replications").GetItems())
    {
        const auto throughput = run.Get("throughput");
        if (!throughput.IsNull() &&
            !(throughput.GetNumber() > 0 && throughput.GetNumber() < MOST_THROUGHPUT))
        {
            throughput.Fail(
                fmt::format("found {}; accepted: samples per second, above 0 and below {}, or null",
                            throughput.GetNumber(),
                            MOST_THROUGHPUT));
        }
        runs.throughputs.push_back(
            {{run.Get("seed").GetUnsigned(0, MOST_SEED),
              run.Get("replication").GetUnsigned(0, MOST_SEED)},
             throughput.IsNull() ? std::nullopt : std::optional(throughput.GetNumber())});
    }
    return runs;
}

StoredCase
ReadCase(const JsonCursor& json)
{
    StoredCase item;
    if (json.Has("variant"))
    {
        item.variant = json.Get("variant").GetLeaves();
    }
    item.workers = json.Get("workers").GetUnsigned(1, MOST_NODES);
    item.servers = json.Get("parameter_servers").GetUnsigned(0, MOST_NODES);
    for (const auto& [name, engine] : json.Get("engines").GetMembers())
    {
        item.engines[name] = ReadRuns(engine);
    }
    return item;
}

/// @return "dml 0.1 (commit 1234567), ns-3 3.37"
std::string
ReadProgram(const JsonCursor& program)
{
    const bool known = program.Has("commit");
    return "dml " + program.Get("dml").GetText() +
           (known ? " (commit " + program.Get("commit").GetText() + ")" : "") + ", ns-3 " +
           program.Get("ns3").GetText();
}

} // namespace

std::vector<std::optional<double>>
StoredRuns::ListThroughputs() const
{
    std::vector<std::optional<double>> list;
    for (const auto& [draw, throughput] : throughputs)
    {
        list.push_back(throughput);
    }
    return list;
}

StoredSummary
ReadStoredSummary(const std::string& path)
{
    std::error_code ignored;
    StoredSummary summary;
    const bool folder = std::filesystem::is_directory(path, ignored);
    summary.file = folder ? path + "/summary.json" : path;
    std::ifstream input(summary.file, std::ios::binary);
    if (!input)
    {
        throw InputError(summary.file + ": cannot be read: " + std::strerror(errno) +
                         "; accepted: a folder of results, or its summary.json");
    }
    summary.finished =
        !std::filesystem::exists(std::filesystem::path(summary.file).parent_path() / "unfinished",
                                 ignored);
    const JsonCursor json = JsonCursor::Parse(input, summary.file);
    const auto schema = json.Get("schema");
    if (schema.GetString() != SUMMARY_SCHEMA)
    {
        schema.Fail("found '" + schema.GetString() + "'; accepted: '" + SUMMARY_SCHEMA + "'");
    }
    summary.program = ReadProgram(json.Get("program"));
    summary.settings = json.Get("scenario").GetLeaves();
    for (const char* key : {"model", "batch_size"})
    {
        summary.settings[key] = json.Get(key).GetText();
    }
    for (const auto& item : json.Get("cases").GetItems())
    {
        summary.cases.push_back(ReadCase(item));
        const StoredCase& last = summary.cases.back();
        if (std::any_of(summary.cases.begin(),
                        summary.cases.end() - 1,
                        [&last](const StoredCase& one) {
                            return one.variant == last.variant && one.workers == last.workers &&
                                   one.servers == last.servers;
                        }))
        {
            item.Fail("found a configuration again; accepted: each once");
        }
    }
    return summary;
}

} // namespace ns3::dml
