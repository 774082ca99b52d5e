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

using TensorFlowTransfers = TfImport;

TEST_F(TensorFlowTransfers, FollowsGradientsThroughOpsOfServers)
{
    // w's gradient is clipped on the ps, 382-387, before its update; b's is read by no update.
    TfTrace trace = MakeTrace();
    trace.nodes.push_back({P, "clip", "clip = Minimum(gradients/w_grad/d_S5, limit)", 382, 5});
    trace.nodes[15] = {P, "sgd/w", "sgd/w = ApplyMomentum(w, momentum, rate, clip)", 387, 8};
    trace.nodes[16] = {P, "count", "count = AssignAdd(global_step, one)", 390, 6};
    const ImportResult result = ImportText(trace);
    EXPECT_DOUBLE_EQ(GetSeconds(result.profile, "update/w"), 13e-6);
    EXPECT_EQ(Print(result.profile).find("update/b"), std::string::npos);
    // The name of b's gradient tells its variable.
    EXPECT_EQ(GetOp(result.profile, "push/b").tensor, GetOp(result.profile, "pull/b").tensor);
    EXPECT_TRUE(Tell(result.rules, "of these by name 1"));
}

TEST_F(TensorFlowTransfers, PullsResourceVariablesOnce)
{
    TfTrace trace = MakeTrace();
    trace.nodes[9].label = "w = VarHandleOp()";
    trace.nodes[11] = {P, "one/Read", "one/Read = ReadVariableOp(w)", 3, 1};
    trace.nodes.push_back({P, "two/Read", "two/Read = ReadVariableOp(w)", 3, 1});
    trace.nodes[1].label = MakeReceiveLabel("1000B", "one/Read", true);
    trace.nodes[2].label = MakeReceiveLabel("1000B", "two/Read", true);
    trace.nodes[2].bytes = 1000;
    trace.nodes[3].label = "fc = MatMul(one/Read_S1, two/Read_S3)";
    const ImportResult result = ImportText(trace);
    ASSERT_EQ(result.profile.tensors.size(), 2u);
    EXPECT_EQ(result.profile.tensors[0].name, "w");
    EXPECT_EQ(result.profile.graph.GetDependencies(1).size(), 1u);
    EXPECT_EQ(result.transfers.size(), 4u);
    EXPECT_TRUE(Tell(result.rules, "(1 more)"));
}

TEST_F(TensorFlowTransfers, MatchesReceivesOfTimelines)
{
    const ImportResult result = ImportTimeline(MakeTrace().MakeTimeline().dump(), MakeSizes());
    // Pulls are read by one op, in any order. Push b ends at 390, after update w has started.
    EXPECT_TRUE(Tell(result.rules, "(4 matched, 2 of them in the only possible way;"));
    ASSERT_EQ(result.transfers.size(), 4u);
    EXPECT_EQ(result.transfers[3].tensor, "b");
    EXPECT_EQ(result.transfers[3].sender, "/job:worker/replica:0/task:0");

    // A tensor fetched by the client at the end is read by nobody.
    TfTrace trace = MakeTrace();
    trace.nodes.insert(trace.nodes.begin() + 9, {W, "RecvTensor", "", 390, 5});
    const ImportResult fetched = ImportTimeline(trace.MakeTimeline().dump(), MakeSizes());
    EXPECT_EQ(Print(fetched.profile), PROFILE);
    EXPECT_TRUE(Tell(fetched.warnings, "1 RecvTensor are left out"));
}

TEST_F(TensorFlowTransfers, TakesLabelsOfTimelines)
{
    // Labels that contradict the order: b comes before w.
    auto timeline = MakeTrace().MakeTimeline();
    int receive = 0;
    for (auto& event : timeline["traceEvents"])
    {
        if (event["name"] == "RecvTensor" && receive++ < 2)
        {
            event["args"]["tensor"] = receive == 1 ? "b/read" : "w/read";
            event["args"]["bytes"] = receive == 1 ? "44" : "1004";
        }
    }
    const ImportResult result = ImportTimeline(timeline.dump(), MakeOptions());
    EXPECT_EQ(result.profile.tensors[0].name, "b");
    EXPECT_EQ(result.profile.tensors[0].bytes, 44u);
    EXPECT_EQ(result.profile.tensors[1].bytes, 1004u);
    EXPECT_TRUE(Tell(result.rules, "(2 matched, 2 of them in the only possible way;"));
}

