/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-chakra-nodes.h"
#include "dml-lone-replay.h"
#include "dml-profile-words.h"
#include "dml-torch-et-fixture.h"

#include "ns3/dml-importers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

class DmlTorchEtImporter : public TorchEtFixture
{
};

/// @return the line of Describe() about the op called @p name
std::string
LineOf(const Profile& profile, const std::string& name)
{
    for (const std::string& line : Describe(profile, 1e6))
    {
        if (line.compare(0, name.size() + 3, name + " <-") == 0)
        {
            return line;
        }
    }
    return "no op " + name;
}

const std::vector<std::string> GRAPH = {
    "pull/parameter_1_4x3 <-",
    "pull/parameter_2_4 <-",
    "pull/parameter_3_1x4 <-",
    "forward/linear_1 <- pull/parameter_1_4x3 pull/parameter_2_4 : 30",
    "forward/relu_1 <- forward/linear_1 : 5",
    "forward/linear_2 <- pull/parameter_3_1x4 forward/relu_1 : 20",
    "forward/sum_1 <- forward/linear_2 : 5",
    "forward/ones_like_1 <- forward/sum_1 : 2",
    "backward/SumBackward0_1 <- forward/sum_1 forward/ones_like_1 : 5",
    // it reads the input of linear_2, the view w2.t() that linear_2 made, and a view that
    // SumBackward0 made of the memory of ones_like
    "backward/MmBackward0_1 <- forward/relu_1 forward/linear_2 forward/ones_like_1 "
    "backward/SumBackward0_1 : 20",
    "backward/TBackward0_1 <- forward/linear_2 backward/MmBackward0_1 : 2",
    "accumulate/parameter_3_1x4 <- backward/MmBackward0_1 backward/TBackward0_1 : 3",
    "backward/ReluBackward0_1 <- forward/relu_1 backward/MmBackward0_1 : 6",
    "backward/AddmmBackward0_1 <- forward/linear_1 backward/ReluBackward0_1 : 30",
    "accumulate/parameter_2_4 <- backward/AddmmBackward0_1 : 2",
    "backward/TBackward0_2 <- forward/linear_1 backward/AddmmBackward0_1 : 2",
    "accumulate/parameter_1_4x3 <- backward/AddmmBackward0_1 backward/TBackward0_2 : 5",
    "push/parameter_3_1x4 <- accumulate/parameter_3_1x4",
    "push/parameter_2_4 <- accumulate/parameter_2_4",
    "push/parameter_1_4x3 <- accumulate/parameter_1_4x3",
    "update/parameter_3_1x4 <- push/parameter_3_1x4 : 6",
    "update/parameter_2_4 <- push/parameter_2_4 : 4",
    "update/parameter_1_4x3 <- push/parameter_1_4x3 : 10",
};

TEST_F(DmlTorchEtImporter, BuildsTheDataFlowGraph)
{
    const ImportResult result = ImportWithoutIdle();
    EXPECT_EQ(Describe(result.profile, 1e6), GRAPH);
    EXPECT_EQ(result.profile.GetSampleCount(), 2U);
    EXPECT_EQ(result.profile.model, "linear");
    EXPECT_EQ(result.profile.batchSize, 2U);
    EXPECT_EQ(result.profile.GetTotalBytes(), 48U + 16U + 16U);
    ASSERT_EQ(result.profile.devices.size(), 1U);
    EXPECT_EQ(result.profile.devices[0].name, "cpu");
    EXPECT_EQ(result.profile.graph.Get(3).kind, OpKind::FORWARD);
    EXPECT_EQ(result.profile.graph.Get(11).kind, OpKind::BACKWARD);
    EXPECT_EQ(result.bytesRead, m_et.dump(1).size() + m_kineto.dump(1).size());
    const std::vector<std::string> none;
    EXPECT_EQ(result.warnings, none);
}

TEST_F(DmlTorchEtImporter, SaysWhatItInferred)
{
    const std::vector<std::string> expected = {
        "times: events of the Kineto trace, by Record function id = rf_id (86 of 86 nodes)",
        "step: an annotation ProfilerStep#N (2 of 2 steps with operators of the Execution Trace)",
        "ops: outermost operators (28 on devices); dependencies by tensor, by memory, and of "
        "autograd nodes on the operator with their sequence number (12 of 12 nodes)",
        "parameters: tensors whose gradient is accumulated, found by the sequence number of the "
        "node "
        "that made it (6 of 6 gradients), else by shape (0)",
        "gradient ready: end of AccumulateGrad (3 of 3 tensors)",
        "update: what runs within Optimizer.step, by what each operator changes, the rest by size "
        "(6 "
        "operators)",
        "idle time before the updates (2 of 2 steps) and after them (2): the worker's, "
        "compute/before-update and compute/after-update",
    };
    EXPECT_EQ(Import().rules, expected);
}

