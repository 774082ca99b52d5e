/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How fast the fair-share engine is: runs the benchmarks' job and prints one JSON object in one
// line.
//
//   ops                 of the profile that were completed: 697 * workers * steps. What the engine
//                       adds to them (parsing, slices, further turns) does not count. On a ring
//                       (--bucket): ops that workers compute, and messages, each as two: it is sent
//                       and received.
//   chunks              turns of transfers and compute ops that the engine served
//   burst_events        of sharing `bursts`: times that a burst, an ACK or a datagram came to a
//   port
//                       or to the end of its way
//   bytes               of tensors that were served
//   cpu_seconds         of the engine's run alone; with --observers=study also of all that a study
//                       measures and writes during it
//   peak_rss_bytes      of the whole process, reading the profile and ns-3's libraries included
//   simulated_seconds   length of the run; the same in every build

#include "dml-bench-workload.h"

#include "ns3/command-line.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-study-case.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// What was measured.
struct Measurement
{
    double cpuSeconds{0};       //!< of the run
    uint64_t chunks{0};         //!< served
    uint64_t burstEvents{0};    //!< TransportTotals::events
    double simulatedSeconds{0}; //!< length of the run; 0: not known
    uint64_t bytes{0};          //!< of tensors that were served
};

/// The engine without anybody who looks.
Measurement
RunEngine(const PreparedScenario& prepared, const BenchCase& bench)
{
    FairShareEngine engine(
        SettleWindows(prepared.scenario.transfer, PrepareCase(prepared, bench.workers, 0).runs),
        prepared.MakeFairShareNetwork(bench.workers, 0),
        nullptr);
    const double start = GetCpuSeconds();
    engine.Run();
    const double seconds = GetCpuSeconds() - start;
    const auto totals = engine.GetTransportTotals();
    return {seconds,
            engine.GetCompletedChunks(),
            totals ? totals->events : 0,
            engine.GetNow(),
            engine.GetServedBytes()};
}

/// A case of a study, with its meters and files.
Measurement
RunStudy(const PreparedScenario& prepared,
         const BenchCase& bench,
         const std::filesystem::path& folder)
{
    const StudyCase studyCase{0, bench.workers, EngineKind::FAIR_SHARE, 0, false};
    const CaseResult result = RunStudyCase(prepared, studyCase, folder, {});
    return {result.summary.cpuSeconds, result.summary.events, 0, 0, result.summary.simulatedBytes};
}

/// @return what workers compute, send and receive in a run
uint64_t
CountRingOps(const PreparedScenario& prepared, const BenchCase& bench)
{
    const auto plan = PrepareCase(prepared, bench.workers, 0).runs.front().plan;
    uint64_t ops = std::count_if(plan->ops.begin(), plan->ops.end(), [](const PlannedOp& op) {
        return op.dispatch == Dispatch::DEVICE;
    });
    for (const auto& collective : plan->collectives)
    {
        ops += collective.schedule->Get(0).moves.size();
    }
    return ops * bench.workers * bench.steps;
}

void
Measure(const BenchCase& bench, const std::string& observers, bool transfers)
{
    if (observers != "none" && observers != "study")
    {
        throw InputError("--observers: found '" + observers + "'; accepted: none, study");
    }
    const BenchFolder folder;
    Scenario scenario = MakeBenchScenario(bench, folder.Write(MakeBenchProfile()));
    scenario.output.transfers = transfers;
    const PreparedScenario prepared = PrepareScenario(scenario, false);
    const Measurement measured = observers == "none" ? RunEngine(prepared, bench)
                                                     : RunStudy(prepared, bench, folder.GetPath());
    const uint64_t ops = bench.bucket > 0 ? CountRingOps(prepared, bench)
                                          : uint64_t{BENCH_OPS} * bench.workers * bench.steps;
    nlohmann::ordered_json line = {
        {"benchmark", "fair-share"},
        {"workers", bench.workers},
        {"servers", bench.servers},
        {"sharing", bench.sharing},
        {"policy", bench.policy},
        {"sync", bench.sync},
        {"rate", bench.rate},
        {"segments", bench.segments},
        {"bucket", bench.bucket},
        {"observers", observers},
        {"steps", bench.steps},
        {"ops", ops},
        {"chunks", measured.chunks},
        {"bytes", measured.bytes},
        {"cpu_seconds", measured.cpuSeconds},
        {"ops_per_cpu_second", ops / measured.cpuSeconds},
        {"peak_rss_bytes", GetPeakMemory()},
    };
    if (measured.burstEvents > 0)
    {
        line["burst_events"] = measured.burstEvents;
    }
    if (measured.simulatedSeconds > 0)
    {
        line["simulated_seconds"] = measured.simulatedSeconds;
    }
    std::cout << line.dump() << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    BenchCase bench;
    std::string observers = "none";
    bool transfers = true;
    CommandLine cmd(__FILE__);
    cmd.AddValue("workers", "Number of workers", bench.workers);
    cmd.AddValue("servers", "Number of parameter servers", bench.servers);
    cmd.AddValue("steps", "Training steps of each worker", bench.steps);
    cmd.AddValue("sharing", "Sharing rule: equal, max-min, fifo, bursts", bench.sharing);
    cmd.AddValue("policy", "Transfer policy, as in a scenario", bench.policy);
    cmd.AddValue("sync", "Synchronisation: async, bsp, ssp, backup", bench.sync);
    cmd.AddValue("rate", "Rate of every link", bench.rate);
    cmd.AddValue("segments", "Bursts are single segments", bench.segments);
    cmd.AddValue("bucket", "Gradients of a bucket on a ring; 0: servers", bench.bucket);
    cmd.AddValue("observers", "none: the engine alone; study: as in a study", observers);
    cmd.AddValue("transfers", "With study: write transfers.csv", transfers);
    cmd.Parse(argc, argv);
    try
    {
        Measure(bench, observers, transfers);
    }
    catch (const InputError& error)
    {
        std::cerr << "dml-bench-fair-share: " << error.what() << "\n";
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml-bench-fair-share: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
