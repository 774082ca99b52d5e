/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-device-queue.h"
#include "ns3/dml-placement.h"
#include "ns3/dml-step-sampler.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// The text of the ProfileError that a profile deserves, or "".
std::string
Problem(const Profile& profile)
{
    try
    {
        profile.Validate();
        return "";
    }
    catch (const ProfileError& error)
    {
        return error.what();
    }
}

Profile
GoodProfile()
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Compute("x", {1, 2}, {"pull/a"}).Push("a", 10, {"x"}).Update("a", 1);
    return builder.Build();
}

} // namespace

TEST(OpGraph, FindsACycleAndItsOrder)
{
    OpGraph graph;
    for (const char* name : {"a", "b", "c", "d"})
    {
        graph.Add({name, OpKind::COMPUTE, 0, NO_INDEX});
    }
    graph.AddDependency(0, 1);
    graph.AddDependency(1, 2);
    EXPECT_TRUE(graph.FindCycle().empty());
    graph.AddDependency(2, 3);
    graph.AddDependency(3, 1);
    const auto cycle = graph.FindCycle();
    ASSERT_EQ(cycle.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) // each precedes the next
    {
        const auto dependents = graph.GetDependents(cycle[i]);
        EXPECT_EQ(dependents, (std::vector<OpIndex>{cycle[(i + 1) % 3]}));
    }
}

TEST(OpGraph, ADependencyCountsOnce)
{
    OpGraph graph;
    graph.Add({"a", OpKind::COMPUTE, 0, NO_INDEX});
    graph.Add({"b", OpKind::COMPUTE, 0, NO_INDEX});
    graph.AddDependency(0, 1);
    graph.AddDependency(0, 1);
    EXPECT_EQ(graph.GetDependencies(1), (std::vector<OpIndex>{0}));
}

TEST(Profile, ScaledItHasSmallerTensorsAndShorterOps)
{
    ProfileBuilder builder;
    builder.Pull("a", 1000).Pull("b", 1).Pull("c", 0).Compute("x", {0.5, 2}, {"pull/a"});
    Profile profile = builder.Build();
    profile.Scale(0.25);
    EXPECT_EQ(profile.tensors[0].bytes, 250u);
    EXPECT_EQ(profile.tensors[1].bytes, 1u); // no tensor vanishes
    EXPECT_EQ(profile.tensors[2].bytes, 0u);
    EXPECT_EQ(profile.samples[3], (std::vector<double>{0.125, 0.5}));
    EXPECT_EQ(Problem(profile), "");
}

TEST(Profile, ValidateNamesWhatIsWrong)
{
    EXPECT_EQ(Problem(GoodProfile()), "");

    Profile p = GoodProfile();
    p.samples[1][1] = std::nan("");
    EXPECT_EQ(Problem(p), "op 'x' has a duration of nan s; accepted are finite numbers >= 0");
    p.samples[1][1] = -1;
    EXPECT_EQ(Problem(p), "op 'x' has a duration of -1 s; accepted are finite numbers >= 0");
    p.samples[1] = {1};
    EXPECT_EQ(Problem(p),
              "op 'update/a' has 2 samples where others have 1; every op needs one per measured "
              "step");

    p = GoodProfile();
    p.samples[0] = {1, 2};
    EXPECT_EQ(Problem(p),
              "pull op 'pull/a' has seconds; the network decides how long a transfer takes");

    p = GoodProfile();
    p.graph.AddDependency(3, 0);
    EXPECT_EQ(Problem(p),
              "the dependencies form a cycle: 'pull/a' -> 'x' -> 'push/a' -> 'update/a' -> "
              "'pull/a'");

    p = GoodProfile();
    p.graph.Add({"x", OpKind::COMPUTE, 0, NO_INDEX});
    p.samples.push_back({1, 2});
    EXPECT_EQ(Problem(p), "op 'x' is listed twice; op names must be unique");

    p = GoodProfile();
    p.graph.Add({"y", OpKind::PULL, 0, NO_INDEX});
    p.samples.push_back({});
    EXPECT_EQ(Problem(p), "pull op 'y' has no tensor; pull, push and update ops must name one");

    p = GoodProfile();
    p.graph.Add({"y", OpKind::PULL, 0, 0});
    p.samples.push_back({});
    EXPECT_EQ(Problem(p), "pull op 'y' is the second pull of tensor 'a'; a step has at most one");

    p = GoodProfile();
    p.tensors.push_back({"a", 1});
    EXPECT_EQ(Problem(p), "tensor 'a' is listed twice; tensor names must be unique");

    p = GoodProfile();
    p.devices[0].slots = 0;
    EXPECT_EQ(Problem(p), "device 'cpu' has 0 slots; at least 1 is needed");

    p = GoodProfile();
    p.batchSize = 0;
    EXPECT_EQ(Problem(p), "batch_size is 0; at least 1 is needed");
    EXPECT_EQ(Problem(Profile()), "no ops; a step needs at least one");
}

