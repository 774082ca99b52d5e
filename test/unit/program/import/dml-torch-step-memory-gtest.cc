/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-text.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-importers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

/*
 * A step of a convolution and a linear layer, in microseconds: conv2d 20-40, linear 45-60,
 * AddmmBackward0 65-80, its accumulation 80-84, ConvolutionBackward0 90-120, its accumulation
 * 124-126, end 200. Blocks, by address:
 *   1    64  18-      a copy of the input, of no forward op
 *   2  1000  22-79    what conv2d makes and Addmm needs: kept for linear
 *   3    60  23-118   what Convolution needs: kept for conv2d
 *   4   300  25-30    temporary
 *   5   500  46-78    kept for linear
 *   6    40  50-195   what linear makes and Python holds: kept for linear as its node still comes
 *   7   700  66-      the gradient of linear
 *   8   200  67-119   the gradient of block 2
 *   9   900  95-      the gradient of conv2d
 *   2    50  122-123  the address of block 2 again
 * Of another device: 1 GB. Of a block from before the step: one that goes. On a GPU, all ops launch
 * kernels, which run 1 ms later.
 */
std::string
MakeAllocations(bool allocations, bool gpu)
{
    KinetoText text(KinetoForm::DECIMALS);
    const auto sequence = [](int n) { return json{{"Sequence number", n}, {"Fwd thread id", 0}}; };
    text.AddNote("ProfilerStep#0", 1, 0, 200);
    text.AddOp("aten::copy_", 1, 15, 4);
    json conv = sequence(10);
    conv["Input Dims"] = {{4, 1, 6, 6}, {2, 1, 3, 3}};
    text.AddOp("aten::conv2d", 1, 20, 20, conv);
    text.AddOp("aten::linear", 1, 45, 15, sequence(12));
    const auto accumulate = [&](double start, const json& shape) {
        text.AddNode("torch::autograd::AccumulateGrad",
                     2,
                     start,
                     2,
                     {{"Input Dims", json::array({shape})}, {"Input type", {"float"}}});
    };
    text.AddNode("AddmmBackward0", 2, 65, 15, sequence(12));
    accumulate(82, {3, 8});
    text.AddNode("ConvolutionBackward0", 2, 90, 30, sequence(10));
    accumulate(124, {2, 1, 3, 3});
    text.AddOp("aten::item", 1, 190, 3);
    const auto block = [&](double time, int64_t address, int64_t bytes, int device = 0) {
        if (allocations)
        {
            text.AddAllocation(time, address, bytes, gpu ? 1 - device : device);
        }
    };
    block(18, 1, 64);
    block(22, 2, 1000);
    block(23, 3, 60);
    block(24, 77, -5000);
    block(25, 4, 300);
    block(30, 4, -300);
    block(31, 5, 1000000000, 1);
    block(46, 5, 500);
    block(50, 6, 40);
    block(66, 7, 700);
    block(67, 8, 200);
    block(78, 5, -500);
    block(79, 2, -1000);
    block(95, 9, 900);
    block(118, 3, -60);
    block(119, 8, -200);
    block(122, 2, 50);
    block(123, 2, -50);
    block(195, 6, -40);
    const std::vector<double> launches = {16, 22, 47, 66, 91};
    for (std::size_t i = 0; gpu && i < launches.size(); ++i)
    {
        const uint64_t correlation = 100 + i;
        const int thread = launches[i] < 60 ? 1 : 2;
        text.Add("cuda_runtime",
                 "cudaLaunchKernel",
                 thread,
                 launches[i],
                 1,
                 {{"correlation", correlation}});
        text.Add("kernel",
                 "gemm",
                 7,
                 launches[i] + 1000,
                 5,
                 {{"correlation", correlation}, {"device", 0}, {"stream", 7}});
    }
    return text.GetText();
}

OpIndex
FindOp(const Profile& profile, const std::string& name)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            return op;
        }
    }
    ADD_FAILURE() << "no op " << name;
    return 0;
}

