/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-baselines.h"
#include "ns3/dml-error.h"

#include <gtest/gtest.h>
#include <limits>

using namespace ns3::dml;

// One customer never waits: X = 1 / (2 + 1 + 3).
TEST(DmlClosedNetwork, OneCustomer)
{
    const auto solution = SolveClosedNetwork({{2, 1}, 3}, 1);
    EXPECT_DOUBLE_EQ(solution->throughput, 1.0 / 6);
    EXPECT_DOUBLE_EQ(solution->queueLengths[0], 2.0 / 6);
}

// n = 1: R = 2, 1; X = 1/6; Q = 1/3, 1/6. n = 2: R = 2 (1 + 1/3) = 8/3, 1 + 1/6 = 7/6;
// X = 2 / (3 + 23/6) = 12/41; Q = 32/41, 14/41 (and 36/41 in the delay: 82/41 = 2 customers).
TEST(DmlClosedNetwork, TwoCustomers)
{
    const auto solution = SolveClosedNetwork({{2, 1}, 3}, 2);
    EXPECT_DOUBLE_EQ(solution->throughput, 12.0 / 41);
    EXPECT_DOUBLE_EQ(solution->residenceTimes[0], 8.0 / 3);
    EXPECT_DOUBLE_EQ(solution->queueLengths[0], 32.0 / 41);
    EXPECT_DOUBLE_EQ(solution->queueLengths[1], 14.0 / 41);
}

// K stations of equal demand D without delay: X(n) = n / (D (n + K - 1)).
TEST(DmlClosedNetwork, BalancedNetworkHasAClosedForm)
{
    for (uint32_t n = 1; n <= 20; ++n)
    {
        EXPECT_NEAR(SolveClosedNetwork({{0.5, 0.5, 0.5}, 0}, n)->throughput,
                    n / (0.5 * (n + 2)),
                    1e-12);
    }
}

// The slowest station saturates: X -> 1 / max demand, from below.
TEST(DmlClosedNetwork, ManyCustomersSaturateTheSlowestStation)
{
    const double x = SolveClosedNetwork({{2, 1}, 30}, 500)->throughput;
    EXPECT_LE(x, 0.5);
    EXPECT_NEAR(x, 0.5, 1e-9);
}

TEST(DmlClosedNetwork, DelayOnlyScalesLinearly)
{
    EXPECT_DOUBLE_EQ(SolveClosedNetwork({{0, 0}, 4}, 8)->throughput, 2);
    EXPECT_DOUBLE_EQ(SolveClosedNetwork({{}, 4}, 8)->throughput, 2);
}

TEST(DmlClosedNetwork, HasNoSolutionIfACycleTakesNoTime)
{
    EXPECT_FALSE(SolveClosedNetwork({{0, 0}, 0}, 3));
    EXPECT_FALSE(SolveClosedNetwork({{1, -1}, 3}, 3));
    EXPECT_FALSE(SolveClosedNetwork({{1, 1}, std::numeric_limits<double>::infinity()}, 3));
    EXPECT_FALSE(SolveClosedNetwork({{1, 1}, 1}, 0));
}

// T_P = 3, T_C = 0.5, U_1 = 0.25, K = 8: W = 1: 8 / (3 + 1) = 2; W = 4 is the knee: 32 / 4 = 8;
// W = 8: 64 / (3 * 2 + 1) = 64/7.
TEST(DmlCynthia, Formula)
{
    const CynthiaInputs inputs{3, 0.5, 0.25};
    EXPECT_DOUBLE_EQ(*PredictCynthia(inputs, 8, 1), 2);
    EXPECT_DOUBLE_EQ(*PredictCynthia(inputs, 8, 4), 8);
    EXPECT_DOUBLE_EQ(*PredictCynthia(inputs, 8, 8), 64.0 / 7);
    EXPECT_FALSE(PredictCynthia({0, 0, 0}, 8, 1));
}

// 100 bytes one way at 50 bytes/s: T_C = 2. A step of 16 s: U_1 = 4/16. A step of 3 s, in which
// both directions overlapped, would give 4/3: the network is never more than busy.
TEST(DmlCynthia, Inputs)
{
    OneWorkerMeans means;
    means.steps = 1;
    means.step = 16;
    means.busy = 5;
    means.bytesOneWay = 100;
    const CynthiaInputs inputs = ComputeCynthiaInputs(means, 50);
    EXPECT_DOUBLE_EQ(inputs.processing, 5);
    EXPECT_DOUBLE_EQ(inputs.communication, 2);
    EXPECT_DOUBLE_EQ(inputs.utilisation, 0.25);
    means.step = 3;
    EXPECT_DOUBLE_EQ(ComputeCynthiaInputs(means, 50).utilisation, 1);
    means.step = 0;
    EXPECT_DOUBLE_EQ(ComputeCynthiaInputs(means, 50).utilisation, 0);
}

// Demands 2 and 1, delay 2.5 + 0.5 = 3, batch 41: one worker 41/6, two workers 41 * 12/41 = 12.
TEST(DmlLin, IsAClosedNetworkOfThePhases)
{
    OneWorkerMeans means;
    means.steps = 1;
    means.downlinkPhase = 2;
    means.computePhase = 2.5;
    means.uplinkPhase = 1;
    means.updatePhase = 0.5;
    EXPECT_DOUBLE_EQ(*PredictLin(means, 41, 1), 41.0 / 6);
    EXPECT_NEAR(*PredictLin(means, 41, 2), 12, 1e-12);
    EXPECT_FALSE(PredictLin(OneWorkerMeans(), 41, 2));
}

