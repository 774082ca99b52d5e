/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"
#include "dml-run-recorder.h"

#include "ns3/dml-job-splitter.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3::dml;

/// Two workers and one server of the first job, one and two of the second, three and one of the
/// third.
TEST(JobSplitter, PassesOnTheFirstJobAndCountsTheOthers)
{
    RunRecorder recorder;
    JobSplitter splitter(3, recorder);
    double end = 1;
    for (const auto& [job, worker] :
         std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {0, 1}, {1, 0}, {2, 0}, {2, 1}, {2, 2}})
    {
        StepRecord step{};
        step.worker = worker;
        step.end = end++;
        splitter.Observe({job, step});
        TransferRecord transfer{};
        transfer.channel = MakeChannel(Direction::DOWNLINK, 0, worker);
        splitter.Observe({job, transfer});
        ChunkRecord chunk{};
        chunk.worker = worker;
        splitter.Observe({job, chunk});
    }
    for (const uint32_t job : {0, 1, 1, 2})
    {
        splitter.Observe({job, LinkRecord{}});
    }
    EXPECT_EQ(recorder.steps.size(), 2u);
    EXPECT_EQ(recorder.transfers.size(), 2u);
    EXPECT_EQ(recorder.chunks.size(), 2u);
    EXPECT_EQ(recorder.links.size(), 1u);
    // the second job ended a step at 3 s, the third at 4, 5 and 6 s
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(1, 2, 4), 0.5);
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(1, 3, 4), 0); // not at its start
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(2, 3.5, 6), 3 / 2.5);
}
