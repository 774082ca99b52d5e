/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-throughput-csv.h"

#include "dml-csv-name.h"
#include "dml-engine-table.h"
#include "dml-result-file.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return paths of all keys that some variant sets, in the order in which they come
std::vector<std::string>
ListKeys(const RunSummary& summary)
{
    std::vector<std::string> keys;
    for (const auto& item : summary.cases)
    {
        for (const auto& [key, value] : item.variant)
        {
            // a run's own seed has a column of that name
            if (key != "seed" && std::find(keys.begin(), keys.end(), key) == keys.end())
            {
                keys.push_back(key);
            }
        }
    }
    return keys;
}

std::string
ShowField(double value)
{
    return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}

std::string
ShowField(const std::optional<uint64_t>& value)
{
    return value ? std::to_string(*value) : "";
}

/// @return the fields of a configuration, with their commas
std::string
FormatCaseFields(const CaseSummary& item, const std::vector<std::string>& keys)
{
    std::string fields = fmt::format("{},{},{},{},",
                                     WriteCsvName(item.model),
                                     item.batch,
                                     item.workers,
                                     item.parameterServers);
    for (const auto& key : keys)
    {
        const auto set = std::find_if(item.variant.begin(),
                                      item.variant.end(),
                                      [&key](const auto& entry) { return entry.first == key; });
        fields += (set == item.variant.end() ? "" : WriteCsvName(set->second)) + ",";
    }
    return fields;
}

} // namespace

void
WriteThroughputCsv(ResultFile& file, const RunSummary& summary)
{
    const auto keys = ListKeys(summary);
    file.GetBuffer() += "model,batch_size,workers,parameter_servers,";
    for (const auto& key : keys)
    {
        file.GetBuffer() += WriteCsvName(key) + ",";
    }
    file.GetBuffer() +=
        "engine,replication,seed,throughput,mean_step,steps,t0,t1,drops,retransmissions,"
        "timeouts\n";
    for (const auto& item : summary.cases)
    {
        const std::string configuration = FormatCaseFields(item, keys);
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                const Throughput& throughput = run.throughput;
                file.GetBuffer() +=
                    fmt::format("{}{},{},{},{},{},{},{},{},{},{},{}\n",
                                configuration,
                                GetEngineName(kind),
                                run.replication,
                                run.seed,
                                ShowField(throughput.samplesPerSecond.value_or(std::nan(""))),
                                ShowField(throughput.meanStep),
                                throughput.steps,
                                ShowField(throughput.t0),
                                ShowField(throughput.t1),
                                ShowField(run.drops),
                                ShowField(run.retransmissions),
                                ShowField(run.timeouts));
                file.Commit();
            }
        }
    }
}

} // namespace ns3::dml
