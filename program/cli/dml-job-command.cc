/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-engine-replay.h"
#include "ns3/dml-error.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-import-formats.h"
#include "ns3/dml-imported-job.h"
#include "ns3/dml-job-file.h"
#include "ns3/dml-job-step.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-recorded-job.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return job of a run of ours
JobStep
ImportRun(const CommandOptions& options)
{
    const std::string path = FindTrace(options.operands[2]);
    const RunTraces traces = ReadRunTraces(path);
    const auto runs = ChooseRuns(traces, options, path);
    if (runs.size() > 1)
    {
        throw InputError(path + ": has runs of " + Plural(runs.size(), "engine") +
                         "; accepted: --engine to choose one");
    }
    return WithFile(path, [&] {
        const RecordedJob recorded = MakeRecordedJob(traces.job,
                                                     *runs.front(),
                                                     options.uncorrected ? ReceiveStarts::RECORDED
                                                                         : ReceiveStarts::CORRECTED,
                                                     CollectiveDetail::MOVES,
                                                     WaitDetail::DATA);
        JobStep step = MakeMeanStep(recorded, traces.job);
        if (traces.truncated)
        {
            step.unmatched.push_back("the end of the trace, which is cut off");
        }
        return step;
    });
}

/// @return job of traces of other programs, one for each worker, and for servers
JobStep
ImportWorkers(std::vector<std::string> files, const std::string& format, ImportOptions options)
{
    const auto isOfServers = GetImportFormat(format).isOfServers;
    const auto servers = std::stable_partition(files.begin(), files.end(), [&](const auto& file) {
        return !isOfServers || !isOfServers(file);
    });
    options.servers.assign(servers, files.end());
    files.erase(servers, files.end());
    if (files.empty())
    {
        throw InputError(options.servers.front() +
                         ": found no machine but parameter servers that computed; accepted: "
                         "traces of workers, too");
    }
    std::vector<ImportResult> imports;
    for (const auto& file : files)
    {
        imports.push_back(ImportTrace(format, {file}, options));
    }
    // collectives are known from the traces of all their workers
    const bool together = files.size() > 1 && !imports.front().protocol.collectives.empty();
    return MakeImportedJob(imports,
                           together ? ImportTrace(format, files, options) : imports.front(),
                           options.clocks.value_or(TraceClocks::ALIGNED));
}

/// @return bytes per second of a link of @p rate bit/s
double
GetBytesPerSecond(uint64_t rate)
{
    const NetworkSpec network; // the network of a scenario that says nothing else
    return GetGoodput(DataRate(rate), GetWireFormat(network.mtu, network.tcp.timestamps));
}

/// Predicted times beside which measured ones are shown.
struct ReplayColumn
{
    std::string title;              //!< "replayed", ...
    std::vector<WorkerTimes> times; //!< by worker
};

/// Workers that have lines of their own; of more, these and the mean.
constexpr std::size_t MOST_WORKER_LINES = 16;

/// Predictions side by side in 80 columns.
constexpr std::ptrdiff_t MOST_COLUMNS = 2;

/// Seconds that are too few to be compared with.
constexpr double SHORTEST_TIME = 1e-12;

/// A time that is compared.
struct ReplayRow
{
    std::string name;            //!< for people
    double WorkerTimes::*member; //!< which
};

const ReplayRow REPLAY_ROWS[] = {{"step", &WorkerTimes::step},
                                 {"forward", &WorkerTimes::forward},
                                 {"backward", &WorkerTimes::backward}};

/// @return mean over the workers
double
GetMeanTime(const std::vector<WorkerTimes>& times, double WorkerTimes::*member)
{
    double sum = 0;
    for (const auto& worker : times)
    {
        sum += worker.*member;
    }
    return sum / times.size();
}

std::string
FormatReplayError(double value, double measured)
{
    constexpr double MOST = 100; // beyond it, digits tell nothing
    const double error = measured > SHORTEST_TIME ? value / measured - 1 : 0;
    return measured <= SHORTEST_TIME ? "           -"
           : error > MOST            ? "   > 10000 %"
                                     : fmt::format(" {:>+9.2f} %", 100 * error);
}

/// One line: measured, then each of the replays with its error.
std::string
FormatReplayRow(const std::string& name, double measured, const std::vector<double>& replayed)
{
    std::string text = fmt::format("  {:<14} {:>10}", name, FormatValue(measured));
    for (const double value : replayed)
    {
        text += fmt::format(" {:>10}", FormatValue(value)) + FormatReplayError(value, measured);
    }
    return text + "\n";
}