TEST_F(DmlTorchEtImporter, IdleTimeLengthensTheOpAfterIt)
{
    // gaps: 0-10 before linear, 45-50 before linear, 77-80 before SumBackward0, 155-162 before the
    // first update, 182-200 after the last; together 43 of 200
    const ImportResult result = Import();
    const Profile& profile = result.profile;
    EXPECT_NEAR(SamplesOf(profile, "forward/linear_1", 1e6)[0], 40, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "forward/linear_2", 1e6)[0], 25, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "backward/SumBackward0_1", 1e6)[1], 8, 1e-9);
    // an update is not the worker's
    EXPECT_EQ(LineOf(profile, "compute/before-update"),
              "compute/before-update <- accumulate/parameter_1_4x3 : 7");
    EXPECT_EQ(LineOf(profile, "compute/after-update"),
              "compute/after-update <- compute/before-update : 18");
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_3_1x4", 1e6)[0], 6, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_1_4x3", 1e6)[0], 10, 1e-9);
    ASSERT_EQ(result.stepSeconds.size(), 2U);
    EXPECT_NEAR(result.stepSeconds[1], 200e-6, 1e-12);
    EXPECT_NEAR(result.unexplainedSeconds[1], 43e-6, 1e-12);
    // on the device: all until the end of the last accumulation
    EXPECT_NEAR(LoneReplay(profile, 0).Last("accumulate/"), 155e-6, 1e-12);
}

TEST_F(DmlTorchEtImporter, FilesMayComeInAnyOrder)
{
    const std::string et = Write("linear.et.json", m_et.dump());
    const std::string kineto = Write("linear.kineto.json", m_kineto.dump());
    const ImportResult result = ImportTorchEt({kineto, et}, m_options);
    EXPECT_EQ(Describe(result.profile, 1e6), Describe(Import().profile, 1e6));
    EXPECT_EQ(result.profile.model, "linear");
}

TEST_F(DmlTorchEtImporter, ChakraSchemasSayTheSame)
{
    MakeChakraNodes(m_et);
    EXPECT_EQ(Describe(ImportWithoutIdle().profile, 1e6), GRAPH);
}

TEST_F(DmlTorchEtImporter, OlderTracesAreJoinedByExternalId)
{
    for (json& event : m_kineto["traceEvents"])
    {
        event["args"]["External id"] = event["args"]["Record function id"];
        event["args"].erase("Record function id");
    }
    const ImportResult result = Import();
    EXPECT_EQ(result.rules[0],
              "times: events of the Kineto trace, by External id = rf_id (86 of 86 nodes)");
    EXPECT_EQ(result.profile.graph.GetSize(), GRAPH.size() + 2); // and idle time
}

TEST_F(DmlTorchEtImporter, WithoutProfilerStepTheOptimizerEndsAStep)
{
    Rename(m_kineto["traceEvents"], "Profiler", "mine");
    const ImportResult result = Import();
    EXPECT_EQ(result.rules[1],
              "step: to the end of an Optimizer.step from that of the one before, as there is no "
              "ProfilerStep#N (2 of 2 steps with operators of the Execution Trace)");
    // from the first linear at 10 to 190, and from there to 390
    ASSERT_EQ(result.stepSeconds.size(), 2U);
    EXPECT_NEAR(result.stepSeconds[0], 180e-6, 1e-12);
    EXPECT_NEAR(result.stepSeconds[1], 200e-6, 1e-12);
    EXPECT_EQ(result.profile.graph.GetSize(), GRAPH.size() + 2); // and idle time
}

TEST_F(DmlTorchEtImporter, WithoutAnyAnnotationAllIsOneStep)
{
    Rename(m_et["nodes"], "#", "mine");
    Rename(m_kineto["traceEvents"], "#", "mine");
    const ImportResult result = Import();
    EXPECT_EQ(result.profile.GetSampleCount(), 1U);
    EXPECT_EQ(result.rules[1],
              "step: all of the Execution Trace, as there is neither ProfilerStep#N nor "
              "Optimizer.step (1 of 1 step with operators of the Execution Trace)");
    // from the first linear at 10 to the last add_ at 382; the parameters are still three
    EXPECT_NEAR(result.stepSeconds[0], 372e-6, 1e-12);
    EXPECT_EQ(result.profile.tensors.size(), 3U);
    EXPECT_EQ(LineOf(result.profile, "push/parameter_2_4"),
              "push/parameter_2_4 <- accumulate/parameter_2_4_2");
}

