/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-push-pull-protocol.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two layers: layer a is used first, its gradient comes last. Links carry 100 bytes/s.
ProfileBuilder
TwoLayers()
{
    ProfileBuilder builder;
    builder.Pull("a", 100)
        .Pull("b", 200)
        .Compute("forward/a", {1}, {"pull/a"})
        .Compute("forward/b", {1}, {"pull/b", "forward/a"})
        .Compute("backward/b", {1}, {"forward/b"})
        .Compute("backward/a", {1}, {"backward/b"})
        .Push("b", 200, {"backward/b"})
        .Update("b", 0.5)
        .Push("a", 100, {"backward/a"})
        .Update("a", 0.5);
    return builder;
}

/// A case that runs the push-pull protocol.
struct PushPullCase : FairShareCase
{
    explicit PushPullCase(const ProfileBuilder& profileBuilder)
        : FairShareCase(profileBuilder)
    {
        run.policy.SetTypeId("ns3::dml::FifoPolicy");
        protocol = MakePushPullPlan;
    }
};

/// Text of the error with which the protocol refuses a profile.
std::string
Refusal(const ProfileBuilder& builder, uint32_t servers = 1)
{
    const Profile profile = builder.Build();
    try
    {
        MakePushPullPlan(MakeStepPlan(profile, PlaceGreedy(profile.tensors, servers), servers, {}));
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(PushPull, StepsOfOneWorkerOverlap)
{
    // step 0: pull a 0-1, pull b 1-3, forward a 1-2, forward b 3-4, backward b 4-5, a 5-6,
    // push b 5-7, push a 7-8, update b 7-7.5, update a 8-8.5
    // step 1 begins at 6; pull b 7.5-9.5, pull a is ready at 8.5 and comes behind it: 9.5-10.5;
    // forward a 10.5-11.5, forward b -12.5, backward b -13.5, backward a -14.5
    PushPullCase c(TwoLayers());
    c.Run({0}, 2);
    c.ExpectArrivals({{"pull/b", 3}, {"push/a", 8}});
    c.ExpectArrivals({{"pull/b", 9.5}, {"pull/a", 10.5}}, 0, 1);
    ASSERT_EQ(c.recorder.steps.size(), 2u);
    EXPECT_NEAR(c.recorder.steps[0].start, 0, 1e-9);
    EXPECT_NEAR(c.recorder.steps[0].end, 8.5, 1e-9);
    EXPECT_NEAR(c.recorder.steps[1].start, 6, 1e-9);
    // push b 13.5-15.5, push a 15.5-16.5, update a 17
    EXPECT_NEAR(c.recorder.steps[1].end, 17, 1e-9);
    EXPECT_EQ(c.servedBytes, 1200u); // nothing is pulled for a third step
}

TEST(PushPull, AnUpdateWaitsForTheGradientsOfAllWorkers)
{
    // worker 1 starts 20 s later, so worker 0's second pulls wait for its gradients: it is alone on
    // every link and does what the lone worker does, 20 s later
    PushPullCase c(TwoLayers());
    c.Run({0, 20}, 2);
    c.ExpectArrivals({{"push/a", 8}});
    c.ExpectArrivals({{"push/a", 28}}, 1);
    // update b at 27.5: both pull b at half rate, 200 bytes each in 4 s, then a in 2 s
    c.ExpectArrivals({{"pull/b", 31.5}, {"pull/a", 33.5}}, 0, 1);
    c.ExpectArrivals({{"pull/b", 31.5}}, 1, 1);
    // the update is one for both
    uint32_t updates = 0;
    for (const auto& chunk : c.recorder.chunks)
    {
        updates += GetLabel(chunk.resource) == ResourceLabel::SERVER ? 1 : 0;
    }
    EXPECT_EQ(updates, 4u); // two tensors, two steps
    EXPECT_EQ(c.recorder.steps.size(), 4u);
    EXPECT_EQ(c.servedBytes, 2400u);
}

TEST(PushPull, ForwardOfALayerWaitsForItsOwnTensorsOnly)
{
    // as above, but layer a alone is small: forward/a of step 1 starts when a is there, while b is
    // still on its way: push b 5-7, push a 7-7.1, update a 7.6; pull b 7.5-9.5, pull a 9.5-9.6
    ProfileBuilder builder;
    builder.Pull("b", 200)
        .Pull("a", 10)
        .Compute("forward/a", {1}, {"pull/a"})
        .Compute("forward/b", {1}, {"pull/b", "forward/a"})
        .Compute("backward/b", {1}, {"forward/b"})
        .Compute("backward/a", {1}, {"backward/b"})
        .Push("a", 10, {"backward/a"})
        .Update("a", 0.5)
        .Push("b", 200, {"backward/b"})
        .Update("b", 2.5);
    // step 0: pull b 0-2, a 2-2.1; forward a -3.1, b -4.1; backward b -5.1, a -6.1;
    // push b 5.1-7.1, a 7.1-7.2; server: update b 7.1-9.6, then a 9.6-10.1
    // step 1: pull b 9.6-11.6, pull a 11.6-11.7
    PushPullCase c(builder);
    c.Run({0}, 2);
    c.ExpectArrivals({{"pull/b", 11.6}, {"pull/a", 11.7}}, 0, 1);
    // on servers of their own: a's update 7.2-7.7 and its pull 7.7-7.8 do not wait for b's
    PushPullCase two(builder);
    two.servers = 2;
    two.placement = {0, 1};
    two.network.rule = SharingRule::MAX_MIN;
    two.Run({0}, 2);
    // pull a 0-0.2 beside pull b at half of the worker's link: forward a 0.2-1.2
    double start = 0;
    for (const auto& chunk : two.recorder.chunks)
    {
        if (chunk.op == builder.Find("forward/a") && chunk.step == 1)
        {
            start = chunk.start;
        }
    }
    EXPECT_NEAR(two.Arrival("pull/a", 0, 1), start, 1e-9);
    EXPECT_LT(start, two.Arrival("pull/b", 0, 1));
}

/// Two tensors on servers of their own; b's push of step 0 takes longer than two steps of a.
ProfileBuilder
TwoSpeeds()
{
    ProfileBuilder builder;
    builder.Pull("a", 1)
        .Pull("b", 1000)
        .Compute("fa", {0.1}, {"pull/a"})
        .Compute("fb", {0.1}, {"pull/b"})
        .Push("a", 1, {"fa"})
        .Push("b", 1000, {"fb"})
        .Update("a", 0)
        .Update("b", 0);
    return builder;
}

TEST(PushPull, EarlyPullsOfTheStepAfterTheNextDoNotMixUpSteps)
{
    // step 0: pull a 0-0.02 (half the worker's link), fa -0.12, push a -0.13, pull a of step 1
    // shares with pull b, which ends at 10.02; fb -10.12; step 1 begins at 10.12: fa -10.22, push a
    // -10.23 or -10.24 beside push b, pull a of step 2, while push b of step 0 lasts until
    // about 20.1
    PushPullCase c(TwoSpeeds());
    c.servers = 2;
    c.placement = {0, 1};
    c.network.rule = SharingRule::MAX_MIN;
    c.Run({0}, 5);
    ASSERT_EQ(c.recorder.steps.size(), 5u);
    EXPECT_LT(c.Arrival("pull/a", 0, 2), c.Arrival("push/b", 0, 0));
    double last = -1;
    for (uint32_t step = 0; step < 5; ++step)
    {
        EXPECT_EQ(c.recorder.steps[step].step, step);
        EXPECT_NEAR(c.recorder.steps[step].end, c.Arrival("push/b", 0, step), 1e-9);
        EXPECT_GT(c.recorder.steps[step].start, last);
        last = c.recorder.steps[step].start;
    }
    EXPECT_EQ(c.servedBytes, 5 * 2 * 1001u);
}

TEST(PushPull, APullOnlyTensorBehindAnotherPullComesInEveryStep)
{
    // b is pulled for `eval` only, behind pull a, and takes longer than a whole round of a
    ProfileBuilder builder;
    builder.Pull("a", 1)
        .Pull("b", 1000, {"pull/a"})
        .Compute("forward", {0.1}, {"pull/a"})
        .Compute("eval", {0.1}, {"pull/b"})
        .Push("a", 1, {"forward"})
        .Update("a", 0);
    PushPullCase c(builder);
    c.servers = 2;
    c.placement = {0, 1};
    c.network.rule = SharingRule::MAX_MIN;
    c.Run({0, 0.05}, 4);
    EXPECT_EQ(c.recorder.steps.size(), 8u);
    EXPECT_EQ(c.servedBytes, 2 * 4 * 1002u);
}

TEST(PushPull, ParsingBelongsToItsTransfer)
{
    // 1 s for each tensor: pull a 0-1, parsed -2, forward a 2-3; pull b 1-3, parsed 3-4
    PushPullCase c(TwoLayers());
    c.overhead = {0, 1, false, {}};
    c.Run({0}, 3);
    EXPECT_NEAR(c.Chunk("forward/a").start, 2, 1e-9);
    EXPECT_EQ(c.recorder.steps.size(), 3u);
    EXPECT_EQ(c.servedBytes, 1800u);
}

TEST(PushPull, AWorkerComputesInTheOrderOfSteps)
{
    // `input` waits for nothing, and must not run in the middle of the step before
    ProfileBuilder builder = TwoLayers();
    builder.Compute("input", {0.25});
    PushPullCase c(builder);
    c.Run({0}, 3);
    double last = 0;
    for (const auto& chunk : c.recorder.chunks)
    {
        if (GetLabel(chunk.resource) == ResourceLabel::DEVICE)
        {
            EXPECT_GE(chunk.step, last);
            last = chunk.step;
        }
    }
    EXPECT_EQ(last, 2);
}

TEST(PushPull, RefusesWhatItCannotRun)
{
    ProfileBuilder unused;
    unused.Pull("a", 100).Compute("forward", {1}).Push("a", 100, {"forward"}).Update("a", 1);
    EXPECT_EQ(Refusal(unused),
              "op 'push/a' does not depend on its tensor's pull and a compute op: the push-pull "
              "protocol cannot run it; accepted: gradients that are computed from the tensors "
              "pulled");
    ProfileBuilder unpulled;
    unpulled.Compute("forward", {1}).Push("a", 100, {"forward"}).Update("a", 1);
    EXPECT_EQ(Refusal(unpulled),
              "op 'push/a' pushes a tensor that is not pulled: the push-pull protocol cannot run "
              "it; accepted: tensors that are pulled too");
    ProfileBuilder lost;
    lost.Pull("a", 100).Compute("forward", {1}, {"pull/a"}).Push("a", 100, {"forward"});
    EXPECT_EQ(Refusal(lost),
              "op 'push/a' has no update that waits for it: the push-pull protocol cannot run it; "
              "accepted: one update for each push");
    EXPECT_EQ(Refusal(TwoLayers()), "");
}
