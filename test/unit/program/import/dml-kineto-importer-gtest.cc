/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-text.h"
#include "dml-profile-words.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
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

/*
 * Two steps of a convolution and a linear layer. In microseconds from the start of a step:
 *   data loader 2-10, zero_grad 10-14, copy 15-17
 *   conv2d 20-40 (node 10), add_ 41-42 (creates nothing), linear 45-60 (nodes 11 and 12)
 *   Addmm 65-80, linear.bias 80-82, T 83-84, linear.weight 84-86,
 *   Convolution 90-120, conv2d.bias 120-123, conv2d.weight 124-126
 *   Optimizer.step 130-190: add_ on conv2d.weight 132-140, conv2d.bias 140-145,
 *                           linear.weight 150-170, linear.bias 170-180
 *   item 192-195, end of the step 200
 * The second step starts at 1000 and its convolution is 5 us longer, so that it ends at 205.
 */
void
AddStep(KinetoText& text, int number, const json& types)
{
    const double at = number * 1000;
    const double more = number * 5;
    const int node = number * 100;
    const auto sequence = [node](int n) {
        return json{{"Sequence number", node + n}, {"Fwd thread id", 0}};
    };
    const auto with = [](json arguments, const json& dims) {
        arguments["Input Dims"] = dims;
        return arguments;
    };
    const json conv{{4, 1, 6, 6}, {2, 1, 3, 3}, {2}};
    text.AddNote("ProfilerStep#" + std::to_string(number), 1, at, 200 + more);
    text.AddNote("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, at + 2, 8);
    text.AddNote("Optimizer.zero_grad#SGD.zero_grad", 1, at + 10, 4);
    text.AddOp("aten::copy_", 1, at + 15, 2);
    text.AddNote("## forward ##", 1, at + 19, 43);
    text.AddOp("aten::conv2d", 1, at + 20, 20, with(sequence(10), conv));
    text.AddOp("aten::convolution", 1, at + 21, 18, with(sequence(10), conv));
    text.AddOp("aten::add_", 1, at + 41, 1, sequence(11));
    text.AddOp("aten::linear", 1, at + 45, 15, with(sequence(11), {{4, 8}, {3, 8}, {3}}));
    text.AddOp("aten::t", 1, at + 46, 2, with(sequence(11), {{3, 8}}));
    text.AddOp("aten::addmm", 1, at + 49, 10, with(sequence(12), {{3}, {4, 8}, {8, 3}}));
    const auto accumulate = [&](double start, double duration, const json& shape) {
        json arguments{{"Input Dims", json::array({shape})}};
        if (!types.is_null())
        {
            arguments["Input type"] = types;
        }
        text.AddNode("torch::autograd::AccumulateGrad", 2, at + start, duration, arguments);
    };
    const auto run = [&](const std::string& name, int n, double start, double duration) {
        text.AddNode(name, 2, at + start, duration, {{"Sequence number", node + n}});
    };
    run("AddmmBackward0", 12, 65, 15);
    accumulate(80, 2, {3});
    run("TBackward0", 11, 83, 1);
    accumulate(84, 2, {3, 8});
    run("ConvolutionBackward0", 10, 90, 30 + more);
    accumulate(120 + more, 3, {2});
    accumulate(124 + more, 2, {2, 1, 3, 3});
    const double end = at + more;
    text.AddNote("Optimizer.step#SGD.step", 1, end + 130, 60);
    text.AddOp("aten::add_", 1, end + 132, 8, {{"Input Dims", {{2, 1, 3, 3}, {2, 1, 3, 3}}}});
    text.AddOp("aten::add_", 1, end + 140, 5, {{"Input Dims", {{2}, {2}}}});
    text.AddOp("aten::add_", 1, end + 150, 20, {{"Input Dims", {{3, 8}, {3, 8}}}});
    text.AddOp("aten::add_", 1, end + 170, 10, {{"Input Dims", {{3}, {3}}}});
    text.AddOp("aten::item", 1, end + 192, 3);
}

std::string
MakeKinetoTrace(KinetoForm form, const json& types = json::array({"float"}))
{
    KinetoText text(form);
    AddStep(text, 0, types);
    AddStep(text, 1, types);
    return text.GetText();
}

std::vector<std::string>
GetNames(const Profile& profile)
{
    std::vector<std::string> names;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        names.push_back(profile.graph.Get(op).name);
    }
    return names;
}

using Names = std::vector<std::string>;

