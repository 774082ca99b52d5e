/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-import.h"

#include <string>

using namespace tftest;

namespace
{

using TensorFlowDevices = TfImport;

TEST_F(TensorFlowDevices, WaitsInMeasuredOrder)
{
    ImportOptions options = MakeOptions();
    options.order = ComputeOrder::MEASURED;
    const std::string text = Print(ImportText(MakeTrace(), options).profile);
    // As in PROFILE, and b's gradient also waits for w's.
    EXPECT_NE(text.find("gradients/b_grad/d, kind: backward, device: cpu:0, deps: "
                        "[gradients/loss_grad/Fill, gradients/w_grad/d]"),
              std::string::npos);
}

TEST_F(TensorFlowDevices, TakesKernelsForLaunchesOnGpus)
{
    TfTrace trace = MakeTrace();
    const std::string gpu = "/job:worker/replica:0/task:0/device:GPU:0";
    trace.nodes[4].device = gpu; // loss, 180-200
    // Two kernels that overlap: 185-195 and 190-198, so 13 us; a copy of an op that is not there.
    for (const std::string stream : {"stream:all", "stream:13"})
    {
        const std::string device = "/device:GPU:0/" + stream;
        trace.nodes.push_back({device, "loss:Sum", "", 185, 10});
        trace.nodes.push_back({device, "loss:Sum", "", 190, 8});
        trace.nodes.push_back({device, "edge_3:MEMCPYHtoD", "", 186, 10});
    }
    trace.nodes.push_back({"/device:GPU:0/memcpy", "edge_3:MEMCPYHtoD", "", 186, 10});
    ImportOptions options = MakeOptions();
    options.idle = IdleTime::DROP;
    const ImportResult result = ImportText(trace, options);
    EXPECT_EQ(result.profile.graph.GetSize(), 12u);
    EXPECT_DOUBLE_EQ(GetSeconds(result.profile, "loss"), 13e-6);
    ASSERT_EQ(result.profile.devices.size(), 2u);
    EXPECT_EQ(result.profile.devices[GetOp(result.profile, "loss").device].name, "gpu:0");
    EXPECT_TRUE(Tell(result.rules, "(1 ops, 3 kernels and copies"));
}

TEST_F(TensorFlowDevices, KeepsDependenciesOfGpuOps)
{
    // fc: launched 130-132, kernel 140-170. reshape: launched 133-134, no kernel. loss: launched
    // 135-136, kernel 201-219. So reshape ends at 171. Fill reads loss from 200 on, so the tracer's
    // clock is 19 us off: it waits for loss all the same.
    TfTrace trace = MakeTrace();
    const std::string gpu = "/job:worker/replica:0/task:0/device:GPU:0";
    trace.nodes[3] = {gpu, "fc", "fc = MatMul(w/read_S1, b/read_S3)", 130, 2};
    trace.nodes[4] = {gpu, "loss", "loss = Sum(reshape)", 135, 1};
    trace.nodes.push_back({gpu, "reshape", "reshape = Reshape(fc, shape)", 133, 1});
    trace.nodes.push_back({"/device:GPU:0/stream:all", "fc:MatMul", "", 140, 30});
    trace.nodes.push_back({"/device:GPU:0/stream:all", "loss:Sum", "", 201, 18});
    const std::string expected =
        "  - {name: fc, kind: forward, device: gpu:0, deps: [pull/w, pull/b], samples: [0.00003]}\n"
        "  - {name: reshape, kind: forward, device: gpu:0, deps: [fc], samples: [0.000001]}\n"
        "  - {name: gradients/loss_grad/Fill, kind: backward, device: cpu:0, deps: [loss], "
        "samples: "
        "[0.00003]}\n"
        "  - {name: loss, kind: forward, device: gpu:0, deps: [reshape], samples: [0.000018]}\n";
    ImportOptions options = MakeOptions();
    options.idle = IdleTime::DROP;
    const ImportResult result = ImportText(trace, options);
    EXPECT_NE(Print(result.profile).find(expected), std::string::npos) << Print(result.profile);
    EXPECT_TRUE(Tell(result.rules, "not before the ends of what they read (1 moved)"));
}

TEST_F(TensorFlowDevices, LetsOpsRunAtTheSameTime)
{
    // Besides fc 130-180 and loss 180-200: side 130-190 and late 185-200, which had to wait for fc
    // only.
    TfTrace trace = MakeTrace();
    trace.nodes.push_back({W, "side", "side = Range()", 130, 60});
    trace.nodes.push_back({W, "late", "late = Range()", 185, 15});
    ImportOptions options = MakeOptions();
    options.order = ComputeOrder::MEASURED;
    options.idle = IdleTime::DROP;
    const ImportResult result = ImportText(trace, options);
    EXPECT_EQ(result.profile.devices[0].slots, 3u);
    const std::string text = Print(result.profile);
    for (const char* line : {
             "{name: side, kind: forward, device: cpu:0, samples: [0.00006]}",
             "{name: loss, kind: forward, device: cpu:0, deps: [fc], samples: [0.00002]}",
             "{name: late, kind: forward, device: cpu:0, deps: [fc], samples: [0.000015]}",
             "{name: gradients/loss_grad/Fill, kind: backward, device: cpu:0, deps: [loss, late],",
         })
    {
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
    }
}

TEST_F(TensorFlowDevices, OrdersOpsWithoutLengthByTheirInputs)
{
    TfTrace trace = MakeTrace();
    trace.nodes.push_back({W, "a", "a = Shape(z)", 285, 0});
    trace.nodes.push_back({W, "z", "z = Shape(done)", 285, 0});
    ImportOptions options = MakeOptions();
    options.order = ComputeOrder::MEASURED;
    EXPECT_NE(Print(ImportText(trace, options).profile)
                  .find("name: a, kind: compute, device: "
                        "cpu:0, deps: [z]"),
              std::string::npos);
}

} // namespace
