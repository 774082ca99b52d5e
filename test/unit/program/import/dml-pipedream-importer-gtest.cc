/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lone-replay.h"
#include "dml-profile-words.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/*
 * Input -> conv (node2) -> {left (node3), right (node4)} -> add (node5) -> linear (node6), listed
 * out of order. Linear has 10 features and an activation of 320 bytes: 8 samples of 4 bytes.
 * Milliseconds: forward 2 + 0.5 + 0.25 + 0 + 1 = 3.75, backward 4 + 1 + 0.5 + 0 + 2 = 7.5.
 */
const std::string BRANCHES =
    "node6 -- Linear(in_features=4, out_features=10, bias=True) -- forward_compute_time=1.000, "
    "backward_compute_time=2.000, activation_size=320.000, parameter_size=200.000\n"
    "node2 -- Conv2d(3, 4, kernel_size=(1, 1)) -- forward_compute_time=2.000, "
    "backward_compute_time=4.000, activation_size=64.000, parameter_size=64.000\n"
    "node1 -- Input -- forward_compute_time=99.000, backward_compute_time=0.000, "
    "activation_size=48.000, parameter_size=0.000\n"
    "node4 -- ReLU(inplace) -- forward_compute_time=0.250, backward_compute_time=0.500, "
    "activation_size=64.000, parameter_size=0.000\n"
    "node3 -- ReLU(inplace) -- forward_compute_time=0.500, backward_compute_time=1.000, "
    "activation_size=64.000, parameter_size=0.000\n"
    "node5 -- Add(inplace) -- forward_compute_time=0.000, backward_compute_time=0.000, "
    "activation_size=[32.0; 32.0], parameter_size=0.000 -- stage_id=0\n"
    "\tnode5 -- node6\n"
    "\tnode3 -- node5\n"
    "\tnode4 -- node5\n"
    "\tnode2 -- node3\n"
    "\tnode2 -- node4\n"
    "\tnode1 -- node2\n";

/// @return path of a file with that content
std::string
Write(const std::string& text, const std::string& name = "tiny.graph.txt")
{
    static const ScratchFolder folder; // of this process
    return folder.Write(name, text);
}

ImportResult
Import(const std::string& text, const ImportOptions& options = {})
{
    return ImportPipedream({Write(text)}, options);
}

/// @return what is wrong with @p text, from the file's name on
std::string
PipedreamErrorOf(const std::string& text)
{
    try
    {
        Import(text);
    }
    catch (const InputError& error)
    {
        const std::string message = error.what();
        return message.substr(std::min(message.find("tiny.graph.txt"), message.size()));
    }
    return "no error";
}

