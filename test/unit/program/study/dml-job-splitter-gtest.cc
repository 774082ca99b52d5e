/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-recorder.h"

#include "ns3/dml-job-splitter.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

/// Two workers and one server of the first job, one and two of the second.
TEST(JobSplitter, PassesOnTheFirstJobAndCountsTheOthers)
{
    RunRecorder recorder;
    JobSplitter splitter({{2, 1}, {1, 2}, {3, 1}}, recorder);
    for (uint32_t worker = 0; worker < 6; ++worker)
    {
        StepRecord step{};
        step.worker = worker;
        step.end = 1 + worker;
        splitter.StepEnded(step);
        TransferRecord transfer{};
        transfer.worker = worker;
        splitter.TransferEnded(transfer);
        ChunkRecord chunk{};
        chunk.worker = worker;
        splitter.ChunkEnded(chunk);
    }
    for (uint32_t server = 0; server < 4; ++server)
    {
        LinkRecord link{};
        link.server = server;
        splitter.LinkUsed(link);
    }
    EXPECT_EQ(recorder.steps.size(), 2u);
    EXPECT_EQ(recorder.transfers.size(), 2u);
    EXPECT_EQ(recorder.chunks.size(), 2u);
    EXPECT_EQ(recorder.links.size(), 1u);
    // worker 2 ended a step at 3 s, workers 3 to 5 at 4, 5 and 6 s
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(1, 2, 4), 0.5);
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(1, 3, 4), 0); // not at its start
    EXPECT_DOUBLE_EQ(splitter.GetStepRate(2, 3.5, 6), 3 / 2.5);
}
