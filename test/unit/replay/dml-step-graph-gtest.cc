/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A lone worker's step, replayed as a graph and by the fair-share engine, which knows nothing of
// such graphs.

#include "dml-error-of.h"
#include "dml-fair-share-fixture.h"
#include "dml-random-step.h"

#include "ns3/dml-graph-replay.h"
#include "ns3/dml-step-plan.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

void
CheckPlan(const StepPlan& plan)
{
    if (!plan.collectives.empty() || plan.overlaps)
    {
        throw InputError(std::string("a step with ") +
                         (plan.overlaps ? "the next one beside it" : "collectives") +
                         " cannot be replayed as a graph of one worker");
    }
    for (const auto& resource : plan.resources)
    {
        if (resource.slots != 1)
        {
            throw InputError("a resource with " + std::to_string(resource.slots) +
                             " slots cannot be replayed: a device serves one op at a time");
        }
    }
}

/**
 * @brief One step of one worker as a graph to be replayed: op i is the plan's op i.
 *
 * A resource of the plan is a device of the same number, so that each channel serves one transfer
 * at a time, whole, first in first out: no transfer policy, no window, no links that channels
 * share. Ops that only join others get devices of their own behind those.
 *
 * @param plan of a whole step with parameter servers (not what RestrictStepPlan() leaves of it)
 * @param sample number of the profiled step whose times the ops take
 * @param transferSeconds how long a transfer of so many bytes takes on a resource
 * @return the graph
 * @throws InputError if the plan has what such a graph cannot say: collectives, steps that overlap,
 * resources with several slots
 */
TimedGraph
MakeStepGraph(
    const StepPlan& plan,
    uint32_t sample,
    const std::function<double(const PlannedResource& channel, uint64_t bytes)>& transferSeconds)
{
    CheckPlan(plan);
    std::vector<uint32_t> devices;
    std::vector<double> seconds;
    GlobalGraph::Dependencies dependencies;
    uint32_t joins = 0;
    for (OpIndex i = 0; i < plan.ops.size(); ++i)
    {
        const auto& op = plan.ops[i];
        const bool joining = op.dispatch == Dispatch::JOIN;
        const auto& resource = plan.resources[joining ? 0 : op.resource];
        devices.push_back(joining ? plan.resources.size() + joins++ : op.resource);
        seconds.push_back(!joining && resource.kind == ResourceKind::CHANNEL
                              ? transferSeconds(resource, op.bytes)
                              : plan.GetSeconds(sample, i));
        for (uint32_t at = op.firstDependent; at < op.endDependent; ++at)
        {
            dependencies.emplace_back(i, plan.dependents[at]);
        }
    }
    return {{std::move(devices), std::move(dependencies)}, std::move(seconds)};
}

double
TakeSeconds(const PlannedResource&, uint64_t bytes)
{
    return bytes / FairShareCase::RATE;
}

} // namespace

// Parsing: 0.001 s a byte and 0.5 s a tensor. Pull a 0..1, parsed in 1..1.6 on the worker; pull b
// 1..3, ready for parsing at 3, while f, after a, computes in 1.6..4.6: parsed in 4.6..5.3.
TEST(DmlStepGraph, ParsesOnTheWorker)
{
    FairShareCase run(ProfileBuilder().Pull("a", 100).Pull("b", 200).Compute("f", {3}, {"pull/a"}));
    run.overhead = {0.001, 0.5, false, {}};
    run.Prepare({0}, 1);
    const auto step = MakeStepGraph(*run.run.plan, 0, TakeSeconds);
    const auto execution = Replay(step.graph, step.seconds);
    ASSERT_EQ(execution.ops.size(), 5u); // each pull, then its parsing
    EXPECT_DOUBLE_EQ(execution.ops[1].end, 1.6);
    EXPECT_DOUBLE_EQ(execution.ops[2].end, 3);
    EXPECT_DOUBLE_EQ(execution.ops[4].end, 4.6);
    EXPECT_DOUBLE_EQ(execution.ops[3].start, 4.6);
    EXPECT_DOUBLE_EQ(execution.seconds, 5.3);
}

TEST(DmlStepGraph, EqualsTheFairShareEngine)
{
    for (uint32_t seed = 0; seed < 150; ++seed)
    {
        SCOPED_TRACE(seed);
        const auto shape = static_cast<RandomStep::Shape>(seed % 3);
        const uint32_t pulls = 2 + seed % 7;
        std::vector<uint32_t> listing(pulls);
        std::iota(listing.begin(), listing.end(), 0);
        FairShareCase run(RandomStep(seed, shape, pulls).Build(listing));
        if (seed % 2)
        {
            run.overhead = {0.0037, 0.091, seed % 4 == 3};
        }
        run.Run({0});
        ASSERT_EQ(run.recorder.steps.size(), 1u);
        const auto step = MakeStepGraph(*run.run.plan, 0, TakeSeconds);
        const double expected = run.recorder.steps[0].end;
        EXPECT_NEAR(Replay(step.graph, step.seconds).seconds, expected, 1e-9 * expected);
    }
}

TEST(DmlStepGraph, RefusesWhatAGraphCannotSay)
{
    FairShareCase run(ProfileBuilder({{"cpu", 2}}).Pull("a", 100).Compute("f", {3}, {"pull/a"}));
    run.Prepare({0}, 1);
    auto plan = *run.run.plan;
    EXPECT_EQ(ErrorOf([&plan]() { MakeStepGraph(plan, 0, TakeSeconds); }),
              "a resource with 2 slots cannot be replayed: a device serves one op at a time");
    plan.overlaps = true;
    EXPECT_EQ(ErrorOf([&plan]() { MakeStepGraph(plan, 0, TakeSeconds); }),
              "a step with the next one beside it cannot be replayed as a graph of one worker");
}
