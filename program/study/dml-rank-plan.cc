/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-plan.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-congestion-keys.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-rank-assignment.h"
#include "ns3/dml-scenario-check.h"

#include <string>
#include <tuple>

namespace ns3::dml
{

uint32_t
PlanRanks(const PreparedScenario& prepared, uint32_t workers, uint32_t ranks)
{
    const Scenario& scenario = prepared.scenario;
    if (ranks <= 1)
    {
        return 1;
    }
    if (scenario.job.autoSteps.on)
    {
        throw ScenarioError(scenario,
                            "job.steps",
                            "auto, which decides on the steps of all workers, and --ranks " +
                                std::to_string(ranks),
                            "a number of steps, or a run without --ranks");
    }
    if (!scenario.job.allReduce.rebuild.IsZero())
    {
        throw ScenarioError(scenario,
                            "job.all_reduce.on_crash",
                            "{rebuild: DURATION}, whose launcher is in one process, and --ranks " +
                                std::to_string(ranks),
                            "stop, or a run without --ranks");
    }
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        if (UsesAggregators(GetJob(scenario, index)))
        {
            throw ScenarioError(scenario,
                                JobKey(index) + ".all_reduce.algorithm",
                                "'" + GetJob(scenario, index).allReduce.algorithm +
                                    "', where switches add up, and --ranks " +
                                    std::to_string(ranks),
                                "another algorithm, or a run without --ranks");
        }
    }
    for (const auto& [key, control] : ListCongestionKeys(scenario))
    {
        if (IsBbr(control))
        {
            // ns-3's numbers its random streams by the sockets of a process
            throw ScenarioError(
                scenario,
                key,
                control.name +
                    ", which draws other random numbers when a run is split, and --ranks " +
                    std::to_string(ranks),
                "another variant, or a run without --ranks");
        }
    }
    for (const auto& [wanted, key, reason] :
         {std::tuple{scenario.packet.fastForward.on,
                     "packet.fast_forward",
                     "skips time for all nodes at once"},
          std::tuple{scenario.output.netanim, "output.netanim", "needs all nodes in one process"},
          std::tuple{scenario.output.flows, "output.flows", "needs all nodes in one process"}})
    {
        if (wanted)
        {
            throw ScenarioError(scenario,
                                key,
                                std::string("true, which ") + reason + ", and --ranks " +
                                    std::to_string(ranks),
                                "false, or a run without --ranks");
        }
    }
    try
    {
        return RankAssignment(*prepared.GetNetwork(workers), ranks).GetRanks();
    }
    catch (const NetworkError& error)
    {
        throw ScenarioError(scenario, "network." + error.key, error.found, error.accepted);
    }
}

} // namespace ns3::dml
