/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-mistake.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-profile-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A valid profile; the cases below replace one of its lines.
const std::vector<std::string> VALID{
    "schema: dml-profile/1",                                                              // line 1
    "model: tiny",                                                                        // 2
    "batch_size: 8",                                                                      // 3
    "source: {framework: torch 2.1, threads: 4}",                                         // 4
    "devices: [cpu, {name: gpu, slots: 2}]",                                              // 5
    "tensors:",                                                                           // 6
    "  - {name: w, bytes: 4000}",                                                         // 7
    "  - {name: b, bytes: 1.5KB}",                                                        // 8
    "ops:",                                                                               // 9
    "  - {name: pull/w, kind: pull, tensor: w}",                                          // 10
    "  - {name: pull/b, kind: pull, tensor: b}",                                          // 11
    "  - {name: fwd, kind: forward, device: cpu, deps: [pull/w, copy], samples: [1, 2]}", // 12
    "  - {name: copy, kind: compute, device: gpu, deps: [pull/b], seconds: 0.5}",         // 13
    "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [3, 4e-3]}",      // 14
    "  - {name: push/w, kind: push, tensor: w, deps: [bwd]}",                             // 15
    "  - {name: upd/w, kind: update, tensor: w, deps: [push/w], seconds: 0}",             // 16
};

std::string
ValidWith(int line, const std::string& text)
{
    return ReplaceLine(VALID, line, text);
}

using Names = std::vector<std::string>;
using Row = std::vector<double>;

TEST(ProfileReader, EveryKey)
{
    const ScratchFolder folder;
    const Profile profile = ReadProfile(folder.Write("p.yaml", ValidWith(0, "")));
    EXPECT_EQ(profile.model, "tiny");
    EXPECT_EQ(profile.batchSize, 8U);
    const std::vector<std::pair<std::string, std::string>> source{{"framework", "torch 2.1"},
                                                                  {"threads", "4"}};
    EXPECT_EQ(profile.source, source);
    ASSERT_EQ(profile.devices.size(), 2U);
    EXPECT_EQ(profile.devices[0].name, "cpu");
    EXPECT_EQ(profile.devices[0].slots, 1U);
    EXPECT_EQ(profile.devices[1].name, "gpu");
    EXPECT_EQ(profile.devices[1].slots, 2U);
    ASSERT_EQ(profile.tensors.size(), 2U);
    EXPECT_EQ(profile.tensors[0].name, "w");
    EXPECT_EQ(profile.tensors[0].bytes, 4000U);
    EXPECT_EQ(profile.tensors[1].bytes, 1500U);

    Names names;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        names.push_back(profile.graph.Get(i).name);
    }
    EXPECT_EQ(names, (Names{"pull/w", "pull/b", "fwd", "copy", "bwd", "push/w", "upd/w"}));
    EXPECT_EQ(profile.graph.Get(1).kind, OpKind::PULL);
    EXPECT_EQ(profile.graph.Get(1).tensor, 1U);
    EXPECT_EQ(profile.graph.Get(2).kind, OpKind::FORWARD);
    EXPECT_EQ(profile.graph.Get(2).device, 0U);
    EXPECT_EQ(profile.graph.Get(2).tensor, NO_INDEX);
    EXPECT_EQ(profile.graph.Get(3).kind, OpKind::COMPUTE);
    EXPECT_EQ(profile.graph.Get(3).device, 1U);
    EXPECT_EQ(profile.graph.Get(6).kind, OpKind::UPDATE);
    EXPECT_EQ(profile.graph.Get(6).tensor, 0U);
    // in the order written, and also on an op that is listed later
    EXPECT_EQ(profile.graph.GetDependencies(2), (std::vector<OpIndex>{0, 3}));
    EXPECT_EQ(profile.graph.GetDependencies(6), std::vector<OpIndex>{5});
    // seconds are repeated for each of the two measured steps
    const std::vector<Row> samples{{}, {}, {1, 2}, {0.5, 0.5}, {3, 0.004}, {}, {0, 0}};
    EXPECT_EQ(profile.samples, samples);
}

TEST(ProfileReader, Defaults)
{
    const ScratchFolder folder;
    const Profile profile =
        ReadProfile(folder.Write("p.yaml",
                                 "schema: dml-profile/1\n"
                                 "model: m\n"
                                 "batch_size: 1\n"
                                 "tensors: []\n"
                                 "ops: [{name: a, kind: compute, seconds: 2}]\n"));
    ASSERT_EQ(profile.devices.size(), 1U);
    EXPECT_EQ(profile.devices[0].name, "cpu");
    EXPECT_EQ(profile.devices[0].slots, 1U);
    EXPECT_EQ(profile.samples, std::vector<Row>{{2}});
    EXPECT_EQ(profile.GetSampleCount(), 1U);
}

