/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-mistake.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-tensor-partition.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// The cases below replace one of these lines.
const std::vector<std::string> HOLDING{
    "schema: dml-profile/3",                                                    // line 1
    "model: m",                                                                 // 2
    "batch_size: 1",                                                            // 3
    "input_bytes: 12",                                                          // 4
    "tensors: [{name: a, bytes: 100}]",                                         // 5
    "ops:",                                                                     // 6
    "  - {name: f, kind: forward, seconds: 1, activation_bytes: 7, "            // 7
    "output_bytes: 1KB, workspace_bytes: 3}",                                   // (7)
    "  - {name: b, kind: backward, deps: [f], seconds: 1, workspace_bytes: 9}", // 8
    "  - {name: push/a, kind: push, tensor: a, deps: [b]}",                     // 9
    "buckets: [{tensors: [a]}]",                                                // 10
    "resident_bytes: 5",                                                        // 11
};

class MemoryMistake : public testing::TestWithParam<Mistake>
{
};

} // namespace

TEST(ProfileMemory, IsReadAndWritten)
{
    const ScratchFolder folder;
    const Profile profile = ReadProfile(folder.Write("p.yaml", ReplaceLine(HOLDING, 0, "")));
    EXPECT_TRUE(profile.HasMemory());
    EXPECT_EQ(profile.inputBytes, 12U);
    EXPECT_EQ(profile.residentBytes, 5U);
    EXPECT_EQ(profile.graph.Get(0).memory.activation, 7U);
    EXPECT_EQ(profile.graph.Get(0).memory.output, 1000U);
    EXPECT_EQ(profile.graph.Get(0).memory.workspace, 3U);
    EXPECT_EQ(profile.graph.Get(1).memory.workspace, 9U);
    std::ostringstream output;
    WriteProfile(profile, output);
    EXPECT_EQ(output.str(),
              "schema: dml-profile/3\n"
              "model: m\n"
              "batch_size: 1\n"
              "input_bytes: 12\n"
              "resident_bytes: 5\n"
              "devices:\n"
              "  - {name: cpu, slots: 1}\n"
              "tensors:\n"
              "  - {name: a, bytes: 100}\n"
              "ops:\n"
              "  - {name: f, kind: forward, device: cpu, activation_bytes: 7, output_bytes: 1000, "
              "workspace_bytes: 3, samples: [1]}\n"
              "  - {name: b, kind: backward, device: cpu, deps: [f], workspace_bytes: 9, samples: "
              "[1]}\n"
              "  - {name: push/a, kind: push, tensor: a, deps: [b]}\n"
              "buckets:\n"
              "  - {bytes: 100, tensors: [a]}\n");
}

// An op that is known to hand on nothing is not one of which nobody knows what it hands on.
TEST(ProfileMemory, NoOutputIsWrittenAndReadAsSuch)
{
    const ScratchFolder folder;
    std::vector<std::string> lines = HOLDING;
    lines[6] = "  - {name: f, kind: forward, seconds: 1, output_bytes: 0}";
    const Profile profile = ReadProfile(folder.Write("p.yaml", ReplaceLine(lines, 10, "")));
    EXPECT_TRUE(profile.graph.Get(0).memory.noOutput);
    EXPECT_FALSE(profile.graph.Get(1).memory.noOutput);
    std::ostringstream output;
    WriteProfile(profile, output);
    EXPECT_NE(output.str().find("device: cpu, output_bytes: 0, samples"), std::string::npos)
        << output.str();
    lines[6] = "  - {name: f, kind: forward, seconds: 1}";
    EXPECT_FALSE(ReadProfile(folder.Write("q.yaml", ReplaceLine(lines, 10, "")))
                     .graph.Get(0)
                     .memory.noOutput);
}

TEST(ProfileMemory, StaysWhereTensorsAreCutAndScales)
{
    const ScratchFolder folder;
    Profile profile = ReadProfile(folder.Write("p.yaml", ReplaceLine(HOLDING, 10, "")));
    const Profile cut = PartitionTensors(profile, 50).profile;
    EXPECT_EQ(cut.inputBytes, 12U);
    EXPECT_EQ(cut.graph.Get(0).memory.output, 1000U);
    EXPECT_EQ(cut.graph.Get(1).memory.workspace, 9U);
    profile.Scale(0.1);
    EXPECT_EQ(profile.inputBytes, 1U);
    EXPECT_EQ(profile.graph.Get(0).memory.output, 100U);
    EXPECT_EQ(profile.graph.Get(0).memory.activation, 1U) << "at least a byte";
}

TEST_P(MemoryMistake, IsRefusedWithItsPlace)
{
    const ScratchFolder folder;
    const auto file =
        folder.Write("p.yaml", ReplaceLine(HOLDING, GetParam().line, GetParam().text));
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(file); }), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Memory,
    MemoryMistake,
    testing::Values(
        Mistake{1,
                "schema: dml-profile/2",
                "p.yaml:4:14: input_bytes: found the key with the schema dml-profile/2; accepted: "
                "it with dml-profile/3"},
        Mistake{4,
                "input_bytes: -1",
                "p.yaml:4:14: input_bytes: found \"-1\"; accepted: a size from 0 to 1099511627776 "
                "bytes: an integer, or a number with a "
                "unit (B, KB, MB, GB, KiB, MiB, GiB), such as 28MB"},
        Mistake{7,
                "  - {name: f, kind: forward, seconds: 1, activation_bytes: 2TiB}",
                "p.yaml:7:60: ops[0].activation_bytes: op 'f': found \"2TiB\"; accepted: a size "
                "from 0 to 1099511627776 bytes: an integer, or a number with a "
                "unit (B, KB, MB, GB, KiB, MiB, GiB), such as 28MB"},
        Mistake{8,
                "  - {name: b, kind: backward, deps: [f], seconds: 1, activation_bytes: 9}",
                "p.yaml:8:72: ops[1].activation_bytes: op 'b': found the key 'activation_bytes'; "
                "accepted: none for ops of kind backward (it is for forward ops)"},
        Mistake{9,
                "  - {name: push/a, kind: push, tensor: a, deps: [b], workspace_bytes: 9}",
                "p.yaml:9:71: ops[2].workspace_bytes: op 'push/a': found the key "
                "'workspace_bytes'; accepted: none for ops of kind push (it is for forward and "
                "backward ops)"}));

TEST(ProfileMemory, EarlierVersionsDoNotKnowIt)
{
    const ScratchFolder folder;
    std::vector<std::string> lines = HOLDING;
    lines[0] = "schema: dml-profile/2";
    lines[3] = "";
    lines.back() = "";
    const auto file = folder.Write("p.yaml", ReplaceLine(lines, 0, ""));
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(file); }),
              "p.yaml:7:60: ops[0].activation_bytes: op 'f': found the key with an earlier schema; "
              "accepted: it with dml-profile/3");
}

TEST(ProfileMemory, IsCheckedWhereNoReaderDid)
{
    Profile profile;
    profile.model = "m";
    profile.devices = {{"cpu", 1}};
    profile.graph.Add({"b", OpKind::BACKWARD, 0, NO_INDEX, {7, 0, 7}});
    profile.samples = {{1}};
    EXPECT_THROW(profile.Validate(), ProfileError);
    profile.graph.SetMemory(0, {0, 0, 7});
    EXPECT_NO_THROW(profile.Validate());
    profile.graph.SetMemory(0, {0, 0, MAX_OP_MEMORY + 1});
    EXPECT_THROW(profile.Validate(), ProfileError);
}
