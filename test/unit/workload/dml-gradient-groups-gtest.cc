/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-gradient-groups.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/**
 * Three layers, listed forwards as importers do, whose gradients come backwards: c of 30 bytes,
 * then b and b2 (20 and 5) of one op, then a (10).
 */
ProfileBuilder
Layers()
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Pull("b", 20).Pull("b2", 5).Pull("c", 30);
    builder.Compute("forward", {1}, {"pull/a", "pull/b", "pull/b2", "pull/c"});
    builder.Compute("backward/c", {1}, {"forward"});
    builder.Compute("backward/b", {1}, {"backward/c"});
    builder.Compute("backward/a", {1}, {"backward/b"});
    builder.Push("a", 10, {"backward/a"}).Push("b", 20, {"backward/b"});
    builder.Push("b2", 5, {"backward/b"}).Push("c", 30, {"backward/c"});
    return builder;
}

constexpr TensorIndex A = 0;
constexpr TensorIndex B = 1;
constexpr TensorIndex B2 = 2;
constexpr TensorIndex C = 3;

/// Names of the ops that an op waits for.
std::set<std::string>
DependenciesOf(const Profile& profile, OpIndex op)
{
    std::set<std::string> names;
    for (const OpIndex before : profile.graph.GetDependencies(op))
    {
        names.insert(profile.graph.Get(before).name);
    }
    return names;
}

std::string
ErrorOfNames(const std::vector<std::vector<std::string>>& names)
{
    try
    {
        GroupGradientsByName(Layers().Build(), names);
        return "no error";
    }
    catch (const InputError& error)
    {
        return error.what();
    }
}

} // namespace

TEST(GradientGroups, TheOrderIsThatOfBackPropagation)
{
    EXPECT_EQ(OrderGradients(Layers().Build()), (std::vector<TensorIndex>{C, B, B2, A}));
}

TEST(GradientGroups, OfParallelBranchesTheListingDecides)
{
    // y could come before x, but x is listed first; z needs both; "none" needs nothing
    ProfileBuilder builder;
    builder.Compute("x", {1}).Compute("y", {1}).Compute("z", {1}, {"x", "y"});
    builder.Push("of-z", 1, {"x", "z"}).Push("of-y", 1, {"y"}).Push("of-x", 1, {"x"});
    builder.Push("none", 1);
    EXPECT_EQ(OrderGradients(builder.Build()), (std::vector<TensorIndex>{3, 2, 1, 0}));
}

TEST(GradientGroups, ATensorWithoutPushIsNoGradient)
{
    ProfileBuilder builder;
    builder.Pull("frozen", 10).Compute("x", {1}, {"pull/frozen"}).Push("a", 1, {"x"});
    EXPECT_EQ(OrderGradients(builder.Build()), (std::vector<TensorIndex>{1}));
}

TEST(GradientGroups, BytesCloseAGroup)
{
    // c 30; b 20 + b2 5 reach 25; a stays. 31: c 30 + b 20 exceed it; b2 5 + a 10 do not reach it
    const Profile profile = Layers().Build();
    EXPECT_EQ(GroupGradientsByBytes(profile, 25), (GradientGroups{{C}, {B, B2}, {A}}));
    EXPECT_EQ(GroupGradientsByBytes(profile, 31), (GradientGroups{{C, B}, {B2, A}}));
    EXPECT_EQ(GroupGradientsByBytes(profile, 1), (GradientGroups{{C}, {B}, {B2}, {A}}));
    EXPECT_EQ(GroupGradientsByBytes(profile, 1000), (GradientGroups{{C, B, B2, A}}));
}

