/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-summary-json.h"

#include "dml-result-file.h"
#include "dml-run-notes.h"
#include "dml-sync-report.h"

#include "ns3/dml-json-number.h"

#include <fmt/format.h>
#include <optional>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

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
    return {{"cpu_seconds", JsonNumber(cpu)},
            {"ops_per_cpu_second", cpu > 0 ? JsonNumber(ops / cpu) : Json()},
            {"bytes_per_cpu_second", cpu > 0 ? JsonNumber(bytes / cpu) : Json()}};
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

/// @param bias of the fair-share engine in a run @return its object
Json
ToJson(const LinkBias& bias)
{
    Json json{{"links_slower_percent", JsonNumber(bias.slower)},
              {"ci95", JsonNumber(bias.halfWidth)},
              {"raw_percent", JsonNumber(bias.GetRaw())},
              {"gain", JsonNumber(bias.GetGain())},
              {"spread_ratio", JsonNumber(bias.spread)},
              {"overlap_percent", JsonNumber(100 * bias.overlap)},
              {"steps", bias.steps},
              {"recorded_seconds", JsonNumber(bias.recorded)},
              {"predicted_seconds", JsonNumber(bias.predicted)}};
    if (!bias.reason.empty())
    {
        json["undefined_because"] = bias.reason;
    }
    return json;
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
    json["schedule"] = MeansToJson(run.GetScheduleMeans());
    json["synchronisation"] = ToJson(run.sync);
    if (!run.crashes.empty())
    {
        json["crashes"] = ToJson(run.crashes);
    }
    for (const auto& loss : run.serverLosses)
    {
        json["server_crashes"].push_back({{"server", loss.crash.server},
                                          {"time", JsonNumber(loss.crash.at)},
                                          {"back", JsonNumber(loss.crash.back)},
                                          {"checkpoint", JsonNumber(loss.crash.checkpoint)},
                                          {"lost_steps", loss.steps}});
    }
    json["simulated_bytes"] = run.simulatedBytes;
    json["ops"] = run.ops;
    json["events"] = run.events;
    json["drops"] = Counter(run.drops);
    json["retransmissions"] = Counter(run.retransmissions);
    json["timeouts"] = Counter(run.timeouts);
    json["collapse"] = run.collapse.empty() ? Json() : Json(run.collapse);
    json["fast_recoveries"] = Counter(run.recoveries);
    if (run.reordering)
    {
        json["reordering"] = {{"packets", run.reordering->packets},
                              {"reordered", run.reordering->reordered},
                              {"duplicate_acks", run.reordering->duplicateAcks}};
    }
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
    if (run.matched)
    {
        json["matched"] = ToJson(*run.matched);
    }
    if (run.host)
    {
        json["host"] = {{"other_cpu", run.host->otherCpu},
                        {"disturbed", run.host->IsDisturbed()},
                        {"mean_lateness", run.host->meanLateness},
                        {"largest_lateness", run.host->largestLateness},
                        {"cpu_seconds", run.host->cpuSeconds},
                        {"notes", run.host->notes},
                        {"busy_before", run.host->busyBefore},
                        {"waited_for_idle", run.host->waitedForIdle}};
    }
    json["timing"] = Timing(run.cpuSeconds, run.ops, run.simulatedBytes);
    json["timing"]["wall_seconds"] = JsonNumber(run.wallSeconds);
    if (run.stop)
    {
        json["timing"]["saved_cpu_seconds"] = JsonNumber(GetSavedSeconds(run));
    }
    return json;
}

/// Stands for the replications of an engine in a document without them.
constexpr const char* REPLICATIONS = "replications";

/// @param engine all replications of one engine; @param devices names
/// @param whole false: REPLICATIONS instead of the replications, if there are any
/// @return its object
Json
ToJson(const EngineSummary& engine, const std::vector<std::string>& devices, bool whole)
{
    Json json;
    json["replications"] = Json::array();
    uint64_t ops = 0;
    uint64_t bytes = 0;
    if (!whole && !engine.replications.empty())
    {
        json["replications"].push_back(REPLICATIONS);
    }
    for (const auto& run : engine.replications)
    {
        if (whole)
        {
            json["replications"].push_back(ToJson(run));
        }
        ops += run.ops;
        bytes += run.simulatedBytes;
    }
    const Confidence throughput = engine.GetThroughput();
    json["mean"] = JsonNumber(throughput.mean);
    json["ci95"] = JsonNumber(throughput.halfWidth);
    json["min"] = JsonNumber(throughput.least);
    json["max"] = JsonNumber(throughput.greatest);
    json["undefined_replications"] = throughput.skipped;
    json["collapsed_replications"] = engine.CountCollapses();
    if (const Confidence matched = engine.GetMatched(); matched.count > 0)
    {
        json["matched"] = {{"links_slower_percent", JsonNumber(matched.mean)},
                           {"ci95", JsonNumber(matched.halfWidth)},
                           {"min", JsonNumber(matched.least)},
                           {"max", JsonNumber(matched.greatest)},
                           {"replications", matched.count}};
    }
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
    return {{"mean", JsonNumber(shares.mean)},
            {"p90", JsonNumber(shares.p90)},
            {"workers", Numbers(shares.workers)},
            {"intervals", shares.intervals}};
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
    return {{"median", JsonNumber(error->median)},
            {"p90", JsonNumber(error->p90)},
            {"max", JsonNumber(error->max)},
            {"bias", JsonNumber(error->bias)},
            {"worst",
             {{"tensor",
               error->worstTensor < item.tensors.size() ? Json(item.tensors[error->worstTensor])
                                                        : Json(error->worstTensor)},
              {"direction", ToString(error->worstDirection)},
              {"error", JsonNumber(error->worst)}}},
            {"pairs", error->pairs}};
}

