/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What can be run, but is probably not meant.

#include "dml-scratch-folder.h"

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-study-warnings.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Two tensors; the forward op needs both.
const std::string PROFILE =
    "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
    "tensors: [{name: a, bytes: 1000}, {name: b, bytes: 1000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: pull/b, kind: pull, tensor: b}\n"
    "  - {name: fa, kind: forward, device: cpu, deps: [pull/a], seconds: 1}\n"
    "  - {name: fb, kind: forward, device: cpu, deps: [fa, pull/b], seconds: 1}\n"
    "  - {name: push/b, kind: push, tensor: b, deps: [fb]}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [fb]}\n";

const std::string LARGE = ": a loss of a large packet costs more than that of a small one, and the "
                          "packet engine's throughput is then wrong by up to a factor; use "
                          "network.mtu: 1500";

const std::string FIFO_PAIRS = " send to each other at the same time, and in ports with one queue "
                               "acknowledgements wait behind "
                               "the data, of which fair-share knows nothing: it was up to 58 % "
                               "too fast with 4 to 10 "
                               "workers (doc/all-reduce.rst, Ports); the packet engine counts that";

/// Lines of a scenario behind its job, and what is said about it.
struct Doubtful
{
    std::string job;                   //!< keys of the job
    std::string rest;                  //!< second line
    std::vector<std::string> warnings; //!< all of them
};

void
PrintTo(const Doubtful& doubtful, std::ostream* out)
{
    *out << doubtful.job << "; " << doubtful.rest;
}

/// The paths of a folder are left out.
std::vector<std::string>
WarningsOf(const Doubtful& doubtful, const std::string& engines)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PROFILE);
    const auto file =
        folder.Write("s.yaml",
                     "job: {profile: p.yaml" + doubtful.job + "}\n" + doubtful.rest + "\n");
    const auto scenario = ReadScenario(file).front();
    auto warnings =
        FindWarnings(PrepareScenario(scenario, engines != "fair-share"), ChooseEngines(engines));
    for (auto& warning : warnings)
    {
        warning.erase(0, warning.rfind("s.yaml", warning.find(": ")));
    }
    return warnings;
}

class Warnings : public testing::TestWithParam<Doubtful>
{
};