/// A convolution with its bias and a batch normalisation are two layers; what is never pulled is a
/// layer of its own.
TEST(GradientGroups, LayersAreWhatOneOpUsesFirst)
{
    ProfileBuilder builder;
    builder.Pull("weight", 8).Pull("bias", 4).Pull("scale", 2);
    builder.Compute("conv", {1}, {"pull/weight", "pull/bias"});
    builder.Compute("norm", {1}, {"conv", "pull/scale"});
    builder.Compute("back", {1}, {"norm", "pull/bias"}); // not the first use
    builder.Push("extra", 1, {"back"}).Push("scale", 2, {"back"});
    builder.Push("bias", 4, {"back"}).Push("weight", 8, {"back"});
    const Profile profile = builder.Build();
    constexpr TensorIndex WEIGHT = 0;
    constexpr TensorIndex BIAS = 1;
    constexpr TensorIndex SCALE = 2;
    constexpr TensorIndex EXTRA = 3;
    EXPECT_EQ(GroupGradientsByLayers(profile, 1),
              (GradientGroups{{EXTRA}, {SCALE}, {BIAS, WEIGHT}}));
    EXPECT_EQ(GroupGradientsByLayers(profile, 2), (GradientGroups{{EXTRA, SCALE}, {BIAS, WEIGHT}}));
    EXPECT_EQ(GroupGradientsByLayers(profile, 3), (GradientGroups{{EXTRA, SCALE, BIAS, WEIGHT}}));
}

TEST(GradientGroups, TheFirstGroupMayBeSmaller)
{
    const Profile profile = Layers().Build();
    EXPECT_EQ(GroupGradientsByBytes(profile, 31, 10), (GradientGroups{{C}, {B, B2, A}}));
    EXPECT_EQ(GroupGradientsByBytes(profile, 1, 35), (GradientGroups{{C, B}, {B2}, {A}}));
}

TEST(GradientGroups, SizesAreMatchedExactly)
{
    // in the order c 30, b 20, b2 5, a 10
    const Profile profile = Layers().Build();
    EXPECT_EQ(GroupGradientsBySizes(profile, {50, 15}), (GradientGroups{{C, B}, {B2, A}}));
    EXPECT_EQ(GroupGradientsBySizes(profile, {65}), (GradientGroups{{C, B, B2, A}}));
    const auto error = [&](const std::vector<uint64_t>& sizes) {
        try
        {
            GroupGradientsBySizes(profile, sizes);
            return std::string("none");
        }
        catch (const GroupSizeError& caught)
        {
            return std::to_string(caught.group) + ": " + caught.what();
        }
    };
    EXPECT_EQ(error({50, 12}), "1: the gradients from 'b2' on have 5 or 15 bytes");
    EXPECT_EQ(error({20, 45}), "0: the gradients from 'c' on have 30 bytes");
    EXPECT_EQ(error({50, 16}), "1: the gradients from 'b2' on have 15 bytes");
    EXPECT_EQ(error({50}), "1: gradient 'b2' is in none");
    EXPECT_EQ(error({50, 15, 1}), "2: no gradient is left for it");
}

TEST(GradientGroups, AnEmptyGradientJoinsTheOneBefore)
{
    ProfileBuilder builder;
    builder.Compute("x", {1}).Push("a", 7, {"x"}).Push("none", 0, {"x"});
    EXPECT_EQ(GroupGradientsBySizes(builder.Build(), {7}), (GradientGroups{{0, 1}}));
}

TEST(GradientGroups, FusedBucketsAreNotMeasuredOnes)
{
    Profile profile = Layers().Build();
    profile.buckets = {{{C, B}, {2}, {1}}, {{A}, {}, {}}};
    EXPECT_EQ(ListMeasuredGroups(profile), (GradientGroups{{C, B}, {A}}));
    profile.Scale(0.5);
    EXPECT_EQ(profile.buckets.front().recorded, std::vector<double>{1});
    EXPECT_EQ(profile.buckets.front().transfer, std::vector<double>{0.5});
    EXPECT_TRUE(FuseGradients(profile, ListMeasuredGroups(profile)).buckets.empty());
}