class DmlKinetoForms : public testing::TestWithParam<KinetoForm>
{
  protected:
    ImportResult Import(const ImportOptions& options = {})
    {
        return ImportKineto({m_folder.Write("trace.json", MakeKinetoTrace(GetParam()))}, options);
    }

    ScratchFolder m_folder;
};

class DmlKineto : public testing::Test
{
  protected:
    ImportResult Import(const std::string& text, const ImportOptions& options = {})
    {
        return ImportKineto({m_folder.Write("trace.json", text)}, options);
    }

    std::string ErrorOf(const std::string& text, const ImportOptions& options = {})
    {
        return m_folder.ErrorOf([&] { Import(text, options); });
    }

    ScratchFolder m_folder;
};

} // namespace

// Each op lasts as long as it was recorded; what did not create a node counts to the op after it:
// add_ to linear. The optimizer's 2 us before its first op and 10 us after its last count to the
// tensors next to them, and 145-150 to linear.weight.
TEST_P(DmlKinetoForms, TellOpsAsRecorded)
{
    ImportOptions options;
    options.idle = IdleTime::DROP;
    const ImportResult result = Import(options);
    EXPECT_EQ(result.profile.batchSize, 4U);
    std::map<std::string, double> expected{{"compute/before-zero_grad", 8},
                                           {"compute/zero_grad", 4},
                                           {"compute/before-forward", 2},
                                           {"forward/conv2d_1", 20},
                                           {"forward/linear_1", 16},
                                           {"backward/linear_1/AddmmBackward0", 15},
                                           {"accumulate/linear_1.bias", 2},
                                           {"backward/linear_1/TBackward0", 1},
                                           {"accumulate/linear_1.weight", 2},
                                           {"backward/conv2d_1/ConvolutionBackward0", 30},
                                           {"accumulate/conv2d_1.weight", 2},
                                           {"accumulate/conv2d_1.bias", 3},
                                           {"update/conv2d_1.weight", 10},
                                           {"update/conv2d_1.bias", 5},
                                           {"update/linear_1.weight", 25},
                                           {"update/linear_1.bias", 20},
                                           {"compute/after-update", 3}};
    ExpectTimes(result.profile, 0, expected);
    expected["backward/conv2d_1/ConvolutionBackward0"] = 35;
    ExpectTimes(result.profile, 1, expected);
    ASSERT_EQ(result.stepSeconds.size(), 2U);
    EXPECT_DOUBLE_EQ(result.stepSeconds[0], 200e-6);
    EXPECT_DOUBLE_EQ(result.stepSeconds[1], 205e-6);
    EXPECT_DOUBLE_EQ(result.unexplainedSeconds[0], 32e-6);
    EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();
}

// Idle: 0-2, 14-15, 17-20, 40-41 and 42-45, 60-65, 82-83, 86-90, 123-124, 126-130, 190-192,
// 195-200. All of it counts, so the ops add up to the step; what is before Optimizer.step is the
// worker's, not the first update's.
TEST_P(DmlKinetoForms, KeepIdleTimeByDefault)
{
    const ImportResult result = Import();
    ExpectTimes(result.profile,
                0,
                {{"compute/before-zero_grad", 10},
                 {"compute/zero_grad", 4},
                 {"compute/before-forward", 3},
                 {"forward/conv2d_1", 23},
                 {"forward/linear_1", 20},
                 {"backward/linear_1/AddmmBackward0", 20},
                 {"accumulate/linear_1.bias", 2},
                 {"backward/linear_1/TBackward0", 2},
                 {"accumulate/linear_1.weight", 2},
                 {"backward/conv2d_1/ConvolutionBackward0", 34},
                 {"accumulate/conv2d_1.weight", 3},
                 {"accumulate/conv2d_1.bias", 3},
                 {"compute/before-update", 4},
                 {"update/conv2d_1.weight", 10},
                 {"update/conv2d_1.bias", 5},
                 {"update/linear_1.weight", 25},
                 {"update/linear_1.bias", 20},
                 {"compute/after-update", 10}});
    double sum = 0;
    for (const auto& [name, time] : GetTimes(result.profile, 0))
    {
        sum += time;
    }
    EXPECT_NEAR(sum, 200, 1e-6);
    // 60 us in the first step, 60 us in the second one, of 405 us
    EXPECT_EQ(result.replayCaveat,
              "updates, 29.6 % of the step, ran after back-propagation when it was recorded and "
              "overlap with it on a parameter server");
}

