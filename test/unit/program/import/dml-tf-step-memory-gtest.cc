/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-files.h"
#include "dml-tf-import.h"

#include "ns3/dml-memory-model.h"
#include "ns3/dml-one-worker-run.h"
#include "ns3/dml-tf-step-memory.h"

#include <string>
#include <vector>

using namespace tftest;

namespace
{

using TensorFlowMemory = TfImport;

/// @return an op that made this
TfOp
MakeOp(std::vector<TfOutput> outputs, uint64_t temporary = 0)
{
    TfOp op;
    op.outputs = std::move(outputs);
    op.temporary = temporary;
    return op;
}

/// @return peak of a step as it is, bytes
uint64_t
GetPeak(const Profile& profile)
{
    MemoryOptions options;
    options.batch = profile.batchSize;
    return ForecastMemory(profile, FindComputeOrder(profile), options).timeline.GetPeakBytes();
}

} // namespace

/*
 * op 0, forward:  100 bytes in buffer 1, which op 1 changes in place, and 7 that op 2 reads
 *    1, forward:  the same buffer; op 4 reads it
 *    2, forward:  50 bytes of buffer 2, which op 3 reads; 20 of temporary memory
 *    3, backward: 50 bytes of buffer 3
 *    4, backward: a gradient of 30 bytes that goes to a server, and 8 that op 5 reads
 *    5, compute:  9 bytes
 */
TEST(TfStepMemory, KeepsWhatBackwardOpsReadAndCountsBuffersOnce)
{
    TfStep step;
    step.ops = {MakeOp({{0, 100, 1}, {1, 7, 5}}),
                MakeOp({{0, 100, 1}}),
                MakeOp({{0, 50, 2}}, 20),
                MakeOp({{0, 50, 3}}),
                MakeOp({{0, 30, 4}, {1, 8, 6}}),
                MakeOp({{0, 9, 7}})};
    const std::vector<TfWork> works{{0, OpKind::FORWARD, false},
                                    {1, OpKind::FORWARD, false},
                                    {2, OpKind::FORWARD, false},
                                    {3, OpKind::BACKWARD, false},
                                    {4, OpKind::BACKWARD, true},
                                    {5, OpKind::COMPUTE, false}};
    const std::vector<TfRead> reads{{1, 0, 0},
                                    {2, 1, 0},
                                    {2, 0, 1},
                                    {3, 2, 0},
                                    {4, 1, 0},
                                    {4, 0, 0}, // the same bytes
                                    {4, 3, 0},
                                    {5, 4, 1}};
    const auto memory = FindTfMemory(step, works, reads);
    ASSERT_EQ(memory.size(), 6U);
    EXPECT_EQ(memory[0].activation, 100U);
    EXPECT_EQ(memory[0].output, 107U);
    EXPECT_EQ(memory[0].workspace, 7U) << "nothing keeps it";
    EXPECT_EQ(memory[1].activation, 0U) << "in place";
    EXPECT_EQ(memory[1].output, 100U);
    EXPECT_EQ(memory[1].workspace, 0U);
    EXPECT_EQ(memory[2].activation, 50U);
    EXPECT_EQ(memory[2].workspace, 27U) << "temporary, and what it reads that nothing keeps";
    EXPECT_EQ(memory[3].activation, 0U);
    EXPECT_EQ(memory[3].output, 0U);
    EXPECT_EQ(memory[3].workspace, 50U);
    EXPECT_EQ(memory[4].workspace, 58U) << "what it reads and makes, without the gradient";
    EXPECT_EQ(memory[5].workspace, 0U) << "a profile has none of it";
}

TEST(TfStepMemory, CountsEachOutputWhereBuffersAreNotKnown)
{
    TfStep step;
    step.ops = {MakeOp({{0, 100, 0}}), MakeOp({{0, 100, 0}}), MakeOp({{0, 5, 0}})};
    const auto memory = FindTfMemory(
        step,
        {{0, OpKind::FORWARD, false}, {1, OpKind::FORWARD, false}, {2, OpKind::BACKWARD, false}},
        {{1, 0, 0}, {2, 0, 0}, {2, 1, 0}});
    EXPECT_EQ(memory[0].activation + memory[1].activation, 200U);
}

TEST_F(TensorFlowMemory, BuffersAndTemporaryMemoryAreRead)
{
    std::string text = MakeTrace().MakeText();
    const auto insert = [&text](const std::string& node, const std::string& fields) {
        const auto at = text.find("timeline_label: \"" + node + " = ");
        ASSERT_NE(at, std::string::npos);
        text.insert(at, fields);
    };
    insert("fc",
           "output { tensor_description { allocation_description { requested_bytes: 64 } } }\n");
    insert("loss",
           "memory_stats { temp_memory_size: 30 device_temp_memory_size: 5 }\n"
           "output { slot: 1 tensor_description { allocation_description { "
           "requested_bytes: 8 ptr: 18446744073709551615 } } }\n");
    const Profile profile = ImportText({text}).profile;
    EXPECT_EQ(GetOp(profile, "fc").memory.activation, 64U) << "for the gradient of w";
    EXPECT_EQ(GetOp(profile, "fc").memory.output, 64U) << "for the loss";
    EXPECT_EQ(GetOp(profile, "loss").memory.activation, 0U);
    EXPECT_EQ(GetOp(profile, "loss").memory.workspace, 30U + 5 + 8);
    const std::string size = "temp_memory_size: 30";
    text.replace(text.find(size), size.size(), "temp_memory_size: -1");
    const ImportResult result = ImportText({text});
    EXPECT_EQ(GetOp(result.profile, "loss").memory.workspace, 8U);
    EXPECT_TRUE(Tell(result.warnings, "/memory_stats/temp_memory_size: found -1; accepted: 0 to "));
}

// What PyTorch's allocator held at the peak of the same steps (doc/memory.rst tells how).
TEST(TfStepMemory, PeakOfRealStepsIsAsMeasured)
{
    const std::string file =
        FindRepositoryFile("test/data/traces/alexnet_b8.w1.step3.RunMetadata.pb.gz");
    ImportOptions options = MakeOptions();
    options.batchSize = 8;
    EXPECT_NEAR(GetPeak(ImportRunMetadata({file}, options).profile), 517.0e6, 0.01 * 517.0e6);
}
