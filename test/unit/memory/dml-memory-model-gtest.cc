/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"
#include "dml-layer-profile.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

MemoryOptions
Batch(uint32_t batch)
{
    MemoryOptions options;
    options.batch = batch;
    return options;
}

} // namespace

TEST(DmlMemoryModel, ChainKeepsActivationsUntilTheirBackwardOps)
{
    // always 600 + 10; then what is kept so far, workspace, gradients from their op on
    EXPECT_EQ(MakeChain().ListTotals(Batch(2)),
              (std::vector<uint64_t>{610 + 1000 + 30,
                                     610 + 3000 + 20,
                                     610 + 7000 + 10,
                                     610 + 7000 + 9 + 300,
                                     610 + 3000 + 8 + 500,
                                     610 + 1000 + 7 + 600}));
}

TEST(DmlMemoryModel, PeakHasItsPartsAndWhatLives)
{
    const LayerProfile chain = MakeChain();
    const MemoryTimeline timeline = chain.Forecast(Batch(2)).timeline;
    EXPECT_EQ(timeline.GetPeakBytes(), 7919U);
    EXPECT_EQ(timeline.phases[timeline.peak].op, chain.Find("backward/c"));
    EXPECT_EQ(timeline.phases[timeline.peak].live,
              (std::array<uint64_t, MEMORY_PARTS>{600, 0, 10, 300, 7000, 9}));
    const auto live = timeline.FindLive(timeline.peak);
    ASSERT_EQ(live.size(), 9U); // 3 activations, 3 parameters, a gradient, the input, workspace
    EXPECT_EQ(live[0].bytes, 4000U);
    EXPECT_EQ(live[0].owner, chain.Find("forward/c"));
    EXPECT_EQ(live[0].first, 2U);
    EXPECT_EQ(live[0].last, 3U);
    EXPECT_EQ(live[2].first, 0U); // what a keeps
    EXPECT_EQ(live[2].last, 5U);
}

TEST(DmlMemoryModel, BatchScalesAllButParametersAndGradients)
{
    // three times the samples: 600 + 3 * 10, 3 * 7000, 3 * 9, and a gradient of 300
    EXPECT_EQ(MakeChain().Forecast(Batch(6)).timeline.GetPeakBytes(), 630U + 21000 + 27 + 300);
    EXPECT_EQ(MakeChain().Forecast(Batch(1)).timeline.GetPeakBytes(), 605U + 3500 + 5 + 300)
        << "half of 9 is rounded to 5";
    EXPECT_DOUBLE_EQ(MakeChain().Forecast(Batch(6)).seconds, 18); // six ops of 1 s
}

TEST(DmlMemoryModel, WhatIsAlwaysThereIsOfAnyBatch)
{
    LayerProfile chain = MakeChain();
    chain.profile.residentBytes = 50;
    EXPECT_EQ(chain.Forecast(Batch(6)).timeline.GetPeakBytes(), 680U + 21000 + 27 + 300);
}

TEST(DmlMemoryModel, OptimizersRememberForEachParameter)
{
    MemoryOptions options = Batch(2);
    options.optimizerState = 2;
    EXPECT_EQ(MakeChain().Forecast(options).timeline.GetPeakBytes(), 7919U + 1200);
}

