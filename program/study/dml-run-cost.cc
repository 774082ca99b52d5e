/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-cost.h"

#include "dml-engine-runner.h"

#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-trace-file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace ns3::dml
{

namespace
{

/**
 * What things cost, measured on one core of an AMD EPYC server with little else to do: other cores
 * differ by a factor, the ratios stay.
 */
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
/// Connections of one server from which on their number does not matter.
constexpr double FEW_CONNECTIONS = 32;
/// Workers whose state the caches hold.
constexpr double CACHED_WORKERS = 64;
/// Part by which a chunk takes longer for each doubling of the workers beyond that.
constexpr double CACHE_DOUBLING = 0.25;
/// CPU seconds per transfer whose row is written.
constexpr double TRANSFER_ROW = 0.4e-6;
/// CPU seconds per chunk whose row is written (output.ops).
constexpr double OP_ROW = 0.5e-6;
/// CPU seconds per burst with its ACK, on a star.
constexpr double BURST = 0.35e-6;
/// CPU seconds of a run of the fair-share engine without anything in it; short ones share
/// processes.
constexpr double FAIR_RUN = 0.0012;

/// CPU seconds per chunk in the trace.
constexpr double TRACE_EVENT = 1.5e-6;
/// CPU seconds of gnuplot for all pictures.
constexpr double GNUPLOT = 0.045;
/// CPU seconds of gnuplot for each.
constexpr double PICTURE = 0.002;

/// Wall-clock seconds that a run waits for the disk and for its process.
constexpr double PROCESS = 0.002;
/// Wall-clock seconds of a study besides its runs and pictures: to read.
constexpr double STUDY = 0.1;

} // namespace cost

/// Bytes that the bins of a server's link take, and their rows on the way to a file.
constexpr double LINK_METER_BYTES = 60e3;

/// @return CPU seconds to write the trace, which has the first steps of one run of each engine
double
TraceSeconds(const PreparedScenario& prepared, const StudyCase& studyCase)
{
    const Scenario& scenario = prepared.scenario;
    if (!studyCase.detailed || !scenario.output.trace || studyCase.variant > 0)
    {
        return 0;
    }
    const uint32_t steps = std::min(scenario.job.steps, TraceFile::Options().steps);
    return cost::TRACE_EVENT * steps * studyCase.workers *
           MakeLoad(prepared.GetJob(), studyCase.workers).GetChunks();
}

} // namespace

StepLoad
MakeLoad(const PreparedJob& job, uint32_t workers)
{
    const auto plan = job.GetPlan(workers);
    StepLoad load;
    load.transfers = plan->CountSent();
    load.bytes = plan->CountSentBytes();
    load.channels = plan->ListSentChannels().size();
    // a move of a collective is an op at both of its ends
    const double moves = plan->collectives.empty() ? 0 : 2 * load.transfers;
    load.ops = plan->ops.size() + moves;
    load.turns = plan->collectives.empty() ? job.oneWorker.turns : load.transfers;
    return load;
}

double
GuessStep(const PreparedScenario& prepared, uint32_t workers)
{
    const PreparedJob& job = prepared.GetJob();
    const double bytes = MakeLoad(job, workers).bytes;
    const double busiest = job.HasServers() ? workers * bytes / 2 / job.spec.parameterServers
                                            : bytes; // each way over one link
    return std::max(job.oneWorker.step, busiest / prepared.goodput);
}

double
GetSampleBytes(const PreparedScenario& prepared)
{
    // the rows of the op graph's samples, and the bins of the link meter, in parent and child
    return prepared.GetJob().run.plan->seconds.size() * sizeof(double) +
           LINK_METER_BYTES * prepared.scenario.job.parameterServers;
}

RunCost
EstimateFairShareCost(const PreparedScenario& prepared,
                      const StudyCase& studyCase,
                      std::optional<SharingRule> forced)
{
    const Scenario& scenario = prepared.scenario;
    const auto jobs = GetJobSizes(scenario, studyCase.workers);
    const SharingRule rule = forced.value_or(GetSharingRule(scenario, jobs));
    const double step = GuessStep(prepared, studyCase.workers);
    double connections = 0;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const double channels = MakeLoad(prepared.jobs[job], jobs[job].workers).channels;
        connections += jobs[job].workers * channels / 2; // pairs
    }
    const double perTransfer = scenario.output.transfers ? cost::TRANSFER_ROW : 0;
    const JobSpec& spec = prepared.GetJob().spec;
    if (jobs.size() == 1 && spec.parameterServers == 1 && connections > cost::FEW_CONNECTIONS)
    {
        connections = cost::FEW_CONNECTIONS; // a CommonLink takes over
    }
    double perTurn = 0;
    double perByte = 0;
    if (rule == SharingRule::BURSTS)
    {
        const uint32_t burst = GetGsoSize(scenario.network.tcp, scenario.network.rate);
        perByte = cost::BURST / std::max(burst, prepared.format.segment);
    }
    else if (rule != SharingRule::EQUAL)
    {
        perTurn =
            cost::SHARED_TURN + connections * (rule == SharingRule::FIFO ? cost::FIFO_CONNECTION
                                                                         : cost::SHARED_CONNECTION);
    }
    const double doublings =
        std::log2(std::max(1.0, studyCase.workers / cost::CACHED_WORKERS)); // beyond caches
    const double perChunk = cost::CHUNK * (1 + cost::CACHE_DOUBLING * doublings) +
                            (scenario.output.ops ? cost::OP_ROW : 0);
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
                                   perTransfer * load.transfers + perByte * load.bytes);
    }
    const double ops = prepared.GetJob().run.plan->ops.size();
    run.memory = BASE_BYTES + GetSampleBytes(prepared) + BYTES_PER_OP * ops * studyCase.workers;
    return run;
}

RunCost
EstimateCost(const PreparedScenario& prepared, const StudyCase& studyCase)
{
    RunCost run = GetEngineRunner(studyCase.engine).EstimateCost(prepared, studyCase);
    run.cpuSeconds += TraceSeconds(prepared, studyCase);
    return run;
}

double
EstimateWall(const std::vector<double>& cpuSeconds, uint32_t jobs)
{
    // each run on the core that is free first
    std::priority_queue<double, std::vector<double>, std::greater<>> cores;
    const uint32_t count = std::max(1U, std::min(jobs, std::thread::hardware_concurrency()));
    for (uint32_t i = 0; i < count; ++i)
    {
        cores.push(0);
    }
    double end = 0;
    for (const double seconds : cpuSeconds)
    {
        const double free = cores.top() + cost::PROCESS + seconds;
        cores.pop();
        cores.push(free);
        end = std::max(end, free);
    }
    return end + cost::STUDY;
}

double
EstimateDrawing(std::size_t variants)
{
    constexpr std::size_t PICTURES = 5; // of a variant; and one of all
    return cost::GNUPLOT + cost::PICTURE * static_cast<double>(PICTURES * variants + 1);
}

double
GetAvailableMemory()
{
    std::ifstream file("/proc/meminfo");
    std::string key;
    double kilobytes = 0;
    for (std::string unit; file >> key >> kilobytes; std::getline(file, unit))
    {
        if (key == "MemAvailable:")
        {
            return 1024 * kilobytes;
        }
    }
    return 0;
}

} // namespace ns3::dml