/// One table, of as many columns as fit.
std::string
FormatReplayTable(const JobStep& job, const std::vector<ReplayColumn>& columns)
{
    std::string text = fmt::format("  {:<14} {:>10}", "s", "measured");
    for (const auto& column : columns)
    {
        text += fmt::format(" {:>10}      error", column.title);
    }
    text += "\n";
    for (std::size_t worker = 0; worker < std::min(job.measured.size(), MOST_WORKER_LINES);
         ++worker)
    {
        std::vector<double> values;
        for (const auto& column : columns)
        {
            values.push_back(column.times[worker].step);
        }
        text +=
            FormatReplayRow("worker " + std::to_string(worker), job.measured[worker].step, values);
    }
    for (const auto& row : REPLAY_ROWS)
    {
        std::vector<double> values;
        for (const auto& column : columns)
        {
            values.push_back(GetMeanTime(column.times, row.member));
        }
        text += FormatReplayRow("mean " + row.name, GetMeanTime(job.measured, row.member), values);
    }
    return text;
}

/**
 * @brief Compare with what was measured, worker by worker.
 * @param job one step
 * @param columns predictions of it
 * @return lines of at most 80 columns
 */
std::string
FormatReplay(const JobStep& job, const std::vector<ReplayColumn>& columns)
{
    std::string text = job.model + ", batch " + std::to_string(job.batch) + ", " +
                       Plural(job.workers, "worker") +
                       (job.servers > 0 ? ", " + std::to_string(job.servers) + " PS" : "") +
                       "; times are means of " + Plural(job.steps, "step") + "\n";
    for (auto next = columns.begin(); next != columns.end();)
    {
        const auto last = next + std::min<std::ptrdiff_t>(MOST_COLUMNS, columns.end() - next);
        text += "\n" + FormatReplayTable(job, {next, last});
        next = last;
    }
    return text;
}

} // namespace

int
RunImportJob(const CommandOptions& options, const ImportOptions& import)
{
    const std::string& first = options.operands[2];
    const bool folder = std::filesystem::is_directory(first);
    const std::string format = folder ? "dml-trace" : DetectImportFormat(first).name;
    if (format == "dml-trace" && options.operands.size() > 3)
    {
        throw InputError(options.operands[3] + ": found a second file; accepted: one trace.json, "
                                               "which has all workers and servers");
    }
    if (format != "dml-trace" && (options.IsGiven("engine") || options.uncorrected))
    {
        throw InputError(first + ": is of format " + format +
                         "; accepted with --engine and --uncorrected: a run of this program");
    }
    JobStep job =
        format == "dml-trace"
            ? ImportRun(options)
            : ImportWorkers({options.operands.begin() + 2, options.operands.end()}, format, import);
    if (job.model.empty())
    {
        job.model = std::filesystem::path(first).filename().string();
        job.model.resize(std::min(job.model.size(), job.model.find('.')));
    }
    const std::string text = WriteJob(job);
    WithFile(first,
             [&] { return ReadJobText(text, "the job made of it"); }); // damaged times show there
    WriteOutput(options.out, text);
    std::cout << options.out << ": " << job.model << ", " << Plural(job.workers, "worker") << ", "
              << job.servers << " PS, of " << format << "\n"
              << "ops:         " << job.ops.size() << " on " << Plural(job.devices.size(), "device")
              << ", times are means of " << Plural(job.steps, "step") << "\n"
              << "waits:       " << job.inStep.size() << " in a step, " << job.toNext.size()
              << " from one to the next\n";
    std::string left;
    for (const auto& sentence : job.rules)
    {
        AppendParagraph(left, "assumed:     ", sentence);
    }
    for (const auto& sentence : job.unmatched)
    {
        AppendParagraph(left, "left out:    ", sentence);
    }
    std::cout << left;
    return 0;
}

int
RunReplay(const CommandOptions& options)
{
    const bool runs = options.IsGiven("engine");
    if (options.rate && !options.daydream && !runs)
    {
        throw InputError("found --rate without --daydream or --engine; accepted: one of these, "
                         "too");
    }
    if (!options.settings.empty() && !runs)
    {
        throw InputError("found --set without --engine; accepted: both, or none");
    }
    const auto order = options.queue == "dpro" ? ReplayOrder::DEVICE_TIME : ReplayOrder::READY_TIME;
    const std::string& path = options.operands[1];
    const JobStep job = ReadJob(path);
    std::vector<ReplayColumn> columns;
    std::string note;
    std::optional<EngineReplay> engines;
    WithFile(path, [&] {
        columns.push_back({"replayed", ReplaySteps(job, REPLAYED_STEPS, order)});
        if (options.daydream)
        {
            const double bandwidth =
                options.rate ? GetBytesPerSecond(*options.rate) : EstimateBandwidth(job);
            columns.push_back(
                {"Daydream", ReplaySteps(MakeDaydreamStep(job, bandwidth), REPLAYED_STEPS, order)});
            note = "Daydream: transfers take their size over " + FormatValue(bandwidth / 1e6) +
                   " MB/s" + (options.rate ? "" : " (of the fastest link)") + "\n";
        }
        if (runs)
        {
            engines.emplace(job, options.rate);
            note += engines->GetNote();
        }
    });
    if (engines)
    {
        for (const EngineKind engine : ChooseEngines(options.engine))
        {
            columns.push_back({GetEngineName(engine), engines->Run(engine, options.settings)});
        }
    }
    std::cout << FormatReplay(job, columns) << note;
    return 0;
}

} // namespace ns3::dml