namespace
{

/// Feed a transfer of step @p step.
void
Transfer(OneWorkerProfile& profile, uint32_t step, Direction direction, double first, double last)
{
    profile.On(TransferRecord{MakeChannel(direction, 0, 0), step, 0, 0, first, first, last});
}

/// Feed a chunk of step @p step.
void
Chunk(OneWorkerProfile& profile,
      uint32_t step,
      ResourceLabel kind,
      uint32_t index,
      uint64_t bytes,
      double start,
      double end)
{
    profile.On(ChunkRecord{0, step, 0, false, MakeResource(kind, index, 0), bytes, start, end});
}

} // namespace

// Step 0 (0 to 10): downlinks end at 2 and 3, uplinks 5 to 7 and 6 to 9: phases 3, 2, 4, 1; busy
// 1.5 + 0.5 + 0.25. Step 1 (10 to 16): the uplink starts at 11, before the downlink ends at 12:
// phases 2, 0, 4 (11 to 15), 1; busy 3. Means: step 8, 2.5, 1, 4, 1; busy 2.625.
// Bytes of both directions: server 0: 100 + 60 then 100 + 40 -> mean 150; server 1: 200 + 200 and
// 100 + 0 -> mean 250; one way 125. Turns: 4 and 3.
TEST(DmlOneWorkerProfile, AveragesThePhasesOfTheSteps)
{
    OneWorkerProfile profile;
    Transfer(profile, 0, Direction::DOWNLINK, 0, 3);
    Transfer(profile, 0, Direction::DOWNLINK, 1, 2);
    Transfer(profile, 0, Direction::UPLINK, 5, 7);
    Transfer(profile, 0, Direction::UPLINK, 6, 9);
    Chunk(profile, 0, ResourceLabel::DEVICE, 0, 0, 3, 4.5);
    Chunk(profile, 0, ResourceLabel::SERVER, 0, 0, 9, 9.5);
    Chunk(profile, 0, ResourceLabel::PARSER, 1, 0, 9.5, 9.75);
    Chunk(profile, 0, ResourceLabel::DOWNLINK, 0, 100, 0, 3);
    Chunk(profile, 0, ResourceLabel::UPLINK, 0, 60, 5, 7);
    Chunk(profile, 0, ResourceLabel::DOWNLINK, 1, 200, 0, 3);
    Chunk(profile, 0, ResourceLabel::UPLINK, 1, 200, 6, 9);
    profile.On(StepRecord{0, 0, 0, 0, 10});
    // A record of step 2, which never ends, arrives before those of step 1.
    Chunk(profile, 2, ResourceLabel::DEVICE, 0, 0, 0, 1000);
    Transfer(profile, 1, Direction::DOWNLINK, 10, 12);
    Transfer(profile, 1, Direction::UPLINK, 11, 15);
    Chunk(profile, 1, ResourceLabel::DEVICE, 0, 0, 10, 13);
    Chunk(profile, 1, ResourceLabel::DOWNLINK, 0, 100, 10, 12);
    Chunk(profile, 1, ResourceLabel::UPLINK, 0, 40, 11, 15);
    Chunk(profile, 1, ResourceLabel::DOWNLINK, 1, 100, 10, 12);
    profile.On(StepRecord{0, 1, 0, 10, 16});

    const OneWorkerMeans means = profile.GetMeans();
    EXPECT_EQ(means.steps, 2u);
    EXPECT_DOUBLE_EQ(means.step, 8);
    EXPECT_DOUBLE_EQ(means.downlinkPhase, 2.5);
    EXPECT_DOUBLE_EQ(means.computePhase, 1);
    EXPECT_DOUBLE_EQ(means.uplinkPhase, 4);
    EXPECT_DOUBLE_EQ(means.updatePhase, 1);
    EXPECT_DOUBLE_EQ(means.busy, 2.625);
    EXPECT_DOUBLE_EQ(means.bytesOneWay, 125);
    EXPECT_DOUBLE_EQ(means.turns, 3.5);
}

// Only step 1 (10 to 16) is left after one warm-up step. It only downloads, until 12.
TEST(DmlOneWorkerProfile, LeavesOutWarmUpAndCopesWithMissingDirections)
{
    OneWorkerProfile profile(1);
    profile.On(StepRecord{0, 0, 0, 0, 10});
    Transfer(profile, 1, Direction::DOWNLINK, 10, 12);
    profile.On(StepRecord{0, 1, 0, 10, 16});
    OneWorkerMeans means = profile.GetMeans();
    EXPECT_EQ(means.steps, 1u);
    EXPECT_DOUBLE_EQ(means.downlinkPhase, 2);
    EXPECT_DOUBLE_EQ(means.computePhase, 4);
    EXPECT_DOUBLE_EQ(means.uplinkPhase, 0);
    EXPECT_DOUBLE_EQ(means.updatePhase, 0);

    // It only computes: all of it is compute.
    OneWorkerProfile idle;
    idle.On(StepRecord{0, 0, 0, 1, 4});
    means = idle.GetMeans();
    EXPECT_DOUBLE_EQ(means.computePhase, 3);
    EXPECT_DOUBLE_EQ(means.downlinkPhase, 0);
    EXPECT_DOUBLE_EQ(means.bytesOneWay, 0);
    EXPECT_EQ(OneWorkerProfile().GetMeans().steps, 0u);
}

TEST(DmlOneWorkerProfile, RefusesASecondWorker)
{
    OneWorkerProfile profile;
    EXPECT_THROW(profile.On(StepRecord{1, 0, 0, 0, 10}), RunError);
}