TEST_P(DmlKinetoForms, TellTensorsAndOrder)
{
    const Profile profile = Import().profile;
    EXPECT_EQ(SizesOf(profile),
              (TensorSizes{{"conv2d_1.weight", 2 * 1 * 3 * 3 * 4},
                           {"conv2d_1.bias", 2 * 4},
                           {"linear_1.weight", 3 * 8 * 4},
                           {"linear_1.bias", 3 * 4}}));
    // Accumulations of one layer are listed as its tensors are, and pushes as gradients were ready.
    EXPECT_EQ(GetNames(profile),
              Names({"pull/conv2d_1.weight",       "pull/conv2d_1.bias",
                     "pull/linear_1.weight",       "pull/linear_1.bias",
                     "compute/before-zero_grad",   "compute/zero_grad",
                     "compute/before-forward",     "forward/conv2d_1",
                     "forward/linear_1",           "backward/linear_1/AddmmBackward0",
                     "accumulate/linear_1.bias",   "backward/linear_1/TBackward0",
                     "accumulate/linear_1.weight", "backward/conv2d_1/ConvolutionBackward0",
                     "accumulate/conv2d_1.weight", "accumulate/conv2d_1.bias",
                     "compute/before-update",      "compute/after-update",
                     "push/linear_1.bias",         "push/linear_1.weight",
                     "push/conv2d_1.weight",       "push/conv2d_1.bias",
                     "update/conv2d_1.weight",     "update/conv2d_1.bias",
                     "update/linear_1.weight",     "update/linear_1.bias"}));
    EXPECT_EQ(GetDependencies(profile, "forward/linear_1"),
              Names({"forward/conv2d_1", "pull/linear_1.bias", "pull/linear_1.weight"}));
    EXPECT_EQ(GetDependencies(profile, "compute/before-zero_grad"), Names());
    EXPECT_EQ(GetDependencies(profile, "backward/linear_1/AddmmBackward0"),
              Names({"forward/linear_1"}));
    EXPECT_EQ(GetDependencies(profile, "accumulate/conv2d_1.bias"),
              Names({"accumulate/conv2d_1.weight"}));
    EXPECT_EQ(GetDependencies(profile, "push/conv2d_1.bias"), Names({"accumulate/conv2d_1.bias"}));
    EXPECT_EQ(GetDependencies(profile, "update/conv2d_1.bias"), Names({"push/conv2d_1.bias"}));
}

INSTANTIATE_TEST_SUITE_P(All,
                         DmlKinetoForms,
                         testing::Values(KinetoForm::OPERATOR,
                                         KinetoForm::CPU_OP,
                                         KinetoForm::DECIMALS));

TEST_F(DmlKineto, HalfPrecisionHasTwoBytes)
{
    const auto text = MakeKinetoTrace(KinetoForm::CPU_OP, json::array({"c10::Half"}));
    EXPECT_EQ(Import(text).profile.tensors[0].bytes, 36U);
}

TEST_F(DmlKineto, TypesMissingAreTakenAsFloatsAndToldSo)
{
    const ImportResult result = Import(MakeKinetoTrace(KinetoForm::CPU_OP, nullptr));
    EXPECT_EQ(result.profile.tensors[0].bytes, 72U);
    EXPECT_EQ(std::count(result.rules.begin(),
                         result.rules.end(),
                         "element type: 4 bytes where the trace tells none (8 of 8)"),
              1);
}

TEST_F(DmlKineto, StepsAtTheStartMayBeLeftOut)
{
    ImportOptions options;
    options.skip = 1;
    const ImportResult result = Import(MakeKinetoTrace(KinetoForm::CPU_OP), options);
    ASSERT_EQ(result.stepSeconds.size(), 1U);
    EXPECT_DOUBLE_EQ(result.stepSeconds[0], 205e-6);
    options.skip = 2;
    EXPECT_EQ(ErrorOf(MakeKinetoTrace(KinetoForm::CPU_OP), options),
              "trace.json: has 2 steps, of which 2 are to be left out; accepted are fewer");
}

// Without ProfilerStep#N the first step starts with the first event (2) and ends with
// Optimizer.step (190), the second lasts from there to 1195.
TEST_F(DmlKineto, StepsAreFoundByTheOptimizer)
{
    json file = json::parse(MakeKinetoTrace(KinetoForm::CPU_OP));
    auto& events = file["traceEvents"];
    events.erase(std::remove_if(events.begin(),
                                events.end(),
                                [](const json& event) {
                                    return event["name"].get<std::string>().find("ProfilerStep") ==
                                           0;
                                }),
                 events.end());
    const ImportResult result = Import(file.dump());
    ASSERT_EQ(result.stepSeconds.size(), 2U);
    EXPECT_DOUBLE_EQ(result.stepSeconds[0], 188e-6);
    EXPECT_DOUBLE_EQ(result.stepSeconds[1], 1005e-6);
    EXPECT_NE(result.rules.front().find("to the end of an Optimizer.step"), std::string::npos);
}