/// @return @p text with the first @p from replaced
std::string
Replace(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(DmlPipedreamImporter, BuildsTheGraphOfTheFile)
{
    const ImportResult result = Import(BRANCHES);
    const std::vector<std::string> expected = {
        "pull/node2.Conv2d <-",
        "pull/node6.Linear <-",
        "forward/node2.Conv2d <- pull/node2.Conv2d : 0.002",
        "forward/node3.ReLU <- forward/node2.Conv2d : 0.0005",
        "forward/node4.ReLU <- forward/node2.Conv2d : 0.00025",
        "forward/node5.Add <- forward/node3.ReLU forward/node4.ReLU : 0",
        "forward/node6.Linear <- forward/node5.Add pull/node6.Linear : 0.001",
        "backward/node6.Linear <- forward/node6.Linear : 0.002",
        "accumulate/node6.Linear <- backward/node6.Linear : 0",
        "backward/node5.Add <- backward/node6.Linear : 0",
        "backward/node4.ReLU <- backward/node5.Add : 0.0005",
        "backward/node3.ReLU <- backward/node5.Add : 0.001",
        "backward/node2.Conv2d <- backward/node3.ReLU backward/node4.ReLU : 0.004",
        "accumulate/node2.Conv2d <- backward/node2.Conv2d : 0",
        "push/node6.Linear <- accumulate/node6.Linear",
        "push/node2.Conv2d <- accumulate/node2.Conv2d",
        "update/node6.Linear <- push/node6.Linear : 0",
        "update/node2.Conv2d <- push/node2.Conv2d : 0",
    };
    EXPECT_EQ(Describe(result.profile, 1), expected);
    EXPECT_EQ(result.profile.GetTotalBytes(), 264U);
    EXPECT_EQ(result.profile.model, "tiny");
    EXPECT_EQ(result.profile.devices.front().name, "gpu");
    EXPECT_EQ(result.bytesRead, BRANCHES.size());
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_TRUE(result.stepSeconds.empty());
    const LoneReplay replay(result.profile, 0);
    EXPECT_NEAR(replay.Last(""), 11.25e-3, 1e-12);
}

TEST(DmlPipedreamImporter, SaysWhatItInferred)
{
    const ImportResult result = Import(BRANCHES);
    const std::vector<std::string> expected = {
        "batch size: 8, by the activation of Linear(in_features=4, out_features=10, bias=True) in "
        "floats of 4 bytes",
        "input: 1 node(s) left out, with 99.000 ms of loading data",
        "order: forward by node number where dependencies allow, backward in the opposite order, "
        "without gaps (5 layers)",
        "tensors: weight and bias of a layer are one tensor, as the file has only their sum (2 "
        "tensors)",
        "gradient ready: end of the layer's backward (2 of 2 tensors)",
        "update: no time, as the file does not tell (2 of 2 tensors)",
    };
    EXPECT_EQ(result.rules, expected);
    EXPECT_EQ(result.replayCaveat,
              "the file has mean times of layers and none of a step; its layers take 11.250 ms "
              "together");
    EXPECT_EQ(result.profile.batchSize, 8U);
}

TEST(DmlPipedreamImporter, TakesTheUsersChoices)
{
    ImportOptions options;
    options.batchSize = 4;
    options.model = "mine";
    options.device = "gpu:1";
    options.order = ComputeOrder::MEASURED;
    const ImportResult result = Import(BRANCHES, options);
    EXPECT_EQ(result.profile.batchSize, 4U);
    EXPECT_EQ(result.profile.model, "mine");
    EXPECT_EQ(result.profile.devices.front().name, "gpu:1");
    EXPECT_EQ(Describe(result.profile, 1)[11],
              "backward/node3.ReLU <- backward/node4.ReLU backward/node5.Add : 0.001");
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(
        result.warnings[0],
        "batch size 4 was given, but the activation of Linear(in_features=4, out_features=10, "
        "bias=True) is that of 8");
}

TEST(DmlPipedreamImporter, OrdersNodesThatAreNotNumberedInOrder)
{
    // node6 now comes before node5, as if Linear fed Add
    const std::string text = Replace(Replace(BRANCHES, "\tnode5 -- node6\n", "\tnode6 -- node5\n"),
                                     "\tnode3 -- node5\n",
                                     "\tnode3 -- node6\n");
    const auto lines = Describe(Import(text).profile, 1);
    // searched from node6 down, a vertex is left after all that it leads to: 5, 6, 4, 3, 2, 1
    EXPECT_EQ(lines[3], "forward/node3.ReLU <- forward/node2.Conv2d : 0.0005");
    EXPECT_EQ(lines[4], "forward/node4.ReLU <- forward/node2.Conv2d : 0.00025");
    EXPECT_EQ(lines[5], "forward/node6.Linear <- forward/node3.ReLU pull/node6.Linear : 0.001");
    EXPECT_EQ(lines[6], "forward/node5.Add <- forward/node4.ReLU forward/node6.Linear : 0");
}

TEST(DmlPipedreamImporter, SeveralFilesAreSeveralSteps)
{
    const std::string first = Write(BRANCHES, "run1.txt");
    const std::string second = Write(Replace(BRANCHES, "time=4.000", "time=6.000"), "run2.txt");
    const ImportResult result = ImportPipedream({first, second}, {});
    EXPECT_EQ(result.profile.GetSampleCount(), 2U);
    EXPECT_NEAR(LoneReplay(result.profile, 1).Last(""), 13.25e-3, 1e-12);
    EXPECT_EQ(result.bytesRead, 2 * BRANCHES.size());

    const std::string other =
        Write(Replace(BRANCHES, "size=64.000\n", "size=68.000\n"), "run3.txt");
    try
    {
        ImportPipedream({first, other}, {});
        FAIL() << "no error";
    }
    catch (const InputError& error)
    {
        EXPECT_NE(
            std::string(error.what())
                .find("run3.txt: layer 0 'node2.Conv2d' has the parameter 'node2.Conv2d' of 68 "
                      "bytes, not 'node2.Conv2d' of 64; accepted are files of one model"),
            std::string::npos)
            << error.what();
    }
}

TEST(DmlPipedreamImporter, TheModelMayBeTheFolder)
{
    EXPECT_EQ(ImportPipedream({Write(BRANCHES, "vgg16/graph.txt")}, {}).profile.model, "vgg16");
}

// Without the edges to node5 the branches end, beside linear.
TEST(DmlPipedreamImporter, WarnsOfSeveralEnds)
{
    EXPECT_TRUE(Import(BRANCHES).warnings.empty());
    std::string cut = BRANCHES;
    for (const char* edge : {"\tnode3 -- node5\n", "\tnode4 -- node5\n"})
    {
        cut.erase(cut.find(edge), std::string(edge).size());
    }
    EXPECT_EQ(Import(cut).warnings,
              std::vector<std::string>{"3 layers feed no other, where a model has one such: the "
                                       "file may have been cut"});
}

TEST(DmlPipedreamImporter, RefusesWhatDoesNotFit)
{
    struct Case
    {
        const char* from;
        const char* to;
        const char* error; // from the file's name on
    };

    const std::vector<Case> cases = {
        {"node6 -- L",
         "nod6 -- L",
         "tiny.graph.txt:1:1: found 'nod6'; accepted: 'node' and a number"},
        {"node6 -- L",
         "node99999999999 -- L",
         "tiny.graph.txt:1:1: found 'node99999999999'; accepted: 'node' and a number"},
        {"time=1.000",
         "time=-1",
         "tiny.graph.txt:1:84: found '-1'; accepted: a number from 0 to 1000"},
        {"time=1.000", "time=nan", "tiny.graph.txt:1:84: found 'nan'; accepted: a number from 0"},
        {"time=1.000", "time=1e10", "tiny.graph.txt:1:84: found '1e10'; accepted: a number from 0"},
        {"time=1.000", "time=", "tiny.graph.txt:1:84: found ''; accepted: a number from 0"},
        {"time=1.000", "time=1.0x", "tiny.graph.txt:1:84: found '1.0x'; accepted: a number from 0"},
        {"time=1.000", "time=1e9", "tiny.graph.txt:1:63: found more than 1e9 ms in all layers"},
        {"size=200.000",
         "size=200.5",
         "tiny.graph.txt:1:160: found '200.5'; accepted: a whole number of bytes"},
        {"size=200.000", "size=2e12", "tiny.graph.txt:1:160: found '2e12'; accepted: a number"},
        {", parameter_size=200.000",
         "",
         "tiny.graph.txt:1:63: found no parameter_size; accepted: four values"},
        {", parameter_size=200.000",
         ", parameters=200",
         "tiny.graph.txt:1:145: found 'parameters'; accepted: forward_compute_time,"},
        {", parameter_size=200.000",
         ", activation_size=1",
         "tiny.graph.txt:1:145: found 'activation_size' for the second time; accepted: "},
        {" -- stage_id=0", " -- rest", "tiny.graph.txt:6:137: found 'rest'; accepted: the end of"},
        {"[32.0; 32.0]", "[32.0; 32.0", "tiny.graph.txt:6:99: found '[32.0; 32.0'; accepted: a"},
        {"[32.0; 32.0]", "[32.0; x]", "tiny.graph.txt:6:106: found 'x'; accepted: a number"},
        {"node4 -- R", "node3 -- R", "tiny.graph.txt:5:1: found 'node3' for the second time"},
        {"\tnode5 -- node6",
         "\tnode5 -- node7",
         "tiny.graph.txt:7:2: found an edge of node7, which"},
        {"\tnode5 -- node6",
         "\tnode5 - node6",
         "tiny.graph.txt:7:2: found 'node5 - node6'; accepted"},
        {"\tnode5 -- node6",
         "\tnode5",
         "tiny.graph.txt:7:7: found ''; accepted: 'node' and a number"},
        {"\tnode5 -- node6", "node5", "tiny.graph.txt:7:6: found the end of the line; accepted: a"},
        {"\tnode3 -- node5", "\tnode5 -- node2", "tiny.graph.txt:9:2: found an edge from node4 to"},
        {"\tnode3 -- node5", "\tnode3 -- node3", "tiny.graph.txt:8:2: found an edge from node3 to"},
        {"out_features=10", "features=10", "tiny.graph.txt: no layer Linear(out_features=N) tells"},
        {"out_features=10", "out_features=0", "tiny.graph.txt: no layer Linear(out_features=N)"},
    };
    for (const auto& [from, to, error] : cases)
    {
        const std::string message = PipedreamErrorOf(Replace(BRANCHES, from, to));
        EXPECT_EQ(message.find(error), 0U) << message << "\n  instead of\n" << error;
    }
    EXPECT_EQ(PipedreamErrorOf("").find("tiny.graph.txt:1:1: found no layer; accepted: lines"), 0U);
    EXPECT_EQ(PipedreamErrorOf("\n\n").find("tiny.graph.txt:2:1: found no layer"), 0U);
    EXPECT_EQ(
        PipedreamErrorOf(std::string(100000, 'x')).find("tiny.graph.txt:1:1: found a line of more"),
        0U);
    EXPECT_EQ(PipedreamErrorOf("node1 -- Input -- forward_compute_time=1, backward_compute_time=0, "
                               "activation_size=1, parameter_size=0\n"),
              "tiny.graph.txt: found only input nodes; accepted is at least one layer");
    EXPECT_THROW(ImportPipedream({"/nonexistent/graph.txt"}, {}), InputError);
    EXPECT_THROW(ImportPipedream({}, {}), InputError);
}

TEST(DmlPipedreamImporter, AnyTruncationIsRefusedOrImportedWhole)
{
    for (std::size_t size = 0; size < BRANCHES.size(); ++size)
    {
        try
        {
            Import(BRANCHES.substr(0, size)).profile.Validate();
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("tiny.graph.txt:"), std::string::npos);
        }
    }
}

