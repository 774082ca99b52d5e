/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-choice.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plot-writer.h"

#include <algorithm>
#include <filesystem>

namespace ns3::dml
{

namespace fs = std::filesystem;

std::string
FindTrace(const std::string& results)
{
    if (results.empty())
    {
        throw InputError("found '' for results; accepted: a folder of results, or a trace.json");
    }
    if (!fs::exists(results))
    {
        throw InputError(results +
                         ": found no such file; accepted: a folder of results, or a trace.json");
    }
    if (!fs::is_directory(results))
    {
        return results;
    }
    const std::string path = (fs::path(results) / "trace.json").string();
    if (!fs::exists(path))
    {
        throw InputError(results +
                         ": has no trace.json; accepted: results of a run with output.trace: true");
    }
    return path;
}

std::vector<const RunTrace*>
ChooseRuns(const RunTraces& traces, const CommandOptions& options, const std::string& path)
{
    std::vector<std::string> engines;
    const bool given = options.IsGiven("engine");
    for (const EngineKind kind : ChooseEngines(given ? options.engine : "all"))
    {
        engines.push_back(GetEngineName(kind));
    }
    uint32_t most = 0;
    std::string found;
    for (const auto& run : traces.runs)
    {
        most = std::max(most, run.workers);
        found += (found.empty() ? "" : ", ") + run.engine + " W=" + std::to_string(run.workers);
    }
    std::vector<const RunTrace*> chosen;
    for (const auto& run : traces.runs)
    {
        if (run.workers == most && !run.steps.empty() &&
            std::find(engines.begin(), engines.end(), run.engine) != engines.end())
        {
            chosen.push_back(&run);
        }
    }
    if (chosen.empty())
    {
        throw InputError(path + ": has no step" +
                         (given ? " of --engine " + options.engine + "; accepted: " + found
                                : "; accepted is a trace of a run in which a step has ended"));
    }
    return chosen;
}

ExplainedTrace::ExplainedTrace(const std::string& path, const CommandOptions& options)
    : path(path),
      traces(ReadRunTraces(path)),
      runs(ChooseRuns(traces, options, path))
{
}

void
ExplainedTrace::MakeJobs()
{
    for (const RunTrace* run : runs)
    {
        jobs.push_back(WithFile(path, [&] { return MakeRecordedJob(traces.job, *run); }));
    }
}

void
ExplainedTrace::Analyse()
{
    for (const auto& job : jobs)
    {
        analyses.push_back(AnalyseRun(job, SAVED_PART));
    }
}

std::vector<ExplainedRun>
ExplainedTrace::GetRuns() const
{
    std::vector<ExplainedRun> explained;
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        explained.push_back({runs[i], &analyses[i]});
    }
    return explained;
}

std::string
ExplainedTrace::Draw(const std::string& folder) const
{
    return PlotWriter(folder).Write(
        PlotPaths(traces.job.GetMeasured().model + ": critical path of a step", GetRuns()));
}

} // namespace ns3::dml
