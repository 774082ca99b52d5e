/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Buckets of real runs of PyTorch's DistributedDataParallel: tools/ddp-buckets.

#include "dml-profile-builder.h"
#include "dml-test-files.h"

#include "ns3/dml-gradient-groups.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-scenario.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Bytes, and names of parameters.
using Bucket = std::pair<uint64_t, std::set<std::string>>;

/// What PyTorch made, in the order in which it reduces them.
std::vector<Bucket>
ReadMeasured(const std::string& model)
{
    std::ifstream file(FindRepositoryFile("test/data/ddp/" + model + ".txt"));
    std::vector<Bucket> buckets;
    for (std::string line; std::getline(file, line);)
    {
        std::istringstream words(line);
        Bucket bucket;
        if (line.front() != '#' && words >> bucket.first)
        {
            for (std::string name; words >> name;)
            {
                bucket.second.insert(name);
            }
            buckets.push_back(bucket);
        }
    }
    return buckets;
}

class DdpBuckets : public testing::TestWithParam<std::pair<std::string, std::string>>
{
};

TEST_P(DdpBuckets, AreThoseOfPyTorch)
{
    const auto& [model, file] = GetParam();
    const auto measured = ReadMeasured(model);
    ASSERT_GT(measured.size(), 2U);
    const Profile profile = ReadProfile(FindRepositoryFile("scenarios/profiles/" + file));
    std::vector<Bucket> buckets;
    for (const auto& group :
         GroupGradientsByBytes(profile, GradientGroupSpec::DDP_BYTES, GradientGroupSpec::DDP_FIRST))
    {
        buckets.emplace_back();
        for (const TensorIndex tensor : group)
        {
            buckets.back().first += profile.tensors[tensor].bytes;
            buckets.back().second.insert(profile.tensors[tensor].name);
        }
    }
    EXPECT_EQ(buckets, measured);
}

// With find_unused_parameters DDP keeps its first buckets, and those have a layer that no step
// uses.
TEST(DdpUnused, BucketsAreThoseOfPyTorch)
{
    Profile profile = ReadProfile(FindRepositoryFile("scenarios/profiles/resnet50-b4.yaml"));
    profile.tensors.push_back({"unused.weight", 4 * 1000 * 500});
    profile.tensors.push_back({"unused.bias", 4 * 500});
    profile = AddUnusedGradients(std::move(profile));
    profile.Validate();
    std::vector<Bucket> buckets;
    for (const auto& group :
         GroupTensorsInReverse(profile, GradientGroupSpec::DDP_BYTES, GradientGroupSpec::DDP_FIRST))
    {
        buckets.emplace_back(profile.GetBytes(group), std::set<std::string>());
    }
    EXPECT_EQ(buckets, ReadMeasured("resnet50-unused"));
}

// Tensors in listing order, the buckets the other way round; what is not used has its place.
TEST(DdpUnused, GroupsAreMadeInListingOrder)
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Pull("b", 10).Pull("c", 10);
    builder.Compute("backward/c", {1}, {"pull/c"}).Compute("backward/a", {1}, {"backward/c"});
    builder.Push("a", 10, {"backward/a"}).Push("c", 10, {"backward/c"});
    const Profile profile = AddUnusedGradients(builder.Build());
    profile.Validate();
    // a closes the first group with its 10 bytes; b, which is not used, the second
    EXPECT_EQ(GroupTensorsInReverse(profile, 10, 5), GradientGroups({{2}, {1}, {0}}));
    EXPECT_EQ(GroupTensorsInReverse(profile, 20, 5), GradientGroups({{1, 2}, {0}}));
    EXPECT_EQ(GroupTensorsInReverse(profile, 20, 11), GradientGroups({{2}, {0, 1}}));
}

// Zeros are not reduced while a step propagates forward.
TEST(DdpUnused, ZerosAreReadyWithTheFirstGradient)
{
    ProfileBuilder builder;
    builder.Pull("a", 10).Pull("b", 10).Pull("c", 10);
    builder.Compute("backward/c", {1}, {"pull/c"}).Compute("backward/a", {1}, {"backward/c"});
    builder.Push("a", 10, {"backward/a"}).Push("c", 10, {"backward/c"});
    const Profile profile = AddUnusedGradients(builder.Build());
    const OpIndex push = profile.graph.GetSize() - 1;
    EXPECT_EQ(profile.graph.Get(push).name, "push of unused b");
    const auto before = profile.graph.GetDependencies(push);
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(profile.graph.Get(before[0]).name, "backward/c");
}

INSTANTIATE_TEST_SUITE_P(Models,
                         DdpBuckets,
                         testing::Values(std::pair("resnet50", "resnet50-b4.yaml"),
                                         std::pair("vgg11", "vgg11-b4.yaml"),
                                         std::pair("alexnet", "alexnet-b8.yaml")));

} // namespace
