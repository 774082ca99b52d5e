/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-import.h"

#include <cctype>
#include <string>

using namespace tftest;

namespace
{

using TensorFlowImporter = TfImport;

TEST_F(TensorFlowImporter, MakesTheSameProfileOfEachForm)
{
    const ImportResult text = ImportText(MakeTrace());
    EXPECT_EQ(Print(text.profile), PROFILE);
    EXPECT_EQ(text.profile.model, "linear");
    EXPECT_EQ(text.profile.batchSize, 4u);
    EXPECT_TRUE(text.warnings.empty()) << text.warnings.front();
    ASSERT_EQ(text.stepSeconds.size(), 1u);
    EXPECT_DOUBLE_EQ(text.stepSeconds[0], 396e-6);
    EXPECT_DOUBLE_EQ(text.unexplainedSeconds[0], 20e-6);
    EXPECT_EQ(text.bytesRead, MakeTrace().MakeText().size());

    EXPECT_EQ(Print(ImportText({MakeTrace().MakeBinary()}).profile), PROFILE);
    EXPECT_EQ(Print(ImportTimeline(MakeTrace().MakeTimeline().dump(), MakeSizes()).profile),
              PROFILE);
    EXPECT_EQ(Print(ImportTimeline(MakeTrace().MakeTimeline().dump(2), MakeSizes()).profile),
              PROFILE);
}

TEST_F(TensorFlowImporter, StatesItsRules)
{
    const auto rules = ImportText(MakeTrace()).rules;
    EXPECT_TRUE(Tell(rules, "worker: /job:worker/replica:0/task:0, the only one"));
    EXPECT_TRUE(Tell(rules,
                     "gradients_<n> (3), compute are others that wait for one (1), all "
                     "others are forward (2)"));
    // fc 2, loss 1, Fill 1, w's gradient 2, b's 1, done 1; "axis" is not recorded.
    EXPECT_TRUE(Tell(rules,
                     "/_<n> (8); inputs without a record, as constants and feeds, are "
                     "ignored (1)"));
    EXPECT_TRUE(Tell(rules,
                     "1 ops of the worker without work, as NoOp (0.001 ms in sum), and 4 "
                     "ops of ps that apply no gradient, as reads of variables (0.005 ms"));
    EXPECT_TRUE(Tell(rules, "recorded bytes (2)"));
}

TEST_F(TensorFlowImporter, TakesEachFileAsAStep)
{
    TfTrace second = MakeTrace();
    second.nodes[4].length = 25; // loss, which the next op then overlaps
    const ImportResult result = ImportText({MakeTrace().MakeText(), second.MakeBinary()});
    EXPECT_EQ(result.profile.GetSampleCount(), 2u);
    EXPECT_DOUBLE_EQ(GetSeconds(result.profile, "loss", 0), 20e-6);
    EXPECT_DOUBLE_EQ(GetSeconds(result.profile, "loss", 1), 25e-6);
    // 5 us of 160 us is more than 1 %.
    EXPECT_EQ(result.profile.devices[0].slots, 2u);
}

TEST_F(TensorFlowImporter, KnowsOldNames)
{
    TfTrace trace = MakeTrace();
    for (TfTraceNode& node : trace.nodes)
    {
        for (std::string* text : {&node.device, &node.label})
        {
            for (auto at = text->find("device:CPU"); at != std::string::npos;
                 at = text->find("device:CPU"))
            {
                text->replace(at, 10, "cpu");
            }
            for (auto at = text->find("_S"); at != std::string::npos; at = text->find("_S", at + 1))
            {
                if (std::isdigit(static_cast<unsigned char>((*text)[at + 2])) != 0)
                {
                    text->replace(at, 2, "/_");
                }
            }
        }
    }
    ASSERT_NE(trace.MakeText().find("w/read/_1, b/read/_3"), std::string::npos);
    EXPECT_EQ(Print(ImportText(trace).profile), PROFILE);
    EXPECT_EQ(Print(ImportTimeline(trace.MakeTimeline().dump(), MakeSizes()).profile), PROFILE);
}

TEST_F(TensorFlowImporter, ChoosesAWorker)
{
    // A second worker that computes in half the time, with the same ps.
    TfTrace trace = MakeTrace();
    const TfTrace first = MakeTrace();
    for (TfTraceNode node : first.nodes)
    {
        const bool isPush = node.device == P && node.name == "RecvTensor";
        if (node.device == W || isPush || node.name.rfind("sgd", 0) == 0)
        {
            for (std::string* text : {&node.device, &node.name, &node.label})
            {
                const std::string task = "worker/replica:0/task:";
                for (auto at = text->find(task); at != std::string::npos;
                     at = text->find(task, at + 1))
                {
                    (*text)[at + task.size()] = '1';
                }
                for (auto at = text->find("gradients/"); at != std::string::npos;
                     at = text->find("gradients/", at + 5))
                {
                    text->replace(at, 9, "gradients_1");
                }
            }
            node.name += node.name.rfind("sgd", 0) == 0 ? "_1" : "";
            node.length /= node.name == "fc" ? 2 : 1;
            trace.nodes.push_back(node);
        }
    }
    const ImportResult chosenFirst = ImportText(trace);
    EXPECT_EQ(Print(chosenFirst.profile), PROFILE);
    EXPECT_TRUE(Tell(chosenFirst.rules, "task:0, the first of 2"));

    for (const char* name : {"worker:1", "/job:worker/replica:0/task:1"})
    {
        ImportOptions options = MakeOptions();
        options.worker = name;
        const ImportResult second = ImportText(trace, options);
        EXPECT_EQ(second.profile.graph.GetSize(), 12u);
        EXPECT_DOUBLE_EQ(GetSeconds(second.profile, "fc"), 35e-6);
        EXPECT_EQ(GetOp(second.profile, "gradients_1/w_grad/d").kind, OpKind::BACKWARD);
        EXPECT_EQ(second.transfers.back().sender, "/job:worker/replica:0/task:1");
    }
    ImportOptions options = MakeOptions();
    options.worker = "worker:2";
    EXPECT_EQ(TextError(trace.MakeText(), options),
              "step0: found no worker 'worker:2'; accepted: /job:worker/replica:0/task:0, "
              "/job:worker/replica:0/task:1");
}

TEST_F(TensorFlowImporter, UnrollsLoops)
{
    // "step" runs three times and reads itself through a NextIteration that starts after it.
    TfTrace trace = MakeTrace();
    trace.nodes[3].label = "fc = MatMul(w/read_S1, b/read_S3)";
    for (int i = 0; i < 3; ++i)
    {
        trace.nodes.insert(trace.nodes.begin() + 4,
                           {{W, "step", "step = Merge(fc, next)", 140 + 10 * i, 4},
                            {W, "next", "next = NextIteration(step)", 145 + 10 * i, 2}});
    }
    const std::string text = Print(ImportText(trace).profile);
    EXPECT_NE(text.find("{name: step, kind: forward, device: cpu:0, deps: [fc],"),
              std::string::npos);
    EXPECT_NE(text.find("{name: step(2), kind: forward, device: cpu:0, deps: [fc, next],"),
              std::string::npos);
    EXPECT_NE(text.find("{name: next(3), kind: forward, device: cpu:0, deps: [step(3)],"),
              std::string::npos);
}

TEST_F(TensorFlowImporter, RefusesWhatIsNoTraining)
{
    TfTrace trace = MakeTrace();
    trace.nodes.erase(trace.nodes.begin(), trace.nodes.begin() + 9);
    EXPECT_EQ(TextError(trace.MakeText()),
              "step0: found no machine but parameter servers that computed; accepted: a trace of a "
              "training step; such ones with 'import job', beside those of workers");
    ImportOptions options;
    EXPECT_NE(TextError(MakeTrace().MakeText(), options).find("batch size"), std::string::npos);
}

TEST_F(TensorFlowImporter, FollowsInputsPastReceiveRecords)
{
    // The partitioner's nodes are recorded too: of a pull, and between two devices of the worker.
    TfTrace trace = MakeTrace();
    const std::string gpu = "/job:worker/replica:0/task:0/device:GPU:0";
    trace.nodes[4].label = "loss = Sum(fc_S8, axis)";
    trace.nodes.push_back({W, "w/read_S1", "w/read_S1 = _Recv()", 111, 1});
    trace.nodes.push_back({gpu, "fc_S8", "fc_S8 = _HostRecv()", 179, 1});
    const ImportResult result = ImportText(trace);
    EXPECT_EQ(Print(result.profile), PROFILE);
    EXPECT_EQ(Print(ImportTimeline(trace.MakeTimeline().dump(), MakeSizes()).profile), PROFILE);
    EXPECT_EQ(result.transfers[0].used, (TfTrace::EPOCH + 130) * 1000);
}

TEST_F(TensorFlowImporter, RefusesWhatAProfileCannotHold)
{
    // Two ops of one update, together longer than 1e6 s.
    TfTrace trace = MakeTrace();
    const int64_t most = 1000000000000;
    trace.nodes[15] = {P, "sgd/w", "sgd/w = ApplyMomentum(w, momentum, rate, clip)", 387, most};
    trace.nodes.push_back({P, "clip", "clip = Minimum(gradients/w_grad/d_S5, limit)", 382, 5});
    EXPECT_EQ(
        TextError(trace.MakeText()),
        "step0: found an update of 'w' that takes more than 1e6 s up to 'sgd/w'; accepted: at "
        "most 1e6 s");
    trace = MakeTrace();
    trace.nodes[8].start = 2 * most;
    EXPECT_EQ(TextError(trace.MakeText()).substr(0, 17), "step0: found 'pul");
    trace = MakeTrace();
    trace.nodes[16].start = most;
    EXPECT_EQ(
        TextError(trace.MakeText()),
        "step0: found 'update/b' in a step of more than 1e6 s; accepted: a step of at most 1e6 "
        "s");
    trace.nodes[16].start = 2 * most;
    EXPECT_EQ(
        TextError(trace.MakeText()),
        "step0: found 'update/b' on /job:ps/replica:0/task:0 more than 1e6 s from the worker's "
        "ops; accepted: a step of at most 1e6 s");
}

} // namespace
