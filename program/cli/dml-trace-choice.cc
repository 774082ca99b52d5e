/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-choice.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{
namespace dml
{

namespace fs = std::filesystem;

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

std::vector<const RunTrace*>
ChooseRuns(const RunTraces& traces, const std::string& engine, const std::string& path)
{
    std::vector<std::string> engines;
    // what is meant unless --engine is given is all that there is
    for (const EngineKind kind : ChooseEngines(engine == DEFAULT_ENGINES ? "all" : engine))
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
        throw InputError(path + ": has no step of --engine " + engine + "; accepted: " + found);
    }
    return chosen;
}

} // namespace dml
} // namespace ns3