TEST(DmlPipedreamImporter, AnyDamageIsRefusedOrGivesAValidProfile)
{
    std::mt19937 random(1);
    const std::string bytes = "0123456789-.,=[];node \t\n\xff";
    for (uint32_t round = 0; round < 1000; ++round)
    {
        std::string damaged = BRANCHES;
        for (uint32_t i = 0; i <= round % 5; ++i)
        {
            damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
        }
        try
        {
            Import(damaged).profile.Validate();
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("tiny.graph.txt:"), std::string::npos)
                << error.what();
        }
    }
}

struct PipedreamSample
{
    const char* model;
    uint64_t bytes;
    uint32_t batchSize;
    double milliseconds; // forward and backward of all layers but the input

    friend void PrintTo(const PipedreamSample& sample, std::ostream* out)
    {
        *out << sample.model;
    }
};

class DmlPipedreamSamples : public ::testing::TestWithParam<PipedreamSample>
{
};

TEST_P(DmlPipedreamSamples, HaveTheModelsParametersAndReplayTheSumOfTheirLayers)
{
    const std::string path =
        FindSharedProfile("pipedream/" + std::string(GetParam().model) + ".graph.txt");
    if (path.empty())
    {
        GTEST_SKIP() << "the measurement is not here";
    }
    for (const ComputeOrder order : {ComputeOrder::DATAFLOW, ComputeOrder::MEASURED})
    {
        ImportOptions options;
        options.order = order;
        const ImportResult result = ImportPipedream({path}, options);
        EXPECT_EQ(result.profile.model, GetParam().model);
        EXPECT_EQ(result.profile.GetTotalBytes(), GetParam().bytes);
        EXPECT_EQ(result.profile.batchSize, GetParam().batchSize);
        EXPECT_NEAR(LoneReplay(result.profile, 0).Last(""), GetParam().milliseconds * 1e-3, 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    DmlPipedreamSamples,
    ::testing::Values(PipedreamSample{"alexnet", 244403360, 256, 44.801 + 40.520},
                      PipedreamSample{"resnet50", 102228128, 128, 182.488 + 260.931},
                      PipedreamSample{"vgg16", 553430176, 128, 233.902 + 438.633}),
    [](const auto& info) { return info.param.model; });

} // namespace
