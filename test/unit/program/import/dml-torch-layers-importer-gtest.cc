/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-change-json.h"
#include "dml-lone-replay.h"
#include "dml-profile-words.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

using Us = std::vector<double>;

json
MakeParameter(const std::string& name, uint64_t bytes, Us ready, Us accumulate)
{
    return {{"name", name},
            {"bytes", bytes},
            {"grad_ready_us", ready},
            {"accum_us", accumulate},
            {"update_us", Us(ready.size(), 3.5)}};
}

json
MakeLayer(const std::string& name,
          const std::vector<int>& deps,
          Us forward,
          Us backward,
          Us backwardEnd,
          const json& parameters = json::array())
{
    return {{"name", name},
            {"deps", deps},
            {"fwd_us", forward},
            {"bwd_us", backward},
            {"bwd_end_us", backwardEnd},
            {"params", parameters}};
}

/*
 * A model with two branches, conv -> {left, right} -> join -> loss, measured in three steps.
 * Backward pass in microseconds:
 *   step 0: loss 0-10, join 10-14, right 14-44, right.bias 44-49, right (rest) 49-55,
 *           right.weight 55-58, left 58-65, conv 65-95, idle 95-97, conv.weight 97-99
 *   step 1: loss 0-11, join 11-16, right 16-50, right.bias 50-54, right (rest) 54-61,
 *           right.weight 61-65, left 65-73, conv 73-100, conv.weight 100-102
 *   step 2: loss 0-10, join 10-14, left 14-20, right 20-50, right.bias 50-55, right (rest) 55-60,
 *           right.weight 60-63, conv 63-90, conv.weight 90-92
 */
json
MakeBranches()
{
    const json right = {MakeParameter("right.bias", 8, {49, 54, 55}, {5, 4, 5}),
                        MakeParameter("right.weight", 80, {58, 65, 63}, {3, 4, 3})};
    return {{"schema", "torch-layer-profile/1"},
            {"meta", {{"model", "tiny"}, {"batch", 8}, {"steps", 3}}},
            {"layers",
             {MakeLayer("conv",
                        std::vector<int>{},
                        {20.5, 21, 22},
                        {30, 27, 27},
                        {95, 100, 90},
                        json::array({MakeParameter("conv.weight", 400, {99, 102, 92}, {2, 2, 2})})),
              MakeLayer("left", {0}, {5, 5, 5}, {7, 8, 6}, {65, 73, 20}),
              MakeLayer("right", {0}, {7, 7, 7}, {36, 41, 35}, {55, 61, 60}, right),
              MakeLayer("join", {1, 2}, {1, 1, 1}, {4, 5, 4}, {14, 16, 14}),
              MakeLayer("loss", {3}, {2, 2, 2}, {10, 11, 10}, {10, 11, 10})}}};
}

/// @return the folder of the files, of this process
const ScratchFolder&
GetFolder()
{
    static const ScratchFolder folder;
    return folder;
}

/// @return path of a file with that content
std::string
WriteLayers(const json& content, const std::string& name)
{
    return GetFolder().Write(name, content.dump(1));
}

Profile
ImportLayers(const json& file, ComputeOrder order = ComputeOrder::DATAFLOW)
{
    ImportOptions options;
    options.order = order;
    return ImportTorchLayers({WriteLayers(file, "some/where/tiny.json")}, options).profile;
}

/// @return the message of the error that importing gives, without the folder
std::string
LayersErrorOf(const std::string& text)
{
    const std::string file = GetFolder().Write("f.json", text);
    return GetFolder().ErrorOf([&] { ImportTorchLayers({file}, ImportOptions()); });
}

