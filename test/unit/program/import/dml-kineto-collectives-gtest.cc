/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-expect-microseconds.h"
#include "dml-kineto-text.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-import-report.h"
#include "ns3/dml-importers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

/// When a collective ran, in microseconds from the start of its step, and its numbers of 4 bytes.
struct Reduction
{
    double asked;
    double start;
    double end;
    int numbers;
};

/*
 * A step of 1000 us: conv2d 100-200 and linear 200-300, of 18 and 24 numbers; backwards the linear
 * layer 300-400, its accumulation 400-410, the convolution 410-500 and its accumulation 500-510;
 * Optimizer.step 800-900.
 */
void
AddCollectiveStep(KinetoText& text,
                  int number,
                  const std::vector<Reduction>& reductions,
                  bool asks = true)
{
    const double at = 1000 * number;
    const int node = 10 * number;
    text.AddNote("ProfilerStep#" + std::to_string(number), 1, at, 1000);
    text.AddOp("aten::conv2d",
               1,
               at + 100,
               100,
               {{"Sequence number", node + 1}, {"Input Dims", {{4, 1, 6, 6}, {2, 1, 3, 3}}}});
    text.AddOp("aten::linear",
               1,
               at + 200,
               100,
               {{"Sequence number", node + 2}, {"Input Dims", {{4, 8}, {3, 8}}}});
    text.AddNode("AddmmBackward0", 2, at + 300, 100, {{"Sequence number", node + 2}});
    text.AddNode("torch::autograd::AccumulateGrad",
                 2,
                 at + 400,
                 10,
                 {{"Input Dims", json::array({{3, 8}})}});
    text.AddNode("ConvolutionBackward0", 2, at + 410, 90, {{"Sequence number", node + 1}});
    text.AddNode("torch::autograd::AccumulateGrad",
                 2,
                 at + 500,
                 10,
                 {{"Input Dims", json::array({{2, 1, 3, 3}})}});
    for (const Reduction& reduction : reductions)
    {
        if (asks)
        {
            text.AddOp("c10d::allreduce_", 2, at + reduction.asked, 2);
        }
        text.AddOp("gloo:all_reduce",
                   3,
                   at + reduction.start,
                   reduction.end - reduction.start,
                   {{"Input Dims", {{reduction.numbers}}}, {"Input type", {"float"}}});
    }
    text.AddNote("Optimizer.step#SGD.step", 1, at + 800, 100);
}

const std::vector<Reduction> EARLY{{405, 420, 620, 24}, {505, 620, 700, 18}};
const std::vector<Reduction> LATE{{405, 570, 620, 24}, {505, 640, 700, 18}};

class KinetoCollectives : public testing::Test
{
  protected:
    /// @param steps collectives of each; @return a trace
    static std::string Trace(const std::vector<std::vector<Reduction>>& steps, bool asks = true)
    {
        KinetoText text(KinetoForm::DECIMALS);
        for (std::size_t s = 0; s < steps.size(); ++s)
        {
            AddCollectiveStep(text, s, steps[s], asks);
        }
        return text.GetText();
    }

    /// @param trace of a worker; @param rank its number; @return it with a header that tells both
    static std::string WithRank(std::string trace, int rank)
    {
        const std::string version = "\"schemaVersion\":1";
        return trace.replace(trace.find(version),
                             version.size(),
                             version + R"(,"distributedInfo":{"backend":"gloo","rank":)" +
                                 std::to_string(rank) + R"(,"world_size":4})");
    }

    ImportResult Import(const std::vector<std::pair<std::string, std::string>>& files) const
    {
        std::vector<std::string> paths;
        for (const auto& [name, text] : files)
        {
            paths.push_back(folder.Write(name, text));
        }
        return ImportKineto(paths, {});
    }

    /// @return names of the tensors of each bucket
    static std::vector<std::vector<std::string>> GetBuckets(const Profile& profile)
    {
        std::vector<std::vector<std::string>> buckets;
        for (const auto& bucket : profile.buckets)
        {
            buckets.emplace_back();
            for (const TensorIndex tensor : bucket.tensors)
            {
                buckets.back().push_back(profile.tensors[tensor].name);
            }
        }
        return buckets;
    }

