/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-text.h"
#include "dml-profile-words.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-importers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

const char* const ACCUMULATE = "torch::autograd::AccumulateGrad";

class DmlKinetoSteps : public testing::Test
{
  protected:
    ImportResult Import(const KinetoText& text, const ImportOptions& options = {})
    {
        return ImportKineto({m_folder.Write("trace.json", text.GetText())}, options);
    }

    ImportResult ImportLegacy(const KinetoText& text, const ImportOptions& options)
    {
        return ImportTorchLegacy({m_folder.Write("trace.json", text.GetText())}, options);
    }

    ScratchFolder m_folder;
};

/// A step of 100 us whose first forward op has inputs of these shapes, the parameter among them.
KinetoText
MakeKinetoStep(const std::string& op, const json& dims, const json& parameter)
{
    KinetoText text(KinetoForm::DECIMALS);
    text.AddNote("ProfilerStep#0", 1, 0, 100);
    text.AddOp(op, 1, 10, 10, {{"Sequence number", 1}, {"Fwd thread id", 0}, {"Input Dims", dims}});
    text.AddNode("SomeBackward0", 2, 30, 10, {{"Sequence number", 1}});
    text.AddNode(ACCUMULATE, 2, 40, 5, {{"Input Dims", json::array({parameter})}});
    return text;
}

/**
 * One pass of a linear layer of 3 x 8 and its bias, from @p at in us: linear 0-10, AddmmBackward0
 * 20-30, bias 30-32, TBackward0 32-33, weight 33-36.
 */
void
AddPass(KinetoText& text, double at, int node, const json& bias = {3})
{
    const json dims{{4, 8}, {3, 8}, {3}};
    text.AddOp("aten::linear",
               1,
               at,
               10,
               {{"Sequence number", node}, {"Fwd thread id", 0}, {"Input Dims", dims}});
    text.AddOp("aten::t", 1, at + 1, 1, {{"Sequence number", node}, {"Fwd thread id", 0}});
    text.AddOp("aten::addmm", 1, at + 3, 6, {{"Sequence number", node + 1}, {"Fwd thread id", 0}});
    text.AddNode("AddmmBackward0", 2, at + 20, 10, {{"Sequence number", node + 1}});
    text.AddNode(ACCUMULATE, 2, at + 30, 2, {{"Input Dims", json::array({bias})}});
    text.AddNode("TBackward0", 2, at + 32, 1, {{"Sequence number", node}});
    text.AddNode(ACCUMULATE, 2, at + 33, 3, {{"Input Dims", {{3, 8}}}});
}

bool
HasRule(const std::vector<std::string>& rules, const std::string& part)
{
    return std::any_of(rules.begin(), rules.end(), [&part](const std::string& rule) {
        return rule.find(part) != std::string::npos;
    });
}

using StepNames = std::vector<std::string>;

} // namespace

TEST_F(DmlKinetoSteps, BatchSizeIsNotThatOfAParameter)
{
    const json words{30522, 768};
    const ImportResult embedding =
        Import(MakeKinetoStep("aten::embedding", {words, {8, 128}, json::array()}, words));
    EXPECT_EQ(embedding.profile.batchSize, 8U);
    EXPECT_TRUE(HasRule(embedding.rules,
                        "batch size: first dimension of the first input of embedding_1 that is no "
                        "parameter (8)"));
    EXPECT_EQ(Import(MakeKinetoStep("aten::addmm", {{3}, {4, 8}, {8, 3}}, {3})).profile.batchSize,
              4U);
    EXPECT_EQ(Import(MakeKinetoStep("aten::linear", {{5, 8}, {3, 8}}, {3, 8})).profile.batchSize,
              5U);
    // A bag of indices is no sample, and of an unknown op any input may be the parameter.
    for (const char* const op : {"aten::embedding_bag", "aten::mul"})
    {
        const KinetoText text = MakeKinetoStep(op, {words, {1000}, {8}}, words);
        EXPECT_EQ(m_folder.ErrorOf([&] { Import(text); }),
                  "trace.json: ProfilerStep#0: the trace does not tell the batch size; accepted is "
                  "one given by hand (--batch-size N)");
    }
}

