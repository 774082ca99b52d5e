/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-summary.h"

#include "dml-loss-report.h"
#include "dml-result-file.h"
#include "dml-stop-report.h"
#include "dml-sync-report.h"
#include "dml-tensor-error.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-json-number.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// @param value of a key in a sweep; @return it, short enough for every row of a table
std::string
ShortenValue(const std::string& value)
{
    constexpr std::size_t LONGEST = 80;
    constexpr std::size_t BEGINNING = 60;
    constexpr std::size_t DIGITS = 8;
    if (value.size() <= LONGEST)
    {
        return value;
    }
    std::size_t end = BEGINNING;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80)
    {
        --end; // no half of a character
    }
    return value.substr(0, end) + "..." + MakeChecksum(value).substr(0, DIGITS);
}

/// @param values numbers; @return an array, with null for each that is undefined
Json
Numbers(const std::vector<double>& values)
{
    Json result = Json::array();
    for (const double value : values)
    {
        result.push_back(JsonNumber(value));
    }
    return result;
}

/// @param count a counter; @return it, or null if it does not exist
Json
Counter(std::optional<uint64_t> count)
{
    return count ? Json(*count) : Json(nullptr);
}

/// @param cpu s; @param ops done; @param bytes moved; @return a "timing" object
Json
Timing(double cpu, uint64_t ops, uint64_t bytes)
{
    Json json;
    json["cpu_seconds"] = JsonNumber(cpu);
    json["ops_per_cpu_second"] = cpu > 0 ? JsonNumber(ops / cpu) : Json(nullptr);
    json["bytes_per_cpu_second"] = cpu > 0 ? JsonNumber(bytes / cpu) : Json(nullptr);
    return json;
}

/// @param crashes of a run @return what they cost, one object each
Json
ToJson(const std::vector<CrashLoss>& crashes)
{
    Json list = Json::array();
    for (const auto& crash : crashes)
    {
        const bool back = crash.back != UNKNOWN_TIME;
        list.push_back({{"worker", crash.worker},
                        {"time", JsonNumber(crash.time)},
                        {"step", crash.step},
                        {"lost_seconds", JsonNumber(crash.lost)},
                        {"back", back ? JsonNumber(crash.back) : Json()},
                        {"back_with_step", back ? Json(crash.backStep) : Json()}});
        if (crash.ended)
        {
            list.back()["ended"] = true;
        }
    }
    return list;
}

/// @param run one replication; @return its object
Json
ToJson(const ReplicationSummary& run)
{
    Json json;
    json["replication"] = run.replication;
    json["seed"] = run.seed;
    json["throughput"] = JsonNumber(run.throughput.samplesPerSecond);
    if (!run.throughput.reason.empty())
    {
        json["undefined_because"] = run.throughput.reason;
    }
    json["t0"] = JsonNumber(run.throughput.t0);
    json["t1"] = JsonNumber(run.throughput.t1);
    json["steps"] = run.throughput.steps;
    json["mean_step"] = JsonNumber(run.throughput.meanStep);
    json["shortest_step"] = JsonNumber(run.throughput.shortestStep);
    json["longest_step"] = JsonNumber(run.throughput.longestStep);
    if (run.stop)
    {
        json["stop"] = StopToJson(*run.stop);
    }
    json["utilisation"]["downlink"] = Numbers(run.downlink);
    json["utilisation"]["uplink"] = Numbers(run.uplink);
    if (!run.otherJobs.empty())
    {
        json["other_jobs"] = Numbers(run.otherJobs);
    }
    json["synchronisation"] = ToJson(run.sync);
    if (!run.crashes.empty())
    {
        json["crashes"] = ToJson(run.crashes);
    }
    json["simulated_bytes"] = run.simulatedBytes;
    json["ops"] = run.ops;
    json["events"] = run.events;
    json["drops"] = Counter(run.drops);
    json["retransmissions"] = Counter(run.retransmissions);
    json["timeouts"] = Counter(run.timeouts);
    json["fast_recoveries"] = Counter(run.recoveries);
    if (run.skipped)
    {
        const SkippedTotals& skipped = *run.skipped;
        const bool checked = skipped.checkedBytes > 0;
        json["fast_forward"] = {
            {"skipped_seconds", skipped.seconds},
            {"skipped_bytes", skipped.bytes},
            {"skips", skipped.skips},
            {"states", skipped.states},
            {"checks", skipped.checks},
            {"mean_rate_error", checked ? Json(skipped.GetMeanError()) : Json()},
            {"largest_rate_error", checked ? Json(skipped.largestError) : Json()}};
    }
    if (run.host)
    {
        json["host"] = {{"other_cpu", run.host->otherCpu},
                        {"disturbed", run.host->IsDisturbed()},
                        {"mean_lateness", run.host->meanLateness},
                        {"largest_lateness", run.host->largestLateness},
                        {"cpu_seconds", run.host->cpuSeconds},
                        {"notes", run.host->notes}};
    }
    json["timing"] = Timing(run.cpuSeconds, run.ops, run.simulatedBytes);
    json["timing"]["wall_seconds"] = JsonNumber(run.wallSeconds);
    if (run.stop)
    {
        json["timing"]["saved_cpu_seconds"] = JsonNumber(GetSavedSeconds(run));
    }
    return json;
}