/// The part of a profile that leaves fwd, 'odd, "op"' and upd to the CSV file.
const std::string BESIDE = "schema: dml-profile/1\n"
                           "model: m\n"
                           "batch_size: 1\n"
                           "samples: s.csv\n"
                           "tensors: [{name: w, bytes: 1}]\n"
                           "ops:\n"
                           "  - {name: pull, kind: pull, tensor: w}\n"
                           "  - {name: fwd, kind: forward}\n"
                           "  - {name: 'odd, \"op\"', kind: forward}\n"
                           "  - {name: loss, kind: compute, seconds: 7}\n"
                           "  - {name: upd, kind: update, tensor: w}\n";

TEST(ProfileReader, SamplesBesideTheProfile)
{
    const ScratchFolder folder;
    // columns in another order, CRLF, quoted names, empty lines at the end
    folder.Write("sub/s.csv", "upd,\"odd, \"\"op\"\"\",fwd\r\n1,2.5,3\r\n4,5e-1,6\r\n\r\n\n");
    const Profile profile = ReadProfile(folder.Write("sub/p.yaml", BESIDE));
    const std::vector<Row> samples{{}, {3, 6}, {2.5, 0.5}, {7, 7}, {1, 4}};
    EXPECT_EQ(profile.samples, samples);
}

TEST(ProfileReader, MistakesInSamplesBesideTheProfile)
{
    const ScratchFolder folder;
    const auto path = folder.Write("p.yaml", BESIDE);
    const auto error = [&](const std::string& csv) {
        folder.Write("s.csv", csv);
        return folder.ErrorOf([&] { ReadProfile(path); });
    };
    const std::string head = "upd,\"odd, \"\"op\"\"\",fwd\n";
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(path); }),
              "p.yaml:4:10: samples: found \"s.csv\", but there is no file s.csv; accepted: the "
              "name of a CSV file, relative to the profile's folder");
    EXPECT_EQ(error(""),
              "s.csv:1:1: found an empty file; accepted: a header of op names, then rows of "
              "seconds");
    EXPECT_EQ(error(head),
              "s.csv:1:1: found no rows; accepted: one row per measured step below the header");
    EXPECT_EQ(error("upd,fwd\n1,2\n"),
              "s.csv:1:1: found no column for op 'odd, \"op\"'; accepted: a column for every op "
              "without seconds or samples in the profile");
    EXPECT_EQ(error("upd,fwdd,x\n"),
              "s.csv:1:5: found a column 'fwdd'; did you mean 'fwd'? accepted: names of the "
              "profile's ops that have no duration there");
    EXPECT_EQ(error("upd,pull\n"),
              "s.csv:1:5: found a column for op 'pull', which is a transfer or has seconds or "
              "samples in the profile; accepted: columns of the other ops");
    EXPECT_EQ(error("upd,upd\n"),
              "s.csv:1:5: found a second column 'upd'; accepted: one column per op");
    EXPECT_EQ(error(head + "1,2,3\n1,2\n"),
              "s.csv:3:1: found a row of 2; accepted: a row of 3, as the header");
    EXPECT_EQ(error(head + "1,2,3\n\n1,2,3\n"),
              "s.csv:3:1: found a row of 1; accepted: a row of 3, as the header");
    EXPECT_EQ(error(head + "1,2,3\n1, 2,3\n"),
              "s.csv:3:3: op 'odd, \"op\"': found \" 2\"; accepted: a number of seconds from 0 to "
              "1000000");
    EXPECT_EQ(error(head + "1,2,nan\n"),
              "s.csv:2:5: op 'fwd': found \"nan\"; accepted: a number of seconds from 0 to "
              "1000000");
    EXPECT_EQ(error(head + "-1,2,3\n"),
              "s.csv:2:1: op 'upd': found \"-1\"; accepted: a number of seconds from 0 to 1000000");
    EXPECT_EQ(error(head + "1,2,\n"),
              "s.csv:2:5: op 'fwd': found \"\"; accepted: a number of seconds from 0 to 1000000");
    EXPECT_EQ(error("upd,\"fwd\n"),
              "s.csv:1:5: found a quoted cell without its closing quote; accepted: it in the same "
              "line");
    EXPECT_EQ(error("upd,\"f\"wd\n"),
              "s.csv:1:7: found a quote inside a quoted cell; accepted: it doubled");
    EXPECT_EQ(error(head + "1,2,\x01\n"),
              "s.csv:2:5: found byte 0x01; accepted: UTF-8 text without control characters");
}

