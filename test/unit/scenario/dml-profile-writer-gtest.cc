/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Two tensors of awkward names, one op of every kind, two measured steps.
Profile
MakeProfile()
{
    Profile profile;
    profile.model = "tiny";
    profile.batchSize = 4;
    profile.source = {{"framework", "PyTorch 1.13.0, by hand"}, {"threads", "1"}, {"cpu", "A (B)"}};
    profile.devices = {{"cpu", 2}, {"gpu: 0", 1}};
    profile.tensors = {{"fc.weight", 1200}, {"0.bias", 0}};
    const auto add = [&](Op op, std::vector<double> samples, std::vector<OpIndex> dependencies) {
        const OpIndex index = profile.graph.Add(std::move(op));
        profile.samples.push_back(std::move(samples));
        for (const OpIndex dependency : dependencies)
        {
            profile.graph.AddDependency(dependency, index);
        }
        return index;
    };
    const OpIndex pull = add({"pull/w", OpKind::PULL, 0, 0}, {}, {});
    const OpIndex bias = add({"1", OpKind::PULL, 0, 1}, {}, {});
    const OpIndex read = add({"read", OpKind::COMPUTE, 1}, {0, 0.000005}, {});
    const OpIndex forward =
        add({"forward/fc", OpKind::FORWARD}, {0.1, 1.0 / 3}, {read, pull, bias});
    const OpIndex backward = add({"backward/fc#1", OpKind::BACKWARD}, {2, 1e-300}, {forward});
    const OpIndex push = add({"push/w", OpKind::PUSH, 0, 0}, {}, {backward});
    add({"update/w", OpKind::UPDATE, 0, 0}, {0.25, 12345.5}, {push});
    return profile;
}

std::string
Write(const Profile& profile)
{
    std::ostringstream output;
    WriteProfile(profile, output);
    return output.str();
}