bool
DependsOn(const Profile& profile, const std::string& after, const std::string& before)
{
    const auto ops = profile.graph.GetDependencies(FindOp(profile, after));
    return std::count(ops.begin(), ops.end(), FindOp(profile, before)) > 0;
}

Profile
ImportAllocations(bool allocations, bool gpu = false)
{
    const ScratchFolder folder;
    return ImportKineto({folder.Write("trace.json", MakeAllocations(allocations, gpu))}, {})
        .profile;
}

} // namespace

TEST(DmlTorchStepMemory, BlocksAreKeptForTheNodeThatRunsBeforeTheyGo)
{
    const Profile profile = ImportAllocations(true);
    const auto held = [&](const std::string& name) {
        return profile.graph.Get(FindOp(profile, name)).memory;
    };
    EXPECT_EQ(held("forward/conv2d_1").activation, 60U);
    EXPECT_EQ(held("forward/linear_1").activation, 1000U + 500 + 40);
    // block 2 before linear keeps it, and the temporary one
    EXPECT_EQ(held("forward/conv2d_1").workspace, 1000U + 300);
    EXPECT_EQ(held("forward/linear_1").workspace, 0U);
    EXPECT_EQ(held("backward/linear_1/AddmmBackward0").workspace, 200U);
    EXPECT_EQ(held("backward/conv2d_1/ConvolutionBackward0").workspace, 200U);
    EXPECT_EQ(held("forward/conv2d_1").output, 0U) << "which no record tells";
    EXPECT_EQ(profile.inputBytes, 0U);
    EXPECT_TRUE(DependsOn(profile, "backward/conv2d_1/ConvolutionBackward0", "forward/conv2d_1"));
    EXPECT_TRUE(DependsOn(profile, "backward/linear_1/AddmmBackward0", "forward/linear_1"));
}

// The step of the GPU lasts from 896 to 1096 us, when the host has long made its blocks.
TEST(DmlTorchStepMemory, BlocksAreTheHostsWhereAGpuIsBehindIt)
{
    const Profile profile = ImportAllocations(true, true);
    EXPECT_EQ(profile.devices.at(0).name, "gpu0");
    const auto held = [&](const std::string& name) {
        return profile.graph.Get(FindOp(profile, name)).memory;
    };
    EXPECT_EQ(held("forward/conv2d_1").activation, 60U);
    EXPECT_EQ(held("forward/linear_1").activation, 1000U + 500 + 40);
}

TEST(DmlTorchStepMemory, NothingIsMadeUpWithoutRecords)
{
    const Profile profile = ImportAllocations(false);
    EXPECT_FALSE(profile.HasMemory());
    EXPECT_FALSE(DependsOn(profile, "backward/conv2d_1/ConvolutionBackward0", "forward/conv2d_1"));
}

// Records of PyTorch 1.13, written in Kineto's form: 4 samples of 3 x 16 x 16 through a convolution
// to 8 channels, batch normalisation, ReLU, pooling by 2 and a linear layer to 10 classes. What is
// kept is what tools/profile-torch finds by autograd's hooks.
TEST(DmlTorchStepMemory, RecordsOfPyTorchTellWhatItsAutogradKeeps)
{
    ImportOptions options;
    options.batchSize = 4;
    const Profile profile =
        ImportKineto({FindRepositoryFile("test/data/traces/small-cnn.kineto.json.gz")}, options)
            .profile;
    const auto kept = [&](const std::string& name) {
        return profile.graph.Get(FindOp(profile, name)).memory.activation;
    };
    const uint64_t map = uint64_t{4} * 8 * 14 * 14;
    EXPECT_EQ(kept("forward/conv2d_1"), 0U) << "its input is the step's";
    EXPECT_EQ(kept("forward/batch_norm_1"), 4 * map + 2 * 8 * 4) << "mean and deviation, too";
    EXPECT_EQ(kept("forward/relu_1"), 4 * map);
    EXPECT_EQ(kept("forward/max_pool2d_1"), 8 * map / 4) << "indices of 8 bytes";
    EXPECT_EQ(kept("forward/linear_1"), 4 * map / 4) << "what pooling has made";
}