TEST(DmlTorchLayersImporter, BuildsTheDataFlowGraph)
{
    const Profile profile = ImportLayers(MakeBranches());
    const std::vector<std::string> expected = {
        "pull/conv.weight <-",
        "pull/right.bias <-",
        "pull/right.weight <-",
        "forward/conv <- pull/conv.weight",
        "forward/left <- forward/conv",
        "forward/right <- forward/conv pull/right.bias pull/right.weight",
        "forward/join <- forward/left forward/right",
        "forward/loss <- forward/join",
        "backward/loss <- forward/loss",
        "backward/join <- backward/loss",
        "backward/right#1 <- backward/join",
        "accumulate/right.bias <- backward/right#1",
        "backward/right#2 <- backward/right#1",
        "accumulate/right.weight <- backward/right#2",
        "backward/left <- backward/join",
        "backward/conv <- backward/left backward/right#2",
        "accumulate/conv.weight <- backward/conv",
        "push/right.bias <- accumulate/right.bias",
        "push/right.weight <- accumulate/right.weight",
        "push/conv.weight <- accumulate/conv.weight",
        "update/right.bias <- push/right.bias",
        "update/right.weight <- push/right.weight",
        "update/conv.weight <- push/conv.weight",
    };
    EXPECT_EQ(Describe(profile), expected);
    EXPECT_EQ(profile.model, "tiny");
    EXPECT_EQ(profile.batchSize, 8U);
    EXPECT_EQ(profile.GetTotalBytes(), 488U);
    EXPECT_EQ(profile.GetSampleCount(), 3U);
    EXPECT_EQ(profile.tensors[2].name, "right.weight");
    EXPECT_EQ(profile.graph.Get(13).kind, OpKind::BACKWARD);
    EXPECT_EQ(SamplesOf(profile, "update/conv.weight"), std::vector<double>(3, 3.5e-6));
    EXPECT_EQ(SamplesOf(profile, "forward/conv"), (std::vector<double>{20.5e-6, 21e-6, 22e-6}));
    const std::pair<std::string, std::string> file{"file", "tiny.json"};
    EXPECT_NE(std::find(profile.source.begin(), profile.source.end(), file), profile.source.end());
    const std::pair<std::string, std::string> agreeing{"steps_in_backward_order", "2"};
    EXPECT_NE(std::find(profile.source.begin(), profile.source.end(), agreeing),
              profile.source.end());
}

TEST(DmlTorchLayersImporter, CutsABackwardThatAnAccumulationInterrupts)
{
    const Profile profile = ImportLayers(MakeBranches());
    // Steps 0 and 1 as measured. Step 2 ran left first: left ended before right and gets nothing,
    // and right's first part, from join's end at 14 to the bias at 50, gets its 6 us.
    using Samples = std::vector<double>;
    EXPECT_EQ(SamplesOf(profile, "backward/right#1"), (Samples{30e-6, 34e-6, 36e-6}));
    EXPECT_EQ(SamplesOf(profile, "accumulate/right.bias"), (Samples{5e-6, 4e-6, 5e-6}));
    EXPECT_EQ(SamplesOf(profile, "backward/right#2"), (Samples{6e-6, 7e-6, 5e-6}));
    EXPECT_EQ(SamplesOf(profile, "accumulate/right.weight"), (Samples{3e-6, 4e-6, 3e-6}));
    EXPECT_EQ(SamplesOf(profile, "backward/left"), (Samples{7e-6, 8e-6, 0}));
    EXPECT_EQ(SamplesOf(profile, "backward/conv"), (Samples{30e-6, 27e-6, 27e-6}));
    // the 2 us of idle time in step 0 count to what came after it
    EXPECT_EQ(SamplesOf(profile, "accumulate/conv.weight"), (Samples{4e-6, 2e-6, 2e-6}));
}

TEST(DmlTorchLayersImporter, CutsOnlyWhereTheLengthsSaySo)
{
    // A bias whose accumulation ends at the same time as the backward does not cut it: the length
    // of right, 41 = 55 - 14, leaves no room for a second part.
    json file = MakeBranches();
    file["layers"][2]["bwd_us"] = Us{41, 45, 40};
    file["layers"][2]["params"][0]["grad_ready_us"] = Us{55.1, 61.1, 60.1};
    file["layers"][2]["params"][0]["accum_us"] = Us{0.1, 0.1, 0.1};
    const Profile profile = ImportLayers(file);
    EXPECT_EQ(SamplesOf(profile, "backward/right")[0], 41e-6);
    EXPECT_EQ(SamplesOf(profile, "accumulate/right.bias")[0], 0.1e-6);
}

