/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-cost.h"

#include "dml-engine-runner.h"
#include "dml-step-load.h"

#include "ns3/dml-trace-file.h"

#include <algorithm>
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
