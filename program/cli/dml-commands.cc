/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-error.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

namespace ns3::dml
{

namespace fs = std::filesystem;

uint32_t
CountJobs(const CommandOptions& options)
{
    return options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

EngineKind
ChooseOneEngine(const CommandOptions& options)
{
    const EngineSet engines = ChooseEngines(options.engine);
    if (engines.size() > 1 && options.IsGiven("engine"))
    {
        throw InputError("found --engine " + options.engine + "; accepted: one engine");
    }
    return *engines.begin();
}

Scenario
ReadSingleCase(const CommandOptions& options, const std::vector<std::string>& settings)
{
    const std::string& path = options.operands[1];
    auto scenarios = ReadScenario(path, settings);
    if (scenarios.size() > 1 || scenarios.front().job.workers.size() > 1)
    {
        throw InputError(path + ": has " +
                         (scenarios.size() > 1 ? "a sweep" : "several numbers of workers") +
                         "; accepted: one case, such as with " +
                         (scenarios.size() > 1 ? "--set sweep={}" : "--set job.workers=4"));
    }
    return std::move(scenarios.front());
}

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
    std::vector<std::string> engines; // none: all that there are
    const bool given = options.IsGiven("engine");
    for (const EngineKind kind : given ? ChooseEngines(options.engine) : EngineSet())
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
            (!given || std::find(engines.begin(), engines.end(), run.engine) != engines.end()))
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

} // namespace ns3::dml