TEST(DmlMemoryModel, SegmentsRunAgain)
{
    LayerProfile chain = MakeChain();
    MemoryOptions options = Batch(2);
    options.segments = {chain.Find("forward/c")}; // a and b; c
    const MemoryForecast forecast = chain.Forecast(options);
    // Forward: a has made the 1000 bytes that it would keep, and reads nothing of its segment; b
    // the 2000, of which 500 may be its input, a's output. b's output stays for c until c's
    // backward has ended. Then a and b run again beside the gradient of b's output, and keep.
    EXPECT_EQ(chain.ListTotals(options),
              (std::vector<uint64_t>{610 + 1000 + 30,
                                     610 + 500 + 1500 + 20,
                                     610 + 600 + 4000 + 10,
                                     610 + 600 + 4000 + 9 + 300,
                                     610 + 300 + 600 + 1000 + 30,
                                     610 + 300 + 600 + 3000 + 20,
                                     610 + 3000 + 8 + 500,
                                     610 + 1000 + 7 + 600}));
    EXPECT_EQ(forecast.timeline.phases[4].op, chain.Find("forward/a"));
    EXPECT_TRUE(forecast.timeline.phases[4].again);
    EXPECT_FALSE(forecast.timeline.phases[6].again);
    EXPECT_DOUBLE_EQ(forecast.recomputing, 2);
    EXPECT_DOUBLE_EQ(forecast.seconds, 8);
}

TEST(DmlMemoryModel, EachSegmentRunsAgainWhenItsTurnComes)
{
    LayerProfile chain = MakeChain();
    MemoryOptions options = Batch(2);
    options.segments = {chain.Find("forward/b"), chain.Find("forward/c")};
    // b reads nothing of its own segment: it makes all of its 2000 bytes beside a's output, which
    // stays until b's backward has ended
    EXPECT_EQ(chain.ListTotals(options),
              (std::vector<uint64_t>{610 + 1000 + 30,
                                     610 + 500 + 2000 + 20,
                                     610 + 1100 + 4000 + 10,
                                     610 + 1100 + 4000 + 9 + 300,
                                     610 + 300 + 500 + 600 + 2000 + 20,
                                     610 + 500 + 2000 + 8 + 500,
                                     610 + 500 + 500 + 1000 + 30,
                                     610 + 1000 + 7 + 600}));
}

TEST(DmlMemoryModel, PassesKeepGradients)
{
    MemoryOptions options = Batch(2);
    options.passes = 2;
    // halves of what goes by the batch (4.5 rounds to 5, 3.5 to 4); gradients of the passes before
    // always, 600, and one of this pass until it is added
    EXPECT_EQ(MakeChain().ListTotals(options),
              (std::vector<uint64_t>{1205 + 500 + 15,
                                     1205 + 1500 + 10,
                                     1205 + 3500 + 5,
                                     1205 + 3500 + 5 + 300,
                                     1205 + 1500 + 4 + 200,
                                     1205 + 500 + 4 + 100}));
    EXPECT_DOUBLE_EQ(MakeChain().Forecast(options).seconds, 6);
}

TEST(DmlMemoryModel, EveryPassAccumulates)
{
    LayerProfile chain;
    chain.Parameter("a", 100);
    chain.Forward("a", {1000, 0, 0}, {"pull/a"});
    chain.Backward("a", 0, {"forward/a"});
    chain.Backward("sum", 0, {"backward/a"}); // depends on no forward op, and only the push waits
    chain.Push("a", 0, {"backward/sum"});
    MemoryOptions options = Batch(2);
    // the gradient is there from the backward op of the layer that reads the parameter on
    EXPECT_EQ(chain.ListTotals(options), (std::vector<uint64_t>{1100, 1200, 200}));
    EXPECT_DOUBLE_EQ(chain.Forecast(options).seconds, 3);
    options.passes = 2;
    EXPECT_EQ(chain.ListTotals(options), (std::vector<uint64_t>{700, 800, 300}));
    EXPECT_DOUBLE_EQ(chain.Forecast(options).seconds, 4) << "two halves of 2 s, and 1 s in each";
}

