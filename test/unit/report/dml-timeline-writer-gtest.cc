/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"
#include "dml-in-order-run.h"
#include "dml-profile-builder.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-importers.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-timeline-writer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace ns3::dml;

namespace
{

using Json = nlohmann::json;

/// Two tensors; forward on a GPU, backward on the CPU, where the pull of b is used too.
ProfileBuilder
MakeJob()
{
    ProfileBuilder builder({{"gpu:1", 1}, {"cpu", 1}});
    builder.Pull("a", 200000)
        .Pull("b", 8)
        .Compute("forward", {1}, {"pull/a"})
        .Compute("loss", {1}, {"forward", "pull/b"}, 1)
        .Push("a", 200000, {"loss"})
        .Update("a", 1);
    return builder;
}

/// @return events of a timeline by process and then "name of the node", its parts that are checked
std::map<std::string, Json>
ReadEvents(const std::string& path)
{
    std::map<std::string, Json> events;
    std::map<int, std::string> processes;
    const Json file = Json::parse(std::ifstream(path));
    for (const auto& event : file["traceEvents"])
    {
        if (event["ph"] == "M")
        {
            EXPECT_EQ(event["name"], "process_name");
            processes[event["pid"]] = event["args"]["name"];
            continue;
        }
        EXPECT_EQ(event["ph"], "X");
        EXPECT_EQ(event["cat"], "Op");
        EXPECT_EQ(event["name"], event["args"]["op"]);
        const Json& args = event["args"];
        const std::string name =
            args["name"].get<std::string>() +
            (args.contains("tensor") ? " " + args["tensor"].get<std::string>() : "");
        Json& entry = events[processes.at(event["pid"]) + ": " + name];
        EXPECT_TRUE(entry.is_null()) << name;
        entry = event;
    }
    return events;
}

} // namespace

// Times in us: pull a is ready at 100, arrives at 300 and is parsed until 320; pull b is ready at
// 100 and arrives at 110.4 (rounded to 110); forward 320 to 400.6 (401), loss from there to 500;
// push a is ready at 510, arrives at 700 and is parsed until 720; the update takes until 750.
TEST(DmlTimelineWriter, WritesAStepAsTensorFlowDoes)
{
    const ScratchFolder folder;
    const ProfileBuilder builder = MakeJob();
    TimelineWriter writer(folder.GetPath("W2-packet"), builder.Build(), 2, 1);
    const auto op = [&](const char* name) { return builder.Find(name); };
    const auto chunk =
        [&](const char* name, ResourceLabel kind, uint32_t i, double from, double to) {
            writer.On(ChunkRecord{1,
                                  0,
                                  op(name),
                                  false,
                                  MakeResource(kind, i, 1),
                                  0,
                                  from * 1e-6,
                                  to * 1e-6});
        };
    const auto arrival = [&](const char* name, uint32_t server, double ready, double last) {
        const bool down = name[2] == 'l';
        writer.On(
            TransferRecord{MakeChannel(down ? Direction::DOWNLINK : Direction::UPLINK, server, 1),
                           0,
                           op(name),
                           0,
                           ready * 1e-6,
                           ready * 1e-6,
                           last * 1e-6});
    };
    chunk("pull/b", ResourceLabel::DOWNLINK, 1, 100, 110);
    arrival("pull/b", 1, 100, 110.4);
    chunk("pull/a", ResourceLabel::DOWNLINK, 0, 110, 200);
    chunk("pull/a", ResourceLabel::DOWNLINK, 0, 220, 290);
    arrival("pull/a", 0, 100, 300);
    writer.On(ChunkRecord{1,
                          0,
                          op("pull/a"),
                          true,
                          MakeResource(ResourceLabel::DEVICE, 0, 1),
                          0,
                          300e-6,
                          320e-6});
    chunk("forward", ResourceLabel::DEVICE, 0, 320, 400.6);
    chunk("loss", ResourceLabel::DEVICE, 1, 400.6, 500);
    chunk("push/a", ResourceLabel::UPLINK, 0, 510, 690);
    arrival("push/a", 0, 510, 700);
    writer.On(ChunkRecord{1,
                          0,
                          op("push/a"),
                          true,
                          MakeResource(ResourceLabel::SERVER, 0, 1),
                          0,
                          700e-6,
                          720e-6});
    chunk("update/a", ResourceLabel::SERVER, 0, 720, 750);
    writer.On(StepRecord{1, 0, 0, 90e-6, 760e-6});

    const std::string path = folder.GetPath("W2-packet-worker1-step0.timeline.json");
    const auto events = ReadEvents(path);
    const std::string gpu = "/job:worker/replica:0/task:1/device:GPU:1 Compute: ";
    const std::string cpu = "/job:worker/replica:0/task:1/device:CPU:0 Compute: ";
    const std::string server = "/job:ps/replica:0/task:0/device:CPU:0 Compute: ";
    const std::string other = "/job:ps/replica:0/task:1/device:CPU:0 Compute: ";
    const std::string gradient = "gradients/a_grad/tuple/control_dependency_1";
    const std::string update = "GradientDescent/update_a/ApplyGradientDescent";
    EXPECT_EQ(events.size(), 11u);
    const auto check = [&](const std::string& name, int start, int length, const Json& args) {
        const auto found = events.find(name);
        ASSERT_NE(found, events.end()) << name;
        const Json& event = found->second;
        EXPECT_EQ(event["ts"], 1000000000000000 + start) << name;
        EXPECT_EQ(event["dur"], length) << name;
        for (const auto& [key, value] : args.items())
        {
            EXPECT_EQ(event["args"].value(key, Json()), value) << name << " " << key;
        }
    };
    check(server + "a", 100, 0, {{"op", "VariableV2"}});
    check(server + "a/read", 100, 0, {{"op", "Identity"}, {"input0", "a"}});
    check(other + "b/read", 100, 0, {{"op", "Identity"}, {"input0", "b"}});
    check(gpu + "RecvTensor a/read",
          100,
          220,
          {{"bytes", 200000},
           {"label",
            "[0.2MB] edge_1_a/read from /job:ps/replica:0/task:0/device:CPU:0 to "
            "/job:worker/replica:0/task:1/device:GPU:1"}});
    check(cpu + "RecvTensor b/read",
          100,
          10,
          {{"bytes", 8},
           {"label",
            "[8B] edge_3_b/read from /job:ps/replica:0/task:1/device:CPU:0 to "
            "/job:worker/replica:0/task:1/device:CPU:0"}});
    check(gpu + "forward", 320, 81, {{"op", "PartitionedCall"}, {"input0", "a/read_S1"}});
    check(cpu + "loss", 401, 99, {{"input0", "forward_S7"}, {"input1", "b/read_S3"}});
    check(cpu + gradient, 500, 0, {{"op", "Identity"}, {"input0", "loss"}});
    check(server + "RecvTensor " + gradient, 510, 210, {{"bytes", 200000}});
    check(server + update,
          720,
          30,
          {{"op", "ApplyGradientDescent"},
           {"input0", "a"},
           {"input1", "GradientDescent/learning_rate"},
           {"input2", gradient + "_S5"}});
    // Two pulls at once on one device would need two lanes; variables and reads do.
    EXPECT_EQ(events.at(server + "a")["tid"], 0);
    EXPECT_EQ(events.at(server + "a/read")["tid"], 1);
}

