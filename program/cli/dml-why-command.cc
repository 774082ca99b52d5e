/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-collision-report.h"
#include "ns3/dml-error.h"
#include "ns3/dml-job-file.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-phase-difference.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-reordering-report.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-stored-scenario.h"
#include "ns3/dml-study-inputs.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"
#include "ns3/dml-why-report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// Bytes of a transfers.csv that a report.html reads at most.
constexpr uint64_t MOST_TRANSFERS = 100000000;

/// Runs of a trace, and why they took as long as they did.
struct ExplainedTrace
{
    /// Read the runs that ChooseRuns() gives; `jobs` and `analyses` are still empty.
    /// @throws InputError if it is no trace, or has no such run with a step
    ExplainedTrace(const std::string& path, const CommandOptions& options)
        : path(path),
          traces(ReadRunTraces(path)),
          runs(ChooseRuns(traces, options, path))
    {
    }

    ExplainedTrace(const ExplainedTrace&) = delete;
    ExplainedTrace& operator=(const ExplainedTrace&) = delete;

    /// Make `jobs`. @throws InputError if a run tells no steps
    void MakeJobs()
    {
        for (const RunTrace* run : runs)
        {
            jobs.push_back(WithFile(path, [&] { return MakeRecordedJob(traces.job, *run); }));
        }
    }

    /// Make `analyses`, after MakeJobs().
    void Analyse()
    {
        for (std::size_t i = 0; i < jobs.size(); ++i)
        {
            analyses.push_back(AnalyseRun(jobs[i], runs[i]));
        }
    }

    /// Draw the critical paths. @param folder of the pictures @return a warning, or nothing
    std::string Draw(const std::string& folder) const
    {
        return PlotWriter(folder).Write(
            PlotPaths(traces.job.GetMeasured().model + ": critical path of a step", analyses));
    }

    std::string path;                  //!< of the file
    RunTraces traces;                  //!< all runs of the file
    std::vector<const RunTrace*> runs; //!< those that are explained
    std::vector<RecordedJob> jobs;     //!< one for each of `runs`
    std::vector<WhyAnalysis> analyses; //!< one for each of `jobs`, to which they refer
};

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

/// @return folder for what is written
std::string
FindFolder(const std::string& trace, const CommandOptions& options)
{
    const std::string folder =
        options.out.empty() ? fs::path(trace).parent_path().string() : options.out;
    return folder.empty() ? "." : folder;
}

void
WriteFiles(const std::string& path, const std::string& folder, const ExplainedTrace& trace)
{
    MakeOutputFolder(folder);
    WritePathCsv(folder + "/critical-path.csv", trace.analyses);
    WritePathTrace(folder + "/trace-critical-path.json", path, trace.analyses);
    const std::string warning = trace.Draw(folder);
    if (!warning.empty())
    {
        std::cerr << "dml: " << warning << std::endl;
    }
}

/// @return whether it is the file of a job, by its name
bool
IsJobFile(const std::string& path)
{
    const std::string extension = fs::path(path).extension().string();
    std::error_code none;
    return (extension == ".yaml" || extension == ".yml") && !fs::is_directory(path, none);
}

/// Explain the replay of a job. @return exit code
int
ExplainJob(const CommandOptions& options)
{
    const std::string& path = options.operands[1];
    for (const char* option : {"engine", "check", "jobs"})
    {
        if (options.IsGiven(option))
        {
            throw InputError(path + ": is a job, whose replay has no --" + option +
                             "; accepted with it: results of a run");
        }
    }
    const JobStep step = ReadJob(path);
    const RecordedJob job = WithFile(path, [&] { return MakeReplayedJob(step, REPLAYED_STEPS); });
    const std::vector<WhyAnalysis> analyses{AnalyseRun(job, nullptr)};
    std::cout << FormatWhy(analyses.front());
    if (!options.out.empty())
    {
        const std::string folder = FindFolder(path, options);
        MakeOutputFolder(folder);
        WritePathCsv(folder + "/critical-path.csv", analyses);
        std::cout << "\ncritical-path.csv: " << folder << std::endl;
    }
    return 0;
}

