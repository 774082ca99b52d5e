/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// P3 and ByteScheduler. Links carry 100 bytes/s, so that 100 bytes take a second.

#include "../support/dml-fair-share-fixture.h"
#include "../support/dml-policy-clock.h"

#include "ns3/dml-credit-policy.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A case with a credit of some bytes (0: P3) and an overhead of some seconds.
FairShareCase
CreditCase(const ProfileBuilder& builder, uint64_t credit, double overhead = 0)
{
    FairShareCase test(builder);
    test.run.policy.SetTypeId(CreditPolicy::GetTypeId());
    test.run.policy.Set("Credit", UintegerValue(credit));
    test.run.policy.Set("Overhead", TimeValue(Seconds(overhead)));
    return test;
}

/// Three slices of one pull.
ProfileBuilder
ThreePulls()
{
    return ProfileBuilder().Pull("a", 100).Pull("b", 100).Pull("c", 100);
}

/// Slices s0 to s3 of a gradient ready at 0, and one of higher priority, h, ready at @p ready.
ProfileBuilder
SlicesAndLate(double ready)
{
    return ProfileBuilder({{"cpu", 1}})
        .Compute("late", {ready})
        .Push("s0", 100)
        .Push("s1", 100)
        .Push("s2", 100)
        .Push("s3", 100)
        .Push("h", 100, {"late"});
}

const std::map<std::string, uint32_t> LATE_FIRST{{"push/h", 0},
                                                 {"push/s0", 1},
                                                 {"push/s1", 1},
                                                 {"push/s2", 1},
                                                 {"push/s3", 1}};

} // namespace

/// 0.125 s of the sender, 1 s of sending, 2 x 0.25 s to the acknowledgement: a slice each 1.625 s,
/// which is there 0.25 s after it was sent.
TEST(CreditPolicy, WithoutCreditEverySliceCostsARoundTripAndTheOverhead)
{
    auto test = CreditCase(ThreePulls(), 0, 0.125);
    test.oneWayDelay = 0.25;
    test.Run();
    test.ExpectArrivals({{"pull/a", 1.375}, {"pull/b", 3}, {"pull/c", 4.625}});
}

/// a and b are committed at 0. a is sent from 0.125 to 1.125 s, b from 1.25 to 2.25 s; the credit
/// of a is back at 1.625 s, for c, which the sender takes at 2.25 s and sends from 2.375 s on.
TEST(CreditPolicy, ACreditOfTwoSlicesHidesRoundTripsButNotTheOverhead)
{
    auto test = CreditCase(ThreePulls(), 200, 0.125);
    test.oneWayDelay = 0.25;
    test.Run();
    test.ExpectArrivals({{"pull/a", 1.375}, {"pull/b", 2.5}, {"pull/c", 3.625}});
}

/// One byte less, and b has to wait for the credit of a, and c for that of b.
TEST(CreditPolicy, ASliceIsCommittedOnlyIfAllOfItFits)
{
    auto test = CreditCase(ThreePulls(), 199, 0.125);
    test.oneWayDelay = 0.25;
    test.Run();
    test.ExpectArrivals({{"pull/a", 1.375}, {"pull/b", 3}, {"pull/c", 4.625}});
}

TEST(CreditPolicy, ATransferLargerThanTheCreditGoesAlone)
{
    auto test = CreditCase(ProfileBuilder().Pull("a", 300).Pull("b", 50), 100);
    test.oneWayDelay = 0.25;
    test.Run();
    test.ExpectArrivals({{"pull/a", 3.25}, {"pull/b", 4.25}}); // b leaves at 3.5 s
}

/// Nothing is sent of y and z, but each acknowledgement takes 0.5 s: z leaves at 0.5 s, b at 1 s.
TEST(CreditPolicy, AnEmptyTransferCostsARoundTrip)
{
    auto test = CreditCase(ProfileBuilder().Pull("y", 0).Pull("z", 0).Pull("b", 100), 0);
    test.oneWayDelay = 0.25;
    test.Run();
    test.ExpectArrivals({{"pull/y", 0.25}, {"pull/z", 0.75}, {"pull/b", 2.25}});
}

/// h is ready at 1.5 s and goes after the slice that is being sent.
TEST(CreditPolicy, WithoutCreditPreemptsAtTheNextSlice)
{
    auto test = CreditCase(SlicesAndLate(1.5), 0);
    test.facts.ranks = LATE_FIRST;
    test.Run();
    test.ExpectArrivals(
        {{"push/s0", 1}, {"push/s1", 2}, {"push/h", 3}, {"push/s2", 4}, {"push/s3", 5}});
}

/// At 1 s, s2 got the credit of s0; at 2 s, h gets that of s1.
TEST(CreditPolicy, WhatIsCommittedIsNotPreempted)
{
    auto test = CreditCase(SlicesAndLate(1.5), 200);
    test.facts.ranks = LATE_FIRST;
    test.Run();
    test.ExpectArrivals(
        {{"push/s0", 1}, {"push/s1", 2}, {"push/s2", 3}, {"push/h", 4}, {"push/s3", 5}});
}

/// The credit of s0 is back at 1.5 s, while s1 is being sent, and goes to s2, not to h, which is
/// ready at 1.75 s; that of s1 is back at 2.5 s. Each is there 0.25 s after it was sent.
TEST(CreditPolicy, CreditGoesToWhatIsReadyWhenItComesBack)
{
    auto test = CreditCase(SlicesAndLate(1.75), 200);
    test.oneWayDelay = 0.25;
    test.facts.ranks = LATE_FIRST;
    test.Run();
    test.ExpectArrivals(
        {{"push/s1", 2.25}, {"push/s2", 3.25}, {"push/h", 4.25}, {"push/s3", 5.25}});
}

