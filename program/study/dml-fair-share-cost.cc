/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-runner.h"
#include "dml-step-load.h"

#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// What things cost: see dml-run-cost.cc.
namespace cost
{

/// CPU seconds per chunk of the fair-share engine.
constexpr double CHUNK = 0.17e-6;
/// CPU seconds per chunk on a link where rates are shared by a solver.
constexpr double SHARED_TURN = 0.1e-6;
/// CPU seconds per such chunk and connection of that solver: max-min and two-ps.
constexpr double SHARED_CONNECTION = 3e-9;
/// CPU seconds per such chunk and connection of that solver: fifo.
constexpr double FIFO_CONNECTION = 25e-9;
/// CPU seconds per transfer whose row is written.
constexpr double TRANSFER_ROW = 0.4e-6;
/// CPU seconds per chunk whose row is written (output.ops).
constexpr double OP_ROW = 0.5e-6;
/// CPU seconds of a run of the fair-share engine without anything in it, in its process.
constexpr double FAIR_RUN = 0.007;

} // namespace cost

} // namespace

RunCost
FairShareRunner::EstimateCost(const PreparedScenario& prepared, const StudyCase& studyCase) const
{
    const Scenario& scenario = prepared.scenario;
    const auto jobs = GetJobSizes(scenario, studyCase.workers);
    const SharingRule rule = GetSharingRule(scenario, jobs);
    const double step = GuessStep(prepared, studyCase.workers);
    double connections = 0;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const double channels = MakeLoad(prepared.jobs[job], jobs[job].workers).channels;
        connections += jobs[job].workers * channels / 2; // pairs
    }
    const double perTransfer = scenario.output.transfers ? cost::TRANSFER_ROW : 0;
    double perTurn = 0;
    if (rule != SharingRule::EQUAL)
    {
        perTurn =
            cost::SHARED_TURN + connections * (rule == SharingRule::FIFO ? cost::FIFO_CONNECTION
                                                                         : cost::SHARED_CONNECTION);
    }
    const double perChunk = cost::CHUNK + (scenario.output.ops ? cost::OP_ROW : 0);
    RunCost run;
    run.cpuSeconds = cost::FAIR_RUN;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const PreparedJob& item = prepared.jobs[job];
        const StepLoad load = MakeLoad(item, jobs[job].workers);
        const double share = job == 0 ? 1 : step / std::max(step / 100, item.oneWorker.step);
        const double steps = share * scenario.job.steps * jobs[job].workers;
        run.events += load.GetChunks() * steps;
        run.bytes += job == 0 ? load.bytes * steps : 0;
        run.cpuSeconds += steps * (perChunk * load.GetChunks() + perTurn * load.turns +
                                   perTransfer * load.transfers);
    }
    const double ops = prepared.GetJob().run.plan->ops.size();
    run.memory = BASE_BYTES + GetSampleBytes(prepared) + BYTES_PER_OP * ops * studyCase.workers;
    return run;
}

} // namespace ns3::dml