    /// @return microseconds that an op took in the first step
    static double GetTime(const Profile& profile, const std::string& name)
    {
        for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
        {
            if (profile.graph.Get(op).name == name)
            {
                return profile.samples[op].front() * 1e6;
            }
        }
        return -1;
    }

    static bool Tells(const std::vector<std::string>& texts, const std::string& part)
    {
        return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
            return text.find(part) != std::string::npos;
        });
    }

    const std::vector<std::vector<std::string>> both{{"linear_1.weight"}, {"conv2d_1.weight"}};
    ScratchFolder folder;
};

} // namespace

TEST_F(KinetoCollectives, TheLastWorkerShowsTheTransfer)
{
    const ImportResult result =
        Import({{"t.rank0.json", Trace({EARLY})}, {"t.rank1.json", Trace({LATE})}});
    EXPECT_EQ(GetBuckets(result.profile), both);
    // 420-620 and 570-620: 50 us of transfer, 150 us of waiting; 620-700 and 640-700
    ExpectNear(result.profile.buckets[0].recorded, {200, 50});
    ExpectNear(result.profile.buckets[0].transfer, {50, 50});
    ExpectNear(result.profile.buckets[1].recorded, {80, 60});
    ExpectNear(result.profile.buckets[1].transfer, {60, 60});
    EXPECT_EQ(result.protocol.name, "all-reduce");
    EXPECT_EQ(result.protocol.backend, "gloo");
    EXPECT_EQ(result.protocol.traced, 2U);
    EXPECT_TRUE(result.warnings.empty());
    const std::string report = FormatImportReport(result, {});
    const std::string table =
        "protocol: all-reduce (gloo), 2 collectives a step, 168 bytes; a scenario may\n"
        "          choose another one (job.protocol) with this profile\n"
        "         bucket        bytes  gradients  recorded ms   waiting ms  transfer ms\n"
        "              1           96          1       0.1250       0.0750       0.0500\n"
        "              2           72          1       0.0700       0.0100       0.0600\n";
    EXPECT_NE(report.find(table), std::string::npos) << report;
}

TEST_F(KinetoCollectives, WaitingIsNoComputation)
{
    const Profile profile = Import({{"t.json", Trace({EARLY})}}).profile;
    EXPECT_NEAR(GetTime(profile, "accumulate/conv2d_1.weight"), 10, 1e-6);
    // of 510-800 the all-reduces take what is before 700
    EXPECT_NEAR(GetTime(profile, "compute/before-update"), 100, 1e-6);
}

TEST_F(KinetoCollectives, OneWorkerDoesNotTellWaitingFromTransfer)
{
    const ImportResult result = Import({{"t.json", Trace({EARLY, LATE})}});
    EXPECT_EQ(GetBuckets(result.profile), both);
    ExpectNear(result.profile.buckets[0].recorded, {200, 50});
    EXPECT_TRUE(result.profile.buckets[0].transfer.empty());
    EXPECT_TRUE(Tells(result.rules, "which one trace does not tell from its transfer"));
    // two recordings of one worker say no more
    const ImportResult twice =
        Import({{"a.json", WithRank(Trace({EARLY}), 1)}, {"b.json", WithRank(Trace({LATE}), 1)}});
    ExpectNear(twice.profile.buckets[0].recorded, {200, 50});
    EXPECT_TRUE(twice.profile.buckets[0].transfer.empty());
    EXPECT_TRUE(Tells(twice.rules, "traces of unknown or equal ranks"));
}

TEST_F(KinetoCollectives, SomeWorkersOfMore)
{
    // the second worker's trace has another step more
    const ImportResult result = Import(
        {{"a.json", WithRank(Trace({EARLY}), 3)}, {"b.json", WithRank(Trace({LATE, EARLY}), 1)}});
    EXPECT_EQ(result.protocol.workers, 4U);
    ExpectNear(result.profile.buckets[0].recorded, {200, 50});
    ExpectNear(result.profile.buckets[0].transfer, {50, 50});
    EXPECT_TRUE(Tells(result.rules, "that any of 2 workers of 4 recorded"));
}

