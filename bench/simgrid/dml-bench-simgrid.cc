/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The fair-share engine against SimGrid: the benchmarks' job with the same steps, start offsets,
// links and sharing on both. Prints one JSON object in one line.
//
//   --engine=fair-share, --engine=simgrid   how fast one of them is; CPU seconds of the run alone
//   --engine=both                           whether they say the same:
//     largest_difference   of a step's duration, relative to fair-share's, over all steps

#include "dml-bench-workload.h"
#include "dml-simgrid-replay.h"

#include "ns3/command-line.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Keeps the steps of a run.
class StepCollector : public RunListener<StepCollector>
{
  public:
    void On(const StepRecord& record)
    {
        steps.push_back(record);
    }

    std::vector<StepRecord> steps; //!< in the order in which they ended
};

/// What both are given.
struct Question
{
    TrainingRun run;          //!< the job
    FairShareNetwork network; //!< its links
};

Question
MakeQuestion(const BenchCase& bench)
{
    const BenchFolder folder;
    const Scenario scenario = MakeBenchScenario(bench, folder.Write(MakeBenchProfile()));
    const PreparedScenario prepared = PrepareScenario(scenario, false);
    return {PrepareCase(prepared, bench.workers, 0).runs.front(),
            prepared.MakeFairShareNetwork(bench.workers, 0)};
}

/// @return fields that all lines have
nlohmann::ordered_json
MakeLine(const BenchCase& bench, const std::string& engine)
{
    return {{"benchmark", "simgrid"},
            {"engine", engine},
            {"workers", bench.workers},
            {"servers", bench.servers},
            {"sharing", bench.sharing},
            {"steps", bench.steps}};
}

nlohmann::ordered_json
MeasureSpeed(const BenchCase& bench, const std::string& engine)
{
    const Question question = MakeQuestion(bench);
    double seconds = 0;
    double simulated = 0;
    if (engine == "simgrid")
    {
        SimGridReplay replay(question.run, question.network);
        const double start = GetCpuSeconds();
        replay.Run();
        seconds = GetCpuSeconds() - start;
        simulated = replay.GetNow();
    }
    else
    {
        FairShareEngine fairShare(question.run, question.network, nullptr);
        const double start = GetCpuSeconds();
        fairShare.Run();
        seconds = GetCpuSeconds() - start;
        simulated = fairShare.GetNow();
    }
    const uint64_t ops = uint64_t{BENCH_OPS} * bench.workers * bench.steps;
    nlohmann::ordered_json line = MakeLine(bench, engine);
    line["ops"] = ops;
    line["cpu_seconds"] = seconds;
    line["ops_per_cpu_second"] = ops / seconds;
    line["peak_rss_bytes"] = GetPeakMemory();
    line["simulated_seconds"] = simulated;
    return line;
}

/// @return steps by worker, then by number
std::vector<StepRecord>
Sort(std::vector<StepRecord> steps)
{
    std::sort(steps.begin(), steps.end(), [](const StepRecord& a, const StepRecord& b) {
        return a.worker != b.worker ? a.worker < b.worker : a.step < b.step;
    });
    return steps;
}

nlohmann::ordered_json
Compare(const BenchCase& bench)
{
    const Question question = MakeQuestion(bench);
    StepCollector collector;
    FairShareEngine(question.run, question.network, &collector).Run();
    SimGridReplay replay(question.run, question.network);
    replay.Run();
    const auto ours = Sort(collector.steps);
    const auto theirs = Sort(replay.GetSteps());
    if (ours.size() != theirs.size())
    {
        throw RunError("the engines did different numbers of steps");
    }
    double largest = 0;
    double total = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
    {
        const double duration = ours[i].end - ours[i].start;
        const double other = theirs[i].end - theirs[i].start;
        largest = std::max(largest, std::abs(other - duration) / duration);
        total += duration;
    }
    nlohmann::ordered_json line = MakeLine(bench, "both");
    line["steps_compared"] = ours.size();
    line["mean_step_seconds"] = total / ours.size();
    line["largest_difference"] = largest;
    return line;
}

} // namespace

int
main(int argc, char* argv[])
{
    BenchCase bench;
    bench.policy = "fifo";
    std::string engine = "both";
    CommandLine cmd(__FILE__);
    cmd.AddValue("workers", "Number of workers", bench.workers);
    cmd.AddValue("servers", "Number of parameter servers", bench.servers);
    cmd.AddValue("steps", "Training steps of each worker", bench.steps);
    cmd.AddValue("sharing", "Sharing rule: equal, max-min", bench.sharing);
    cmd.AddValue("engine", "fair-share, simgrid: its speed; both: how far they are apart", engine);
    cmd.Parse(argc, argv);
    try
    {
        if (engine != "fair-share" && engine != "simgrid" && engine != "both")
        {
            throw InputError("--engine: found '" + engine +
                             "'; accepted: fair-share, simgrid, both");
        }
        std::cout << (engine == "both" ? Compare(bench) : MeasureSpeed(bench, engine)).dump()
                  << std::endl;
    }
    catch (const InputError& error)
    {
        std::cerr << "dml-bench-simgrid: " << error.what() << "\n";
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml-bench-simgrid: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
