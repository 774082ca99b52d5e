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
#include <vector>

using namespace ns3::dml;

namespace
{

/// Gradients come in the order c 300, b 200, a 100; the cases below replace one of the last lines.
const std::vector<std::string> VALID_BUCKETS{
    "schema: dml-profile/2",                                                   // line 1
    "model: m",                                                                // 2
    "batch_size: 1",                                                           // 3
    "tensors: [{name: a, bytes: 100}, {name: b, bytes: 200}, "                 // 4
    "{name: c, bytes: 300}, {name: d, bytes: 9}]",                             // (4)
    "ops:",                                                                    // 5
    "  - {name: backward/c, kind: backward, seconds: 1}",                      // 6
    "  - {name: backward/b, kind: backward, deps: [backward/c], seconds: 1}",  // 7
    "  - {name: backward/a, kind: backward, deps: [backward/b], seconds: 1}",  // 8
    "  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}",           // 9
    "  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}",           // 10
    "  - {name: push/c, kind: push, tensor: c, deps: [backward/c]}",           // 11
    "buckets:",                                                                // 12
    "  - {tensors: [c, b], bytes: 500, recorded: [3, 2.5], transfer: [1, 2]}", // 13
    "  - {tensors: [a], recorded: [4]}",                                       // 14
};

Profile
Read(const std::string& text)
{
    const ScratchFolder folder;
    return ReadProfile(folder.Write("p.yaml", text));
}

class BucketMistake : public testing::TestWithParam<Mistake>
{
};

} // namespace

TEST(ProfileBuckets, HaveTensorsAndTimes)
{
    const Profile profile = Read(ReplaceLine(VALID_BUCKETS, 0, ""));
    ASSERT_EQ(profile.buckets.size(), 2U);
    EXPECT_EQ(profile.buckets[0].tensors, (std::vector<TensorIndex>{2, 1}));
    EXPECT_EQ(profile.buckets[0].recorded, (std::vector<double>{3, 2.5}));
    EXPECT_EQ(profile.buckets[0].transfer, (std::vector<double>{1, 2}));
    EXPECT_EQ(profile.buckets[1].tensors, (std::vector<TensorIndex>{0}));
    EXPECT_EQ(profile.buckets[1].recorded, (std::vector<double>{4}));
    EXPECT_TRUE(profile.buckets[1].transfer.empty());
}

TEST(ProfileBuckets, OfKnownSizeAreFilledBackwards)
{
    std::vector<std::string> lines = VALID_BUCKETS;
    lines[12] = "  - {bytes: 300}";
    lines[13] = "  - {bytes: 300}";
    const Profile profile = Read(ReplaceLine(lines, 0, ""));
    ASSERT_EQ(profile.buckets.size(), 2U);
    EXPECT_EQ(profile.buckets[0].tensors, (std::vector<TensorIndex>{2}));
    EXPECT_EQ(profile.buckets[1].tensors, (std::vector<TensorIndex>{1, 0}));
}

TEST_P(BucketMistake, IsRefusedWithItsPlace)
{
    const ScratchFolder folder;
    const auto file =
        folder.Write("p.yaml", ReplaceLine(VALID_BUCKETS, GetParam().line, GetParam().text));
    EXPECT_EQ(folder.ErrorOf([&] { ReadProfile(file); }), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Buckets,
    BucketMistake,
    testing::Values(
        Mistake{1,
                "schema: dml-profile/1",
                "p.yaml:13:3: buckets: found the key with the schema dml-profile/1; accepted: it "
                "with dml-profile/2"},
        Mistake{13,
                "  - {tensor: [c, b]}",
                "p.yaml:13:6: buckets[0].tensor: unknown key 'tensor'; did you mean 'tensors'? "
                "accepted: tensors, bytes, recorded, transfer"},
        Mistake{
            13,
            "  - {tensors: [c, weight]}",
            "p.yaml:13:19: buckets[0].tensors[1]: found \"weight\"; accepted: the name of a tensor "
            "that is pushed"},
        Mistake{13,
                "  - {tensors: [c, d]}",
                "p.yaml:13:19: buckets[0].tensors[1]: found 'd', which no op pushes; accepted: "
                "the name of a tensor that is pushed"},
        Mistake{13,
                "  - {tensors: [a]}",
                "p.yaml:14:16: buckets[1].tensors[0]: found tensor 'a' a second time; accepted: "
                "each in one bucket"},
        Mistake{13,
                "  - {tensors: []}",
                "p.yaml:13:15: buckets[0].tensors: found an empty list; accepted: a list of names "
                "of tensors that are pushed"},
        Mistake{13,
                "  - {bytes: 500}",
                "p.yaml:13:5: buckets[0].tensors: found nothing; accepted: a list of names of "
                "tensors that are pushed"},
        Mistake{13,
                "  - {tensors: [c, b], bytes: 600}",
                "p.yaml:13:30: buckets[0].bytes: found \"600\"; accepted: 500, the bytes of its "
                "tensors"},
        Mistake{13,
                "  - {tensors: [c], recorded: [-1]}",
                "p.yaml:13:31: buckets[0].recorded[0]: found \"-1\"; accepted: a number of seconds "
                "from 0 to 1000000"},
        Mistake{13,
                "  - {tensors: [c], recorded: [1], transfer: [1, 1]}",
                "p.yaml:13:45: buckets[0].transfer: found 2 times where recorded has 1; accepted: "
                "as many"},
        Mistake{13,
                "  - {tensors: [c], recorded: [1], transfer: [1.5]}",
                "p.yaml:13:46: buckets[0].transfer[0]: found \"1.5\"; accepted: at most the time "
                "recorded, which includes waiting"}));

TEST(ProfileBuckets, OfSizesThatDoNotFitAreRefused)
{
    const auto error = [](const std::string& first, const std::string& second) {
        const ScratchFolder folder;
        std::vector<std::string> lines = VALID_BUCKETS;
        lines[12] = first;
        lines[13] = second;
        const auto file = folder.Write("p.yaml", ReplaceLine(lines, 0, ""));
        return folder.ErrorOf([&] { ReadProfile(file); });
    };
    EXPECT_EQ(error("  - {bytes: 300}", "  - {bytes: 250}"),
              "p.yaml:14:13: buckets[1].bytes: found \"250\"; accepted: the size of successive "
              "gradients in the order in which a step generates them (the gradients from 'b' on "
              "have 200 or 300 bytes), or buckets with tensors");
    EXPECT_EQ(error("  - {bytes: 300}", "  - {bytes: 200}"),
              "p.yaml:13:3: buckets: gradient 'a' is in none; accepted: buckets of all gradients, "
              "or buckets with tensors");
    EXPECT_EQ(error("  []", ""),
              "p.yaml:13:3: buckets: found an empty list; accepted: at least one bucket, or no "
              "such key");
}
