/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-inference-profile.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

std::vector<std::string>
ListNames(const Profile& profile, const std::vector<OpIndex>& ops)
{
    std::vector<std::string> names;
    for (const OpIndex op : ops)
    {
        names.push_back(profile.graph.Get(op).name);
    }
    return names;
}

/// A step whose "log" waits for back-propagation, and whose "check" does not.
Profile
MakeTraining()
{
    ProfileBuilder builder;
    builder.Pull("a", 100).Pull("b", 200);
    builder.Compute("check", {1, 2}, {"pull/b"});
    Profile profile = builder.Build();
    const auto add = [&profile](const std::string& name, OpKind kind, std::vector<OpIndex> before) {
        const OpIndex op = profile.graph.Add({name, kind, 0, NO_INDEX});
        for (const OpIndex other : before)
        {
            profile.graph.AddDependency(other, op);
        }
        profile.samples.push_back({3, 4});
        return op;
    };
    const OpIndex forward = add("forward", OpKind::FORWARD, {0, 2});
    const OpIndex backward = add("backward", OpKind::BACKWARD, {forward});
    add("log", OpKind::COMPUTE, {backward});
    return profile;
}

} // namespace

TEST(InferenceProfile, KeepsWhatWaitsForNoGradient)
{
    const Profile profile = MakeInferenceProfile(MakeTraining(), InferenceReport::NONE);
    EXPECT_EQ(ListNames(profile, {0, 1, 2, 3}),
              std::vector<std::string>({"pull/a", "pull/b", "check", "forward"}));
    EXPECT_EQ(profile.graph.GetSize(), 4u);
    EXPECT_EQ(ListNames(profile, profile.graph.GetDependencies(3)),
              std::vector<std::string>({"pull/a", "check"}));
    EXPECT_EQ(profile.samples[3], std::vector<double>({3, 4}));
    EXPECT_EQ(profile.tensors.size(), 2u);
}

// The report is one byte, waits for what nothing else waits for, and its update takes no time.
TEST(InferenceProfile, MayReportItsEnd)
{
    const Profile profile = MakeInferenceProfile(MakeTraining(), InferenceReport::SENT);
    ASSERT_EQ(profile.graph.GetSize(), 6u);
    EXPECT_EQ(profile.graph.Get(4).kind, OpKind::PUSH);
    EXPECT_EQ(ListNames(profile, profile.graph.GetDependencies(4)),
              std::vector<std::string>({"forward"}));
    EXPECT_EQ(profile.graph.Get(5).kind, OpKind::UPDATE);
    EXPECT_EQ(profile.samples[5], std::vector<double>({0, 0}));
    EXPECT_EQ(profile.tensors.back().bytes, 1u);
}

TEST(InferenceProfile, RefusesAStepWithoutForwardOps)
{
    ProfileBuilder builder;
    builder.Push("a", 10).Update("a", 0);
    EXPECT_THROW(MakeInferenceProfile(builder.Build(), InferenceReport::NONE), ProfileError);
}