// Three steps of 100 us on the host, of 500 us on the GPU from 1000 on. Each has two gradients of
// 100 floats, all-reduced in a message each.
TEST_F(DmlKinetoSteps, AllReducesAreFoundIfTheGpuLagsBehind)
{
    KinetoText text(KinetoForm::DECIMALS);
    const auto kernel = [&text](const std::string& name, double start, double duration) {
        text.Add("kernel",
                 name,
                 7,
                 start,
                 duration,
                 {{"External id", text.GetId()}, {"device", 0}, {"stream", 7}});
    };
    for (int step = 0; step < 3; ++step)
    {
        const double host = 100 * step;
        const double gpu = 1000 + 500 * step;
        const int node = 10 * step + 1;
        text.AddNote("ProfilerStep#" + std::to_string(step), 1, host, 100);
        text.AddOp(
            "aten::conv2d",
            1,
            host + 10,
            10,
            {{"Sequence number", node}, {"Fwd thread id", 0}, {"Input Dims", {{4, 1}, {100}}}});
        kernel("gemm", gpu, 100);
        text.AddNode("ConvolutionBackward0", 2, host + 20, 10, {{"Sequence number", node}});
        kernel("wgrad", gpu + 100, 200);
        for (int gradient = 0; gradient < 2; ++gradient)
        {
            const double at = host + 30 + 20 * gradient;
            text.AddNode(ACCUMULATE, 2, at, 20, {{"Input Dims", {{100}}}});
            text.AddOp(
                "record_param_comms",
                2,
                at + 10,
                5,
                {{"Collective name", "allreduce"}, {"In msg nelems", 100}, {"dtype", "Float"}});
            kernel("ncclKernel_AllReduce", gpu + 300 + 100 * gradient, 100);
        }
    }
    const ImportResult result = Import(text);
    EXPECT_EQ(result.stepSeconds.size(), 3U);
    EXPECT_TRUE(HasRule(result.rules, "(6 messages, 2400 bytes, gradients 2400 bytes)"));
}

// 36-46 nothing runs, 46-50 copy, 50-60 nothing, 60-80 Optimizer.step: all before it is the
// worker's.
TEST_F(DmlKinetoSteps, IdleTimeBeforeTheOptimizerIsTheWorkers)
{
    KinetoText text(KinetoForm::DECIMALS);
    text.AddNote("ProfilerStep#0", 1, 0, 100);
    AddPass(text, 0, 1);
    text.AddOp("aten::copy_", 1, 46, 4);
    text.AddNote("Optimizer.step#SGD.step", 1, 60, 20);
    ImportOptions options;
    const ImportResult kept = Import(text, options);
    auto times = GetTimes(kept.profile);
    EXPECT_NEAR(times["compute/before-update"], 24, 1e-6);
    EXPECT_NEAR(times["update/linear_1.weight"] + times["update/linear_1.bias"], 20, 1e-6);
    EXPECT_NEAR(times["compute/after-update"], 20, 1e-6);
    EXPECT_DOUBLE_EQ(kept.unexplainedSeconds[0], 50e-6); // also 10-20
    options.idle = IdleTime::DROP;
    times = GetTimes(Import(text, options).profile);
    EXPECT_NEAR(times["compute/before-update"], 4, 1e-6);
    EXPECT_EQ(times.count("compute/after-update"), 0U);
}

// As for Execution Traces: a call during conv2d launched the kernel, whose External id is that of
// the node. Another kernel has nothing but its External id.
TEST_F(DmlKinetoSteps, CorrelationsWinOverExternalIds)
{
    KinetoText text = MakeKinetoStep("aten::conv2d", {{4, 1}, {3}}, {3});
    text.Add("cuda_runtime", "cudaLaunchKernel", 1, 15, 2, {{"correlation", 7}});
    text.Add("kernel", "gemm", 7, 20, 9, {{"correlation", 7}, {"External id", 3}, {"device", 0}});
    text.Add("kernel", "mul", 7, 40, 5, {{"correlation", 8}, {"External id", 3}, {"device", 0}});
    ImportOptions options;
    options.idle = IdleTime::DROP;
    const auto times = GetTimes(Import(text, options).profile);
    EXPECT_NEAR(times.at("forward/conv2d_1"), 9, 1e-6);
    EXPECT_NEAR(times.at("backward/conv2d_1/SomeBackward0"), 5, 1e-6);
}

