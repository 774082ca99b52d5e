/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-throughput-trial.h"

#include "dml-scratch-study.h"
#include "dml-study-plan.h"

#include "ns3/dml-error.h"
#include "ns3/dml-result-summary.h"

#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @param plan of a study @return CPU seconds of its first replications in the fair-share engine;
/// nothing if it has none
std::optional<double>
EstimateTrials(const StudyPlan& plan)
{
    std::optional<double> seconds;
    for (const auto& run : plan.GetRuns())
    {
        if (run.work.engine == EngineKind::FAIR_SHARE && run.work.replication == 0)
        {
            seconds = seconds.value_or(0) + run.cost.cpuSeconds;
        }
    }
    return seconds;
}

} // namespace

std::vector<std::string>
FindUndefinedThroughputs(const StudyPlan& plan)
{
    constexpr double MOST = 1;       // CPU seconds, as far as they are known before
    constexpr double MOST_TAKEN = 4; // CPU seconds, where they were not
    constexpr std::size_t MOST_NAMES = 3;
    const auto seconds = EstimateTrials(plan);
    if (!seconds || *seconds > MOST)
    {
        return {};
    }
    std::vector<Scenario> scenarios = plan.GetScenarios();
    for (auto& scenario : scenarios)
    {
        scenario.replications = 1;
    }
    std::string names;
    std::string reason;
    std::size_t count = 0;
    try
    {
        const auto cases =
            ScratchStudy(1, MOST_TAKEN).RunAll(std::move(scenarios), EngineKind::FAIR_SHARE);
        for (const auto& item : cases)
        {
            const auto& run = item.FindEngine(EngineKind::FAIR_SHARE)->replications.front();
            if (!run.throughput.samplesPerSecond)
            {
                names += count < MOST_NAMES ? (count > 0 ? "; " : "") + item.GetName() : "";
                reason = count == 0 ? run.throughput.reason : reason;
                ++count;
            }
        }
    }
    catch (const InterruptedError&)
    {
        throw;
    }
    catch (const std::exception&) // `run` will say what is wrong, and where
    {
        return {};
    }
    if (count == 0)
    {
        return {};
    }
    return {fmt::format("no throughput in {} of {} configurations, by a trial of their first "
                        "replications in the fair-share engine: {}{} ({})",
                        count,
                        plan.MakeSummary().cases.size(),
                        names,
                        count > MOST_NAMES ? "; ..." : "",
                        reason)};
}

} // namespace ns3::dml