TEST(DmlTorchLayersImporter, DoesNotTakeRoundingForAPart)
{
    // Both accumulations cut right (14-44 and 52-55), 0.2 us apart: idle time, no part of right.
    json file = MakeBranches();
    file["layers"][2]["bwd_us"] = Us{33, 37, 33};
    file["layers"][2]["params"][1]["grad_ready_us"] = Us{52, 57.2, 58.2};
    file["layers"][2]["params"][1]["accum_us"] = Us{2.8, 3, 3};
    const auto lines = Describe(ImportLayers(file));
    EXPECT_EQ(lines[10], "backward/right#1 <- backward/join");
    EXPECT_EQ(lines[11], "accumulate/right.bias <- backward/right#1");
    EXPECT_EQ(lines[12], "accumulate/right.weight <- backward/right#1");
    EXPECT_EQ(lines[13], "backward/right#2 <- backward/right#1");
    EXPECT_EQ(lines[14], "backward/left <- backward/join");
}

TEST(DmlTorchLayersImporter, MeasuredOrderChainsTheComputeOps)
{
    const auto lines = Describe(ImportLayers(MakeBranches(), ComputeOrder::MEASURED));
    EXPECT_EQ(lines[5],
              "forward/right <- forward/left forward/conv pull/right.bias pull/right.weight");
    EXPECT_EQ(lines[12], "backward/right#2 <- accumulate/right.bias backward/right#1");
    EXPECT_EQ(lines[14], "backward/left <- accumulate/right.weight backward/join");
}

TEST(DmlTorchLayersImporter, MeasuredOrderReplaysTheMeasurement)
{
    const json file = MakeBranches();
    const Profile profile = ImportLayers(file, ComputeOrder::MEASURED);
    for (uint32_t step = 0; step < 2; ++step)
    {
        const LoneReplay replay(profile, step);
        EXPECT_EQ(replay.GetSize(), profile.graph.GetSize());
        const double forward = replay["forward/loss"];
        EXPECT_NEAR(forward, step == 0 ? 35.5e-6 : 36e-6, 1e-15);
        for (const auto& layer : file["layers"])
        {
            for (const auto& parameter : layer["params"])
            {
                EXPECT_NEAR(replay["accumulate/" + parameter["name"].get<std::string>()],
                            forward + parameter["grad_ready_us"][step].get<double>() * 1e-6,
                            1e-15);
            }
        }
    }
    // step 2 ran in another order: gradients after the exchanged branch are exact all the same
    const LoneReplay other(profile, 2);
    EXPECT_NEAR(other["accumulate/conv.weight"], (37 + 92) * 1e-6, 1e-15);
    EXPECT_NEAR(other["accumulate/right.bias"], (37 + 55) * 1e-6, 1e-15);
}

TEST(DmlTorchLayersImporter, DataFlowOrderTakesBranchesInTurn)
{
    // After join (14) right#1 and left are ready; left waited longer than what right#1 releases at
    // 44, so it runs 44-51, then the bias 51-56, right#2 56-62, the weight 62-65, conv 65-95.
    const LoneReplay replay(ImportLayers(MakeBranches()), 0);
    const double forward = replay["forward/loss"];
    EXPECT_NEAR(replay["backward/left"] - forward, 51e-6, 1e-15);
    EXPECT_NEAR(replay["accumulate/right.bias"] - forward, 56e-6, 1e-15);
    EXPECT_NEAR(replay["accumulate/right.weight"] - forward, 65e-6, 1e-15);
    EXPECT_NEAR(replay["accumulate/conv.weight"] - forward, 99e-6, 1e-15);
}

TEST(DmlTorchLayersImporter, NumbersLayersOfTheSameName)
{
    json file = MakeBranches();
    file["layers"][1]["name"] = "relu";
    file["layers"][3]["name"] = "relu";
    const Profile profile = ImportLayers(file);
    EXPECT_EQ(profile.graph.Get(4).name, "forward/relu");
    EXPECT_EQ(profile.graph.Get(6).name, "forward/relu(2)");
    EXPECT_EQ(SamplesOf(profile, "backward/relu(2)")[0], 4e-6);
}

TEST(DmlTorchLayersImporter, KeepsTenthsOfMicrosecondsExactly)
{
    json file = MakeBranches();
    file["layers"][4]["fwd_us"] = Us{10876.3, 0.1, 365889.4};
    // 0.0108763 is the double nearest to that decimal; 10876.3 * 1e-6 is not
    EXPECT_EQ(SamplesOf(ImportLayers(file), "forward/loss"),
              (std::vector<double>{0.0108763, 0.0000001, 0.3658894}));
}

