/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-tensor-partition.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

using Names = std::vector<std::string>;

/// Tensors of 10, 4 and 0 bytes; b's gradient is not updated, a's update takes 5 and 10 s.
Profile
WholeProfile()
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Pull("b", 4).Pull("none", 0);
    builder.Compute("x", {1, 2}, {"pull/a", "pull/b", "pull/none"});
    builder.Push("a", 10, {"x"}).Push("b", 4, {"x"});
    Profile profile = builder.Build();
    profile.batchSize = 7;
    profile.source = {{"made_by", "hand"}};
    profile.graph.Add({"update/a", OpKind::UPDATE, 0, 0});
    profile.samples.push_back({5, 10});
    profile.graph.AddDependency(4, 6);
    profile.graph.Add({"check/a", OpKind::COMPUTE, 0, NO_INDEX});
    profile.samples.push_back({0, 0});
    profile.graph.AddDependency(6, 7);
    profile.Validate();
    return profile;
}

/// Names of the ops that each op waits for.
std::map<std::string, Names>
DependenciesOf(const Profile& profile)
{
    std::map<std::string, Names> dependencies;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        auto& names = dependencies[profile.graph.Get(op).name];
        for (const OpIndex before : profile.graph.GetDependencies(op))
        {
            names.push_back(profile.graph.Get(before).name);
        }
    }
    return dependencies;
}

/// Seconds of an op by name.
std::vector<double>
SecondsOf(const Profile& profile, const std::string& name)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            return profile.samples[op];
        }
    }
    return {};
}

} // namespace

TEST(TensorPartition, SlicesAreEqualToTheByteAndStandInPlaceOfTheirTensor)
{
    // 10 B in slices of at most 4 B: three, of 4, 3, 3; 4 B and 0 B fit
    const auto [profile, origin] = PartitionTensors(WholeProfile(), 4);
    std::vector<std::pair<std::string, uint64_t>> tensors;
    for (const auto& tensor : profile.tensors)
    {
        tensors.emplace_back(tensor.name, tensor.bytes);
    }
    EXPECT_EQ(tensors,
              (std::vector<std::pair<std::string, uint64_t>>{{"a/0", 4},
                                                             {"a/1", 3},
                                                             {"a/2", 3},
                                                             {"b", 4},
                                                             {"none", 0}}));
    EXPECT_EQ(origin, (std::vector<TensorIndex>{0, 0, 0, 1, 2}));
    EXPECT_EQ(profile.batchSize, 7u);
    EXPECT_EQ(profile.source, WholeProfile().source);
    Names ops;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        ops.push_back(profile.graph.Get(op).name);
    }
    EXPECT_EQ(ops,
              (Names{"pull/a/0",
                     "pull/a/1",
                     "pull/a/2",
                     "pull/b",
                     "pull/none",
                     "x",
                     "push/a/0",
                     "push/a/1",
                     "push/a/2",
                     "push/b",
                     "update/a/0",
                     "update/a/1",
                     "update/a/2",
                     "check/a"}));
    EXPECT_EQ(CountSlices(WholeProfile(), 4), 5u);
}

TEST(TensorPartition, WhatWaitedForTheTensorWaitsForAllSlices)
{
    const auto dependencies = DependenciesOf(PartitionTensors(WholeProfile(), 4).profile);
    EXPECT_EQ(dependencies.at("x"),
              (Names{"pull/a/0", "pull/a/1", "pull/a/2", "pull/b", "pull/none"}));
    EXPECT_EQ(dependencies.at("push/a/1"), (Names{"x"}));
    EXPECT_EQ(dependencies.at("update/a/1"), (Names{"push/a/1"})); // not for the other slices
    EXPECT_EQ(dependencies.at("check/a"), (Names{"update/a/0", "update/a/1", "update/a/2"}));
    EXPECT_EQ(dependencies.at("pull/a/2"), Names{});
}

TEST(TensorPartition, SecondsOfAnUpdateAreSharedByBytes)
{
    const Profile profile = PartitionTensors(WholeProfile(), 4).profile;
    EXPECT_EQ(SecondsOf(profile, "update/a/0"), (std::vector<double>{5 * 0.4, 10 * 0.4}));
    EXPECT_EQ(SecondsOf(profile, "update/a/2"), (std::vector<double>{5 * 0.3, 10 * 0.3}));
    EXPECT_EQ(SecondsOf(profile, "x"), (std::vector<double>{1, 2}));
    EXPECT_TRUE(SecondsOf(profile, "push/a/0").empty());
}

TEST(TensorPartition, BytesAndSecondsAreConservedForEverySize)
{
    const Profile whole = WholeProfile();
    for (const uint64_t bytes : {1, 2, 3, 7, 9, 10, 11})
    {
        const Profile cut = PartitionTensors(whole, bytes).profile;
        EXPECT_EQ(cut.GetTotalBytes(), whole.GetTotalBytes());
        EXPECT_EQ(cut.tensors.size(), CountSlices(whole, bytes));
        for (const auto& tensor : cut.tensors)
        {
            EXPECT_LE(tensor.bytes, bytes);
        }
        double update = 0;
        for (OpIndex op = 0; op < cut.graph.GetSize(); ++op)
        {
            const bool isUpdate = cut.graph.Get(op).kind == OpKind::UPDATE;
            update += isUpdate ? cut.samples[op][0] : 0;
        }
        EXPECT_NEAR(update, 5, 1e-12);
        EXPECT_TRUE(cut.graph.FindCycle().empty());
    }
    EXPECT_EQ(PartitionTensors(whole, 10).profile.tensors[0].name, "a"); // it fits: no slice
}

TEST(TensorPartition, ATakenNameIsRefused)
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Pull("a/1", 1);
    const Profile profile = builder.Build();
    try
    {
        PartitionTensors(profile, 5);
        FAIL();
    }
    catch (const ProfileError& error)
    {
        EXPECT_STREQ(error.what(), "tensor 'a/1' is listed twice; tensor names must be unique");
    }
}