TEST_F(DmlTorchEtImporter, StepsMayBeLeftOut)
{
    m_options.skip = 1;
    const ImportResult result = Import();
    EXPECT_EQ(result.profile.GetSampleCount(), 1U);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0], "17 outermost operators run outside the steps and are left out");
    m_options.skip = 2;
    EXPECT_EQ(
        ErrorOf(),
        "linear.et.json: found 2 steps and 2 to leave out; accepted are fewer than there are");
}

TEST_F(DmlTorchEtImporter, MeasuredOrderChainsTheOps)
{
    m_options.order = ComputeOrder::MEASURED;
    const Profile profile = ImportWithoutIdle().profile;
    EXPECT_EQ(LineOf(profile, "backward/ReluBackward0_1"),
              "backward/ReluBackward0_1 <- forward/relu_1 backward/MmBackward0_1 "
              "accumulate/parameter_3_1x4 : 6");
    EXPECT_EQ(LineOf(profile, "forward/linear_1"),
              "forward/linear_1 <- pull/parameter_1_4x3 pull/parameter_2_4 : 30");
}

TEST_F(DmlTorchEtImporter, WithoutTheAnnotationTheOptimizerIsWhatRunsLast)
{
    Rename(m_et["nodes"], "Optimizer", "mine");
    const ImportResult result = ImportWithoutIdle();
    EXPECT_EQ(Describe(result.profile, 1e6), GRAPH);
    EXPECT_EQ(result.rules.back(),
              "update: what runs after the last autograd node, by what each operator changes, the "
              "rest by size (6 operators)");
}

TEST_F(DmlTorchEtImporter, WithoutAnOptimizerUpdatesTakeNoTime)
{
    Erase(m_et["nodes"], "aten::add_");
    const ImportResult result = Import();
    EXPECT_EQ(SamplesOf(result.profile, "update/parameter_2_4", 1e6), std::vector<double>(2, 0));
    EXPECT_EQ(result.rules.back(), "update: no time, as the trace has no optimizer");
    EXPECT_EQ(result.profile.tensors.size(), 3U);
}

TEST_F(DmlTorchEtImporter, TheRestOfTheOptimizerCountsBySize)
{
    // what changed the 1x4 parameter (6 us) now changes something else: 48, 16 and 16 of 80 bytes
    for (json* node : Named(m_et["nodes"], "aten::add_"))
    {
        json& changed = (*node)["inputs"][0];
        if (changed[0] == 103)
        {
            changed = (*node)["outputs"][0] = {900, 901, 0, 4, 4, "cpu"};
        }
    }
    const Profile profile = ImportWithoutIdle().profile;
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_1_4x3", 1e6)[0], 10 + 3.6, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_2_4", 1e6)[0], 4 + 1.2, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_3_1x4", 1e6)[0], 1.2, 1e-9);
}

TEST_F(DmlTorchEtImporter, ListsOfTensorsAreRead)
{
    // all parameters in one fused operator, whose schema says that it changes the first list
    for (json* add : Named(m_et["nodes"], "aten::add_"))
    {
        json& node = *add;
        if (node["inputs"][0][0] == 101)
        {
            const json tensors = {{101, 201, 0, 12, 4, "cpu"},
                                  {102, 202, 0, 4, 4, "cpu"},
                                  {103, 203, 0, 4, 4, "cpu"}};
            node["inputs"] = {tensors, tensors, 0.01};
            node["input_shapes"] = {{{4, 3}, {4}, {1, 4}}, {{4, 3}, {4}, {1, 4}}, json::array()};
            const char* list = "GenericList[Tensor(float),Tensor(float),Tensor(float)]";
            node["input_types"] = {list, list, "Double"};
            node["outputs"] = node["output_shapes"] = node["output_types"] = json::array();
            node["op_schema"] = "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, "
                                "Scalar alpha=1) -> ()";
        }
        else
        {
            node["inputs"] = node["input_shapes"] = node["input_types"] = json::array();
        }
    }
    const Profile profile = ImportWithoutIdle().profile;
    // 10 us by 48, 16, 16 of 80 bytes, and the other two, 10 us, in the same way
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_1_4x3", 1e6)[0], 12, 1e-9);
    EXPECT_NEAR(SamplesOf(profile, "update/parameter_3_1x4", 1e6)[0], 4, 1e-9);
}