TEST_P(Warnings, AreGiven)
{
    EXPECT_EQ(WarningsOf(GetParam(), "both"), GetParam().warnings);
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios,
    Warnings,
    testing::Values(
        Doubtful{"", "seed: 1", {}},
        // bytes, where megabytes are usual
        Doubtful{"",
                 "transfer: {window: 28}",
                 {"s.yaml:2:20: transfer.window: found \"28\", which is 28 bytes, less than one "
                  "packet; did you mean '28MB'?"}},
        Doubtful{"", "transfer: {window: {min: 4KB, max: 5KB}}", {}},
        Doubtful{"",
                 "transfer: {window: {min: 100B, max: 5KB}}",
                 {"s.yaml:2:26: transfer.window.min: found \"100B\", which is 100 bytes, less than "
                  "one packet"}},
        // bytes per second, as ns-3 reads it
        Doubtful{"",
                 "network: {rate: 1GBps}",
                 {"s.yaml:2:17: network.rate: found \"1GBps\", bytes per second as ns-3 reads it: "
                  "8 Gbit/s; did you mean '1Gbps'? If not, write 1GB/s"}},
        Doubtful{"", "network: {rate: 1GB/s}", {}},
        Doubtful{"",
                 "network: {token_bucket: 64KB}",
                 {"s.yaml:2:25: network.token_bucket: only the engine burst takes notice of it; "
                  "links of the host engine have buckets of their own, others none"}},
        Doubtful{"", "network: {token_bucket: 0B}", {}},
        Doubtful{"", "sweep: {network.rate: [1Gbps, 100MBps]}", {}}, // of the first variant
        // two tensors are on two servers at most
        Doubtful{", parameter_servers: 3",
                 "seed: 1",
                 {"s.yaml:1:43: job.parameter_servers: 1 of 3 servers holds none of the 2 tensors "
                  "and has nothing to do"}},
        Doubtful{", parameter_servers: 20",
                 "seed: 1",
                 {"s.yaml:1:43: job.parameter_servers: 18 of 20 servers hold none of the 2 tensors "
                  "and have nothing to do"}},
        Doubtful{", parameter_servers: 2", "seed: 1", {}},
        // what learns has to have seen enough
        Doubtful{
            ", protocol: all-reduce, parameter_servers: 0, batch_control: cpu, steps: 500",
            "seed: 1",
            {"s.yaml:1:83: job.batch_control: narx is first trained after 500 steps, and workers "
             "have 500: it is ema all the time; more job.steps, or a smaller warmup"}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, batch_control: cpu, steps: 501",
                 "seed: 1",
                 {}},
        // ARIMA(2, 2, 1) needs 2 + 8 x 4 speeds
        Doubtful{", protocol: all-reduce, parameter_servers: 0, steps: 34, warmup: 1, "
                 "batch_control: {cpu: {predictor: arima, warmup: 5}}",
                 "seed: 1",
                 {"s.yaml:1:105: job.batch_control: arima is first trained after 34 steps, and "
                  "workers have 34: it is ema all the time; more job.steps"}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, steps: 35, warmup: 1, "
                 "batch_control: {cpu: {predictor: arima, warmup: 5}}",
                 "seed: 1",
                 {}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, steps: 30, warmup: 1, "
                 "batch_control: {cpu: {predictor: arima, warmup: 40}}",
                 "seed: 1",
                 {"s.yaml:1:105: job.batch_control: arima is first trained after 40 steps, and "
                  "workers have 30: it is ema all the time; more job.steps"}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, steps: 600, "
                 "batch_control: {cpu: {type: ns3::dml::ArimaSpeed, Warmup: 700, History: 90}}",
                 "seed: 1",
                 {"s.yaml:1:95: job.batch_control: ns3::dml::ArimaSpeed is first trained after 700 "
                  "steps, and workers have 600: it is ema all the time; more job.steps, or a "
                  "smaller warmup"}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, steps: 600, "
                 "batch_control: {cpu: {type: ns3::dml::ArimaSpeed, History: 33}}",
                 "seed: 1",
                 {"s.yaml:1:95: job.batch_control: ns3::dml::ArimaSpeed is never trained, as it "
                  "keeps too few "
                  "steps: it is ema all the time; a longer History"}},
        Doubtful{", protocol: all-reduce, parameter_servers: 0, batch_control: {cpu: last}",
                 "seed: 1",
                 {}},
        // what exchanges between pairs do to each other in ports
        Doubtful{", workers: 8, protocol: all-reduce, all_reduce: {algorithm: halving-doubling}",
                 "seed: 1",
                 {"s.yaml:1:82: job.all_reduce.algorithm: with 'halving-doubling' pairs of workers "
                  "(of 8)" +
                  FIFO_PAIRS}},
        Doubtful{", workers: 8, protocol: all-reduce, all_reduce: {algorithm: halving-doubling}",
                 "network: {queue: 0B}",
                 {"s.yaml:1:82: job.all_reduce.algorithm: with 'halving-doubling' pairs of workers "
                  "(of 8)" +
                  FIFO_PAIRS}},
        // where fair-share was found to be right
        Doubtful{", workers: [4, 6, 7, 8, 10], protocol: all-reduce, "
                 "all_reduce: {algorithm: halving-doubling}",
                 "seed: 1",
                 {"s.yaml:1:97: job.all_reduce.algorithm: with 'halving-doubling' pairs of workers "
                  "(of 7, 8, 10)" +
                  FIFO_PAIRS}},
        Doubtful{", workers: [4, 6, 8, 10], protocol: all-reduce, "
                 "all_reduce: {algorithm: halving-doubling}",
                 "network: {queue: {fair: 1MB}}",
                 {}},
        Doubtful{", workers: [6, 10], protocol: all-reduce, "
                 "all_reduce: {algorithm: recursive-doubling}",
                 "network: {queue: {fair: 1MB}}",
                 {}},
        Doubtful{", workers: 4, protocol: all-reduce, all_reduce: {algorithm: recursive-doubling}",
                 "network: {queue: {fair: 1MB}}",
                 {"s.yaml:1:82: job.all_reduce.algorithm: with 'recursive-doubling' pairs of "
                  "workers (of 4) send to each other at the same time, and transfers of different "
                  "rounds meet in ports: fair-share was 2 % too slow to 16 % too fast with 4 to 10 "
                  "workers (doc/all-reduce.rst, Ports); the packet engine counts that"}},
        Doubtful{", workers: 6, protocol: all-reduce, all_reduce: {algorithm: recursive-doubling}",
                 "seed: 1",
                 {"s.yaml:1:82: job.all_reduce.algorithm: with 'recursive-doubling' pairs of "
                  "workers (of 6)" +
                  FIFO_PAIRS}},
        Doubtful{", workers: [2, 3, 4, 5, 7, 9, 12, 17], protocol: all-reduce, "
                 "all_reduce: {algorithm: recursive-doubling}",
                 "seed: 1",
                 {"s.yaml:1:107: job.all_reduce.algorithm: with 'recursive-doubling' pairs of "
                  "workers (of 4, 7, 12)" +
                  FIFO_PAIRS}},
        Doubtful{", workers: 3, protocol: all-reduce, all_reduce: {algorithm: halving-doubling}",
                 "seed: 1",
                 {}},
        Doubtful{", workers: [4, 8], protocol: all-reduce, all_reduce: {algorithm: ring}",
                 "seed: 1",
                 {}},
        Doubtful{", workers: [3, 4, 5, 8], protocol: all-reduce, all_reduce: {algorithm: tree}",
                 "seed: 1",
                 {}},
        Doubtful{", workers: [5, 6, 8], protocol: all-reduce, "
                 "all_reduce: {algorithm: hierarchical}",
                 "seed: 1",
                 {}},
        // TIC: a is needed first, as listed
        Doubtful{"",
                 "transfer: {policy: tic}",
                 {"s.yaml:2:20: transfer.policy: tic orders the 2 tensors of job.profile as the "
                  "profile lists them: fifo does the same"}},
        Doubtful{"", "transfer: {policy: reverse}", {}},
        Doubtful{"", "transfer: {policy: explicit, order: [b, a]}", {}},
        // losses
        Doubtful{"",
                 "faults: [{loss: 0.01}]",
                 {"s.yaml:2:17: faults[0].loss: neither fair-share nor burst takes notice of "
                  "random losses: "
                  "their results are those without them"}},
        Doubtful{"", "faults: [{loss: 0}]", {}},
        Doubtful{"", "network: {mtu: 9000, queue: 0B}", {}},
        Doubtful{"",
                 "network: {mtu: 9000, queue: 0B}\nfaults: [{loss: 0.01}]",
                 {"s.yaml:3:17: faults[0].loss: neither fair-share nor burst takes notice of "
                  "random losses: "
                  "their results are those without them",
                  "s.yaml:2:16: network.mtu: packets of 9000 bytes can be lost "
                  "(faults[0].loss)" +
                      LARGE}},
        Doubtful{"",
                 "network: {mtu: 9000, queue: 0B}\nfaults: [{down: 1s, at: 1s}]",
                 {"s.yaml:2:16: network.mtu: packets of 9000 bytes can be lost (faults[0].down)" +
                  LARGE}},
        // four workers may have 4 * 256 KiB on the way to the server, whose queue is 10^6 bytes
        Doubtful{", workers: 4",
                 "network: {transport: plain, mtu: 9000}",
                 {"s.yaml:2:34: network.mtu: packets of 9000 bytes can be lost (up to 1048576 "
                  "bytes meet in a queue of 1000000)" +
                  LARGE}},
        Doubtful{", workers: 3", "network: {transport: plain, mtu: 9000}", {}}));