TEST(Placement, GreedyTakesTheServerWithTheFewestBytes)
{
    // 50 -> 0; 20 -> 1; 20 -> 1 (20 < 50); 20 -> 1 (40 < 50); 20 -> 0 (50 < 60)
    const std::vector<Tensor> tensors{{"a", 50}, {"b", 20}, {"c", 20}, {"d", 20}, {"e", 20}};
    EXPECT_EQ(PlaceGreedy(tensors, 2), (Placement{0, 1, 1, 1, 0}));
    EXPECT_EQ(PlaceGreedy(tensors, 1), (Placement{0, 0, 0, 0, 0}));
    EXPECT_EQ(PlaceRoundRobin(tensors, 3), (Placement{0, 1, 2, 0, 1}));
}

TEST(Placement, GreedySplitsVgg11AsThePaperSays)
{
    // Li et al., figure 23: 407 and 100 MB, which are MiB. Tensors as torchvision and TF list them:
    // convolutions, then fully connected layers, weights before biases; float32.
    std::vector<Tensor> tensors;
    const auto layer = [&tensors](uint64_t outputs, uint64_t inputs) {
        const std::string name = "layer" + std::to_string(tensors.size() / 2);
        tensors.push_back({name + ".weight", 4 * outputs * inputs});
        tensors.push_back({name + ".bias", 4 * outputs});
    };
    uint64_t channels = 3;
    for (const uint64_t outputs : {64, 128, 256, 256, 512, 512, 512, 512})
    {
        layer(outputs, 9 * channels);
        channels = outputs;
    }
    layer(4096, 512 * 7 * 7);
    layer(4096, 4096);
    layer(1000, 4096);
    const Placement placement = PlaceGreedy(tensors, 2);
    std::vector<double> mebibytes(2, 0);
    for (std::size_t i = 0; i < tensors.size(); ++i)
    {
        mebibytes[placement[i]] += tensors[i].bytes / 1048576.0;
    }
    EXPECT_NEAR(mebibytes[0], 407, 0.5);
    EXPECT_NEAR(mebibytes[1], 100, 0.5);
}

TEST(Placement, ExplicitNeedsEveryTensorAndNoOther)
{
    const std::vector<Tensor> tensors{{"a", 50}, {"b", 20}};
    EXPECT_EQ(PlaceExplicit(tensors, 2, {{"a", 1}, {"b", 0}}), (Placement{1, 0}));
    EXPECT_THROW(PlaceExplicit(tensors, 2, {{"a", 1}}), InputError);
    EXPECT_THROW(PlaceExplicit(tensors, 2, {{"a", 1}, {"b", 2}}), InputError);
    EXPECT_THROW(PlaceExplicit(tensors, 2, {{"a", 1}, {"b", 0}, {"c", 0}}), InputError);
}