TEST_F(KinetoCollectives, StepsOfOtherNumbersAreOtherSteps)
{
    KinetoText other(KinetoForm::DECIMALS);
    AddCollectiveStep(other, 7, LATE);
    const ImportResult result =
        Import({{"a.json", WithRank(Trace({EARLY}), 0)}, {"b.json", WithRank(other.GetText(), 1)}});
    EXPECT_TRUE(result.profile.buckets[0].transfer.empty());
    EXPECT_TRUE(Tells(result.warnings, "no step in common"));
}

TEST_F(KinetoCollectives, BytesTellBucketsWhereTimesDoNot)
{
    // Gloo begins the first one after the second gradient, and nothing tells when it was asked for
    const ImportResult result =
        Import({{"t.json", Trace({{{0, 505, 600, 24}, {0, 600, 700, 18}}}, false)}});
    EXPECT_EQ(GetBuckets(result.profile), both);
    EXPECT_TRUE(Tells(result.rules, "those complete when it is reduced, which have"));
}

// As those of parameters that each worker has for itself.
TEST_F(KinetoCollectives, GradientsThatAreNotReducedAreInNone)
{
    const ImportResult result = Import({{"t.json", Trace({{{505, 520, 620, 24}}})}});
    EXPECT_EQ(GetBuckets(result.profile),
              (std::vector<std::vector<std::string>>{{"linear_1.weight"}}));
    EXPECT_TRUE(
        Tells(result.warnings, "1 gradient of 2 in no recorded all-reduce ('conv2d_1.weight')"));
}

TEST_F(KinetoCollectives, BytesOfNoGradientsMakeNoBuckets)
{
    const ImportResult result =
        Import({{"t.json", Trace({{{405, 420, 620, 25}, {505, 620, 700, 17}}})}});
    EXPECT_TRUE(result.profile.buckets.empty());
    ASSERT_EQ(result.protocol.collectives.size(), 2U);
    EXPECT_EQ(result.protocol.collectives[0].bytes, 100U);
    EXPECT_TRUE(Tells(result.warnings,
                      "bucket 1 of 2 has 100 bytes, and the gradients that are complete when it is "
                      "reduced 96;"));
}

TEST_F(KinetoCollectives, TheFirstStepMayHaveOtherBuckets)
{
    const std::vector<Reduction> first{{505, 520, 700, 42}};
    const ImportResult result = Import({{"t.json", Trace({first, EARLY, LATE})}});
    EXPECT_EQ(GetBuckets(result.profile), both);
    ExpectNear(result.profile.buckets[0].recorded, {200, 50});
    EXPECT_TRUE(Tells(result.warnings, "ProfilerStep#0: reduces 1 bucket of other sizes"));
}

TEST_F(KinetoCollectives, WhatIsReducedAfterTheGradientsIsNone)
{
    std::vector<Reduction> reductions = EARLY;
    reductions.push_back({950, 955, 960, 1}); // a loss
    EXPECT_EQ(GetBuckets(Import({{"t.json", Trace({reductions})}}).profile), both);
    EXPECT_EQ(GetBuckets(Import({{"t.json", Trace({reductions}, false)}}).profile).size(), 2U);
}

TEST_F(KinetoCollectives, OneThatIsRecordedTwiceIsOne)
{
    KinetoText text(KinetoForm::DECIMALS);
    AddCollectiveStep(text, 0, EARLY);
    for (const auto& [start, numbers] : {std::pair(404, 24), {504, 18}})
    {
        text.AddOp("record_param_comms",
                   2,
                   start,
                   1,
                   {{"Collective name", "allreduce"},
                    {"In msg nelems", numbers},
                    {"Group size", 8},
                    {"dtype", "Float"}});
    }
    const ImportResult result = Import({{"t.json", text.GetText()}});
    EXPECT_EQ(GetBuckets(result.profile), both);
    ExpectNear(result.profile.buckets[0].recorded, {200});
    EXPECT_EQ(result.protocol.workers, 8U);
}

