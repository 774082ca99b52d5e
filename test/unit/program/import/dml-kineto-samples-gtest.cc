/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-files.h"

#include "ns3/dml-importers.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// @return seconds of all ops in one step
double
GetSum(const Profile& profile, std::size_t step)
{
    double sum = 0;
    for (const auto& row : profile.samples)
    {
        sum += row.empty() ? 0 : row[step];
    }
    return sum;
}

/// @return sizes of all tensors, sorted
std::vector<uint64_t>
GetSizes(const Profile& profile)
{
    std::vector<uint64_t> sizes;
    for (const auto& tensor : profile.tensors)
    {
        sizes.push_back(tensor.bytes);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

/// @return sizes of the tensors in the order in which their gradients are complete
std::vector<uint64_t>
GetReadyOrder(const Profile& profile)
{
    std::vector<uint64_t> order;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        const std::string& name = profile.graph.Get(op).name;
        for (const auto& tensor : profile.tensors)
        {
            if (name == "accumulate/" + tensor.name)
            {
                order.push_back(tensor.bytes);
            }
        }
    }
    return order;
}

/// A trace and what is known about it otherwise.
struct Sample
{
    const char* name;
    uint64_t parameters;
    std::size_t tensors;
    uint32_t batchSize;

    friend void PrintTo(const Sample& sample, std::ostream* out)
    {
        *out << sample.name;
    }
};

class DmlKinetoSamples : public testing::TestWithParam<Sample>
{
};

} // namespace

TEST(DmlShippedTraces, AlexNetAddsUp)
{
    const ImportResult result =
        ImportKineto({FindRepositoryFile("test/data/traces/alexnet-b8.kineto.json.gz")}, {});
    EXPECT_EQ(result.profile.model, "alexnet");
    EXPECT_EQ(result.profile.batchSize, 8U);
    EXPECT_EQ(result.profile.tensors.size(), 16U);
    EXPECT_EQ(result.profile.GetTotalBytes(), 61100840U * 4);
    ASSERT_EQ(result.stepSeconds.size(), 3U);
    // ProfilerStep#0 of the file lasts 575129 us, and all of it is accounted for.
    EXPECT_DOUBLE_EQ(result.stepSeconds[0], 0.575129);
    for (std::size_t step = 0; step < 3; ++step)
    {
        EXPECT_NEAR(GetSum(result.profile, step), result.stepSeconds[step], 1e-9);
        EXPECT_LT(result.unexplainedSeconds[step], 0.004 * result.stepSeconds[step]);
    }
    EXPECT_TRUE(result.warnings.empty());
}

// The legacy trace is of the same run: with the sizes it is the same profile, but for what it does
// not tell: the ops of the optimizer by tensor.
TEST(DmlShippedTraces, LegacyTraceIsTheSameRun)
{
    const Profile twin =
        ImportKineto({FindRepositoryFile("test/data/traces/alexnet-b8.kineto.json.gz")}, {})
            .profile;
    ImportOptions options;
    options.batchSize = 8;
    for (const auto& tensor : twin.tensors)
    {
        options.sizes[tensor.name] = tensor.bytes;
    }
    const ImportResult result =
        ImportTorchLegacy({FindRepositoryFile("test/data/traces/alexnet-b8.torch-legacy.json.gz")},
                          options);
    ASSERT_EQ(result.profile.graph.GetSize(), twin.graph.GetSize());
    for (OpIndex op = 0; op < twin.graph.GetSize(); ++op)
    {
        EXPECT_EQ(result.profile.graph.Get(op).name, twin.graph.Get(op).name);
        EXPECT_EQ(result.profile.graph.GetDependencies(op), twin.graph.GetDependencies(op));
        if (twin.graph.Get(op).kind != OpKind::UPDATE)
        {
            EXPECT_EQ(result.profile.samples[op], twin.samples[op]) << twin.graph.Get(op).name;
        }
    }
    EXPECT_NEAR(GetSum(result.profile, 0), GetSum(twin, 0), 1e-9);
}

