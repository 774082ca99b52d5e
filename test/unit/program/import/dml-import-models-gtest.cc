/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Files of different models are not one profile, and sequences are no samples.

#include "dml-kineto-text.h"
#include "dml-nanoseconds.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-import-formats.h"
#include "ns3/dml-step-merger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A step of 10 ms that pulls and updates some tensors.
MeasuredStep
MakeModelStep(const std::string& place, const std::vector<std::string>& tensors)
{
    MeasuredStep step{place, 0, 10 * MS, {}};
    for (const auto& tensor : tensors)
    {
        step.ops.push_back({"pull/" + tensor, OpKind::PULL, "", tensor, {}, 0, 0});
        step.ops.push_back(
            {"update/" + tensor, OpKind::UPDATE, "", tensor, {"pull/" + tensor}, 0, 10 * MS});
    }
    return step;
}

MeasuredJob
MakeModelJob(const std::vector<MeasuredStep>& steps)
{
    MeasuredJob job;
    job.model = "test";
    job.batchSize = 1;
    job.tensors = {{"conv", 4}, {"fc", 4}, {"lstm", 4}};
    job.devices = {{"cpu", 1}};
    job.steps = steps;
    return job;
}

TEST(ImportModels, StepsOfDifferentModelsAreRefused)
{
    const ScratchFolder folder;
    EXPECT_EQ(folder.ErrorOf([] {
        MergeSteps(MakeModelJob({MakeModelStep("a.json", {"conv", "fc"}),
                                 MakeModelStep("b.json", {"conv", "fc"}),
                                 MakeModelStep("c.json", {"conv", "lstm"})}),
                   {});
    }),
              "c.json: found the tensor 'lstm' and no 'fc', where a.json has 'fc' and no 'lstm'; "
              "accepted: steps of one model");
}

// A step that was cut, or had more to do, is left out as before.
TEST(ImportModels, StepsThatLackOrAddSomethingAreLeftOut)
{
    const auto result = MergeSteps(MakeModelJob({MakeModelStep("a", {"conv", "fc"}),
                                                 MakeModelStep("b", {"conv", "fc"}),
                                                 MakeModelStep("cut", {"conv"}),
                                                 MakeModelStep("more", {"conv", "fc", "lstm"})}),
                                   {});
    EXPECT_EQ(result.profile.GetSampleCount(), 2U);
    EXPECT_EQ(result.warnings.size(), 2U);
}

/// Add a training step of one layer with a parameter of some floats.
void
AddModelStep(KinetoText& text, int number, int floats)
{
    const int start = 100 * number;
    text.AddNote("ProfilerStep#" + std::to_string(number), 1, start, 100);
    text.AddOp("aten::linear",
               1,
               start + 10,
               20,
               {{"Sequence number", number + 1},
                {"Input Dims", {{2, floats}, {1, floats}, nlohmann::json::array()}},
                {"Input type", {"float", "float", ""}}});
    text.AddNode("AddmmBackward0", 2, start + 40, 10, {{"Sequence number", number + 1}});
    text.AddNode("torch::autograd::AccumulateGrad",
                 2,
                 start + 55,
                 5,
                 {{"Input Dims", {{1, floats}}}, {"Input type", {"float"}}});
    text.AddNote("Optimizer.step#SGD.step", 1, start + 70, 20);
}

std::string
MakeModelTrace(int floats)
{
    KinetoText text(KinetoForm::CPU_OP);
    AddModelStep(text, 0, floats);
    return text.GetText();
}

TEST(ImportModels, TracesOfDifferentModelsAreRefused)
{
    const ScratchFolder folder;
    const auto a = folder.Write("a.json", MakeModelTrace(8));
    const auto b = folder.Write("b.json", MakeModelTrace(8));
    const auto c = folder.Write("c.json", MakeModelTrace(16));
    ImportOptions options;
    options.batchSize = 2;
    EXPECT_EQ(ImportTrace("kineto", {a, b}, options).profile.GetSampleCount(), 2U);
    const std::string error = folder.ErrorOf([&] { ImportTrace("kineto", {a, b, c}, options); });
    const std::string name = ImportTrace("kineto", {a}, options).profile.tensors.front().name;
    EXPECT_EQ(error,
              "c.json: found '" + name + "' of 64 bytes where a.json has '" + name +
                  "' of 32 bytes (1 tensor and 1); accepted: traces of one model");
}

/// A chain of the input, a layer and a classifier with an activation of 1504 samples of 10 floats.
std::string
MakeGraph(const std::string& layer)
{
    return "node1 -- Input -- forward_compute_time=1.000, backward_compute_time=0.000, "
           "activation_size=48.000, parameter_size=0.000\n"
           "node2 -- " +
           layer +
           " -- forward_compute_time=2.000, backward_compute_time=4.000, activation_size=64.000, "
           "parameter_size=64.000\n"
           "node3 -- Linear(in_features=4, out_features=10, bias=True) -- "
           "forward_compute_time=1.000, backward_compute_time=2.000, activation_size=60160.000, "
           "parameter_size=200.000\n"
           "\tnode1 -- node2\n\tnode2 -- node3\n";
}

// GNMT: batches of 32 sentences of 47 words are 1504 rows for the classifier.
TEST(ImportModels, SequencesMayBeNoSamples)
{
    const ScratchFolder folder;
    const auto gnmt = folder.Write("gnmt.graph.txt", MakeGraph("LSTM(1024, 1024)"));
    const auto result = ImportTrace("pipedream", {gnmt}, {});
    EXPECT_EQ(result.profile.batchSize, 1504U);
    EXPECT_EQ(result.warnings,
              std::vector<std::string>{"batch size 1504 may be that times the length of a "
                                       "sequence, as the model has LSTM layers; --batch-size N "
                                       "gives the right one"});
    ImportOptions given;
    given.batchSize = 32;
    const auto right = ImportTrace("pipedream", {gnmt}, given);
    EXPECT_EQ(right.profile.batchSize, 32U);
    EXPECT_EQ(right.warnings.size(), 1U); // that the file says something else
    const auto plain = folder.Write("plain.graph.txt", MakeGraph("Conv2d(3, 4)"));
    EXPECT_TRUE(ImportTrace("pipedream", {plain}, {}).warnings.empty());
}

// The warning says which tensor it is where steps have as many.
TEST(ImportModels, StepsWithATensorOfAnotherSizeAreLeftOut)
{
    const ScratchFolder folder;
    KinetoText text(KinetoForm::CPU_OP);
    AddModelStep(text, 0, 3);
    AddModelStep(text, 1, 5);
    AddModelStep(text, 2, 3);
    const auto file = folder.Write("t.json", text.GetText());
    const ImportResult result = ImportKineto({file}, {});
    EXPECT_EQ(result.stepSeconds.size(), 2U);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0],
              file + ": ProfilerStep#1 is left out: it has other tensors than most steps "
                     "('linear_1.weight' of 20 bytes, most have 'linear_1.weight' of 12)");
}

} // namespace