TEST(ProfileReader, SamplesBesideAndInlineMustAgree)
{
    const ScratchFolder folder;
    const std::string start = "schema: dml-profile/1\nmodel: m\nbatch_size: 1\nsamples: s.csv\n"
                              "tensors: []\nops:\n  - {name: a, kind: compute}\n";
    folder.Write("s.csv", "a\n1\n2\n");
    auto path = folder.Write("p.yaml", start + "  - {name: b, kind: compute, samples: [1]}\n");
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(path); }),
              "p.yaml:8:39: ops[1].samples: op 'b': found 1 sample; accepted: 2, as op 'a' has "
              "(one for each measured step)");
    path = folder.Write("p.yaml",
                        "schema: dml-profile/1\nmodel: m\nbatch_size: 1\nsamples: s.csv\n"
                        "tensors: []\nops: [{name: a, kind: compute, seconds: 1}]\n");
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(path); }),
              "p.yaml:4:10: samples: found \"s.csv\" though every op has seconds or samples; "
              "accepted: only one of both");
}

class ProfileMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(ProfileMistake, IsRefusedWithItsPlace)
{
    const ScratchFolder folder;
    const auto file = folder.Write("p.yaml", ValidWith(GetParam().line, GetParam().text));
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(file); }), GetParam().error);
}

const std::string SECONDS = "a number of seconds from 0 to 1000000";
const std::string SCHEMA =
    "dml-profile/1, dml-profile/2 or dml-profile/3 (other formats can be converted: dml import)";
const std::string KINDS = "pull, forward, backward, push, update, compute";

INSTANTIATE_TEST_SUITE_P(
    Head,
    ProfileMistake,
    testing::Values(
        Mistake{1, "", "p.yaml:2:1: schema: found nothing; accepted: " + SCHEMA},
        Mistake{1,
                "schema: dml-profile/4",
                "p.yaml:1:9: schema: found \"dml-profile/4\"; accepted: " + SCHEMA},
        Mistake{
            2,
            "modle: tiny",
            "p.yaml:2:1: modle: unknown key 'modle'; did you mean 'model'? accepted: schema, "
            "model, batch_size, input_bytes, resident_bytes, source, devices, samples, tensors, "
            "ops, buckets"},
        Mistake{3,
                "",
                "p.yaml:1:1: batch_size: found nothing; accepted: an integer from 1 to 1000000000"},
        Mistake{3,
                "batch_size: 0",
                "p.yaml:3:13: batch_size: found \"0\"; accepted: an integer from 1 to 1000000000"},
        Mistake{4,
                "source: {cpu: [a, b]}",
                "p.yaml:4:15: source.cpu: found a list of 2; accepted: a text"},
        Mistake{
            5,
            "devices: []",
            "p.yaml:5:10: devices: found an empty list; accepted: a list of devices, at least one"},
        Mistake{
            5,
            "devices: [cpu, cpu]",
            "p.yaml:5:16: devices[1]: found device 'cpu' a second time; accepted: a unique name"},
        Mistake{
            5,
            "devices: [cpu, {name: gpu, slots: 0}]",
            "p.yaml:5:35: devices[1].slots: found \"0\"; accepted: an integer from 1 to 1000000"},
        Mistake{5,
                "devices: [cpu, {name: gpu, solts: 1}]",
                "p.yaml:5:28: devices[1].solts: unknown key 'solts'; did you mean 'slots'? "
                "accepted: name, slots"},
        Mistake{7,
                "  - {name: w, bytes: -4}",
                "p.yaml:7:22: tensors[0].bytes: found \"-4\"; accepted: a size from 0 to "
                "1099511627776 bytes: an integer, or a number with a unit (B, KB, MB, GB, KiB, "
                "MiB, GiB), such as 28MB"},
        Mistake{8,
                "  - {name: b}",
                "p.yaml:8:5: tensors[1].bytes: found nothing; accepted: a size from 0 to "
                "1099511627776 bytes: an integer, or a number with a unit (B, KB, MB, GB, KiB, "
                "MiB, GiB), such as 28MB"},
        Mistake{8,
                "  - {name: w, bytes: 4}",
                "p.yaml:8:12: tensors[1].name: found tensor 'w' a second time; accepted: a unique "
                "name"},
        Mistake{8,
                "  - w",
                "p.yaml:8:5: tensors[1]: found \"w\"; accepted: a map with the keys name, bytes"},
        Mistake{9,
                "ops: []\nfoo:",
                "p.yaml:10:1: foo: unknown key 'foo'; accepted: schema, model, batch_size, "
                "input_bytes, resident_bytes, source, devices, samples, tensors, ops, buckets"}));