TEST_F(DmlTorchEtImporter, OperatorsInPlaceWaitForReaders)
{
    // instead of ones_like, something changes what sum reads, and MmBackward0 reads it then
    const auto y = [](const json& node) {
        return json{node["id"].get<int>() > 1000 ? 1609 : 609, 209, 0, 2, 4, "cpu"};
    };
    for (json* node : Named(m_et["nodes"], "aten::ones_like"))
    {
        (*node)["inputs"][0] = (*node)["outputs"][0] = y(*node);
        (*node)["op_schema"] = "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)";
    }
    for (json* node : Named(m_et["nodes"], "MmBackward0"))
    {
        (*node)["inputs"][0] = y(*node);
    }
    const Profile profile = Import().profile;
    EXPECT_EQ(LineOf(ImportWithoutIdle().profile, "forward/ones_like_1"),
              "forward/ones_like_1 <- forward/linear_2 forward/sum_1 : 2");
    EXPECT_NE(LineOf(profile, "backward/MmBackward0_1").find("forward/ones_like_1"),
              std::string::npos);
}

TEST_F(DmlTorchEtImporter, SequenceNumbersTieBackwardToForward)
{
    // without tensors in the nodes only the sequence numbers are left
    for (const char* name : {"ReluBackward0", "aten::threshold_backward"})
    {
        for (json* node : Named(m_et["nodes"], name))
        {
            (*node)["inputs"] = (*node)["input_shapes"] = (*node)["input_types"] = json::array();
        }
    }
    EXPECT_EQ(LineOf(ImportWithoutIdle().profile, "backward/ReluBackward0_1"),
              "backward/ReluBackward0_1 <- forward/relu_1 : 6");
}

TEST_F(DmlTorchEtImporter, WithoutSequenceNumbersShapesTellTheParameters)
{
    for (json& node : m_et["nodes"])
    {
        node["seq_id"] = -1;
    }
    const ImportResult result = Import();
    EXPECT_EQ(result.rules[3],
              "parameters: tensors whose gradient is accumulated, found by the sequence number of "
              "the node that made it (0 of 6 gradients), else by shape (6)");
    ASSERT_EQ(result.profile.tensors.size(), 3U);
    EXPECT_EQ(result.profile.tensors[0].name, "parameter_1_4x3");
    EXPECT_EQ(result.profile.graph.GetSize(), GRAPH.size() + 2); // and idle time
}

TEST_F(DmlTorchEtImporter, GradientsOfNoTensorAreKept)
{
    // nothing that forward reads has the shape of these gradients
    for (json* node : Named(m_et["nodes"], "torch::autograd::AccumulateGrad"))
    {
        json& shape = (*node)["input_shapes"][0];
        shape = shape.size() == 1 ? json{2, 2} : shape;
    }
    const ImportResult result = Import();
    ASSERT_EQ(result.profile.tensors.size(), 3U);
    EXPECT_EQ(result.profile.tensors[2].name, "parameter_3_2x2");
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0],
              "2 of 6 gradients are of no tensor that forward operators read; each counts as a "
              "parameter of its own that nothing waits for");
}

TEST_F(DmlTorchEtImporter, KernelsGiveTheTimeOnAGpu)
{
    // addmm and mm of the first step launch kernels, the second one also a copy that overlaps it
    auto& events = m_kineto["traceEvents"];
    const auto add = [&](const char* category, int tid, double ts, double length, int correlation) {
        events.push_back({{"ph", "X"},
                          {"cat", category},
                          {"name", category},
                          {"pid", tid == 7 ? 0 : 11},
                          {"tid", tid},
                          {"ts", ts},
                          {"dur", length},
                          {"args", {{"correlation", correlation}, {"device", 0}}}});
        if (tid != 7)
        {
            events.back()["args"].erase("device");
        }
    };
    for (const int start : {1000, 1200})
    {
        add("cuda_runtime", 11, start + 20, 5, start);
        add("kernel", 7, start + 35, 30, start);
        add("cuda_runtime", 11, start + 60, 5, start + 1);
        add("kernel", 7, start + 66, 10, start + 1);
        add("cuda_runtime", 11, start + 61, 5, start + 2);
        add("gpu_memcpy", 7, start + 70, 10, start + 2);
    }
    add("kernel", 7, 1500, 1, 9999); // of nothing
    const ImportResult result = ImportWithoutIdle();
    const Profile& profile = result.profile;
    ASSERT_EQ(profile.devices.size(), 2U);
    EXPECT_EQ(profile.devices[1].name, "gpu:0");
    EXPECT_EQ(profile.graph.Get(3).device, 1U);
    EXPECT_EQ(profile.graph.Get(4).device, 0U);
    EXPECT_EQ(SamplesOf(profile, "forward/linear_1", 1e6)[1], 30);
    EXPECT_EQ(SamplesOf(profile, "forward/linear_2", 1e6)[1], 14);
    EXPECT_EQ(result.rules[3],
              "GPU time: kernels by correlation, else External id (6 of 7 kernels, 4 of 28 ops)");
    EXPECT_EQ(result.replayCaveat,
              "an op with kernels lasts as long as these do; the time in which the host launched "
              "them is left out");
}