TEST(DmlTorchLayersImporter, RefusesWhatDoesNotFit)
{
    struct Case
    {
        std::string path;    // JSON pointer
        json value;          // to put there
        std::string text;    // what the message must contain
        std::string place{}; // that it must name, the path if empty
    };

    const std::vector<Case> cases = {
        {"/layers/3/bwd_us", REMOVED, "the key 'bwd_us' is missing", "/layers/3"},
        {"/layers", REMOVED, "the key 'layers' is missing", "/"},
        {"/layers", json::array(), "at least one"},
        {"/schema", "x/2", "found schema 'x/2'; accepted is 'torch-layer-profile/1'", "/"},
        {"/schema", REMOVED, "no PyTorch layer profile", "/"},
        {"/layers/2/fwd_us", {1, 2}, "found 2 values; accepted is one for each of the 3 steps"},
        {"/layers/1/deps/0", 99, "found 99; accepted is a whole number from 0 to 0"},
        {"/layers/3/deps/0", 3, "found 3; accepted is a whole number from 0 to 2"},
        {"/layers/0/deps",
         json::array({0}),
         "the first layer depends on another",
         "/layers/0/deps/0"},
        {"/layers/2/params/0/name",
         "conv.weight",
         "parameter 'conv.weight' was already listed by layer 'conv'"},
        {"/layers/2/params/0/bytes", -4, "found -4; accepted is a whole number"},
        {"/layers/1/index", 4, "found 4; accepted is a whole number from 1 to 1"},
        {"/meta/batch", 0, "found 0; accepted is a whole number from 1"},
        {"/meta/model", REMOVED, "'model' is missing", "/meta"},
    };
    for (const auto& [path, value, text, place] : cases)
    {
        json file = MakeBranches();
        ChangeJson(file, path, value);
        const std::string message = LayersErrorOf(file.dump(1));
        const std::string position = ": " + (place.empty() ? path : place) + ": ";
        EXPECT_EQ(message.find("f.json:"), 0U) << message;
        EXPECT_NE(message.find(position), std::string::npos) << message << " lacks " << position;
        EXPECT_NE(message.find(text), std::string::npos) << message << " lacks " << text;
    }
}

// Layers and their order are those of all steps: a step whose times are not all known is left out.
TEST(DmlTorchLayersImporter, LeavesOutStepsWithATimeThatCannotBeRight)
{
    const auto import = [](const json& file, uint32_t skip) {
        ImportOptions options;
        options.skip = skip;
        return ImportTorchLayers({WriteLayers(file, "f.json")}, options);
    };
    json file = MakeBranches();
    const std::vector<std::pair<json, std::string>> values = {
        {-0.5, "/layers/2/fwd_us/1: found -0.5; accepted are microseconds from 0 to 1e12"},
        {nullptr, "/layers/2/fwd_us/1: found null; accepted is a number"},
        {1e300, "/layers/2/fwd_us/1: found 1e+300; accepted are microseconds from 0 to 1e12"}};
    for (const auto& [value, reason] : values)
    {
        file["layers"][2]["fwd_us"][1] = value;
        const ImportResult result = import(file, 0);
        EXPECT_EQ(SamplesOf(result.profile, "forward/conv"), (std::vector<double>{20.5e-6, 22e-6}));
        ASSERT_FALSE(result.warnings.empty());
        const std::string& told = result.warnings.front();
        EXPECT_NE(told.find("f.json: 1 step is left out, as a time in it cannot be right, the "
                            "first: "),
                  std::string::npos)
            << told;
        EXPECT_NE(told.find(reason), std::string::npos) << told;
    }
    // Steps that are left out by --skip count in the file's order.
    EXPECT_EQ(SamplesOf(import(file, 1).profile, "forward/conv"), (std::vector<double>{22e-6}));
    EXPECT_EQ(SamplesOf(import(file, 2).profile, "forward/conv"), (std::vector<double>{22e-6}));
    EXPECT_EQ(import(file, 2).warnings.size() + 1, import(file, 1).warnings.size());
    file["layers"][0]["params"][0]["update_us"][2] = -1;
    EXPECT_NE(LayersErrorOf(file.dump(1)).find("found 2 of 3 steps with a value that cannot be"),
              std::string::npos)
        << LayersErrorOf(file.dump(1));
    file["layers"][4]["bwd_us"][0] = "x";
    EXPECT_NE(LayersErrorOf(file.dump(1)).find("/layers/4/bwd_us/0: "), std::string::npos)
        << LayersErrorOf(file.dump(1));
}