INSTANTIATE_TEST_SUITE_P(
    Ops,
    ProfileMistake,
    testing::Values(
        Mistake{10,
                "  - pull/w",
                "p.yaml:10:5: ops[0]: found \"pull/w\"; accepted: a map with the keys name, kind, "
                "device, tensor, deps, seconds, samples"},
        Mistake{10,
                "  - {name: pull/w, kind: pull, tensr: w}",
                "p.yaml:10:32: ops[0].tensr: op 'pull/w': unknown key 'tensr'; did you mean "
                "'tensor'? accepted: name, kind, device, tensor, deps, seconds, samples"},
        Mistake{10,
                "  - {kind: pull, tensor: w}",
                "p.yaml:10:5: ops[0].name: found nothing; accepted: a name"},
        Mistake{10,
                "  - {name: pull/w, kind: fetch, tensor: w}",
                "p.yaml:10:26: ops[0].kind: op 'pull/w': found \"fetch\"; accepted: " + KINDS},
        Mistake{10,
                "  - {name: pull/w, tensor: w}",
                "p.yaml:10:5: ops[0].kind: op 'pull/w': found nothing; accepted: " + KINDS},
        Mistake{10,
                "  - {name: pull/w, kind: pull}",
                "p.yaml:10:5: ops[0].tensor: op 'pull/w': found nothing; accepted: the name of a "
                "tensor"},
        Mistake{10,
                "  - {name: pull/w, kind: pull, tensor: x}",
                "p.yaml:10:40: ops[0].tensor: op 'pull/w': found \"x\"; did you mean 'w'? "
                "accepted: the name of a tensor"},
        Mistake{10,
                "  - {name: pull/w, kind: pull, tensor: w, seconds: 1}",
                "p.yaml:10:52: ops[0].seconds: op 'pull/w': found the key 'seconds'; accepted: "
                "none for ops of kind pull (the network decides how long a transfer takes)"},
        Mistake{10,
                "  - {name: pull/w, kind: pull, tensor: w, device: cpu}",
                "p.yaml:10:51: ops[0].device: op 'pull/w': found the key 'device'; accepted: none "
                "for ops of kind pull (it runs on no device of the worker)"},
        Mistake{11,
                "  - {name: pull/w, kind: pull, tensor: b}",
                "p.yaml:11:12: ops[1].name: op 'pull/w': found a second op of this name; accepted: "
                "a unique name"},
        Mistake{11,
                "  - {name: pull/b, kind: pull, tensor: w}",
                "p.yaml:11:5: ops[1]: pull op 'pull/b' is the second pull of tensor 'w'; a step "
                "has at most one"},
        Mistake{12,
                "  - {name: fwd, kind: forward, tensor: w, device: cpu, samples: [1, 2]}",
                "p.yaml:12:40: ops[2].tensor: op 'fwd': found the key 'tensor'; accepted: none for "
                "ops of kind forward (it moves or updates no tensor)"},
        Mistake{12,
                "  - {name: fwd, kind: forward, device: gpo, samples: [1, 2]}",
                "p.yaml:12:40: ops[2].device: op 'fwd': found \"gpo\"; did you mean 'gpu'? "
                "accepted: one of the devices cpu, gpu"},
        Mistake{12,
                "  - {name: fwd, kind: forward, samples: [1, 2]}",
                "p.yaml:12:5: ops[2].device: op 'fwd': found nothing; accepted: one of the devices "
                "cpu, gpu"},
        Mistake{
            12,
            "  - {name: fwd, kind: forward, device: cpu, deps: pull/w, samples: [1, 2]}",
            "p.yaml:12:51: ops[2].deps: op 'fwd': found \"pull/w\"; accepted: a list of op names"},
        Mistake{
            12,
            "  - {name: fwd, kind: forward, device: cpu, deps: [pull/w, coppy], samples: [1, 2]}",
            "p.yaml:12:60: ops[2].deps[1]: op 'fwd': found \"coppy\"; did you mean 'copy'? "
            "accepted: the name of an op"},
        Mistake{12,
                "  - {name: fwd, kind: forward, device: cpu, deps: [copy, copy], samples: [1, 2]}",
                "p.yaml:12:58: ops[2].deps[1]: op 'fwd': found \"copy\" a second time; accepted: "
                "each dependency once"},
        Mistake{12,
                "  - {name: fwd, kind: forward, device: cpu, deps: [fwd], samples: [1, 2]}",
                "p.yaml:12:52: ops[2].deps[0]: the dependencies form a cycle: 'fwd' -> 'fwd'"},
        Mistake{13,
                "  - {name: copy, kind: compute, device: gpu, deps: [pull/b, bwd], seconds: 0.5}",
                "p.yaml:12:60: ops[2].deps[1]: the dependencies form a cycle: 'fwd' -> 'bwd' -> "
                "'copy' -> 'fwd'"},
        Mistake{13,
                "  - {name: copy, kind: compute, device: gpu}",
                "p.yaml:13:5: ops[3]: op 'copy': found neither seconds nor samples; accepted: one "
                "of them, or a file of samples (the key samples of the profile)"},
        Mistake{13,
                "  - {name: copy, kind: compute, device: gpu, seconds: 1, samples: [1, 2]}",
                "p.yaml:13:67: ops[3].samples: op 'copy': found seconds and samples; accepted: one "
                "of them"},
        Mistake{13,
                "  - {name: copy, kind: compute, device: gpu, seconds: 10ms}",
                "p.yaml:13:55: ops[3].seconds: op 'copy': found \"10ms\"; accepted: " + SECONDS},
        Mistake{13,
                "  - {name: copy, kind: compute, device: gpu, seconds: -0.5}",
                "p.yaml:13:55: ops[3].seconds: op 'copy': found \"-0.5\"; accepted: " + SECONDS},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [3, .nan]}",
                "p.yaml:14:72: ops[4].samples[1]: op 'bwd': found \".nan\"; accepted: " + SECONDS},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [nan, 3]}",
                "p.yaml:14:69: ops[4].samples[0]: op 'bwd': found \"nan\"; accepted: " + SECONDS},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [3, -1]}",
                "p.yaml:14:72: ops[4].samples[1]: op 'bwd': found \"-1\"; accepted: " + SECONDS},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [3, [4]]}",
                "p.yaml:14:72: ops[4].samples[1]: op 'bwd': found a list of 1; accepted: " +
                    SECONDS},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: [3, 4, 5]}",
                "p.yaml:14:68: ops[4].samples: op 'bwd': found 3 samples; accepted: 2, as op 'fwd' "
                "has (one for each measured step)"},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: []}",
                "p.yaml:14:68: ops[4].samples: op 'bwd': found an empty list; accepted: a list of "
                "seconds, one for each measured step"},
        Mistake{14,
                "  - {name: bwd, kind: backward, device: gpu, deps: [fwd], samples: 3}",
                "p.yaml:14:68: ops[4].samples: op 'bwd': found \"3\"; accepted: a list of seconds, "
                "one for each measured step"}));

