/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-forecast.h"

#include "dml-study-plan.h"
#include "dml-study-words.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// CPU seconds of an event of ns-3's scheduler, as runs of half a second took on one machine. Other
/// estimates measure this one, so that the same command would choose different engines.
constexpr double PACKET_EVENT = 1.6e-6;

} // namespace

double
EstimateLongest(const std::vector<Scenario>& scenarios, EngineKind engine)
{
    StudyPlan plan(scenarios, {engine});
    plan.PrepareAll();
    double longest = 0;
    for (const auto& run : plan.GetRuns())
    {
        longest = std::max(longest,
                           engine == EngineKind::PACKET ? PACKET_EVENT * run.cost.events
                                                        : run.cost.cpuSeconds);
    }
    return longest;
}

EngineForecast
ChooseEngine(const std::vector<Scenario>& scenarios, double seconds)
{
    std::string others;
    for (const EngineKind engine : {EngineKind::PACKET, EngineKind::BURST})
    {
        const std::string& name = GetEngineName(engine);
        std::string why;
        try
        {
            const double longest = EstimateLongest(scenarios, engine);
            const std::string taken = RoughDuration(longest);
            if (longest <= seconds)
            {
                return {engine, name + ", about " + taken + " of CPU for the longest run" + others};
            }
            why = "about " + taken;
        }
        catch (const InputError& error)
        {
            why = std::string("refused, ") + error.what();
        }
        others += "; " + name + ": " + why;
    }
    return {EngineKind::FAIR_SHARE, GetEngineName(EngineKind::FAIR_SHARE) + others};
}

} // namespace ns3::dml