// Each engine's warnings come with that engine only.
TEST(Warnings, AreThoseOfTheEnginesThatRun)
{
    const Doubtful both{"", "network: {mtu: 9000}\nfaults: [{loss: 0.01}]", {}};
    EXPECT_EQ(WarningsOf(both, "both").size(), 2U);
    EXPECT_EQ(WarningsOf(both, "fair-share").front().substr(0, 28), "s.yaml:3:17: faults[0].loss:");
    EXPECT_EQ(WarningsOf(both, "packet").front().substr(0, 25), "s.yaml:2:16: network.mtu:");
}

/// Results of runs that ended at some times.
EngineSummary
MakeEngine(const std::vector<double>& ends)
{
    EngineSummary engine;
    for (const double end : ends)
    {
        engine.replications.emplace_back();
        engine.replications.back().end = end;
    }
    return engine;
}

// Runs ended at 10, 12 (fair-share) and 11 s (packet): 9 s is within all, 11.5 s after two of
// three, 20 s after all.
TEST(Warnings, TellWhatBeganAfterTheEnd)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PROFILE);
    const auto file =
        folder.Write("s.yaml",
                     "job: {profile: p.yaml}\nfaults:\n  - {crash: worker0, at: 20s}\n"
                     "  - {down: 1s, at: 11500ms}\n  - {rate: 1Mbps, at: 9s}\n  - {loss: 0.1}\n");
    const auto scenarios = ReadScenario(file);
    RunSummary summary;
    summary.cases.emplace_back();
    summary.cases.back().engines[EngineKind::FAIR_SHARE] = MakeEngine({10, 12});
    summary.cases.back().engines[EngineKind::PACKET] = MakeEngine({11});
    auto notes = MakeLateNotes(scenarios, summary);
    for (auto& note : notes)
    {
        note.erase(9, note.find("s.yaml") - 9);
    }
    EXPECT_EQ(notes,
              (std::vector<std::string>{
                  "warning: s.yaml:3:26: faults[0].at: 20 s is after the end of all 3 runs, the "
                  "longest of which took 12.00 s: nothing happens then",
                  "warning: s.yaml:4:20: faults[1].at: 11.5 s is after the end of 2 of 3 runs, the "
                  "longest of which took 12.00 s: nothing happens then"}));
    summary.cases.back().engines.erase(EngineKind::PACKET);
    summary.cases.back().engines[EngineKind::FAIR_SHARE] = MakeEngine({30});
    EXPECT_EQ(MakeLateNotes(scenarios, summary), std::vector<std::string>());
}

} // namespace