TEST(DmlMemoryModel, BranchesKeepWhatTheirLastReaderNeeds)
{
    // a; b and s read a; j joins them. The backward ops of b and s depend on that of j. What a
    // keeps for b and s both goes when the later of their backward ops has ended.
    LayerProfile residual;
    residual.Forward("a", {100, 10, 0}, {});
    residual.Forward("b", {200, 20, 0}, {"forward/a"});
    residual.Forward("s", {400, 40, 0}, {"forward/a"});
    residual.Forward("j", {800, 0, 0}, {"forward/b", "forward/s"});
    residual.Backward("j", 0, {"forward/j"});
    residual.Backward("b", 0, {"backward/j", "forward/b", "forward/a"});
    residual.Backward("s", 0, {"backward/j", "forward/s", "forward/a"});
    EXPECT_EQ(residual.ListTotals(Batch(2)),
              (std::vector<uint64_t>{100, 300, 700, 1500, 1500, 700, 500}));
    // Cut between b and s: a's and b's outputs cross, and stay until backward/s and backward/j,
    // of the segment of s and j, have ended: that is backward/s. But backward/b, which needs the
    // first segment, comes before: it runs again beside gradients of both outputs.
    MemoryOptions options = Batch(2);
    options.segments = {residual.Find("forward/s")};
    EXPECT_EQ(residual.ListTotals(options),
              (std::vector<uint64_t>{100,       // a
                                     10 + 190,  // b, out of a's output
                                     30 + 400,  // s
                                     30 + 1200, // j
                                     30 + 1200, // backward/j
                                     30 + 400 + 30 + 100,
                                     30 + 400 + 30 + 300,
                                     30 + 400 + 300,
                                     30 + 400 + 100}));
}

TEST(DmlMemoryModel, SegmentsAreCutAsByChen)
{
    LayerProfile chain;
    for (int i = 0; i < 10; ++i)
    {
        const std::string name = std::to_string(i);
        chain.Forward(name,
                      {},
                      i > 0 ? LayerProfile::Names{"forward/" + std::to_string(i - 1)}
                            : LayerProfile::Names{});
    }
    const auto order = FindComputeOrder(chain.profile);
    // the root of 10 is 3: 3, 3 and 4 ops
    EXPECT_EQ(CutSegments(chain.profile, order), (std::vector<OpIndex>{3, 6}));
    EXPECT_EQ(CutSegments(chain.profile, order, 2), (std::vector<OpIndex>{5}));
    EXPECT_EQ(CutSegments(chain.profile, order, 1), (std::vector<OpIndex>{}));
    EXPECT_EQ(CutSegments(chain.profile, order, 99).size(), 9U);
}

TEST(DmlMemoryModel, RefusesWhatCannotBe)
{
    LayerProfile chain = MakeChain();
    MemoryOptions options = Batch(2);
    options.segments = {chain.Find("forward/c"), chain.Find("forward/b")};
    EXPECT_EQ(ErrorOf([&] { chain.Forecast(options); }),
              "no segment can begin with op 'forward/b'; accepted: forward ops but the first, in "
              "the order in which they run");
    LayerProfile lost;
    lost.Forward("a", {1, 0, 0}, {});
    EXPECT_EQ(ErrorOf([&] { lost.Forecast(Batch(2)); }),
              "op 'forward/a' has activation_bytes, but no backward op depends on it; accepted: "
              "one that has it among its deps");
    LayerProfile mute;
    mute.Forward("a", {1, 0, 0}, {});
    mute.Forward("b", {1, 0, 0}, {"forward/a"});
    mute.Backward("b", 0, {"forward/b", "forward/a"});
    options.segments = {mute.Find("forward/b")};
    EXPECT_EQ(ErrorOf([&] { mute.Forecast(options); }),
              "op 'forward/a' has no output_bytes, and another segment of the recomputation reads "
              "what it makes; accepted: a profile that has them (tools/profile-torch measures "
              "them)");
    // output_bytes: 0 says that nothing is handed on, which is not the same as saying nothing
    LayerProfile nothing;
    OpMemory none{1, 0, 0};
    none.noOutput = true;
    nothing.Forward("a", none, {});
    nothing.Forward("b", {1, 0, 0}, {"forward/a"});
    nothing.Backward("b", 0, {"forward/b", "forward/a"});
    options.segments = {nothing.Find("forward/b")};
    EXPECT_NO_THROW(nothing.Forecast(options));
}
