/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-text.h"
#include "dml-profile-words.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-importers.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

/*
 * A step on a GPU, in microseconds. Host: copy at 50-60, conv2d 100-110; on another thread
 * Convolution 200-210, AccumulateGrad 210-230 with an all-reduce of 100 floats at 220-225;
 * Optimizer.step 300-340. GPU: copy 60-80 (launched by a call at 55), conv2d 150-250, Convolution
 * 260-400, a multiplication of AccumulateGrad 400-410, all-reduce 410-500, update 500-540. The step
 * ends at 1000. The profiler recorded no shapes.
 */
TEST(DmlKinetoGpu, OpsOfAGpuLastAsTheirKernels)
{
    KinetoText text(KinetoForm::DECIMALS);
    const auto kernel = [&text](const std::string& name, int stream, double start, double end) {
        text.Add("kernel",
                 name,
                 stream,
                 start,
                 end - start,
                 {{"External id", text.GetId()}, {"device", 0}, {"stream", stream}});
    };
    text.AddNote("ProfilerStep#0", 1, 0, 1000);
    text.AddOp("aten::copy_", 1, 50, 10);
    text.Add("cuda_runtime", "cudaMemcpyAsync", 1, 55, 3, {{"correlation", 77}});
    text.Add("gpu_memcpy", "Memcpy HtoD", 7, 60, 20, {{"correlation", 77}, {"device", 0}});
    text.AddOp("aten::conv2d", 1, 100, 10, {{"Sequence number", 1}, {"Fwd thread id", 0}});
    kernel("implicit_gemm", 7, 150, 250);
    text.AddNode("ConvolutionBackward0", 2, 200, 10, {{"Sequence number", 1}});
    kernel("wgrad", 7, 260, 400);
    text.AddNode("torch::autograd::AccumulateGrad", 2, 210, 20);
    kernel("mul", 7, 400, 410);
    text.AddOp("record_param_comms",
               2,
               220,
               5,
               {{"Collective name", "allreduce"}, {"In msg nelems", 100}, {"dtype", "Float"}});
    kernel("ncclKernel_AllReduce", 40, 410, 500);
    text.AddNote("Optimizer.step#SGD.step", 1, 300, 40);
    text.AddOp("aten::_foreach_add_", 1, 310, 20);
    kernel("multi_tensor_apply", 7, 500, 540);
    const ScratchFolder folder;
    const auto file = folder.Write("trace.json", text.GetText());
    ImportOptions options;
    options.batchSize = 32;
    const ImportResult result = ImportKineto({file}, options);
    EXPECT_EQ(SizesOf(result.profile), (TensorSizes{{"bucket_1", 400}}));
    EXPECT_EQ(result.profile.devices[0].name, "gpu0");
    // The host's period is 1000, so the step lasts from -460 to the end of the last kernel at 540.
    // Idle: -460-60, 80-150, 250-260; not while the all-reduce runs.
    ExpectTimes(result.profile,
                0,
                {{"compute/before-forward", 540},
                 {"forward/conv2d_1", 170},
                 {"backward/conv2d_1/ConvolutionBackward0", 150},
                 {"accumulate/bucket_1", 10},
                 {"update/bucket_1", 40}});
    EXPECT_DOUBLE_EQ(result.unexplainedSeconds[0], 600e-6);
    EXPECT_FALSE(result.replayCaveat.empty());
    ASSERT_EQ(result.profile.buckets.size(), 1U);
    EXPECT_NEAR(result.profile.buckets[0].recorded.at(0), 90e-6, 1e-9);
    options.idle = IdleTime::DROP;
    ExpectTimes(ImportKineto({file}, options).profile,
                0,
                {{"compute/before-forward", 20},
                 {"forward/conv2d_1", 100},
                 {"backward/conv2d_1/ConvolutionBackward0", 140},
                 {"accumulate/bucket_1", 10},
                 {"update/bucket_1", 40}});
    // The size by hand makes the parameter itself the tensor.
    options.sizes = {{"conv2d_1.weight", 404}};
    const ImportResult byHand = ImportKineto({file}, options);
    EXPECT_EQ(byHand.profile.tensors[0].name, "conv2d_1.weight");
    // 404 bytes of gradients, 400 all-reduced: so no bucket either
    EXPECT_EQ(byHand.warnings.size(), 2U);
    EXPECT_TRUE(byHand.profile.buckets.empty());
}
