/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-placed-profile.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Gradients come in the order c 300, b 200, a 100; DDP's rule would make one bucket of them.
const std::string PLAIN = R"(schema: dml-profile/2
model: m
batch_size: 1
tensors: [{name: a, bytes: 100}, {name: b, bytes: 200}, {name: c, bytes: 300}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: pull/c, kind: pull, tensor: c}
  - {name: forward, kind: forward, deps: [pull/a, pull/b, pull/c], seconds: 1}
  - {name: backward/c, kind: backward, deps: [forward], seconds: 1}
  - {name: backward/b, kind: backward, deps: [backward/c], seconds: 1}
  - {name: backward/a, kind: backward, deps: [backward/b], seconds: 1}
  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}
  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}
  - {name: push/c, kind: push, tensor: c, deps: [backward/c]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 1}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 1}
  - {name: update/c, kind: update, tensor: c, deps: [push/c], seconds: 1}
)";
const std::string BUCKETS = PLAIN + "buckets: [{tensors: [c]}, {tensors: [b, a]}]\n";
const std::string ALL_REDUCE = ", protocol: all-reduce";

/// @param profile text of it; @param keys of the job; @return the profile that the job trains
Profile
Train(const std::string& profile, const std::string& keys)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", profile);
    const auto file =
        folder.Write("s.yaml",
                     "job: {profile: p.yaml, workers: 2, steps: 2, warmup: 1" + keys + "}\n");
    return MakePlacedProfile(ReadScenario(file).front(), 0, 1e9).profile;
}

std::map<std::string, uint64_t>
GetTensors(const Profile& profile)
{
    std::map<std::string, uint64_t> tensors;
    for (const auto& tensor : profile.tensors)
    {
        tensors[tensor.name] = tensor.bytes;
    }
    return tensors;
}

using Tensors = std::map<std::string, uint64_t>;

} // namespace

TEST(MeasuredBuckets, AreTheDefaultOfAllReduce)
{
    const Tensors buckets{{"bucket1 of b", 300}, {"c", 300}};
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE)), buckets);
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE + ", gradient_groups: auto")), buckets);
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE + ", gradient_groups: profile")), buckets);
    // a smaller job has the same buckets
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE + ", scale: 0.5")),
              (Tensors{{"bucket1 of b", 150}, {"c", 150}}));
}

TEST(MeasuredBuckets, GiveWayToWhatTheScenarioSays)
{
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE + ", gradient_groups: off")),
              (Tensors{{"a", 100}, {"b", 200}, {"c", 300}}));
    EXPECT_EQ(GetTensors(Train(BUCKETS, ALL_REDUCE + ", gradient_groups: {ddp: 400B}")),
              (Tensors{{"bucket0 of c", 500}, {"a", 100}}));
}

TEST(MeasuredBuckets, AreNotNeeded)
{
    EXPECT_EQ(GetTensors(Train(PLAIN, ALL_REDUCE)), (Tensors{{"bucket0 of c", 600}}));
}

TEST(MeasuredBuckets, DoNotChangeParameterServersUnlessAsked)
{
    const Profile plain = Train(PLAIN, "");
    for (const std::string keys : {"", ", gradient_groups: auto"})
    {
        const Profile profile = Train(BUCKETS, keys);
        EXPECT_EQ(GetTensors(profile), (Tensors{{"a", 100}, {"b", 200}, {"c", 300}}));
        ASSERT_EQ(profile.graph.GetSize(), plain.graph.GetSize());
        for (OpIndex op = 0; op < plain.graph.GetSize(); ++op)
        {
            EXPECT_EQ(profile.graph.GetDependencies(op), plain.graph.GetDependencies(op));
        }
    }
    // of a group, pushes wait for the last gradient: b for that of a
    const Profile grouped = Train(BUCKETS, ", gradient_groups: profile");
    constexpr OpIndex PUSH_B = 8;
    EXPECT_EQ(grouped.graph.Get(PUSH_B).name, "push/b");
    EXPECT_EQ(grouped.graph.GetDependencies(PUSH_B).size(), 2U);
}

TEST(MeasuredBuckets, ThatThereAreNotAreAnError)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PLAIN);
    const auto file = folder.Write("s.yaml",
                                   "job:\n"
                                   "  profile: p.yaml\n"
                                   "  gradient_groups: profile\n");
    EXPECT_EQ(folder.ErrorOf([&] { MakePlacedProfile(ReadScenario(file).front(), 0, 1e9); }),
              "s.yaml:3:20: job.gradient_groups: found profile with p.yaml, which has no buckets; "
              "accepted: a profile with buckets, auto, or another rule");
}
