/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-summary-comparison.h"

#include "dml-result-folder.h"
#include "dml-result-summary.h"

#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-json-cursor.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <istream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

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

constexpr const char* SWEPT = "swept"; //!< in the place of a key's value

using Pairs = std::vector<std::pair<std::optional<double>, std::optional<double>>>;

std::set<std::string>
ListSweptKeys(const StoredSummary& summary)
{
    std::set<std::string> keys;
    for (const auto& item : summary.cases)
    {
        for (const auto& [key, value] : item.variant)
        {
            keys.insert(key);
        }
    }
    return keys;
}

std::string
NameOf(const StoredCase& item)
{
    const std::string name = NameVariant({item.variant.begin(), item.variant.end()});
    return "W=" + std::to_string(item.workers) + (name.empty() ? "" : ", " + name);
}

/// @return replications of @p a and @p b with the same draws
Pairs
PairByDraws(const StoredRuns& a, const StoredRuns& b)
{
    const std::map<StoredRuns::Draw, std::optional<double>> known(a.throughputs.begin(),
                                                                  a.throughputs.end());
    Pairs pairs;
    for (const auto& [draw, throughput] : b.throughputs)
    {
        const auto twin = known.find(draw);
        if (twin != known.end())
        {
            pairs.emplace_back(throughput, twin->second);
        }
    }
    return pairs;
}

Pairs
PairByOrder(const StoredRuns& a, const StoredRuns& b)
{
    const auto first = a.ListThroughputs();
    const auto second = b.ListThroughputs();
    Pairs pairs;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    {
        pairs.emplace_back(second[i], first[i]);
    }
    return pairs;
}

ComparedCase
Compare(const StoredCase& a, const StoredCase& b, const std::string& engine)
{
    const StoredRuns& first = a.engines.at(engine);
    const StoredRuns& second = b.engines.at(engine);
    const Pairs same = PairByDraws(first, second);
    const bool paired = !same.empty();
    return {&a, &b, engine, EstimateDifference(paired ? same : PairByOrder(first, second)), paired};
}

/// @return whether a sweep of @p keys sets what has the path @p path, alone or with others
bool
Covers(const std::set<std::string>& keys, const std::string& path)
{
    return std::any_of(keys.begin(), keys.end(), [&path](const std::string& key) {
        return path == key || path.compare(0, key.size() + 1, key + ".") == 0;
    });
}

/// @param keys that both sweep @return whether @p a and @p b are the same configuration
bool
Match(const StoredCase& a, const StoredCase& b, const std::vector<std::string>& keys)
{
    return a.workers == b.workers &&
           std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
               const auto first = a.variant.find(key);
               const auto second = b.variant.find(key);
               return (first == a.variant.end()) == (second == b.variant.end()) &&
                      (first == a.variant.end() || first->second == second->second);
           });
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
    const auto input = OpenInputStream(summary.file, "a folder of results, or its summary.json");
    const JsonCursor json = JsonCursor::Parse(*input, summary.file);
    summary.finished = !json.Has("missing_runs") &&
                       !IsUnfinished(std::filesystem::path(summary.file).parent_path().string());
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
    std::set<std::tuple<std::map<std::string, std::string>, uint32_t, uint32_t>> found;
    for (const auto& item : json.Get("cases").GetItems())
    {
        const StoredCase& last = summary.cases.emplace_back(ReadCase(item));
        if (!found.emplace(last.variant, last.workers, last.servers).second)
        {
            item.Fail("found a configuration again; accepted: each once");
        }
    }
    return summary;
}

SummaryComparison
CompareSummaries(const StoredSummary& a, const StoredSummary& b)
{
    SummaryComparison comparison{a, b};
    const auto keysOfA = ListSweptKeys(a);
    const auto keysOfB = ListSweptKeys(b);
    std::set_intersection(keysOfA.begin(),
                          keysOfA.end(),
                          keysOfB.begin(),
                          keysOfB.end(),
                          std::back_inserter(comparison.common));
    std::set<const StoredCase*> matched;
    std::set<std::pair<const StoredCase*, std::string>> compared;
    for (const auto& first : a.cases)
    {
        for (const auto& second : b.cases)
        {
            if (!Match(first, second, comparison.common))
            {
                continue;
            }
            matched.insert({&first, &second});
            for (const auto& [engine, runs] : first.engines)
            {
                if (second.engines.count(engine) > 0)
                {
                    comparison.cases.push_back(Compare(first, second, engine));
                    compared.insert({{&first, engine}, {&second, engine}});
                }
            }
        }
    }
    const auto list = [&](const StoredSummary& summary, std::vector<std::string>& names) {
        for (const auto& item : summary.cases)
        {
            if (matched.count(&item) == 0)
            {
                names.push_back(NameOf(item));
                continue;
            }
            for (const auto& [engine, runs] : item.engines)
            {
                if (compared.count({&item, engine}) == 0)
                {
                    names.push_back(NameOf(item) + ", " + engine);
                }
            }
        }
    };
    list(a, comparison.onlyInA);
    list(b, comparison.onlyInB);
    return comparison;
}

std::vector<ChangedSetting>
SummaryComparison::ListChanges() const
{
    const auto sweptByA = ListSweptKeys(a);
    const auto sweptByB = ListSweptKeys(b);
    std::map<std::string, ChangedSetting> settings;
    for (const auto& [key, value] : a.settings)
    {
        settings[key] = {key, Covers(sweptByA, key) ? SWEPT : value, ""};
    }
    for (const auto& [key, value] : b.settings)
    {
        settings[key].key = key;
        settings[key].b = Covers(sweptByB, key) ? SWEPT : value;
    }
    std::vector<ChangedSetting> list;
    for (const auto& [key, setting] : settings)
    {
        const bool apart = key == "job.workers" || key.rfind("output.", 0) == 0;
        // what a sweep sets may be a map in one variant and a word in the next
        const bool bothSwept = Covers(sweptByA, key) && Covers(sweptByB, key);
        if (setting.a != setting.b && !apart && !bothSwept)
        {
            list.push_back(setting);
        }
    }
    return list;
}

} // namespace ns3::dml