TEST(DmlTorchLayersImporter, RefusesWhatIsNoSuchFile)
{
    const std::string whole = MakeBranches().dump(1);
    const std::string cut = whole.substr(0, whole.size() / 2);
    const auto lines = std::count(cut.begin(), cut.end(), '\n') + 1;
    const std::string message = LayersErrorOf(cut);
    EXPECT_EQ(message.find("f.json:" + std::to_string(lines) + ":"), 0U) << message;
    EXPECT_NE(message.find("not valid JSON"), std::string::npos) << message;

    EXPECT_NE(LayersErrorOf("[1, 2]").find("f.json:1:1: /: "), std::string::npos);
    EXPECT_THROW(ImportTorchLayers({"/nonexistent/x.json"}, ImportOptions()), InputError);
    EXPECT_THROW(ImportTorchLayers({"/"}, ImportOptions()), InputError);
}

TEST(DmlTorchLayersImporter, RefusesMeasuredOrderThatContradictsTheDependencies)
{
    // join's backward ends after that of left, which it feeds: impossible in program order
    json file = MakeBranches();
    file["layers"][3]["bwd_end_us"] = Us{64.5, 72.5, 75};
    file["layers"][1]["bwd_end_us"] = Us{20, 20, 20};
    EXPECT_EQ(GetFolder()
                  .ErrorOf([&] { ImportLayers(file, ComputeOrder::MEASURED); })
                  .find("some/where/tiny.json: the backward of layer 'join' ended after that of "
                        "layer 'left'"),
              0U);
}

/*
 * Sums of the three steps: forward 35.5, 36, 37; last end of backward 99, 102, 92; updates
 * 3 x 3.5 = 10.5, so 145, 148.5, 139.5 us are explained.
 */
json
MakeTimedBranches()
{
    json file = MakeBranches();
    file["meta"]["step_wall_us"] = {{"hooked_fwd", {36, 36, 37}},
                                    {"hooked_bwd", {100, 102, 92}},
                                    {"hooked_upd", {11, 11, 10}},
                                    {"plain", {140, 150, 130, 160}}};
    return file;
}

TEST(DmlTorchLayersImporter, TellsTheMeasuredSteps)
{
    json file = MakeTimedBranches();
    const ImportResult result =
        ImportTorchLayers({WriteLayers(file, "wall.json")}, ImportOptions());
    // in the last step the parts are 0.5 us longer than the whole: nothing is unexplained
    const std::vector<double> steps = {147e-6, 149e-6, 139e-6};
    const std::vector<double> unexplained = {2e-6, 0.5e-6, 0};
    ASSERT_EQ(result.stepSeconds.size(), 3U);
    ASSERT_EQ(result.unexplainedSeconds.size(), 3U);
    for (std::size_t step = 0; step < 3; ++step)
    {
        EXPECT_NEAR(result.stepSeconds[step], steps[step], 1e-12);
        EXPECT_NEAR(result.unexplainedSeconds[step], unexplained[step], 1e-12);
    }
    const std::vector<std::string> rules = {
        "order of the backward pass: that of most steps (2 of 3 steps)",
        "measured step: the steps in which the layers were measured, with instruments (median "
        "0.000147 s; without instruments 0.000145 s)"};
    EXPECT_EQ(result.rules, rules);
    EXPECT_EQ(
        result.replayCaveat,
        "the measurement applied all gradients after the backward pass (0.000010 s per step); "
        "here the parameter server applies each as soon as it has arrived");
    EXPECT_EQ(result.bytesRead, file.dump(1).size());

    file["meta"]["step_wall_us"]["hooked_cpu"] = {146, 147, 148};
    const ImportResult cpu = ImportTorchLayers({WriteLayers(file, "cpu.json")}, ImportOptions());
    EXPECT_NEAR(cpu.stepSeconds[2], 148e-6, 1e-12);

    file["meta"]["step_wall_us"]["hooked_cpu"] = {146, 147};
    EXPECT_NE(LayersErrorOf(file.dump(1))
                  .find("/meta/step_wall_us/hooked_cpu: found 2 values; accepted "
                        "is one for each of the 3 steps"),
              std::string::npos);
}