// As for traces without an Execution Trace: a step of no length is none.
TEST_F(DmlTorchEtImporter, StepsOfNoLengthAreNone)
{
    auto& events = m_kineto["traceEvents"];
    json empty = *Named(events, "ProfilerStep#1").front();
    empty["name"] = "ProfilerStep#0";
    empty["dur"] = 0;
    empty["args"] = json::object();
    events.push_back(empty);
    EXPECT_EQ(Import().rules[1],
              "step: an annotation ProfilerStep#N (2 of 2 steps with operators of the Execution "
              "Trace)");
}

TEST_F(DmlTorchEtImporter, CollectivesTakeNoTime)
{
    // as it was asked for, and as backends call what they do
    std::string last = "aten::ones_like";
    for (const std::string name : {"c10d::allreduce_", "nccl:all_reduce", "ucc:all_reduce"})
    {
        Rename(m_et["nodes"], last, name);
        Rename(m_kineto["traceEvents"], last, name);
        last = name;
        const ImportResult result = ImportWithoutIdle();
        EXPECT_EQ(LineOf(result.profile, "forward/" + name + "_1"),
                  "forward/" + name + "_1 <- forward/sum_1 : 0");
        EXPECT_EQ(result.rules[3],
                  "collective operations take no time, as the network decides it (2 of 28 ops)");
    }
}

TEST_F(DmlTorchEtImporter, WithoutGradientsThereAreNoTensors)
{
    Erase(m_et["nodes"], "AccumulateGrad");
    Erase(m_kineto["traceEvents"], "AccumulateGrad");
    const ImportResult result = Import();
    EXPECT_TRUE(result.profile.tensors.empty());
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(
        result.warnings[0],
        "no gradient is accumulated (AccumulateGrad), so the profile has no tensors and nothing "
        "to send");
    EXPECT_EQ(LineOf(result.profile, "compute/add__1").substr(0, 17), "compute/add__1 <-");
}

TEST_F(DmlTorchEtImporter, TheRealTraceOfAnAddition)
{
    const std::string et = FindSharedProfile("kineto/execution_trace.simple_add_et.json.gz");
    const std::string twin = FindSharedProfile("kineto/execution_trace.simple_add_kineto.json.gz");
    if (et.empty() || twin.empty())
    {
        GTEST_SKIP() << "the measurement is not here";
    }
    m_options.idle = IdleTime::DROP;
    const ImportResult result = ImportTorchEt({et, twin}, m_options);
    EXPECT_EQ(result.rules[0],
              "times: events of the Kineto trace, by External id = rf_id (36 of 36 nodes)");
    EXPECT_EQ(result.rules[3],
              "GPU time: kernels by correlation, else External id (4 of 4 kernels, 4 of 10 ops)");
    EXPECT_TRUE(result.profile.tensors.empty());
    const std::vector<std::string> expected = {
        "compute/rand_1 <- : 5",
        "compute/rand_2 <- : 5",
        "compute/zeros_1 <- : 21149",
        "compute/to_1 <- compute/zeros_1 : 20",
        "compute/mul_1 <- compute/zeros_1 compute/to_1 : 23555",
        "compute/add_1 <- compute/rand_1 compute/rand_2 : 3",
        // the allocator gives the memory of the first zeros again: no dependency
        "compute/zeros_2 <- : 20262",
        "compute/to_2 <- compute/zeros_2 : 14",
        "compute/mul_2 <- compute/zeros_2 compute/to_2 : 22411",
        "compute/add_2 <- compute/rand_1 compute/rand_2 : 3",
    };
    EXPECT_EQ(Describe(result.profile, 1e6), expected);
}

} // namespace