/// @return as ExplainResults() @throws InputError for a trace that tells no steps
std::string
Explain(const std::string& path, const std::string& folder, std::vector<std::string>& warnings)
{
    ExplainedTrace trace(path, {});
    trace.MakeJobs();
    trace.Analyse();
    std::string text;
    for (const auto& analysis : trace.analyses)
    {
        text += (text.empty() ? "" : "\n") + FormatWhy(analysis);
    }
    for (std::size_t i = 1; i < trace.analyses.size(); ++i)
    {
        text += "\n" + FormatDifference(trace.analyses.front(), trace.analyses[i]) +
                FormatPhaseDifference(folder,
                                      trace.jobs[i].workers,
                                      trace.jobs[i].engine,
                                      MOST_TRANSFERS);
    }
    const std::string warning = trace.Draw(folder);
    if (!warning.empty())
    {
        warnings.push_back(warning);
    }
    return text;
}

} // namespace

int
RunWhy(const CommandOptions& options)
{
    if (IsJobFile(options.operands[1]))
    {
        return ExplainJob(options);
    }
    if (options.check == "host")
    {
        throw InputError(
            "--check: found 'host'; accepted: none, fair-share, all (with engines that "
            "ran)");
    }
    const std::string path = FindTrace(options.operands[1]);
    ExplainedTrace trace(path, options);
    if (trace.traces.truncated)
    {
        std::cerr << "dml: " << path << ": its end is cut off; explained are the steps until then"
                  << std::endl;
    }
    trace.MakeJobs();
    const auto& jobs = trace.jobs;
    std::optional<ScenarioVariants> variants;
    const std::string summary = (fs::path(path).parent_path() / "summary.json").string();
    // the job of a script cannot be run again, of which --check=all tells
    if (options.check == "all" || (options.check != "none" && !IsOfScript(summary)))
    {
        CheckStudyInputs(fs::path(path).parent_path().string(), "--check=none");
        variants.emplace(summary,
                         trace.traces.job.GetMeasured().model,
                         jobs.front(),
                         CountJobs(options));
    }
    trace.Analyse();
    auto& analyses = trace.analyses;
    WriteFiles(path, FindFolder(path, options), trace);
    for (std::size_t i = 0; i < jobs.size(); ++i)
    {
        const EngineInfo& engine = FindEngine(jobs[i].engine, path);
        if (options.check == "all" || (variants && engine.Has(EngineTrait::QUICK)))
        {
            CheckWhatIfs(analyses[i], *variants, engine.kind);
        }
        std::cout << FormatWhy(analyses[i]) << std::endl;
    }
    const std::string collisions = variants ? FormatCollisions(*variants) : "";
    for (const auto& part : {collisions, FormatReordering(summary)})
    {
        std::cout << part << (part.empty() ? "" : "\n");
    }
    for (std::size_t i = 1; i < analyses.size(); ++i)
    {
        std::cout << FormatDifference(analyses.front(), analyses[i])
                  << FormatPhaseDifference(fs::path(path).parent_path().string(),
                                           jobs[i].workers,
                                           jobs[i].engine,
                                           std::numeric_limits<uint64_t>::max());
        if (options.check == "all")
        {
            const EngineComparison comparison{FindEngine(jobs.front().engine, path).kind,
                                              FindEngine(jobs[i].engine, path).kind};
            std::cout << FormatEffects(*variants, comparison);
        }
        std::cout << std::endl;
    }
    std::cout << "critical-path.csv, critical-path.svg, trace-critical-path.json: "
              << FindFolder(path, options) << std::endl;
    return 0;
}

std::string
ExplainResults(const std::string& folder, std::vector<std::string>& warnings)
{
    const std::string path = folder + "/trace.json";
    if (!std::filesystem::exists(path))
    {
        return "";
    }
    try
    {
        return Explain(path, folder, warnings);
    }
    catch (const InputError& error)
    {
        return "not explained: " + std::string(error.what()) + "\n";
    }
}

} // namespace ns3::dml