// Legacy traces have the same events without arguments.
TEST_F(DmlKineto, LegacyTracesAreMatchedByNameAndNeedSizes)
{
    const auto path = m_folder.Write("legacy.json", MakeKinetoTrace(KinetoForm::LEGACY));
    ImportOptions options;
    options.batchSize = 4;
    EXPECT_EQ(
        m_folder.ErrorOf([&] { ImportTorchLegacy({path}, options); }),
        "legacy.json: ProfilerStep#0: the trace tells no size for 4 of 4 tensors "
        "(conv2d_1.weight, conv2d_1.bias, linear_1.weight, linear_1.bias); accepted are a trace "
        "recorded with record_shapes=True, or sizes of these tensors given by hand (--sizes "
        "PROFILE)");
    options.sizes = {{"conv2d_1.weight", 72},
                     {"conv2d_1.bias", 8},
                     {"linear_1.weight", 96},
                     {"linear_1.bias", 24}};
    const Profile profile = ImportTorchLegacy({path}, options).profile;
    const Profile twin = Import(MakeKinetoTrace(KinetoForm::CPU_OP)).profile;
    EXPECT_EQ(GetNames(profile), GetNames(twin));
    auto times = GetTimes(profile, 0);
    // 60 us of Optimizer.step by bytes: 72, 8, 96 and 24 of 200
    EXPECT_NEAR(times["update/conv2d_1.weight"], 21.6, 1e-6);
    EXPECT_NEAR(times["update/conv2d_1.bias"], 2.4, 1e-6);
    EXPECT_NEAR(times["update/linear_1.weight"], 28.8, 1e-6);
    EXPECT_NEAR(times["update/linear_1.bias"], 7.2, 1e-6);
    EXPECT_NEAR(times["backward/linear_1/TBackward0"], 2, 1e-6);
    options.sizes["conv2d_9.weight"] = 1;
    EXPECT_EQ(m_folder.ErrorOf([&] { ImportTorchLegacy({path}, options); }),
              "the size given for 'conv2d_9.weight' fits no tensor of the trace; its tensors are "
              "conv2d_1.weight to linear_1.bias");
}

TEST_F(DmlKineto, SizesMayComeFromTheForwardOp)
{
    json file = json::parse(MakeKinetoTrace(KinetoForm::CPU_OP));
    for (auto& event : file["traceEvents"])
    {
        if (event["name"].get<std::string>().find("AccumulateGrad") != std::string::npos)
        {
            event["args"].erase("Input Dims");
        }
    }
    const Profile profile = Import(file.dump()).profile;
    // Without shapes the first gradient of the convolution is taken for its weight.
    EXPECT_EQ(SizesOf(profile),
              (TensorSizes{{"conv2d_1.weight", 72},
                           {"conv2d_1.bias", 8},
                           {"linear_1.weight", 96},
                           {"linear_1.bias", 12}}));
}

