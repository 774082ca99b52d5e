/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-steps.h"

#include "ns3/dml-csv-name.h"
#include "ns3/dml-error.h"
#include "ns3/dml-host-names.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// Latest instant of a run, s: 30 years.
constexpr double MOST_SECONDS = 1e9;

/// Recorders by run.
using Recorders = std::map<RunKey, MatchRecorder*>;

/// @param rows at a current one @param column of a time @return it, s @throws InputError if it is
/// too late
double
ReadInstant(const RunRows& rows, std::size_t column)
{
    const auto seconds = rows.Get<double>(column);
    if (seconds > MOST_SECONDS)
    {
        rows.Fail(column, "found more than 1e9 s; accepted: seconds from the start of a run");
    }
    return seconds;
}

/// @return numbers of the first job's tensors by name
std::map<std::string, uint32_t>
NumberTensors(const PreparedScenario& model)
{
    std::map<std::string, uint32_t> numbers;
    for (const auto& tensor : model.GetJob().profile->tensors)
    {
        numbers.emplace(tensor.name, static_cast<uint32_t>(numbers.size()));
    }
    return numbers;
}

/// Read a transfers.csv.
void
ReadTransfers(const std::string& path, const Recorders& recorders, StoredScenario& scenario)
{
    std::map<const PreparedScenario*, std::map<std::string, uint32_t>> numbers;
    RunRows rows(path, {"worker", "step", "tensor", "direction", "ps", "first_byte", "last_byte"});
    while (rows.Next())
    {
        const RunKey run = rows.GetRun();
        const auto found = recorders.find(run);
        const std::string& direction = rows.GetText(3);
        if (found == recorders.end() || (direction != "downlink" && direction != "uplink"))
        {
            continue;
        }
        const PreparedScenario& model = FindModel(scenario, run, path);
        auto& known = numbers[&model];
        if (known.empty())
        {
            known = NumberTensors(model);
        }
        const std::string name = ReadCsvName(rows.GetText(2));
        const auto tensor = known.find(name);
        if (tensor == known.end())
        {
            rows.Fail(2, "found tensor '" + name + "'; accepted: one of the profile's");
        }
        found->second->AddTransfer(
            {rows.Get<uint32_t>(0), rows.Get<uint32_t>(1)},
            {{tensor->second, rows.Get<uint32_t>(4), direction == "downlink"},
             ReadInstant(rows, 5),
             ReadInstant(rows, 6)});
    }
}

/// What a connection has sent again until an instant.
struct ResendCount
{
    double time{0};    //!< s
    uint64_t count{0}; //!< segments
};

/// Read a connections.csv.
void
ReadResends(const std::string& path, const Recorders& recorders, StoredScenario& scenario)
{
    std::map<std::tuple<RunKey, std::string, std::string, uint32_t>, ResendCount> counts;
    RunRows rows(path, {"from", "to", "connection", "time", "retransmissions"});
    while (rows.Next())
    {
        const RunKey run = rows.GetRun();
        const auto found = recorders.find(run);
        if (found == recorders.end())
        {
            continue;
        }
        found->second->RecordResends();
        auto& before = counts[{run, rows.GetText(0), rows.GetText(1), rows.Get<uint32_t>(2)}];
        const ResendCount now{ReadInstant(rows, 3), rows.Get<uint64_t>(4)};
        if (now.count > before.count)
        {
            const PreparedScenario& model = FindModel(scenario, run, path);
            const uint32_t workers = std::get<1>(run);
            const uint32_t servers = model.scenario.job.parameterServers;
            for (uint32_t pair = 0; pair < workers * servers; ++pair)
            {
                const std::string worker = WorkerName(0, pair / servers);
                const std::string server = ServerName(0, pair % servers);
                const bool pull = rows.GetText(0) == server && rows.GetText(1) == worker;
                if (pull || (rows.GetText(0) == worker && rows.GetText(1) == server))
                {
                    found->second->AddResend(
                        {pair / servers, pair % servers, pull, before.time, now.time});
                }
            }
        }
        before = now;
    }
}

} // namespace

RecordedSteps
ReadRecordedSteps(const std::string& path, const EngineSet& engines, const RunFilter& wanted)
{
    RecordedSteps runs;
    std::map<RunKey, std::size_t> places;
    RunRows rows(path, {"worker", "step", "sample", "start", "end", "batch"});
    while (rows.Next())
    {
        const RunKey run = rows.GetRun();
        const auto& known = GetEngines();
        const auto engine = std::find_if(known.begin(), known.end(), [&](const EngineInfo& info) {
            return info.name == std::get<2>(run);
        });
        if (engine == known.end())
        {
            throw InputError(path + ":" + std::to_string(rows.GetLine()) + ": found engine '" +
                             std::get<2>(run) + "', which this program lacks");
        }
        if (engine->Has(EngineTrait::QUICK) || engines.count(engine->kind) == 0 || !wanted(run))
        {
            continue;
        }
        const auto [place, added] = places.emplace(run, runs.size());
        if (added)
        {
            runs.emplace_back(run, MatchRecorder());
        }
        StepRecord step{rows.Get<uint32_t>(0),
                        rows.Get<uint32_t>(1),
                        rows.Get<uint32_t>(2),
                        rows.Get<double>(3),
                        ReadInstant(rows, 4)};
        step.batch = rows.Get<uint32_t>(5);
        if (step.worker >= std::get<1>(run))
        {
            rows.Fail(0,
                      "found worker " + std::to_string(step.worker) + "; accepted: below " +
                          std::to_string(std::get<1>(run)) + ", the run's number of workers");
        }
        if (step.end < step.start)
        {
            rows.Fail(4,
                      "found an end before the start; accepted: seconds from the start of a run");
        }
        runs[place->second].second.On(step);
    }
    return runs;
}

void
ReadRecordedTransfers(const std::string& folder, RecordedSteps& runs, StoredScenario& scenario)
{
    Recorders recorders;
    for (auto& [run, recorder] : runs)
    {
        recorders[run] = &recorder;
    }
    ReadTransfers((fs::path(folder) / "transfers.csv").string(), recorders, scenario);
    const std::string connections = (fs::path(folder) / "connections.csv").string();
    std::error_code none;
    if (fs::exists(connections, none))
    {
        ReadResends(connections, recorders, scenario);
    }
}

const PreparedScenario&
FindModel(StoredScenario& scenario, const RunKey& run, const std::string& path)
{
    const auto& [variant, workers, engine, replication] = run;
    const PreparedScenario* model = scenario.Find(variant, workers);
    if (!model)
    {
        throw InputError(path + ": found " + std::to_string(workers) + " workers" +
                         (variant.empty() ? "" : " and variant '" + variant + "'") +
                         "; accepted: what " + scenario.GetSummary() + " has in cases");
    }
    return *model;
}

std::optional<double>
FindFirstCounted(const PreparedScenario& model)
{
    return model.scenario.job.autoSteps.on ? std::optional<double>(0) : std::nullopt;
}

} // namespace ns3::dml
