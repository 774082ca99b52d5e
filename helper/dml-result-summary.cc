/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-summary.h"

#include "dml-loss-report.h"
#include "dml-result-file.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// @param value a number; @return it, or null if it is undefined
Json
Number(std::optional<double> value)
{
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// @param values numbers; @return an array, with null for each that is undefined
Json
Numbers(const std::vector<double>& values)
{
    Json result = Json::array();
    for (const double value : values)
    {
        result.push_back(Number(value));
    }
    return result;
}

/// @param count a counter; @return it, or null if it does not exist
Json
Counter(std::optional<uint64_t> count)
{
    return count ? Json(*count) : Json(nullptr);
}

/// @param wall s; @param cpu s; @param ops done; @param bytes moved; @return a "timing" object
Json
Timing(double wall, double cpu, uint64_t ops, uint64_t bytes)
{
    Json json;
    json["wall_seconds"] = Number(wall);
    json["cpu_seconds"] = Number(cpu);
    json["ops_per_cpu_second"] = cpu > 0 ? Number(ops / cpu) : Json(nullptr);
    json["bytes_per_cpu_second"] = cpu > 0 ? Number(bytes / cpu) : Json(nullptr);
    return json;
}

/// @param run one replication; @return its object
Json
ToJson(const ReplicationSummary& run)
{
    Json json;
    json["replication"] = run.replication;
    json["seed"] = run.seed;
    json["throughput"] = Number(run.throughput.samplesPerSecond);
    if (!run.throughput.reason.empty())
    {
        json["undefined_because"] = run.throughput.reason;
    }
    json["t0"] = Number(run.throughput.t0);
    json["t1"] = Number(run.throughput.t1);
    json["steps"] = run.throughput.steps;
    json["mean_step"] = Number(run.throughput.meanStep);
    json["shortest_step"] = Number(run.throughput.shortestStep);
    json["longest_step"] = Number(run.throughput.longestStep);
    json["utilisation"]["downlink"] = Numbers(run.downlink);
    json["utilisation"]["uplink"] = Numbers(run.uplink);
    json["simulated_bytes"] = run.simulatedBytes;
    json["ops"] = run.ops;
    json["events"] = run.events;
    json["drops"] = Counter(run.drops);
    json["retransmissions"] = Counter(run.retransmissions);
    json["timeouts"] = Counter(run.timeouts);
    json["fast_recoveries"] = Counter(run.recoveries);
    json["timing"] = Timing(run.wallSeconds, run.cpuSeconds, run.ops, run.simulatedBytes);
    return json;
}

/// @param engine all replications of one engine; @return its object
Json
ToJson(const EngineSummary& engine)
{
    Json json;
    json["replications"] = Json::array();
    uint64_t ops = 0;
    uint64_t bytes = 0;
    for (const auto& run : engine.replications)
    {
        json["replications"].push_back(ToJson(run));
        ops += run.ops;
        bytes += run.simulatedBytes;
    }
    const Confidence throughput = engine.GetThroughput();
    json["mean"] = Number(throughput.mean);
    json["ci95"] = Number(throughput.halfWidth);
    json["undefined_replications"] = throughput.skipped;
    json["timing"] = Timing(engine.GetWallSeconds(), engine.GetCpuSeconds(), ops, bytes);
    return json;
}

/// @param item one configuration; @return its object
Json
ToJson(const CaseSummary& item)
{
    Json json;
    json["variant"] = Json::object();
    for (const auto& [key, value] : item.variant)
    {
        json["variant"][key] = value;
    }
    json["model"] = item.model;
    json["batch_size"] = item.batch;
    json["workers"] = item.workers;
    json["parameter_servers"] = item.parameterServers;
    json["engines"] = Json::object();
    if (item.fairShare)
    {
        json["engines"][FAIR_SHARE_ENGINE] = ToJson(*item.fairShare);
    }
    if (item.packet)
    {
        json["engines"][PACKET_ENGINE] = ToJson(*item.packet);
        const LossSum losses = SumLosses(*item.packet);
        json["losses"]["drops"] = losses.drops;
        json["losses"]["retransmissions"] = losses.retransmissions;
        json["losses"]["timeouts"] = losses.timeouts;
        json["losses"]["fast_recoveries"] = losses.recoveries;
        json["losses"]["replications"] = losses.replications;
    }
    json["baselines"]["cynthia"] = Number(item.cynthia);
    json["baselines"]["lin"] = Number(item.lin);
    const Confidence error = item.GetRelativeError();
    json["relative_error"]["mean"] = Number(error.mean);
    json["relative_error"]["ci95"] = Number(error.halfWidth);
    json["relative_error"]["pairs"] = error.count;
    return json;
}

} // namespace

Confidence
EngineSummary::GetThroughput() const
{
    std::vector<std::optional<double>> values;
    for (const auto& run : replications)
    {
        values.push_back(run.throughput.samplesPerSecond);
    }
    return ComputeConfidence(values);
}

std::optional<double>
EngineSummary::GetUtilisation(Direction direction) const
{
    std::vector<std::optional<double>> values;
    for (const auto& run : replications)
    {
        std::optional<double> busiest;
        for (const double value : direction == Direction::DOWNLINK ? run.downlink : run.uplink)
        {
            if (std::isfinite(value))
            {
                busiest = std::max(busiest.value_or(value), value);
            }
        }
        values.push_back(busiest);
    }
    return ComputeConfidence(values).mean;
}

double
EngineSummary::GetCpuSeconds() const
{
    double sum = 0;
    for (const auto& run : replications)
    {
        sum += run.cpuSeconds;
    }
    return sum;
}

double
EngineSummary::GetWallSeconds() const
{
    double sum = 0;
    for (const auto& run : replications)
    {
        sum += run.wallSeconds;
    }
    return sum;
}

Confidence
CaseSummary::GetRelativeError() const
{
    std::vector<std::optional<double>> errors;
    if (!fairShare || !packet)
    {
        return ComputeConfidence(errors);
    }
    for (const auto& run : packet->replications)
    {
        for (const auto& other : fairShare->replications)
        {
            if (other.replication != run.replication)
            {
                continue;
            }
            const auto& predicted = other.throughput.samplesPerSecond;
            const auto& reference = run.throughput.samplesPerSecond;
            if (predicted && reference && *reference > 0)
            {
                errors.emplace_back(*predicted / *reference - 1);
            }
            else
            {
                errors.emplace_back(std::nullopt);
            }
        }
    }
    return ComputeConfidence(errors);
}

std::string
CaseSummary::GetVariantName() const
{
    std::string name;
    for (const auto& [key, value] : variant)
    {
        name += (name.empty() ? "" : ", ") + key + "=" + value;
    }
    return name;
}

nlohmann::ordered_json
ToJson(const RunSummary& summary)
{
    Json json;
    json["schema"] = "dml-summary/1";
    json["name"] = summary.name;
    json["model"] = summary.model;
    json["batch_size"] = summary.batch;
    json["units"]["throughput"] = "samples/s";
    json["units"]["time"] = "s";
    json["units"]["utilisation"] = "1";
    json["scenario"] = summary.scenario;
    json["notes"] = summary.notes;
    json["cases"] = Json::array();
    for (const auto& item : summary.cases)
    {
        json["cases"].push_back(ToJson(item));
    }
    json["timing"]["wall_seconds"] = Number(summary.wallSeconds);
    return json;
}

void
WriteSummary(const std::string& path, const RunSummary& summary)
{
    // Names come from files of any encoding: replace what is not UTF-8 instead of failing.
    ResultFile::Replace(
        path,
        ToJson(summary).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

} // namespace dml
} // namespace ns3