TEST(GradientGroups, ABucketIsOneTensor)
{
    ProfileBuilder builder = Layers();
    builder.Update("a", 1).Update("b", 2).Update("b2", 4).Update("c", 8);
    const Profile fused = FuseGradients(builder.Build(), {{C, B}, {B2}, {A}});
    std::vector<std::pair<std::string, uint64_t>> tensors;
    for (const auto& tensor : fused.tensors)
    {
        tensors.emplace_back(tensor.name, tensor.bytes);
    }
    // at the place of the group's first one in the listing
    EXPECT_EQ(tensors,
              (std::vector<std::pair<std::string, uint64_t>>{{"a", 10},
                                                             {"bucket0 of c", 50},
                                                             {"b2", 5}}));
    std::map<std::string, std::set<std::string>> waits;
    std::map<std::string, std::vector<double>> seconds;
    for (OpIndex op = 0; op < fused.graph.GetSize(); ++op)
    {
        const std::string& name = fused.graph.Get(op).name;
        waits[name] = DependenciesOf(fused, op);
        seconds[name] = fused.samples[op];
    }
    using Names = std::set<std::string>;
    EXPECT_EQ(waits.size(), 13u); // 16 without the second pull, push and update of the bucket
    EXPECT_EQ(waits.at("forward"), (Names{"pull/a", "pull of bucket0 of c", "pull/b2"}));
    EXPECT_EQ(waits.at("push of bucket0 of c"), (Names{"backward/b", "backward/c"}));
    EXPECT_EQ(waits.at("update of bucket0 of c"), (Names{"push of bucket0 of c"}));
    EXPECT_EQ(seconds.at("update of bucket0 of c"), (std::vector<double>{10}));
    EXPECT_EQ(seconds.at("update/b2"), (std::vector<double>{4}));
}

TEST(GradientGroups, ABucketThatWaitsForItselfIsRefused)
{
    ProfileBuilder builder;
    builder.Compute("x", {1}).Push("a", 1, {"x"}).Compute("y", {1}, {"push/a"});
    builder.Push("b", 1, {"y"});
    EXPECT_THROW(FuseGradients(builder.Build(), {{0, 1}}), ProfileError);
}

TEST(GradientGroups, CountClosesAGroup)
{
    const Profile profile = Layers().Build();
    EXPECT_EQ(GroupGradientsByCount(profile, 3), (GradientGroups{{C, B, B2}, {A}}));
    EXPECT_EQ(GroupGradientsByCount(profile, 2), (GradientGroups{{C, B}, {B2, A}}));
}

TEST(GradientGroups, NamesAreTakenAsTheyStand)
{
    EXPECT_EQ(GroupGradientsByName(Layers().Build(), {{"a", "c"}, {"b2"}}),
              (GradientGroups{{A, C}, {B2}}));
    EXPECT_EQ(ErrorOfNames({{"a"}, {"d"}}), "'d' is no tensor whose gradient the profile pushes");
    EXPECT_EQ(ErrorOfNames({{"a"}, {"b", "a"}}), "tensor 'a' is in a group already");
}

TEST(GradientGroups, PushesOfAGroupWaitForItsLastGradient)
{
    const ProfileBuilder builder = Layers();
    const Profile profile = AggregateGradients(builder.Build(), {{C, B}, {A}});
    const std::set<std::string> both{"backward/b", "backward/c"};
    EXPECT_EQ(DependenciesOf(profile, builder.Find("push/c")), both);
    EXPECT_EQ(DependenciesOf(profile, builder.Find("push/b")), both);
    EXPECT_EQ(DependenciesOf(profile, builder.Find("push/b2")),
              (std::set<std::string>{"backward/b"}));
    EXPECT_EQ(DependenciesOf(profile, builder.Find("push/a")),
              (std::set<std::string>{"backward/a"}));
    EXPECT_TRUE(profile.graph.FindCycle().empty());
    EXPECT_EQ(profile.GetTotalBytes(), 65u);
}

TEST(GradientGroups, AGradientThatNeedsAnotherOfItsGroupSentIsRefused)
{
    ProfileBuilder builder;
    builder.Compute("x", {1}).Push("a", 1, {"x"}).Push("b", 1, {"push/a"});
    try
    {
        AggregateGradients(builder.Build(), {{0, 1}});
        FAIL();
    }
    catch (const ProfileError& error)
    {
        EXPECT_STREQ(error.what(), "the dependencies form a cycle: 'push/a' -> 'push/a'");
    }
}