TEST(DmlProfileWriter, WritesTheSchema)
{
    // 1e-300 without an exponent: a 1 at the 300th decimal
    const std::string tiny = "0." + std::string(299, '0') + "1";
    EXPECT_EQ(Write(MakeProfile()),
              R"(schema: dml-profile/1
model: tiny
batch_size: 4
source:
  framework: "PyTorch 1.13.0, by hand"
  threads: 1
  cpu: A (B)
devices:
  - {name: cpu, slots: 2}
  - {name: "gpu: 0", slots: 1}
tensors:
  - {name: fc.weight, bytes: 1200}
  - {name: "0.bias", bytes: 0}
ops:
  - {name: pull/w, kind: pull, tensor: fc.weight}
  - {name: "1", kind: pull, tensor: "0.bias"}
  - {name: read, kind: compute, device: "gpu: 0", samples: [0, 0.000005]}
  - {name: forward/fc, kind: forward, device: cpu, deps: [read, pull/w, "1"], samples: [0.1, 0.3333333333333333]}
  - {name: backward/fc#1, kind: backward, device: cpu, deps: [forward/fc], samples: [2, )" +
                  tiny + R"(]}
  - {name: push/w, kind: push, tensor: fc.weight, deps: [backward/fc#1]}
  - {name: update/w, kind: update, tensor: fc.weight, deps: [push/w], samples: [0.25, 12345.5]}
)");
}

TEST(DmlProfileWriter, QuotesWhatYamlWouldMisread)
{
    struct Case
    {
        const char* name;
        const char* text;
    };

    const std::vector<Case> cases = {
        {"layer1.0.conv1.weight", "layer1.0.conv1.weight"},
        {"fn:Add:14", "fn:Add:14"},
        {"a b", "a b"},
        {"relu(2)", "relu(2)"},
        {"", R"("")"},
        {"No", R"("No")"},
        {"null", R"("null")"},
        {"1e5", R"("1e5")"},
        {"-x", R"("-x")"},
        {"*x", R"("*x")"},
        {"a: b", R"("a: b")"},
        {"a:", R"("a:")"},
        {"a #b", R"("a #b")"},
        {"a, b", R"("a, b")"},
        {"a}", R"("a}")"},
        {"a ", R"("a ")"},
        {"a\"b\\", R"("a\"b\\")"},
        {"a\nb\x7f", R"("a\x0ab\x7f")"},
        {"\xc3\xa9t\xc3\xa9", "\"\xc3\xa9t\xc3\xa9\""},
    };
    for (const auto& [name, text] : cases)
    {
        Profile profile = MakeProfile();
        profile.model = name;
        EXPECT_NE(Write(profile).find("\nmodel: " + std::string(text) + "\n"), std::string::npos)
            << name;
    }
}

TEST(DmlProfileWriter, LeavesDecimalsOfTheSourceUnquoted)
{
    Profile profile = MakeProfile();
    profile.source = {{"a", "0.575984"}, {"b", "017"}, {"c", "1."}, {"d", ".5"}, {"e", "1e3"}};
    EXPECT_NE(Write(profile).find(
                  "  a: 0.575984\n  b: \"017\"\n  c: \"1.\"\n  d: \".5\"\n  e: \"1e3\"\n"),
              std::string::npos);
    profile.source.clear();
    EXPECT_EQ(Write(profile).find("source"), std::string::npos);
}

TEST(DmlProfileWriter, NumbersReadBackExactly)
{
    const std::vector<double> awkward = {0.1 + 0.2, 5e-324, 1.7976931348623157e308, 4.35, 1e22};
    for (const double seconds : awkward)
    {
        Profile profile = MakeProfile();
        profile.samples[2] = {seconds, 0};
        const std::string text = Write(profile);
        const auto at = text.find("samples: [") + 10;
        EXPECT_EQ(std::strtod(text.c_str() + at, nullptr), seconds);
        EXPECT_EQ(text.substr(at, text.find(',', at) - at).find('e'), std::string::npos);
    }
}

TEST(DmlProfileWriter, ReadingBackGivesTheSameProfile)
{
    Profile profile = MakeProfile();
    profile.model = "a: #b, 'c' \"d\" \\ [e]";
    profile.source.emplace_back("k: 1", "No");
    profile.source.emplace_back("text", "two\nlines, \xc3\xa9");
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / "dml-profile-writer-gtest.yaml";
    std::ofstream(path) << Write(profile);
    const Profile read = ReadProfile(path.string());
    std::filesystem::remove(path);
    EXPECT_EQ(read.model, profile.model);
    EXPECT_EQ(read.batchSize, profile.batchSize);
    EXPECT_EQ(read.source, profile.source);
    EXPECT_EQ(read.samples, profile.samples);
    ASSERT_EQ(read.graph.GetSize(), profile.graph.GetSize());
    for (OpIndex op = 0; op < read.graph.GetSize(); ++op)
    {
        EXPECT_EQ(read.graph.GetDependencies(op), profile.graph.GetDependencies(op)) << op;
    }
    EXPECT_EQ(Write(read), Write(profile)); // everything else: the text has it all
}

TEST(DmlProfileWriter, BucketsTakeTheSecondVersion)
{
    Profile profile = MakeProfile();
    profile.buckets = {{{0}, {0.5, 0.25}, {0.125, 0.25}}};
    const std::string text = Write(profile);
    EXPECT_EQ(text.substr(0, text.find('\n')), "schema: dml-profile/2");
    EXPECT_EQ(text.substr(text.find("buckets:")),
              "buckets:\n"
              "  - {bytes: 1200, tensors: [fc.weight], recorded: [0.5, 0.25], transfer: [0.125, "
              "0.25]}\n");
    profile.buckets = {{{0}, {}, {}}};
    EXPECT_NE(Write(profile).find("  - {bytes: 1200, tensors: [fc.weight]}\n"), std::string::npos);
}

TEST(DmlProfileWriter, RefusesWrongBuckets)
{
    const auto error = [](std::vector<MeasuredBucket> buckets) -> std::string {
        Profile profile = MakeProfile();
        profile.buckets = std::move(buckets);
        try
        {
            Write(profile);
            return "none";
        }
        catch (const ProfileError& caught)
        {
            return caught.what();
        }
    };
    EXPECT_EQ(error({{{}, {}, {}}}), "bucket 0 has no tensor; at least one is needed");
    EXPECT_EQ(error({{{0}, {}, {}}, {{1}, {}, {}}}), "bucket 1 has a tensor without a push");
    EXPECT_EQ(error({{{0}, {}, {}}, {{0}, {}, {}}}),
              "bucket 1 has tensor 'fc.weight', which is in a bucket already");
    EXPECT_EQ(error({{{0}, {-1}, {}}}),
              "bucket 0 has a duration of -1 s; accepted are finite numbers >= 0");
    EXPECT_EQ(error({{{0}, {1, 2}, {1}}}),
              "bucket 0 has 1 time without waiting and 2 with it; accepted are as many");
    EXPECT_EQ(error({{{0}, {1}, {2}}}),
              "bucket 0 takes 2 s without waiting and 1 s with it; accepted is at most as long");
}

TEST(DmlProfileWriter, RefusesAnInvalidProfileAndAFailingStream)
{
    Profile profile = MakeProfile();
    profile.samples[2].pop_back();
    std::ostringstream output;
    EXPECT_THROW(WriteProfile(profile, output), ProfileError);
    EXPECT_EQ(output.str(), "");

    std::ostream full(nullptr); // a stream that can take nothing, as on a full disk
    EXPECT_THROW(WriteProfile(MakeProfile(), full), RunError);
}

} // namespace
