/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCHED_STUDY_H
#define DML_MATCHED_STUDY_H

// Small runs of the fair-share engine, as records for a MatchRecorder.

#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-match-case.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"

#include <functional>
#include <string>
#include <utility>

namespace ns3::dml::matched
{

/// Two layers of 3 and 5 MB, which take 64 ms each way at 1 Gbit/s. The first one computes so long
/// that the order in which they come matters.
inline const std::string MATCHED_PROFILE =
    "schema: dml-profile/1\nmodel: test\nbatch_size: 4\n"
    "tensors: [{name: a, bytes: 3000000}, {name: b, bytes: 5000000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: pull/b, kind: pull, tensor: b}\n"
    "  - {name: fa, kind: forward, device: cpu, deps: [pull/a], samples: [0.05, 0.043, 0.048]}\n"
    "  - {name: fb, kind: forward, device: cpu, deps: [fa, pull/b], samples: [0.01, 0.02, 0.01]}\n"
    "  - {name: bb, kind: backward, device: cpu, deps: [fb], samples: [0.02, 0.02, 0.03]}\n"
    "  - {name: ba, kind: backward, device: cpu, deps: [bb], samples: [0.01, 0.011, 0.012]}\n"
    "  - {name: push/b, kind: push, tensor: b, deps: [bb]}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [ba]}\n"
    "  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0.001}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.001}\n";

/// Parts of a scenario.
struct Question
{
    std::string job;           //!< keys of `job`
    std::string rest;          //!< other sections
    uint32_t workers{1};       //!< of the job
    std::string rate{"1Gbps"}; //!< of all links
};

inline PreparedScenario
Prepare(const Question& question)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", MATCHED_PROFILE);
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, steps: 12, warmup: 1, workers: " +
                                       std::to_string(question.workers) + question.job + "}\n" +
                                       question.rest + "\n");
    Scenario scenario = ReadScenario(file, {"network.rate=" + question.rate}).front();
    return PrepareScenario(scenario, false);
}

/// Tells a MatchRecorder of steps and transfers.
class StepListener : public RunListener<StepListener>
{
  public:
    void On(const StepRecord& record)
    {
        recorder.On(record);
    }

    void On(const TransferRecord& record)
    {
        const bool pull = record.channel.to.role == Role::WORKER;
        const auto& [worker, server] = pull
                                           ? std::make_pair(record.channel.to, record.channel.from)
                                           : std::make_pair(record.channel.from, record.channel.to);
        if (server.role == Role::SERVER)
        {
            recorder.AddTransfer(
                {worker.index, record.step},
                {{record.tensor, server.index, pull}, record.firstByte, record.lastByte});
        }
    }

    MatchRecorder recorder; //!< what was heard
};

/**
 * @param prepared of the run
 * @param workers of it
 * @param replication of it
 * @param change makes the network another one than the scenario has
 * @return what was heard of a run of the fair-share engine
 */
inline MatchRecorder
Record(const PreparedScenario& prepared,
       uint32_t workers,
       uint32_t replication = 0,
       const std::function<void(FairShareNetwork&)>& change = {})
{
    auto runs =
        SettleWindows(prepared.scenario.transfer, PrepareCase(prepared, workers, replication).runs);
    DrawGrownWindows(prepared.scenario, replication, runs);
    StepListener run;
    auto network = prepared.MakeFairShareNetwork(workers, replication);
    if (change)
    {
        change(network);
    }
    FairShareEngine engine(std::move(runs), std::move(network), &run);
    engine.Run();
    return run.recorder;
}

} // namespace ns3::dml::matched

#endif /* DML_MATCHED_STUDY_H */
