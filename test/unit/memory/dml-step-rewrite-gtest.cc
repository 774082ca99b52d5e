/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile.h"

#include "ns3/dml-step-rewrite.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// @return the profile of a worker that trains so
Profile
Rewrite(const LayerProfile& layers, const MemoryOptions& options)
{
    return RewriteStep(layers.profile, layers.Forecast(options).timeline, options.passes);
}

/// @return its ops in the order in which a worker runs them
std::vector<std::string>
ListRun(const Profile& profile)
{
    std::vector<std::string> names;
    for (const OpIndex op : FindComputeOrder(profile))
    {
        names.push_back(profile.graph.Get(op).name);
    }
    return names;
}

/// @return seconds of all ops of a worker
double
SumSeconds(const Profile& profile)
{
    double seconds = 0;
    for (const OpIndex op : FindComputeOrder(profile))
    {
        seconds += profile.samples[op].front();
    }
    return seconds;
}

/// @return what an op waits for
std::vector<std::string>
ListDependencies(const Profile& profile, const std::string& name)
{
    std::vector<std::string> names;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            for (const OpIndex before : profile.graph.GetDependencies(op))
            {
                names.push_back(profile.graph.Get(before).name);
            }
        }
    }
    return names;
}

} // namespace

TEST(DmlStepRewrite, SegmentsRunAgainBeforeWhatNeedsThem)
{
    const LayerProfile chain = MakeChain();
    MemoryOptions options{2, 1, 0, {chain.Find("forward/c")}};
    const Profile again = Rewrite(chain, options);
    EXPECT_EQ(ListRun(again),
              (std::vector<std::string>{"forward/a",
                                        "forward/b",
                                        "forward/c",
                                        "backward/c",
                                        "forward/a (again)",
                                        "forward/b (again)",
                                        "backward/b",
                                        "backward/a"}));
    EXPECT_DOUBLE_EQ(SumSeconds(again), chain.Forecast(options).seconds);
    EXPECT_EQ(ListDependencies(again, "forward/a (again)"), std::vector<std::string>{"backward/c"});
    EXPECT_EQ(ListDependencies(again, "backward/b"),
              (std::vector<std::string>{"backward/c", "forward/b", "forward/b (again)"}));
    EXPECT_EQ(ListDependencies(again, "push/c"), std::vector<std::string>{"backward/c"})
        << "it goes while segments run again";
    EXPECT_FALSE(again.HasMemory()) << "of the step as it was";
}

TEST(DmlStepRewrite, PassesFollowOneAnotherAndTheLastOnePushes)
{
    const LayerProfile chain = MakeChain();
    MemoryOptions options{2, 2, 0, {}};
    const Profile passes = Rewrite(chain, options);
    EXPECT_EQ(ListRun(passes),
              (std::vector<std::string>{"forward/a (pass 1)",
                                        "forward/b (pass 1)",
                                        "forward/c (pass 1)",
                                        "backward/c (pass 1)",
                                        "backward/b (pass 1)",
                                        "backward/a (pass 1)",
                                        "forward/a",
                                        "forward/b",
                                        "forward/c",
                                        "backward/c",
                                        "backward/b",
                                        "backward/a"}));
    EXPECT_DOUBLE_EQ(SumSeconds(passes), 6) << "twelve ops of half a second";
    EXPECT_EQ(ListDependencies(passes, "forward/a"),
              (std::vector<std::string>{"pull/a", "backward/a (pass 1)"}));
    EXPECT_EQ(ListDependencies(passes, "push/c"), std::vector<std::string>{"backward/c"});
    EXPECT_EQ(passes.batchSize, 2U);
}

TEST(DmlStepRewrite, PassesMayRunSegmentsAgain)
{
    const LayerProfile chain = MakeChain();
    MemoryOptions options{2, 2, 0, {chain.Find("forward/c")}};
    const Profile both = Rewrite(chain, options);
    const auto run = ListRun(both);
    ASSERT_EQ(run.size(), 16U);
    EXPECT_EQ(run[4], "forward/a (again, pass 1)");
    EXPECT_EQ(run[12], "forward/a (again)");
    EXPECT_DOUBLE_EQ(SumSeconds(both), chain.Forecast(options).seconds);
}

TEST(DmlStepRewrite, NamesStayUnique)
{
    LayerProfile layers;
    layers.Forward("a", {}, {});
    layers.Forward("a (pass 1)", {}, {"forward/a"});
    const Profile passes = Rewrite(layers, {2, 2, 0, {}});
    EXPECT_EQ(passes.graph.GetSize(), 4U) << "Validate() has seen their names";
}

TEST(DmlStepRewrite, EveryPassAddsUpAndTheOptimizerRunsOnce)
{
    LayerProfile layer;
    layer.Parameter("a", 100);
    layer.Forward("a", {1000, 0, 0}, {"pull/a"});
    layer.Backward("a", 0, {"forward/a"});
    layer.Backward("sum", 0, {"backward/a"});
    layer.Push("a", 0, {"backward/sum"});
    layer.Add({"update/a", OpKind::UPDATE, 0, 0}, {"push/a"});
    layer.Add({"measure", OpKind::COMPUTE, 0, NO_INDEX}, {"update/a"});
    MemoryOptions options{2, 4, 0, {}};
    const Profile passes = Rewrite(layer, options);
    const auto run = ListRun(passes);
    EXPECT_EQ(run.size(), 13U) << "four times three, and what waits for the update";
    EXPECT_EQ(run.back(), "measure");
    EXPECT_DOUBLE_EQ(SumSeconds(passes), 7) << "2 s in parts, four sums of 1 s, and 1 s";
    EXPECT_EQ(passes.graph.GetSize(), 16U) << "besides them a pull, a push, an update";
}
