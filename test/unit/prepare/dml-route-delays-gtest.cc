/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-recorder.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

// What the delays of links are to the fair-share engine. Routes are of one link to each side of a
// switch, so a message takes the delays of two; every time is derived by hand.

using namespace ns3::dml;

namespace
{

/// A job on a network, as its scenario has it.
struct DelayedJob
{
    /// @param ops lines of the profile @param scenario the other lines of the scenario
    DelayedJob(const std::string& tensors, const std::string& ops, const std::string& scenario)
        : prepared(Prepare(tensors, ops, scenario))
    {
        const uint32_t workers = prepared.GetMostWorkers();
        FairShareEngine engine(PrepareCase(prepared, workers, 0).runs,
                               prepared.MakeFairShareNetwork(workers, 0),
                               &recorder);
        engine.Run();
    }

    static PreparedScenario Prepare(const std::string& tensors,
                                    const std::string& ops,
                                    const std::string& scenario)
    {
        const ScratchFolder folder;
        folder.Write("p.yaml",
                     "schema: dml-profile/2\nmodel: m\nbatch_size: 1\ntensors: [" + tensors +
                         "]\nops:\n" + ops);
        return PrepareScenario(ReadScenario(folder.Write("s.yaml", scenario)).front(), false);
    }

    /// @return seconds that so many bytes take on a link
    double Serve(double bytes) const
    {
        return bytes / prepared.goodput;
    }

    /// Compares the length of a step of a worker.
    void ExpectStep(uint32_t worker, uint32_t step, double seconds) const
    {
        SCOPED_TRACE("worker " + std::to_string(worker) + ", step " + std::to_string(step));
        const auto found =
            std::find_if(recorder.steps.begin(), recorder.steps.end(), [&](const auto& record) {
                return record.worker == worker && record.step == step;
            });
        ASSERT_NE(found, recorder.steps.end());
        EXPECT_NEAR(found->end - found->start, seconds, 1e-9 * std::max(1.0, seconds));
    }

    PreparedScenario prepared;
    RunRecorder recorder;
};

const std::string ONE_TENSOR = "{name: a, bytes: 1000000}";

const std::string ONE_LAYER = R"(  - {name: pull/a, kind: pull, tensor: a}
  - {name: compute, kind: forward, deps: [pull/a], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [compute]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.05}
)";

/// The server 1 ms from the switch, worker 0 2 ms, worker 1 20 ms.
const std::string UNEQUAL_LINKS = R"(
  topology:
    type: explicit
    switches: [s]
    links:
      - {between: [ps0, s], delay: 1ms}
      - {between: [worker0, s], delay: 2ms}
      - {between: [worker1, s], delay: 20ms}
)";

} // namespace

/// Workers that do not meet. A step asks for the tensor (d), which comes (x + d); its gradient goes
/// (x + d), and when it is updated the server says so (d).
TEST(RouteDelays, AStepTakesThoseOfItsRequestTensorsAndAnswer)
{
    const std::string job =
        "job: {profile: p.yaml, workers: 2, steps: 2, warmup: 1, start: [0s, 100s]";
    const std::string network = "}\nnetwork:\n  transport: ideal" + UNEQUAL_LINKS;
    const DelayedJob run(ONE_TENSOR, ONE_LAYER, job + network);
    const double alone = 2 * run.Serve(1000000) + 0.1 + 0.05;
    for (const uint32_t step : {0U, 1U})
    {
        run.ExpectStep(0, step, alone + 4 * 0.003);
        run.ExpectStep(1, step, alone + 4 * 0.021);
    }
    // of which tensors of the first worker alone
    const auto& means = run.prepared.GetJob().oneWorker;
    EXPECT_NEAR(means.step, alone + 4 * 0.003, 1e-9);
    EXPECT_NEAR(means.downlinkDelay, 2 * 0.003, 1e-12);
    EXPECT_NEAR(means.uplinkDelay, 0.003, 1e-12);
}

/// Where steps overlap, the next one begins when the worker has computed, at 2 d + x + 0.1. It has
/// asked for the tensor when it had sent the gradient, so the tensor comes as soon as it is
/// updated: that takes d + x, 0.05, and x + d again.
TEST(RouteDelays, AStepThatOverlapsIsAskedForAhead)
{
    const DelayedJob run(ONE_TENSOR,
                         ONE_LAYER,
                         "job: {profile: p.yaml, workers: 1, steps: 3, warmup: 1, sync: bsp, "
                         "protocol: push-pull}\nnetwork: {transport: ideal, delay: 4ms}\n");
    const double x = run.Serve(1000000);
    const double d = 0.008;
    run.ExpectStep(0, 0, d + x + d + 0.1 + x + d + 0.05 + d);
    const double period = x + d + 0.05 + x + d + 0.1; // from the end of computing to the next one
    run.ExpectStep(0, 1, period + x + d + 0.05 + d);
    run.ExpectStep(0, 2, period + x + d + 0.05 + d);
}

