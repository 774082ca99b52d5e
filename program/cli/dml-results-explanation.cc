/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-results-explanation.h"

#include "dml-trace-choice.h"

#include "ns3/dml-engine-difference.h"
#include "ns3/dml-error.h"
#include "ns3/dml-path-files.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-why-report.h"

#include <filesystem>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// @return as ExplainResults() @throws InputError for a trace that tells no steps
std::string
ExplainTrace(const std::string& path, const std::string& folder)
{
    const RunTraces traces = ReadRunTraces(path);
    const auto runs = ChooseRuns(traces, {}, path);
    std::vector<RecordedJob> jobs;
    for (const RunTrace* run : runs)
    {
        jobs.push_back(MakeRecordedJob(traces.job, *run));
    }
    std::vector<WhyAnalysis> analyses;
    std::vector<ExplainedRun> explained;
    for (const auto& job : jobs)
    {
        analyses.push_back(AnalyseRun(job, SAVED_PART));
    }
    std::string text;
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        explained.push_back({runs[i], &analyses[i]});
        text += (i > 0 ? "\n" : "") + FormatWhy(analyses[i]);
    }
    for (std::size_t i = 1; i < analyses.size(); ++i)
    {
        text += "\n" + FormatDifference(analyses.front(), analyses[i]);
    }
    PlotWriter(folder).Write(
        PlotPaths(traces.job.GetMeasured().model + ": critical path of a step", explained));
    return text;
}

} // namespace

std::string
ExplainResults(const std::string& folder)
{
    const std::string path = folder + "/trace.json";
    if (!std::filesystem::exists(path))
    {
        return "";
    }
    try
    {
        return ExplainTrace(path, folder);
    }
    catch (const InputError& error)
    {
        return "not explained: " + std::string(error.what()) + "\n";
    }
}

} // namespace dml
} // namespace ns3