TEST(DmlTimelineWriter, WritesTheStepsAskedForThatEnded)
{
    const ScratchFolder folder;
    const ProfileBuilder builder = MakeJob();
    TimelineWriter writer(folder.GetPath("x"), builder.Build(), 1, 2);
    const auto run = [&](uint32_t worker, uint32_t step) {
        writer.On(ChunkRecord{worker,
                              step,
                              builder.Find("forward"),
                              false,
                              MakeResource(ResourceLabel::DEVICE, 0, worker),
                              0,
                              0,
                              1});
    };
    run(0, 0);
    run(1, 0);
    run(1, 2);
    writer.On(StepRecord{0, 0, 0, 0, 1});
    writer.On(CrashRecord{1, 1, 0, 0});
    writer.On(StepRecord{1, 0, 0, 0, 1}); // with nothing of it
    run(1, 1);
    writer.On(StepRecord{1, 1, 0, 0, 1});
    writer.On(StepRecord{1, 2, 0, 0, 1});
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder.GetPath(".")))
    {
        files.push_back(file.path().filename());
    }
    std::sort(files.begin(), files.end());
    EXPECT_EQ(files,
              (std::vector<std::string>{"x-worker0-step0.timeline.json",
                                        "x-worker1-step1.timeline.json"}));
}

// TensorFlow's names, each once: [A-Za-z0-9.][A-Za-z0-9_.\\-/]*, and no end that looks like the
// partitioner's.
TEST(DmlTimelineGraph, NamesAreTensorFlows)
{
    ProfileBuilder builder({{"gpu", 1}, {"GPU:0", 1}, {"cpu:3", 1}, {"stream 7", 1}, {"tpu3", 1}});
    builder.Compute("a b", {1}).Compute("a_b", {1}).Compute("_\u00e9", {1}).Compute("x_S12", {1});
    builder.Compute("y/_3", {1}).Compute("12", {1}).Pull("a_b", 1).Push("a_b", 1);
    const TimelineGraph graph = MakeTimelineGraph(builder.Build());
    EXPECT_EQ(graph.devices,
              (std::vector<std::string>{"GPU:0", "GPU:1", "CPU:3", "CPU:7", "TPU:3"}));
    const auto name = [&](const char* op) { return graph.nodes[builder.Find(op)].name; };
    EXPECT_EQ(name("pull/a_b"), "a_b/read");
    EXPECT_EQ(name("push/a_b"), "gradients/a_b_grad/tuple/control_dependency_1");
    EXPECT_EQ(name("a b"), "a_b_1");
    EXPECT_EQ(name("a_b"), "a_b_2");
    EXPECT_EQ(name("_\u00e9"), ".__");
    EXPECT_EQ(name("x_S12"), "x_S12.");
    EXPECT_EQ(name("y/_3"), "y/_3.");
    EXPECT_EQ(name("12"), "12");
}