/// A delay that the scenario gives is that of tensors, and nothing else takes any.
TEST(RouteDelays, AGivenDelayIsThatOfTensors)
{
    for (const auto& [given, delay] : {std::pair{"0s", 0.0}, std::pair{"10ms", 0.01}})
    {
        const DelayedJob run(ONE_TENSOR,
                             ONE_LAYER,
                             "job: {profile: p.yaml, workers: 2, steps: 2, warmup: 1, start: [0s, "
                             "100s]}\nfair_share: {one_way_delay: " +
                                 std::string(given) + "}\nnetwork:\n  transport: ideal" +
                                 UNEQUAL_LINKS);
        const double expected = 2 * run.Serve(1000000) + 0.1 + 0.05 + 2 * delay;
        run.ExpectStep(0, 1, expected);
        run.ExpectStep(1, 1, expected);
        EXPECT_NEAR(run.prepared.GetJob().oneWorker.step, expected, 1e-9);
    }
}

/// Two servers, 2 ms and 12 ms from the worker. What comes from the near one has been served before
/// the far one knows that it is asked; both gradients leave together, at half of the link each. The
/// near server updates for long, so the far one answers first although its tensor came last.
TEST(RouteDelays, AStepEndsWithTheLastOfItsServersAnswers)
{
    const DelayedJob run("{name: a, bytes: 500000}, {name: b, bytes: 500000}",
                         R"(  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: compute, kind: forward, deps: [pull/a, pull/b], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [compute]}
  - {name: push/b, kind: push, tensor: b, deps: [compute]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.2}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0}
)",
                         R"(
job: {profile: p.yaml, workers: 1, parameter_servers: 2, steps: 2, warmup: 1}
network:
  transport: ideal
  hosts: {worker0: {delay: 1ms}, ps0: {delay: 1ms}, ps1: {delay: 11ms}}
)");
    const double x = run.Serve(500000);
    ASSERT_LT(x, 0.01);
    run.ExpectStep(0, 1, 2 * 0.012 + x + 0.1 + 2 * x + 2 * 0.002 + 0.2);
}

/// A gradient that is ready at once waits until its server has heard of the step and asked for it.
TEST(RouteDelays, AGradientWaitsUntilItIsAskedFor)
{
    const DelayedJob run(ONE_TENSOR,
                         R"(  - {name: compute, kind: forward, seconds: 0.001}
  - {name: push/a, kind: push, tensor: a, deps: [compute]}
)",
                         R"(
job: {profile: p.yaml, workers: 1, steps: 2, warmup: 1}
network: {transport: ideal, delay: 5ms}
)");
    // 10 ms there and 10 ms back; then it goes, and the server says that this was all
    run.ExpectStep(0, 1, 0.02 + run.Serve(1000000) + 0.02);
}

/// Each asks the one before it when the collective starts (d); then each of 2 (W - 1) rounds takes
/// the time of a chunk on a link and the delay of a message. A round is asked for a round ahead.
TEST(RouteDelays, ARingTakesARequestAndThoseOfItsRounds)
{
    constexpr uint32_t WORKERS = 8;
    constexpr double BYTES = 800000;
    for (const auto& [setting, asks] :
         {std::pair{"", true}, std::pair{"fair_share: {one_way_delay: 40ms}\n", false}})
    {
        const DelayedJob run("{name: a, bytes: 800000}", ONE_LAYER, std::string(setting) + R"(
job: {profile: p.yaml, workers: 8, steps: 2, warmup: 1, protocol: all-reduce, start: together}
transfer: {transport: tcp}
network: {transport: ideal, delay: 20ms}
)");
        const double rounds = 2 * (WORKERS - 1) * (0.04 + run.Serve(BYTES / WORKERS));
        for (const uint32_t worker : {0U, 5U})
        {
            run.ExpectStep(worker, 1, 0.1 + 0.05 + (asks ? 0.04 : 0) + rounds);
        }
    }
}

/// Links of 1 ms and of 10 ms: a message between the two takes 11 ms, there and back the same.
TEST(RouteDelays, WhoAsksForItsBatchSizeWaitsForTheAnswer)
{
    const std::string job = R"(
job:
  profile: p.yaml
  workers: 2
  steps: 3
  warmup: 1
  sync: bsp
  start: together)";
    const std::string network = R"(
network:
  transport: ideal
  hosts: {ps0: {delay: 1ms}, worker0: {delay: 10ms}, worker1: {delay: 10ms}}
)";
    const DelayedJob without(ONE_TENSOR, ONE_LAYER, job + network);
    const DelayedJob with(ONE_TENSOR, ONE_LAYER, job + "\n  batch_control: {cpu: last}" + network);
    const auto begin = [](const DelayedJob& run, uint32_t step) {
        return std::find_if(run.recorder.steps.begin(),
                            run.recorder.steps.end(),
                            [&](const auto& record) { return record.step == step; })
            ->start;
    };
    EXPECT_NEAR(begin(with, 2) - begin(without, 2), 2 * 2 * 0.011, 1e-9);
}