TEST_F(DmlKinetoSteps, GradientsOfMicroBatchesAreOne)
{
    KinetoText text(KinetoForm::DECIMALS);
    text.AddNote("ProfilerStep#0", 1, 0, 100);
    AddPass(text, 0, 1);
    AddPass(text, 40, 11);
    text.AddNote("Optimizer.step#SGD.step", 1, 80, 20);
    ImportOptions options;
    options.idle = IdleTime::DROP;
    const ImportResult result = Import(text, options);
    const Profile& profile = result.profile;
    ASSERT_EQ(profile.tensors.size(), 2U);
    EXPECT_EQ(profile.tensors[0].name, "linear_1.weight");
    EXPECT_EQ(profile.tensors[0].bytes, 96U);
    EXPECT_EQ(profile.tensors[1].name, "linear_1.bias");
    EXPECT_EQ(profile.tensors[1].bytes, 12U);
    EXPECT_EQ(profile.batchSize, 8U); // 4 in each pass
    const std::map<std::string, double> expected{{"forward/linear_1", 10},
                                                 {"backward/linear_1/AddmmBackward0", 10},
                                                 {"backward/linear_1/AccumulateGrad", 2},
                                                 {"backward/linear_1/TBackward0", 1},
                                                 {"backward/linear_1/AccumulateGrad_2", 3},
                                                 {"forward/linear_2", 10},
                                                 {"backward/linear_2/AddmmBackward0", 10},
                                                 {"accumulate/linear_1.bias", 2},
                                                 {"backward/linear_2/TBackward0", 1},
                                                 {"accumulate/linear_1.weight", 3}};
    auto times = GetTimes(profile);
    for (const auto& [name, time] : expected)
    {
        ASSERT_EQ(times.count(name), 1U) << name;
        EXPECT_NEAR(times[name], time, 1e-6) << name;
    }
    EXPECT_EQ(times.size(), expected.size() + 2); // and the updates
    EXPECT_EQ(GetDependencies(profile, "forward/linear_1"),
              StepNames({"pull/linear_1.bias", "pull/linear_1.weight"}));
    EXPECT_EQ(GetDependencies(profile, "forward/linear_2"),
              StepNames({"backward/linear_1/AccumulateGrad_2"}));
    EXPECT_EQ(GetDependencies(profile, "push/linear_1.weight"),
              StepNames({"accumulate/linear_1.weight"}));
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_TRUE(
        HasRule(result.rules,
                "gradients added up over several backward passes: complete in the last one "
                "of a step (2 passes in the first); 2 accumulations of earlier passes count "
                "as back-propagation"));
    EXPECT_TRUE(HasRule(result.rules, "in each of 2 passes (8)"));
}

TEST_F(DmlKinetoSteps, GradientsOfMicroBatchesAreOneInLegacyTraces)
{
    KinetoText text(KinetoForm::LEGACY);
    text.AddNote("ProfilerStep#0", 1, 0, 100);
    AddPass(text, 0, 1);
    AddPass(text, 40, 11);
    text.AddNote("Optimizer.step#SGD.step", 1, 80, 20);
    ImportOptions options;
    options.batchSize = 8;
    options.sizes = {{"linear_1.weight", 96}, {"linear_1.bias", 12}};
    const Profile profile = ImportLegacy(text, options).profile;
    EXPECT_EQ(profile.tensors.size(), 2U);
    EXPECT_NEAR(GetTimes(profile)["accumulate/linear_1.weight"], 3, 1e-6);
}

TEST_F(DmlKinetoSteps, PassesThatDifferAreToldOf)
{
    const auto import = [this](const json& bias, bool isSplit) {
        KinetoText text(KinetoForm::DECIMALS);
        text.AddNote("ProfilerStep#0", 1, 0, 100);
        AddPass(text, 0, 1);
        if (isSplit)
        {
            text.AddNote("Optimizer.step#SGD.step", 1, 37, 2);
        }
        AddPass(text, 40, 11, bias);
        text.AddNote("Optimizer.step#SGD.step", 1, 80, 20);
        return Import(text);
    };
    for (const ImportResult& result : {import({3, 1}, false), import({3}, true)})
    {
        EXPECT_EQ(result.profile.tensors.size(), 4U);
        EXPECT_TRUE(HasRule(result.warnings,
                            "ProfilerStep#0: its 2 backward passes complete different gradients, "
                            "or an Optimizer.step or zero_grad is between them"));
    }
}

// Matching each node with all ops takes several times as long.
TEST_F(DmlKinetoSteps, ManyOpsAreMatchedByNameInTime)
{
    constexpr int OPS = 30000;
    KinetoText text(KinetoForm::LEGACY);
    text.AddNote("ProfilerStep#0", 1, 0, 3 * OPS + 100);
    text.AddOp("aten::linear", 1, 0, 1);
    text.AddOp("aten::t", 1, 0, 1);
    for (int i = 1; i < OPS; ++i)
    {
        text.AddOp("aten::relu", 1, i, 1);
        text.AddOp("aten::clamp_min", 1, i, 1);
        text.AddOp("ReluBackward0", 1, 2 * OPS - i, 1);
        text.AddOp("ReluBackward0", 1, 2 * OPS + i, 1); // finds no op any more
    }
    text.AddOp("TBackward0", 1, 3 * OPS, 1);
    text.AddOp(ACCUMULATE, 1, 3 * OPS + 1, 1);
    ImportOptions options;
    options.batchSize = 1;
    options.sizes = {{"linear_1.weight", 4}};
    const Profile profile = ImportLegacy(text, options).profile;
    EXPECT_EQ(GetTimes(profile).count("backward/relu_29999/ReluBackward0"), 1U);
}