TEST(DmlTorchLayersImporter, SeveralFilesAreMoreSteps)
{
    const json file = MakeTimedBranches();
    json other = file;
    other["layers"][0]["fwd_us"] = Us{1, 2, 3};
    other["meta"]["step_wall_us"]["hooked_fwd"] = Us{10, 20, 30};
    const std::string first = WriteLayers(file, "a.json");
    const std::string second = WriteLayers(other, "b.json");
    const ImportResult result = ImportTorchLayers({first, second}, ImportOptions());
    EXPECT_EQ(result.profile.GetSampleCount(), 6U);
    EXPECT_EQ(SamplesOf(result.profile, "forward/conv"),
              (std::vector<double>{20.5e-6, 21e-6, 22e-6, 1e-6, 2e-6, 3e-6}));
    ASSERT_EQ(result.stepSeconds.size(), 6U);
    EXPECT_NEAR(result.stepSeconds[3], 121e-6, 1e-12);

    ImportOptions options;
    options.skip = 2;
    options.batchSize = 5;
    options.model = "mine";
    options.device = "cpu:0";
    const ImportResult last = ImportTorchLayers({first, second}, options);
    EXPECT_EQ(SamplesOf(last.profile, "forward/conv"), (std::vector<double>{22e-6, 3e-6}));
    ASSERT_EQ(last.stepSeconds.size(), 2U);
    EXPECT_NEAR(last.stepSeconds[1], 132e-6, 1e-12);
    EXPECT_EQ(last.profile.batchSize, 5U);
    EXPECT_EQ(last.profile.model, "mine");
    EXPECT_EQ(last.profile.devices.front().name, "cpu:0");
}

TEST(DmlTorchLayersImporter, AnyDamageIsRefusedOrGivesAValidProfile)
{
    const std::string whole = MakeTimedBranches().dump();
    std::mt19937 random(1);
    const std::string bytes = "0123456789-.,:[]{}\"\\eE \n";
    for (uint32_t round = 0; round < 1000; ++round)
    {
        std::string damaged = whole;
        for (uint32_t i = 0; i <= round % 5; ++i)
        {
            damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
        }
        if (round % 10 == 0)
        {
            damaged.resize(random() % damaged.size());
        }
        const std::string file = GetFolder().Write("f.json", damaged);
        try
        {
            ImportTorchLayers({file}, ImportOptions()).profile.Validate();
        }
        catch (const InputError& error)
        {
            EXPECT_EQ(std::string(error.what()).find(file), 0U) << error.what();
        }
    }
}

TEST(DmlTorchLayersImporter, RefusesFilesOfDifferentModels)
{
    const json file = MakeTimedBranches();
    const auto errorOf = [&file](const json& other) {
        const std::vector<std::string> files{WriteLayers(file, "a.json"),
                                             WriteLayers(other, "b.json")};
        return GetFolder().ErrorOf([&] { ImportTorchLayers(files, ImportOptions()); });
    };

    struct Case
    {
        const char* path;
        json value;
        const char* error;
    };

    const std::vector<Case> cases = {
        {"/meta/model", "other", "/meta/model: found 'other'; accepted are files of one model"},
        {"/meta/batch", 4, "/meta/batch: found 4; accepted are files of one batch size"},
        {"/layers/2/name", "r", "b.json: layer 2 is called 'r', not 'right'; accepted"},
        {"/layers/2/deps", {0, 1}, "b.json: layer 2 'right' reads other layers; accepted"},
        {"/layers/2/params", json::array(), "b.json: layer 2 'right' has 0 parameters, not 2"},
        {"/layers/2/params/0/bytes",
         12,
         "b.json: layer 2 'right' has the parameter 'right.bias' of 12 bytes, not 'right.bias' of "
         "8"},
    };
    for (const auto& [path, value, error] : cases)
    {
        json other = file;
        ChangeJson(other, path, value);
        EXPECT_NE(errorOf(other).find(error), std::string::npos) << path << ": " << errorOf(other);
    }
    json other = file;
    other["layers"].erase(4);
    EXPECT_NE(errorOf(other), "no error");
    ImportOptions options;
    options.skip = 3;
    EXPECT_THROW(ImportTorchLayers({WriteLayers(file, "a.json")}, options), InputError);
    EXPECT_THROW(ImportTorchLayers(std::vector<std::string>(), ImportOptions()), InputError);
}

} // namespace