TEST_F(TensorFlowTransfers, EstimatesSizesFromTheRate)
{
    ImportOptions options = MakeOptions();
    options.rate = 8000000; // 1 byte/us
    const ImportResult result = ImportTimeline(MakeTrace().MakeTimeline().dump(), options);
    // w: 10-110 pulled, 240-380 pushed: 100 bytes. b: 110-120 pulled, 380-390 pushed: 10 bytes,
    // rounded to whole floats.
    EXPECT_EQ(result.profile.tensors[0].bytes, 100u);
    EXPECT_EQ(result.profile.tensors[1].bytes, 12u);
    EXPECT_TRUE(Tell(result.rules, "push (2)"));
}

TEST_F(TensorFlowTransfers, TakesRoundedSizesForWantOfBetter)
{
    TfTrace trace = MakeTrace();
    for (TfTraceNode& node : trace.nodes)
    {
        node.bytes = 0;
        const auto at = node.label.find("[1000B]");
        if (at != std::string::npos)
        {
            node.label.replace(at, 7, "[4.3MB]");
        }
    }
    const ImportResult result = ImportText(trace);
    EXPECT_EQ(result.profile.tensors[0].bytes, 4508877u); // 4.3 * 2^20
    EXPECT_EQ(result.profile.tensors[1].bytes, 40u);
    EXPECT_TRUE(Tell(result.warnings, "1 tensors have sizes rounded to 0.1 MiB"));
    EXPECT_EQ(ImportText(trace, MakeSizes()).profile.tensors[0].bytes, 1000u);
}

TEST_F(TensorFlowTransfers, TellsGradientsFromLearningRates)
{
    // The worker sends the rate as well, which is the first input of the update that it sent.
    TfTrace trace = MakeTrace();
    trace.nodes[15].label = "sgd/w = ApplyGradientDescent(w, rate_S9, gradients/w_grad/d_S5)";
    trace.nodes.insert(trace.nodes.begin() + 13,
                       {P, "RecvTensor", MakeReceiveLabel("4B", "rate", false), 235, 3, 4});
    const auto check = [](const ImportResult& result) {
        const Op& push = GetOp(result.profile, "push/w");
        EXPECT_EQ(result.profile.tensors[push.tensor].name, "w");
        EXPECT_EQ(result.profile.tensors[push.tensor].bytes, 1000u);
        EXPECT_EQ(result.transfers[2].tensor, "rate");
        EXPECT_EQ(result.transfers[2].bytes, 4u);
        EXPECT_EQ(result.transfers[3].tensor, "w");
        EXPECT_TRUE(Tell(result.warnings, "1 tensors were pushed that no update and no name"));
    };
    trace.nodes[16].label = "sgd/w = ApplyGradientDescent(w, rate_S9, gradients/w_grad/d_S5)";
    check(ImportText(trace));
    // The rate comes directly, the gradient is clipped.
    TfTrace clipped = trace;
    clipped.nodes.push_back({P, "clip", "clip = Minimum(gradients/w_grad/d_S5, limit)", 381, 1});
    clipped.nodes[16].label = "sgd/w = ApplyGradientDescent(w, rate_S9, clip)";
    check(ImportText(clipped));
    // Without a scope "gradients" the place of the input tells.
    std::string text = trace.MakeText();
    for (auto at = text.find("gradients/w_grad/d"); at != std::string::npos;
         at = text.find("gradients/w_grad/d"))
    {
        text.replace(at, 18, "delta");
    }
    check(ImportText({text}));
}

TEST_F(TensorFlowTransfers, TakesTheSizeThatWasPulled)
{
    // The ps sent 1000 bytes and received 600, in both orders of devices in the file.
    TfTrace trace = MakeTrace();
    trace.nodes[13].bytes = 600;
    for (int i = 0; i < 2; ++i)
    {
        const ImportResult result = ImportText(trace);
        EXPECT_EQ(result.profile.tensors[0].bytes, 1000u);
        EXPECT_TRUE(Tell(result.warnings, "the size pulled counts"));
        std::rotate(trace.nodes.begin(), trace.nodes.begin() + 9, trace.nodes.end());
    }
}

} // namespace
