/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-single-case.h"

#include "ns3/dml-error.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace ns3::dml
{

uint32_t
CountJobs(const CommandOptions& options)
{
    return options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

EngineKind
ChooseOneEngine(const CommandOptions& options)
{
    const EngineSet& engines = ChooseEngines(options.engine);
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

} // namespace ns3::dml