/// @param sum losses of an engine's runs @return their object
Json
ToJson(const LossSum& sum)
{
    return {{"drops", sum.drops},
            {"retransmissions", sum.retransmissions},
            {"timeouts", sum.timeouts},
            {"fast_recoveries", sum.recoveries},
            {"replications", sum.replications}};
}

/// @param item one configuration; @param comparison two engines; @return an object such as
/// "relative_error"
Json
RelativeErrorToJson(const CaseSummary& item, const EngineComparison& comparison)
{
    const Confidence error = item.GetRelativeError(comparison);
    const RelativeDifference difference = item.GetDifference(comparison);
    const bool interval = difference.HasInterval();
    return {{"mean", JsonNumber(error.mean)},
            {"ci95", JsonNumber(error.halfWidth)},
            {"pairs", error.count},
            {"further_runs", difference.further},
            {"estimate", JsonNumber(difference.value)},
            {"low95", JsonNumber(interval ? difference.low : std::nullopt)},
            {"high95", JsonNumber(interval ? difference.high : std::nullopt)},
            {"min", JsonNumber(error.least)},
            {"max", JsonNumber(error.greatest)},
            {"significant", interval ? Json(difference.IsSignificant()) : Json()}};
}

/// @param item one configuration; @param whole as above; @return its object
Json
ToJson(const CaseSummary& item, bool whole)
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
        json["engines"][GetEngineName(kind)] = ToJson(engine, item.devices, whole);
    }
    if (const auto* lossy = item.FindEngineThat(EngineTrait::LOSES_PACKETS))
    {
        json["losses"] = ToJson(SumLosses(*lossy));
    }
    json["baselines"]["cynthia"] = JsonNumber(item.cynthia);
    json["baselines"]["lin"] = JsonNumber(item.lin);
    json["expected_error"] = item.expected.kind ? item.expected.ToJson() : Json(nullptr);
    json["relative_error"] = RelativeErrorToJson(item, MAIN_COMPARISON);
    for (const auto& comparison : ListFurtherComparisons(item.GetEngines()))
    {
        json[GetEngineName(comparison.against) + "_error"][GetEngineName(comparison.what)] =
            RelativeErrorToJson(item, comparison);
    }
    json["tensor_error"] = TensorErrorToJson(item);
    const auto* shared = item.FindEngineThat(EngineTrait::MEASURES_SHARES);
    json["share_error"] = shared ? ToJson(shared->GetShares()) : Json(nullptr);
    return json;
}

/// @param json a value; @return its text in summary.json
std::string
Dump(const Json& json)
{
    // Names come from files of any encoding: replace what is not UTF-8 instead of failing.
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// @param summary of a study; @param whole as above; @return the document
Json
ToJson(const RunSummary& summary, bool whole)
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
    if (summary.missingRuns > 0)
    {
        json["missing_runs"] = summary.missingRuns;
    }
    json["cases"] = Json::array();
    for (const auto& item : summary.cases)
    {
        json["cases"].push_back(ToJson(item, whole));
    }
    json["timing"]["wall_seconds"] = JsonNumber(summary.wallSeconds);
    return json;
}

/// Write the replications of an engine, each element in a line of its own and indented as there.
void
WriteReplications(ResultFile& file, const EngineSummary& engine, const std::string& lineStart)
{
    bool first = true;
    for (const auto& run : engine.replications)
    {
        std::string& text = file.GetBuffer();
        text += first ? "" : "," + lineStart;
        first = false;
        for (const char letter : Dump(ToJson(run)))
        {
            letter == '\n' ? text += lineStart : text += letter;
        }
        file.Commit();
    }
}

/// Write what Dump(ToJson(summary)) is, which takes some kB of memory for each replication, one
/// replication after the other.
void
WriteDocument(ResultFile& file, const RunSummary& summary)
{
    const std::string rest = Dump(ToJson(summary, false));
    // a string has no line end, so nobody's name looks like this
    const std::string before = fmt::format("\"{}\": [\n", REPLICATIONS);
    const std::string element = fmt::format("\"{}\"\n", REPLICATIONS);
    std::size_t done = 0;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            if (engine.replications.empty())
            {
                continue;
            }
            const std::size_t list = rest.find(before, done) + before.size();
            const std::size_t place = rest.find(element, list);
            file.GetBuffer().append(rest, done, place - done);
            WriteReplications(file, engine, "\n" + std::string(place - list, ' '));
            done = place + element.size() - 1;
        }
    }
    file.GetBuffer().append(rest, done);
    file.GetBuffer() += '\n';
}

} // namespace

nlohmann::ordered_json
ToJson(const RunSummary& summary)
{
    return ToJson(summary, true);
}

void
WriteSummary(const std::string& path, const RunSummary& summary, bool durable)
{
    ResultFile::Replace(
        path,
        [&summary](ResultFile& file) { WriteDocument(file, summary); },
        durable);
}

} // namespace ns3::dml