namespace
{

/// @param op of a job; @return the name that the import of its timelines gives it
std::string
GetImportedName(const Profile& job, const TimelineGraph& graph, OpIndex op)
{
    const OpKind kind = job.graph.Get(op).kind;
    return NeedsTensor(kind)
               ? std::string(ToString(kind)) + "/" + graph.variables[job.graph.Get(op).tensor].name
               : graph.nodes[op].name;
}

/// @return index of an op by name, or NO_INDEX
OpIndex
FindOp(const Profile& profile, const std::string& name)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            return op;
        }
    }
    return NO_INDEX;
}

} // namespace

// What a run wrote is imported as TensorFlow's timelines are: the same tensors, ops, dependencies,
// and times to 1 us. Gradients are ops of their own, which take no time.
TEST(DmlTimelineWriter, IsReadAsATimeline)
{
    for (const auto& [file, servers] :
         {std::pair<const char*, uint32_t>{"test/data/tiny.profile.yaml", 2},
          {"scenarios/profiles/alexnet-b8.yaml", 1}})
    {
        const Profile job = ReadProfile(FindRepositoryFile(file));
        const TimelineGraph graph = MakeTimelineGraph(job);
        const ScratchFolder scratch;
        const uint32_t samples = job.GetSampleCount();
        TimelineWriter writer(scratch.GetPath("x"), job, servers, samples);
        RunInOrder(job, 2, servers, writer);
        std::vector<std::string> files;
        for (uint32_t step = 0; step < samples; ++step)
        {
            files.push_back(
                scratch.GetPath("x-worker1-step" + std::to_string(step) + ".timeline.json"));
        }
        ImportOptions options;
        options.model = job.model;
        options.batchSize = job.batchSize;
        options.idle = IdleTime::DROP;
        const Profile imported = ImportTfTimeline(files, options).profile;
        ASSERT_EQ(imported.GetSampleCount(), samples);
        std::map<std::string, uint64_t> tensors;
        for (const auto& tensor : imported.tensors)
        {
            tensors[tensor.name] = tensor.bytes;
        }
        ASSERT_EQ(tensors.size(), job.tensors.size());
        uint32_t gradients = 0;
        for (OpIndex op = 0; op < job.graph.GetSize(); ++op)
        {
            const OpKind kind = job.graph.Get(op).kind;
            const OpIndex same = FindOp(imported, GetImportedName(job, graph, op));
            ASSERT_NE(same, NO_INDEX) << GetImportedName(job, graph, op);
            EXPECT_EQ(imported.graph.Get(same).kind, kind) << job.graph.Get(op).name;
            if (NeedsTensor(kind))
            {
                const Tensor& tensor = job.tensors[job.graph.Get(op).tensor];
                EXPECT_EQ(tensors.at(graph.variables[job.graph.Get(op).tensor].name), tensor.bytes);
            }
            for (uint32_t step = 0; step < samples && !IsTransfer(kind); ++step)
            {
                EXPECT_NEAR(imported.samples[same][step], job.samples[op][step], 1.001e-6)
                    << job.graph.Get(op).name;
            }
            OpIndex reader = same;
            if (kind == OpKind::PUSH)
            {
                const auto deps = imported.graph.GetDependencies(same);
                ASSERT_EQ(deps.size(), 1u);
                reader = deps.front();
                EXPECT_EQ(imported.graph.Get(reader).name, graph.nodes[op].name);
                EXPECT_EQ(imported.samples[reader], std::vector<double>(samples, 0.0));
                ++gradients;
            }
            std::vector<OpIndex> expected;
            for (const OpIndex dep : job.graph.GetDependencies(op))
            {
                expected.push_back(FindOp(imported, GetImportedName(job, graph, dep)));
            }
            auto found = imported.graph.GetDependencies(reader);
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            EXPECT_EQ(found, expected) << job.graph.Get(op).name;
        }
        EXPECT_EQ(imported.graph.GetSize(), job.graph.GetSize() + gradients);
    }
}
