/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prepared-case.h"

#include "dml-plugin-factories.h"
#include "dml-process-faults.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Workers that a job can have; the random streams of the next job's follow.
constexpr uint32_t STREAMS_PER_JOB = 100000;

/// @param worker number of the worker's random streams
StepSampler
MakeSampler(const PreparedJob& job,
            uint32_t seed,
            uint32_t replication,
            uint32_t worker,
            uint32_t stream)
{
    const SamplingSpec& sampling = job.spec.sampling;
    if (sampling.rule == "explicit")
    {
        return StepSampler(sampling.lists[worker]);
    }
    const auto rule =
        sampling.rule == "random" ? StepSampler::Rule::RANDOM : StepSampler::Rule::IN_ORDER;
    return StepSampler(rule, job.profile->GetSampleCount(), seed, replication, stream);
}

std::vector<double>
MakeStartOffsets(const PreparedJob& job,
                 uint32_t workers,
                 uint32_t seed,
                 uint32_t replication,
                 uint32_t stream)
{
    const StartSpec& start = job.spec.start;
    if (start.rule == "staggered")
    {
        return DrawStartOffsets(workers, job.oneWorker.step, seed, replication, stream);
    }
    std::vector<double> offsets(workers, 0);
    for (uint32_t i = 0; start.rule == "explicit" && i < workers; ++i)
    {
        offsets[i] = start.offsets[i].GetSeconds();
    }
    return offsets;
}

/**
 * @return mean seconds by which the steps of a job's workers begin late: until a server's first
 * answer of a step comes, over gRPC (doc/tcp.rst). With one to four workers on two cores these are
 * 3 ms, and 2 ms for each process that a core runs.
 */
double
GetMeanJitter(const PreparedJob& job, const Scenario& scenario, uint32_t workers)
{
    const StepJitterSpec& spec = job.spec.stepJitter;
    const bool waits = scenario.network.transport == "linux" && job.HasServers();
    const Time measured = MilliSeconds(spec.cores > 0 ? 2 : 3);
    const double mean = spec.mean.value_or(waits ? measured : Time(0)).GetSeconds();
    const uint32_t processes = workers + (job.HasServers() ? job.spec.parameterServers : 0);
    return mean * (spec.cores > 0 ? std::max(1.0, double(processes) / spec.cores) : 1);
}

/// @return by how much the steps of a job's workers are late
std::vector<StepJitter>
MakeJitter(const PreparedJob& job,
           const Scenario& scenario,
           uint32_t workers,
           uint32_t replication,
           uint32_t stream)
{
    const double mean = GetMeanJitter(job, scenario, workers);
    const bool isCold = job.spec.stepJitter.coldStart && job.spec.start.rule == "together";
    const double first = isCold ? 5 : 1;
    std::vector<StepJitter> jitter;
    for (uint32_t worker = 0; mean > 0 && worker < workers; ++worker)
    {
        jitter.emplace_back(mean, scenario.seed, replication, stream + worker, first);
    }
    return jitter;
}

/// @return the windows of `transfer.window.connections`; of workers that do not run, none
ConnectionWindows
MakeStepWindows(const TransferSpec& transfer, uint32_t workers, uint32_t servers)
{
    ConnectionWindows windows(workers, servers, transfer.window);
    for (const auto& spec : transfer.connections)
    {
        for (const bool downlink : {true, false})
        {
            const auto& steps = downlink ? spec.downlink : spec.uplink;
            if (spec.worker < workers && !steps.empty())
            {
                windows.Set(spec.worker, spec.server, downlink, steps);
            }
        }
    }
    return windows;
}

} // namespace

PreparedCase
PrepareCase(const PreparedScenario& prepared, uint32_t workers, uint32_t replication)
{
    const uint32_t seed = prepared.scenario.seed;
    const TransferSpec& transfer = prepared.scenario.transfer;
    PreparedCase result{{}, prepared.GetNetwork(workers)};
    for (const auto& size : result.network->GetJobs())
    {
        const uint32_t stream = STREAMS_PER_JOB * result.runs.size();
        const PreparedJob& job = prepared.jobs[result.runs.size()];
        TrainingRun run = job.run;
        run.workers = size.workers;
        const auto places = FindPlaces(*result.network, result.runs.size());
        run.plan = job.GetPlan(places);
        for (uint32_t i = 0; i < run.plan->aggregators; ++i)
        {
            run.aggregators.push_back(result.network->GetAggregatorName(result.runs.size(), i));
        }
        if (result.runs.empty())
        {
            run.elastic = job.MakeElasticity(
                places,
                ListCrashes(prepared.scenario.processFaults, result.network->GetJobs()));
        }
        run.batchControl = MakeBatchSizeControl(job.spec.batchControl, seed, replication);
        run.shedding = MakeWorkShedding(job.spec.shedding);
        SetUnlessGiven(run.policy,
                       transfer.policyAttributes,
                       "Replication",
                       UintegerValue(replication));
        for (uint32_t worker = 0; worker < size.workers; ++worker)
        {
            run.samplers.push_back(MakeSampler(job, seed, replication, worker, stream + worker));
        }
        run.startOffsets = MakeStartOffsets(job, size.workers, seed, replication, stream);
        run.jitter = MakeJitter(job, prepared.scenario, size.workers, replication, stream);
        SetDevices(job.devices, size.servers, seed, replication, stream, run);
        if (transfer.windowMax > 0)
        {
            run.windows = ConnectionWindows(size.workers,
                                            size.servers,
                                            transfer.window,
                                            transfer.windowMax,
                                            seed,
                                            replication,
                                            stream);
        }
        if (result.runs.empty() && !transfer.connections.empty())
        {
            run.windows = MakeStepWindows(transfer, size.workers, size.servers);
        }
        result.runs.push_back(std::move(run));
    }
    if (prepared.scenario.job.autoSteps.on)
    {
        // a round ends before one worker can have done so many more
        result.runs.front().steps += workers + 1;
    }
    ApplyProcessFaults(prepared.scenario.processFaults, result.runs);
    return result;
}

} // namespace ns3::dml