/// The sender has taken s0 when h comes at 0.5 s, but it has sent nothing of it: h goes second.
TEST(CreditPolicy, WhatTheSenderIsBusyWithIsNotPreempted)
{
    auto test = CreditCase(SlicesAndLate(0.5), 0, 1);
    test.facts.ranks = LATE_FIRST;
    test.Run();
    test.ExpectArrivals({{"push/s0", 2}, {"push/h", 4}, {"push/s1", 6}});
}

/// The second step's transfers are the first one's: 1.5 s for each of them, from step to step too.
TEST(CreditPolicy, CreditIsHeldFromStepToStep)
{
    auto test = CreditCase(ThreePulls(), 0);
    test.oneWayDelay = 0.25;
    test.Run({0}, 2);
    // c leaves at 3 s and ends the step at 4.25 s; its acknowledgement comes at 4.5 s
    test.ExpectArrivals({{"pull/a", 4.5 + 1.25}, {"pull/c", 4.5 + 4.25}}, 0, 1);
}

/// 0.5 s for each, one after the other, although the credit has room for both: the sender is busy
/// with 0 until 0.5 s, sends it until 1 s, and is busy with 1 until 1.5 s. Asking again (something
/// else has become ready, credit has come back) changes nothing.
TEST(CreditPolicy, TheSenderHandlesOneTransferAtATime)
{
    const auto policy = CreateObject<CreditPolicy>();
    policy->SetAttribute("Credit", UintegerValue(100));
    policy->SetAttribute("Overhead", TimeValue(Seconds(0.5)));
    ManualClock clock;
    policy->Prepare({{0, 10, 0, -1}, {1, 10, 1, -1}}, 0, clock);
    const StreamWindowModel windows(StreamWindowModel::Rule::UNLIMITED, 1);
    policy->Add(0, 10);
    EXPECT_FALSE(policy->Next(windows));
    clock.now = 0.25;
    policy->Add(1, 10);
    EXPECT_FALSE(policy->Next(windows));
    clock.now = 0.5;
    EXPECT_EQ(policy->Next(windows).transfer, 0u);
    clock.now = 1;
    ASSERT_TRUE(policy->TurnEnded());
    EXPECT_FALSE(policy->Next(windows));
    clock.now = 1.25;
    policy->Acknowledged(0);
    EXPECT_FALSE(policy->Next(windows));
    clock.now = 1.5;
    EXPECT_EQ(policy->Next(windows).transfer, 1u);
    EXPECT_EQ(clock.wakeUps, (std::vector<double>{0.5, 1.5}));
}

/// A wake-up that ns-3's clock has rounded to a nanosecond too early is not lost.
TEST(CreditPolicy, AWakeUpMayComeANanosecondEarly)
{
    const auto policy = CreateObject<CreditPolicy>();
    policy->SetAttribute("Overhead", TimeValue(Seconds(0.5)));
    ManualClock clock;
    policy->Prepare({{0, 10, 0, -1}}, 0, clock);
    const StreamWindowModel windows(StreamWindowModel::Rule::UNLIMITED, 1);
    policy->Add(0, 10);
    EXPECT_FALSE(policy->Next(windows));
    clock.now = 0.5 - 1e-9;
    EXPECT_EQ(policy->Next(windows).transfer, 0u);
    EXPECT_EQ(policy->GetSize(), 1u);
}

/// Pulls, forward, and gradients that become ready in two groups; the later one goes first.
ProfileBuilder
TwoGroups()
{
    return ProfileBuilder({{"cpu", 1}})
        .Pull("a", 150)
        .Pull("b", 100)
        .Pull("c", 50)
        .Compute("f", {0.5}, {"pull/a", "pull/b", "pull/c"})
        .Compute("late", {1}, {"f"})
        .Push("c", 0, {"f"})
        .Push("b", 0, {"f"})
        .Push("a", 0, {"late"})
        .Update("a", 0.25)
        .Update("b", 0.25)
        .Update("c", 0.25);
}

/// A slice costs what it costs, whether the credit hides round trips or not.
TEST(CreditPolicy, MoreOverheadNeverGivesMoreThroughput)
{
    for (const uint64_t credit : {0, 200, 400, 1000})
    {
        double before = 0;
        for (const double overhead : {0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 30.0})
        {
            auto test = CreditCase(TwoGroups(), credit, overhead);
            test.oneWayDelay = 0.25;
            test.facts.ranks = {{"pull/a", 0}, {"push/a", 0}, {"pull/b", 1}, {"push/b", 1}};
            test.Run({0}, 4);
            const double end = test.recorder.steps.back().end;
            EXPECT_GT(end, before) << "credit " << credit << ", overhead " << overhead;
            // the pulls of a step follow each other: each costs the overhead at least
            EXPECT_GE(end, 4 * 3 * overhead);
            before = end;
        }
    }
}

TEST(RankedQueue, LowestRankFirstThenFirstCome)
{
    RankedQueue queue;
    queue.Prepare({{0, 1, NO_INDEX, -1}, {1, 1, 5, -1}, {2, 1, 3, -1}, {3, 1, 5, -1}});
    for (const OpIndex transfer : {0, 3, 1, 2, 4}) // 4 is not known: no rank
    {
        queue.Push(transfer, 10 * transfer);
    }
    EXPECT_EQ(queue.GetSize(), 5u);
    EXPECT_EQ(queue.GetFirstRank(), 3u);
    std::vector<OpIndex> order;
    while (!queue.IsEmpty())
    {
        EXPECT_EQ(queue.GetFirst().bytes, 10u * queue.GetFirst().transfer);
        order.push_back(queue.Pop().transfer);
    }
    EXPECT_EQ(order, (std::vector<OpIndex>{2, 3, 1, 0, 4}));
}