/// Before record_param_comms, the annotation of NCCL tells sizes and kernels come in their order.
TEST_F(KinetoCollectives, KernelsOfNcclAreInOrder)
{
    KinetoText text(KinetoForm::CPU_OP);
    AddCollectiveStep(text, 0, {});
    for (const auto& [start, numbers] : {std::pair(404, 24), {504, 18}})
    {
        text.Add("user_annotation",
                 "nccl:all_reduce",
                 2,
                 start,
                 4,
                 {{"External id", 900 + numbers},
                  {"Input Dims", json::array({{numbers}})},
                  {"Input type", {"c10::Half"}}});
        text.AddOp("cudaThing", 2, start + 1, 2);
        text.Add("kernel",
                 "ncclKernel_AllReduce_RING",
                 40,
                 start + 20,
                 numbers,
                 {{"External id", text.GetId()}, {"device", 0}});
    }
    text.Add("user_annotation", "nccl:broadcast", 1, 90, 4, {{"External id", 999}});
    const ImportResult result = Import({{"t.json", text.GetText()}});
    // Half-size messages are not those of gradients of 4 bytes each.
    EXPECT_TRUE(result.profile.buckets.empty());
    ASSERT_EQ(result.protocol.collectives.size(), 2U);
    EXPECT_EQ(result.protocol.collectives[0].bytes, 48U);
    ExpectNear(result.protocol.collectives[0].recorded, {24});
    ExpectNear(result.protocol.collectives[1].recorded, {18});
    EXPECT_TRUE(Tells(result.rules, "other collectives: left out (1 broadcast)"));
}

// An all-reduce whose size cannot be right is left out, counted and told.
TEST_F(KinetoCollectives, SizesThatAreNoneAreLeftOut)
{
    const std::string good = Trace({EARLY});
    const auto warn = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        std::string told;
        for (const std::string& warning : Import({{"t.json", text}}).warnings)
        {
            told += warning + "\n";
        }
        return told;
    };
    const std::string counted = "1 record is left out, as a value in it cannot be right";
    const std::string accepted = "accepted are at most 2^40 elements";
    for (const char* const size : {"[[2000000,2000000]]", "[[1099511627777]]"})
    {
        const std::string told = warn("[[24]]", size);
        EXPECT_NE(told.find(counted), std::string::npos) << told;
        EXPECT_NE(told.find(accepted), std::string::npos) << told;
        EXPECT_NE(told.find("t.json:1:"), std::string::npos) << told;
    }
    EXPECT_EQ(warn("[[24]]", "[[-1]]").find("left out"), std::string::npos); // its size is unknown
}

/// Two processes of PyTorch 1.13 over Gloo, of which the second one came 30 ms late:
/// tools/ddp-trace.
TEST_F(KinetoCollectives, OfTwoRealWorkers)
{
    const ImportResult result =
        ImportKineto({FindRepositoryFile("test/data/traces/ddp-gloo.rank0.kineto.json.gz"),
                      FindRepositoryFile("test/data/traces/ddp-gloo.rank1.kineto.json.gz")},
                     {});
    // 256 x 4096 + 256 + 10 x 256 + 10 numbers, then 64 x 16 x 9 + 64 + 16 x 3 x 9 + 16
    ASSERT_EQ(result.protocol.collectives.size(), 2U);
    EXPECT_EQ(result.protocol.collectives[0].bytes, 4205608U);
    EXPECT_EQ(result.protocol.collectives[1].bytes, 38912U);
    EXPECT_EQ(GetBuckets(result.profile)[0],
              (std::vector<std::string>{"linear_2.bias",
                                        "linear_2.weight",
                                        "linear_1.bias",
                                        "linear_1.weight"}));
    const MeasuredBucket& bucket = result.profile.buckets.front();
    ASSERT_EQ(bucket.transfer.size(), 6U);
    for (std::size_t step = 0; step < 3; ++step)
    {
        EXPECT_GT(bucket.recorded[step] - bucket.transfer[step], 0.015);    // the first one waited
        EXPECT_DOUBLE_EQ(bucket.recorded[step + 3], bucket.transfer[step]); // for the second one
        EXPECT_LT(bucket.transfer[step], 0.02);
    }
    EXPECT_TRUE(result.warnings.empty());
}
