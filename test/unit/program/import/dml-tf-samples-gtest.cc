/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-files.h"
#include "dml-tf-import.h"

#include <string>

using namespace tftest;

namespace
{

/// A measured network, its size in bytes, and its ops.
struct TfSample
{
    std::string name;  //!< start of the files' names
    uint64_t bytes;    //!< sum of all parameters
    std::size_t pulls; //!< number of parameters
    std::size_t ops;   //!< number of ops
    double seconds;    //!< of the step

    friend void PrintTo(const TfSample& sample, std::ostream* out)
    {
        *out << sample.name;
    }
};

class TensorFlowSamples : public testing::TestWithParam<TfSample>
{
};

TEST_P(TensorFlowSamples, AreTheSameInEachForm)
{
    const std::string start =
        FindRepositoryFile("test/data/traces/" + GetParam().name + ".w1.step3.");
    const ImportResult binary = ImportRunMetadata({start + "RunMetadata.pb.gz"}, MakeOptions());
    EXPECT_EQ(binary.profile.GetTotalBytes(), GetParam().bytes);
    EXPECT_EQ(binary.profile.tensors.size(), GetParam().pulls);
    EXPECT_EQ(binary.profile.graph.GetSize(), GetParam().ops);
    EXPECT_DOUBLE_EQ(binary.stepSeconds.at(0), GetParam().seconds);
    EXPECT_EQ(binary.transfers.size(), 2 * GetParam().pulls);
    EXPECT_EQ(binary.profile.devices[0].slots, 1u);
    EXPECT_TRUE(binary.warnings.empty()) << binary.warnings.front();

    const std::string expected = Print(binary.profile);
    EXPECT_EQ(Print(ImportRunMetadata({start + "RunMetadata.pbtxt.gz"}, MakeOptions()).profile),
              expected);
    ImportOptions sizes = MakeOptions();
    for (const Tensor& tensor : binary.profile.tensors)
    {
        sizes.sizes[tensor.name] = tensor.bytes;
    }
    Profile light = binary.profile; // timelines do not tell what ops hold
    for (OpIndex op = 0; op < light.graph.GetSize(); ++op)
    {
        light.graph.SetMemory(op, {});
    }
    EXPECT_TRUE(binary.profile.HasMemory());
    EXPECT_EQ(Print(ImportTfTimeline({start + "timeline.json.gz"}, sizes).profile), Print(light));
}

// Sizes are four bytes per parameter: 61100840 (AlexNet), 13004888 (GoogLeNet with both auxiliary
// classifiers). Ops: as many pulls, pushes and updates as parameters, and 62 and 629 of the worker.
INSTANTIATE_TEST_SUITE_P(
    Networks,
    TensorFlowSamples,
    testing::Values(TfSample{"alexnet_b8", 4 * 61100840u, 16, 3 * 16 + 62, 4.121211},
                    TfSample{"googlenet_b8", 4 * 13004888u, 187, 3 * 187 + 629, 1.413862}),
    [](const auto& info) { return info.param.name; });

TEST(TensorFlowTimeline, TellsThatAToyIsNoTraining)
{
    const std::string file =
        FindSharedProfile("tf1-timeline/tf_encrypted.ps_2workers.timeline_client.json");
    if (file.empty())
    {
        GTEST_SKIP() << "the measurement is not here";
    }
    ImportOptions options = MakeOptions();
    options.sizes = {{"w", 40}, {"split", 200}, {"MatMul", 20}};
    const ImportResult result = ImportTfTimeline({file}, options);
    EXPECT_EQ(result.profile.graph.GetSize(), 4u);
    EXPECT_EQ(GetOp(result.profile, "MatMul").kind, OpKind::FORWARD);
    EXPECT_TRUE(Tell(result.warnings, "this is no training step"));
}

} // namespace