TEST_P(DmlKinetoSamples, AddUpAndAgreeWithLayers)
{
    const Sample& sample = GetParam();
    const std::string base = std::string("torch-cpu/") + sample.name;
    const std::string file = FindSharedProfile(base + ".kineto_schema.json.gz");
    if (file.empty())
    {
        GTEST_SKIP() << "the sample is not here; set DML_PROFILES to the folder above torch-cpu";
    }
    const ImportResult result = ImportKineto({file}, {});
    EXPECT_EQ(result.profile.GetTotalBytes(), sample.parameters * 4);
    EXPECT_EQ(result.profile.tensors.size(), sample.tensors);
    EXPECT_EQ(result.profile.batchSize, sample.batchSize);
    EXPECT_EQ(result.stepSeconds.size(), 9U);
    for (std::size_t step = 0; step < result.stepSeconds.size(); ++step)
    {
        EXPECT_NEAR(GetSum(result.profile, step), result.stepSeconds[step], 1e-9);
    }
    ImportOptions measured;
    measured.order = ComputeOrder::MEASURED;
    const Profile layers =
        ImportTorchLayers({FindSharedProfile(base + ".layers.json")}, measured).profile;
    EXPECT_EQ(GetSizes(result.profile), GetSizes(layers));
    EXPECT_EQ(GetReadyOrder(result.profile), GetReadyOrder(layers));
}

INSTANTIATE_TEST_SUITE_P(All,
                         DmlKinetoSamples,
                         testing::Values(Sample{"alexnet_b8", 61100840, 16, 8},
                                         Sample{"resnet18_b8", 11689512, 62, 8},
                                         Sample{"resnet50_b4", 25557032, 161, 4}));

TEST(DmlKinetoGpuSample, ResNet50IsPushedInBuckets)
{
    const std::string file =
        FindSharedProfile("kineto/nccl_parser_config.resnet50_ddp_2rank.rank0.json.gz");
    if (file.empty())
    {
        GTEST_SKIP() << "the sample is not here; set DML_PROFILES to the folder above kineto";
    }
    ImportOptions options;
    options.batchSize = 32;
    const ImportResult result = ImportKineto({file}, options);
    EXPECT_EQ(result.profile.GetTotalBytes(), 25557032U * 4);
    EXPECT_EQ(GetReadyOrder(result.profile),
              (std::vector<uint64_t>{8196000, 31502336, 26255360, 26550272, 9724160}));
    ASSERT_EQ(result.stepSeconds.size(), 3U);
    // From the end of the last kernel of a step to that of the next one, whose host steps begin at
    // 4458676416788.065, ...639291.351 and ...859077.781 us: 221861.539, 219176.391 and 224353.405
    // us after that. So the first two end 641.746 and 610.039 us before the next one begins, and
    // the first is taken to begin likewise before its begin.
    EXPECT_NEAR(result.stepSeconds[0], 0.222471578, 1e-9);
    EXPECT_NEAR(result.stepSeconds[1], 0.219818137, 1e-9);
    EXPECT_NEAR(result.stepSeconds[2], 0.224963444, 1e-9);
    for (std::size_t step = 0; step < 3; ++step)
    {
        // All but the time during which only an all-reduce ran, which lasts 12 to 22 ms in all.
        EXPECT_LT(GetSum(result.profile, step), result.stepSeconds[step]);
        EXPECT_GT(GetSum(result.profile, step), result.stepSeconds[step] - 0.023);
    }
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_FALSE(result.replayCaveat.empty());
    EXPECT_EQ(result.protocol.name, "all-reduce");
    EXPECT_EQ(result.protocol.backend, "nccl");
    EXPECT_EQ(result.protocol.workers, 2U);
    ASSERT_EQ(result.profile.buckets.size(), 5U);
    for (TensorIndex bucket = 0; bucket < 5; ++bucket)
    {
        EXPECT_EQ(result.profile.buckets[bucket].tensors, std::vector<TensorIndex>{bucket});
        EXPECT_EQ(result.profile.buckets[bucket].recorded.size(), 3U);
        EXPECT_TRUE(result.profile.buckets[bucket].transfer.empty());
    }
    // the fourth one's kernel in ProfilerStep#6
    EXPECT_NEAR(result.profile.buckets[3].recorded[2], 0.002636669, 1e-9);
}