TEST(DeviceQueue, RunsAsManyAsItHasSlotsInOrderOfReadyTime)
{
    DeviceQueue queue(2);
    EXPECT_TRUE(queue.Submit({0, 7, 0, 1}));
    EXPECT_TRUE(queue.Submit({0, 5, 0, 1}));
    EXPECT_FALSE(queue.Submit({0, 9, 1, 1}));
    EXPECT_FALSE(queue.Submit({0, 3, 2, 1}));
    EXPECT_FALSE(queue.Submit({0, 4, 2, 1}));
    EXPECT_FALSE(queue.Submit({0, 2, 2, 1})); // ready with 3 and 4, listed before them
    std::vector<OpIndex> order;
    while (const auto task = queue.Finish())
    {
        order.push_back(task->op);
    }
    EXPECT_EQ(order, (std::vector<OpIndex>{9, 2, 3, 4}));
    EXPECT_FALSE(queue.Finish());            // that freed both slots
    EXPECT_TRUE(queue.Submit({0, 1, 3, 1})); // so these start at once
    EXPECT_TRUE(queue.Submit({0, 1, 3, 1}));
    EXPECT_FALSE(queue.Submit({0, 1, 3, 1}));
}

namespace
{

std::vector<uint32_t>
Draw(StepSampler sampler, uint32_t n)
{
    std::vector<uint32_t> samples;
    for (uint32_t i = 0; i < n; ++i)
    {
        samples.push_back(sampler.Next());
    }
    return samples;
}

} // namespace

TEST(StepSampler, SequencesDependOnSeedReplicationAndWorkerOnly)
{
    using Rule = StepSampler::Rule;
    const auto base = Draw({Rule::RANDOM, 8, 1, 0, 0}, 50);
    EXPECT_EQ(base, Draw({Rule::RANDOM, 8, 1, 0, 0}, 50));
    EXPECT_NE(base, Draw({Rule::RANDOM, 8, 2, 0, 0}, 50));
    EXPECT_NE(base, Draw({Rule::RANDOM, 8, 1, 1, 0}, 50));
    EXPECT_NE(base, Draw({Rule::RANDOM, 8, 1, 0, 1}, 50));
    std::vector<uint32_t> count(8, 0);
    for (const uint32_t sample : Draw({Rule::RANDOM, 8, 1, 0, 0}, 8000))
    {
        ASSERT_LT(sample, 8u);
        ++count[sample];
    }
    for (const uint32_t n : count)
    {
        EXPECT_NEAR(n, 1000, 150); // five standard deviations
    }
    EXPECT_EQ(Draw({Rule::IN_ORDER, 3, 1, 0, 0}, 5), (std::vector<uint32_t>{0, 1, 2, 0, 1}));
    EXPECT_EQ(Draw(StepSampler({4, 2}), 5), (std::vector<uint32_t>{4, 2, 4, 2, 4}));
}

TEST(StepSampler, AStepThatIsDoneAgainHasItsSample)
{
    // A worker that had completed step 5 goes back to it when nobody is left who had completed it,
    // too.
    const auto base = Draw({StepSampler::Rule::RANDOM, 100, 1, 0, 0}, 8);
    StepSampler sampler(StepSampler::Rule::RANDOM, 100, 1, 0, 0);
    ASSERT_NE(base[5], base[6]);
    for (const uint32_t step : {0, 3, 5, 6, 5, 6, 7})
    {
        EXPECT_EQ(sampler.At(step), base[step]) << step;
    }
}

TEST(StepSampler, StartOffsetsOfAWorkerDoNotDependOnTheOthers)
{
    const auto two = DrawStartOffsets(2, 3.0, 1, 0);
    const auto five = DrawStartOffsets(5, 3.0, 1, 0);
    EXPECT_EQ(two[0], five[0]);
    EXPECT_EQ(two[1], five[1]);
    for (const double offset : five)
    {
        EXPECT_GE(offset, 0);
        EXPECT_LT(offset, 3.0);
    }
    EXPECT_NE(five, DrawStartOffsets(5, 3.0, 1, 1));
}
