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
#include "ns3/dml-step-graph.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace ns3::dml;

namespace
{

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