TEST(ProfileReader, Files)
{
    const ScratchFolder folder;
    const auto error = [&](const std::string& name) {
        return folder.ErrorOf([&] { ReadProfile(folder.GetPath(name)); });
    };
    EXPECT_EQ(error("none.yaml"),
              "none.yaml: found no such file; accepted: a profile (a YAML file)");
    folder.Write("empty.yaml", "");
    EXPECT_EQ(error("empty.yaml"),
              "empty.yaml:1:1: found nothing; accepted: a profile, a map with the key schema: " +
                  SCHEMA);
    folder.Write("layers.json", "{\"meta\": {\"format\": 1}, \"layers\": []}\n");
    EXPECT_EQ(error("layers.json"), "layers.json:1:1: schema: found nothing; accepted: " + SCHEMA);
    folder.Write("noops.yaml",
                 "schema: dml-profile/1\nmodel: m\nbatch_size: 1\ntensors: []\nops: []\n");
    EXPECT_EQ(error("noops.yaml"),
              "noops.yaml:5:6: ops: found an empty list; accepted: a list of at least one op");
}

TEST(ProfileReader, ErrorsOfTheWholeNameTheOp)
{
    const ScratchFolder folder;
    const auto file =
        folder.Write("p.yaml", ValidWith(11, "  - {name: pull/b, kind: pull, tensor: w}"));
    try
    {
        ReadProfile(file);
        FAIL() << "no error";
    }
    catch (const ProfileError& error)
    {
        EXPECT_EQ(error.op, 1U);
    }
}

} // namespace