TEST_F(DmlKineto, BadInputIsRefused)
{
    const std::string good = MakeKinetoTrace(KinetoForm::CPU_OP);
    const auto change = [&good](const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    EXPECT_EQ(ErrorOf(good.substr(0, good.size() / 2)).find("trace.json:1:"), 0U);
    EXPECT_EQ(ErrorOf("{\"a\": 1}"),
              "trace.json: found no ops of a CPU; accepted is a trace of torch.profiler with "
              "ProfilerActivity.CPU");
    EXPECT_EQ(ErrorOf(MakeKinetoTrace(KinetoForm::LEGACY)),
              "trace.json:1:1: /: found a list; accepted is an object with 'traceEvents' "
              "(torch-legacy reads lists)");
    EXPECT_EQ(ErrorOf(change("\"float\"", "\"string\"")),
              "trace.json: ProfilerStep#0: torch::autograd::AccumulateGrad (External id 15): found "
              "the input type 'string'; accepted are float, double, c10::Half, c10::BFloat16 and "
              "other types of PyTorch");
    EXPECT_NE(
        ErrorOf(change("[[3]],\"Input type\"", "[[4294967296,4096]],\"Input type\""))
            .find("found the input shape [[4294967296,4096]]; accepted are tensors of at most "
                  "2^40 bytes"),
        std::string::npos);
    EXPECT_EQ(ErrorOf(change("ProfilerStep#1\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":"
                             "1700000000001000",
                             "ProfilerStep#1\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":"
                             "1700000000000179")),
              "trace.json: ProfilerStep#1 starts before trace.json: ProfilerStep#0 ends; accepted "
              "are steps that follow one another");
    KinetoText text(KinetoForm::CPU_OP);
    text.AddOp("aten::add", 1, 0, 5);
    EXPECT_EQ(
        ErrorOf(text.GetText()),
        "trace.json: found no gradient (torch::autograd::AccumulateGrad) in any step; accepted "
        "is a trace of training");
    ImportOptions options;
    options.order = ComputeOrder::DATAFLOW;
    EXPECT_EQ(ErrorOf(good, options),
              "PyTorch's profiler records no flow of data; accepted is the measured order");
}

// One record of many that cannot be right is left out, with the reason; a trace of which nothing is
// left is refused with it.
TEST_F(DmlKineto, BadRecordsAreLeftOut)
{
    const std::string good = MakeKinetoTrace(KinetoForm::CPU_OP);
    const auto warn = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        std::string told;
        for (const std::string& warning : Import(text.replace(at, from.size(), to)).warnings)
        {
            told += warning + "\n";
        }
        return told;
    };
    EXPECT_NE(warn("\"dur\":8,", "\"dur\":-8,").find("with a duration of -8 us"),
              std::string::npos);
    EXPECT_NE(warn("\"dur\":8,", "\"dur\":Infinity,").find("found Infinity"), std::string::npos);
    EXPECT_NE(warn("\"dur\":8,", "\"ts\":9e15,\"dur\":8,")
                  .find("accepted is a number of microseconds, at most 4e15"),
              std::string::npos);
    KinetoText text(KinetoForm::CPU_OP);
    text.AddOp("aten::add", 1, 0, -5);
    EXPECT_NE(ErrorOf(text.GetText()).find("found no ops of a CPU"), std::string::npos);
    EXPECT_NE(ErrorOf(text.GetText()).find("left out: "), std::string::npos);
    text.AddOp("aten::add", 1, 10, 5);
    text.AddOp("aten::add", 1, 20, -5);
    EXPECT_EQ(ErrorOf(text.GetText()).find("trace.json: found 2 of 3 records with a value that "),
              0U)
        << ErrorOf(text.GetText());
}

// A step without gradients, as of evaluation, is no step of training.
TEST_F(DmlKineto, StepsWithoutGradientsAreLeftOut)
{
    KinetoText text(KinetoForm::CPU_OP);
    AddStep(text, 0, json::array({"float"}));
    text.AddNote("ProfilerStep#1", 1, 1000, 100);
    text.AddOp("aten::conv2d", 1, 1010, 20);
    const ImportResult result = Import(text.GetText());
    EXPECT_EQ(result.stepSeconds.size(), 1U);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings[0].find("ProfilerStep#1 is left out: it completes no gradient"),
              std::string::npos);
}

// Whole microseconds: a node may seem to start when its evaluation ended.
TEST_F(DmlKineto, ANodeIsPartOfItsEvaluationInSpiteOfRounding)
{
    KinetoText text(KinetoForm::CPU_OP);
    text.AddNote("ProfilerStep#0", 1, 0, 100);
    text.AddOp("aten::conv2d", 1, 10, 10, {{"Sequence number", 1}, {"Fwd thread id", 0}});
    text.AddNode("ConvolutionBackward0", 1, 30, 10, {{"Sequence number", 1}});
    const std::string name = "torch::autograd::AccumulateGrad";
    text.AddOp("autograd::engine::evaluate_function: " + name, 1, 40, 1);
    text.AddOp(name, 1, 41, 1, {{"Input Dims", {{2, 3}}}});
    text.AddOp("autograd::engine::evaluate_function: " + name, 1, 42, 0);
    text.AddOp(name, 1, 42, 0, {{"Input Dims", {{2}}}});
    ImportOptions options;
    options.batchSize = 1;
    const ImportResult result = Import(text.GetText(), options);
    ASSERT_EQ(result.profile.tensors.size(), 2U);
    EXPECT_EQ(result.profile.tensors[0].bytes, 24U);
    EXPECT_EQ(result.profile.tensors[1].bytes, 8U);
    EXPECT_EQ(result.warnings, Names({"the trace has no Optimizer.step: updates take no time"}));
}