/// @param engine all replications of one engine; @param devices names; @return its object
Json
ToJson(const EngineSummary& engine, const std::vector<std::string>& devices)
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
    json["mean"] = JsonNumber(throughput.mean);
    json["ci95"] = JsonNumber(throughput.halfWidth);
    json["undefined_replications"] = throughput.skipped;
    if (const Json stop = StopTotalsToJson(engine); !stop.is_null())
    {
        json["stop"] = stop;
    }
    json["schedule"] = ToJson(engine.GetSchedule(), devices);
    json["timing"] = Timing(engine.GetCpuSeconds(), ops, bytes);
    return json;
}

/// @param shares deviations from 1 / n; @return their object
Json
ToJson(const ShareSummary& shares)
{
    Json json;
    json["mean"] = JsonNumber(shares.mean);
    json["p90"] = JsonNumber(shares.p90);
    json["workers"] = Numbers(shares.workers);
    json["intervals"] = shares.intervals;
    return json;
}

/// @param item one configuration; @return its object "tensor_error"
Json
TensorErrorToJson(const CaseSummary& item)
{
    const auto error = ComputeTensorError(item, MAIN_COMPARISON);
    if (!error)
    {
        return nullptr;
    }
    Json json;
    json["median"] = JsonNumber(error->median);
    json["p90"] = JsonNumber(error->p90);
    json["max"] = JsonNumber(error->max);
    json["bias"] = JsonNumber(error->bias);
    json["worst"]["tensor"] = error->worstTensor < item.tensors.size()
                                  ? Json(item.tensors[error->worstTensor])
                                  : Json(error->worstTensor);
    json["worst"]["direction"] =
        error->worstDirection == Direction::DOWNLINK ? "downlink" : "uplink";
    json["worst"]["error"] = JsonNumber(error->worst);
    json["pairs"] = error->pairs;
    return json;
}

/// @param sum losses of an engine's runs @return their object
Json
ToJson(const LossSum& sum)
{
    Json json;
    json["drops"] = sum.drops;
    json["retransmissions"] = sum.retransmissions;
    json["timeouts"] = sum.timeouts;
    json["fast_recoveries"] = sum.recoveries;
    json["replications"] = sum.replications;
    return json;
}

/// @param item one configuration; @param comparison two engines; @return an object such as
/// "relative_error"
Json
RelativeErrorToJson(const CaseSummary& item, const EngineComparison& comparison)
{
    Json json;
    const Confidence error = item.GetRelativeError(comparison);
    json["mean"] = JsonNumber(error.mean);
    json["ci95"] = JsonNumber(error.halfWidth);
    json["pairs"] = error.count;
    const RelativeDifference difference = item.GetDifference(comparison);
    json["estimate"] = JsonNumber(difference.value);
    json["low95"] = JsonNumber(difference.low);
    json["high95"] = JsonNumber(difference.high);
    json["significant"] = difference.low ? Json(difference.IsSignificant()) : Json(nullptr);
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
    for (const auto& [kind, engine] : item.engines)
    {
        json["engines"][GetEngineName(kind)] = ToJson(engine, item.devices);
    }
    if (const auto* lossy = item.FindEngineThat(EngineTrait::LOSES_PACKETS))
    {
        json["losses"] = ToJson(SumLosses(*lossy));
    }
    json["baselines"]["cynthia"] = JsonNumber(item.cynthia);
    json["baselines"]["lin"] = JsonNumber(item.lin);
    json["relative_error"] = RelativeErrorToJson(item, MAIN_COMPARISON);
    for (const auto& comparison : ListHostComparisons(item.GetEngines()))
    {
        json["host_error"][GetEngineName(comparison.what)] = RelativeErrorToJson(item, comparison);
    }
    json["tensor_error"] = TensorErrorToJson(item);
    const auto* shared = item.FindEngineThat(EngineTrait::MEASURES_SHARES);
    json["share_error"] = shared ? ToJson(shared->GetShares()) : Json(nullptr);
    return json;
}

} // namespace

bool
HostConditions::IsDisturbed() const
{
    constexpr double MOST = 0.25; // cores; measured: throughput differs by several per cent beyond
    return otherCpu > MOST;
}

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

