/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-why-command.h"

#include "ns3/dml-engine-difference.h"
#include "ns3/dml-error.h"
#include "ns3/dml-path-files.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"
#include "ns3/dml-why-report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

namespace fs = std::filesystem;

/// Of its time, what ops save in what-ifs.
constexpr double SAVED_PART = 0.1;

/// @return runs at the same time
uint32_t
CountJobs(const CommandOptions& options)
{
    return options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

/// @return the engine of a name in a trace; @throws InputError if there is none
const EngineInfo&
FindEngine(const std::string& name, const std::string& path)
{
    const auto& engines = GetEngines();
    const auto engine = std::find_if(engines.begin(), engines.end(), [&](const EngineInfo& known) {
        return known.name == name;
    });
    if (engine == engines.end())
    {
        throw InputError(path + ": has a run of engine '" + name + "', which this program lacks");
    }
    return *engine;
}

/// @return path of the trace that RESULTS names; @throws InputError if there is none
std::string
FindTrace(const std::string& results)
{
    if (!fs::is_directory(results))
    {
        return results;
    }
    const std::string path = (fs::path(results) / "trace.json").string();
    if (!fs::exists(path))
    {
        throw InputError(results +
                         ": has no trace.json; accepted: results of a run with output.trace: true "
                         "and without sweep");
    }
    return path;
}

/// @return the runs with the most workers of the engines that were asked for
std::vector<const RunTrace*>
ChooseRuns(const RunTraces& traces, const CommandOptions& options, const std::string& path)
{
    std::vector<std::string> engines;
    // what is meant unless --engine is given is all that there is
    for (const EngineKind kind :
         ChooseEngines(options.engine == DEFAULT_ENGINES ? "all" : options.engine))
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
        throw InputError(path + ": has no step of --engine " + options.engine +
                         "; accepted: " + found);
    }
    return chosen;
}

/// @return folder for what is written
std::string
FindFolder(const std::string& trace, const CommandOptions& options)
{
    const std::string folder =
        options.out.empty() ? fs::path(trace).parent_path().string() : options.out;
    return folder.empty() ? "." : folder;
}

void
WriteFiles(const std::string& trace,
           const CommandOptions& options,
           const std::string& model,
           const std::vector<const RunTrace*>& runs,
           const std::vector<WhyAnalysis>& analyses)
{
    const std::string folder = FindFolder(trace, options);
    std::error_code error;
    fs::create_directories(folder, error); // what cannot be created is told with its first file
    std::vector<ExplainedRun> explained;
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        explained.push_back({runs[i], &analyses[i]});
    }
    WritePathCsv(folder + "/critical-path.csv", explained);
    WritePathTrace(folder + "/trace-critical-path.json", trace, explained);
    const std::string warning =
        PlotWriter(folder).Write(PlotPaths(model + ": critical path of a step", explained));
    if (!warning.empty())
    {
        std::cerr << "dml: " << warning << std::endl;
    }
}

} // namespace

int
RunWhy(const CommandOptions& options)
{
    const std::string path = FindTrace(options.operands[1]);
    const RunTraces traces = ReadRunTraces(path);
    const auto runs = ChooseRuns(traces, options, path);
    std::vector<RecordedJob> jobs;
    for (const RunTrace* run : runs)
    {
        jobs.push_back(MakeRecordedJob(traces.job, *run));
    }
    std::optional<ScenarioVariants> variants;
    if (options.check != "none")
    {
        variants.emplace((fs::path(path).parent_path() / "summary.json").string(),
                         jobs.front().workers,
                         CountJobs(options));
    }
    std::vector<WhyAnalysis> analyses;
    for (const auto& job : jobs)
    {
        analyses.push_back(AnalyseRun(job, SAVED_PART));
    }
    WriteFiles(path, options, traces.job.GetMeasured().model, runs, analyses);
    for (std::size_t i = 0; i < jobs.size(); ++i)
    {
        const EngineInfo& engine = FindEngine(jobs[i].engine, path);
        if (options.check == "all" || (variants && engine.Has(EngineTrait::QUICK)))
        {
            CheckWhatIfs(analyses[i], *variants, engine.kind);
        }
        std::cout << FormatWhy(analyses[i]) << std::endl;
    }
    for (std::size_t i = 1; i < analyses.size(); ++i)
    {
        std::cout << FormatDifference(analyses.front(), analyses[i]);
        if (options.check == "all")
        {
            const EngineComparison comparison{FindEngine(jobs.front().engine, path).kind,
                                              FindEngine(jobs[i].engine, path).kind};
            const auto effects = ListNetworkEffects(variants->GetScenario());
            std::cout << FormatEffects(comparison,
                                       effects,
                                       CheckEffects(*variants, comparison, effects));
        }
        std::cout << std::endl;
    }
    std::cout << "critical-path.csv, critical-path.svg, trace-critical-path.json: "
              << FindFolder(path, options) << std::endl;
    return 0;
}

} // namespace dml
} // namespace ns3