ShareSummary
EngineSummary::GetShares() const
{
    ShareSummary result;
    std::vector<std::optional<double>> means;
    std::vector<std::optional<double>> percentiles;
    std::vector<std::vector<std::optional<double>>> workers;
    for (const auto& run : replications)
    {
        if (run.shares.intervals == 0)
        {
            continue;
        }
        result.intervals += run.shares.intervals;
        means.emplace_back(run.shares.mean);
        percentiles.emplace_back(run.shares.p90);
        workers.resize(run.shares.workers.size());
        for (std::size_t worker = 0; worker < workers.size(); ++worker)
        {
            const double value = run.shares.workers[worker];
            workers[worker].push_back(std::isfinite(value) ? std::optional<double>(value)
                                                           : std::nullopt);
        }
    }
    constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
    result.mean = ComputeConfidence(means).mean.value_or(NONE);
    result.p90 = ComputeConfidence(percentiles).mean.value_or(NONE);
    for (const auto& values : workers)
    {
        result.workers.push_back(ComputeConfidence(values).mean.value_or(NONE));
    }
    return result;
}

ScheduleSummary
EngineSummary::GetSchedule() const
{
    ScheduleSummary result;
    for (const auto& run : replications)
    {
        result.Merge(run.schedule);
    }
    return result;
}

SyncSummary
EngineSummary::GetSync() const
{
    SyncSummary result;
    for (const auto& run : replications)
    {
        result.Merge(run.sync);
    }
    return result;
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

const EngineSummary*
CaseSummary::FindEngine(EngineKind kind) const
{
    const auto found = engines.find(kind);
    return found != engines.end() ? &found->second : nullptr;
}

const EngineSummary*
CaseSummary::FindEngineThat(EngineTrait trait) const
{
    const auto found = std::find_if(engines.begin(), engines.end(), [trait](const auto& engine) {
        return GetEngine(engine.first).Has(trait);
    });
    return found != engines.end() ? &found->second : nullptr;
}

std::vector<std::pair<std::optional<double>, std::optional<double>>>
CaseSummary::PairReplications(const EngineComparison& comparison) const
{
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    const EngineSummary* what = FindEngine(comparison.what);
    const EngineSummary* against = FindEngine(comparison.against);
    if (!what || !against)
    {
        return pairs;
    }
    for (const auto& run : against->replications)
    {
        for (const auto& other : what->replications)
        {
            if (other.replication == run.replication)
            {
                pairs.emplace_back(other.throughput.samplesPerSecond,
                                   run.throughput.samplesPerSecond);
            }
        }
    }
    return pairs;
}

Confidence
CaseSummary::GetRelativeError(const EngineComparison& comparison) const
{
    std::vector<std::optional<double>> errors;
    for (const auto& [predicted, reference] : PairReplications(comparison))
    {
        errors.emplace_back(predicted && reference && *reference > 0
                                ? std::optional<double>(*predicted / *reference - 1)
                                : std::nullopt);
    }
    return ComputeConfidence(errors);
}

RelativeDifference
CaseSummary::GetDifference(const EngineComparison& comparison) const
{
    return EstimateDifference(PairReplications(comparison));
}

EngineSet
CaseSummary::GetEngines() const
{
    EngineSet kinds;
    for (const auto& [kind, engine] : engines)
    {
        kinds.insert(kind);
    }
    return kinds;
}

std::string
CaseSummary::GetVariantName() const
{
    return NameVariant(variant);
}

EngineSet
RunSummary::GetShownEngines() const
{
    EngineSet shown = ChooseEngines(DEFAULT_ENGINES);
    for (const auto& item : cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            shown.insert(kind);
        }
    }
    return shown;
}

std::string
NameVariant(const std::vector<std::pair<std::string, std::string>>& variant)
{
    std::string name;
    for (const auto& [key, value] : variant)
    {
        name += (name.empty() ? "" : ", ") + key + "=" + ShortenValue(value);
    }
    return name;
}

nlohmann::ordered_json
ToJson(const RunSummary& summary)
{
    Json json;
    json["schema"] = "dml-summary/1";
    json["program"]["dml"] = summary.program.dml;
    if (!summary.program.commit.empty())
    {
        json["program"]["commit"] = summary.program.commit;
    }
    json["program"]["ns3"] = summary.program.ns3;
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
    json["timing"]["wall_seconds"] = JsonNumber(summary.wallSeconds);
    return json;
}

void
WriteSummary(const std::string& path, const RunSummary& summary, bool durable)
{
    // Names come from files of any encoding: replace what is not UTF-8 instead of failing.
    ResultFile::Replace(path,
                        ToJson(summary).dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
                        durable);
}

} // namespace dml
} // namespace ns3
