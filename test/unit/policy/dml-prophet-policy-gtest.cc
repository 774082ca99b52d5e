/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Prophet. Links carry 100 bytes/s, so that 100 bytes take a second.

#include "../support/dml-fair-share-fixture.h"

#include "ns3/data-rate.h"
#include "ns3/dml-prophet-policy.h"
#include "ns3/nstime.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/**
 * Gradients 3 and 2 are ready at 1 s, 1 at @p first and 0 a second later; @p bytes are the size of
 * gradient 3. The profile says that 1 comes at 4 s. Prophet knows the rate from the start.
 */
FairShareCase
ProphetCase(uint64_t bytes, double first = 4, double overhead = 0)
{
    FairShareCase test(ProfileBuilder()
                           .Compute("b3", {1})
                           .Compute("b1", {first - 1}, {"b3"})
                           .Compute("b0", {1}, {"b1"})
                           .Push("g3", bytes, {"b3"})
                           .Push("g2", 100, {"b3"})
                           .Push("g1", 50, {"b1"})
                           .Push("g0", 50, {"b0"}));
    test.facts.ranks = {{"push/g0", 0}, {"push/g1", 1}, {"push/g2", 2}, {"push/g3", 3}};
    test.facts.generated = {{"push/g0", 5}, {"push/g1", 4}, {"push/g2", 1}, {"push/g3", 1}};
    test.run.policy.SetTypeId(ProphetPolicy::GetTypeId());
    test.run.policy.Set("Rate", DataRateValue(DataRate("800bps")));
    test.run.policy.Set("Overhead", TimeValue(Seconds(overhead)));
    return test;
}

/// Expect arrivals of gradients 3, 2, 1, 0 of a step.
void
ExpectArrivals(const FairShareCase& test, const std::vector<double>& times, uint32_t step = 0)
{
    EXPECT_NEAR(test.Arrival("push/g3", 0, step), times[0], 1e-9);
    EXPECT_NEAR(test.Arrival("push/g2", 0, step), times[1], 1e-9);
    EXPECT_NEAR(test.Arrival("push/g1", 0, step), times[2], 1e-9);
    EXPECT_NEAR(test.Arrival("push/g0", 0, step), times[3], 1e-9);
}

} // namespace

/// 3 comes first, but 2 is expected in the same instant; then both fit before 4 s.
TEST(ProphetPolicy, WhatComesTogetherGoesInABlockByPriority)
{
    auto test = ProphetCase(100);
    test.Run();
    ExpectArrivals(test, {3, 2, 4.5, 5.5});
}

/// Slices of gradient 2, of equal rank and listed after 3: they go before it, all in one block.
TEST(ProphetPolicy, SlicesOfAnInstantStayTogether)
{
    auto test = ProphetCase(100);
    test.builder = ProfileBuilder()
                       .Compute("b3", {1})
                       .Push("g3", 100, {"b3"})
                       .Push("g2a", 50, {"b3"})
                       .Push("g2b", 50, {"b3"})
                       .Compute("b1", {3}, {"b3"})
                       .Push("g1", 50, {"b1"});
    test.facts.ranks = {{"push/g1", 1}, {"push/g2a", 2}, {"push/g2b", 2}, {"push/g3", 3}};
    test.facts.generated = {{"push/g1", 4}, {"push/g2a", 1}, {"push/g2b", 1}, {"push/g3", 1}};
    test.run.policy.Set("Overhead", TimeValue(Seconds(0.125)));
    test.Run();
    test.ExpectArrivals(
        {{"push/g2a", 1.625}, {"push/g2b", 2.125}, {"push/g3", 3.125}, {"push/g1", 4.625}});
}

/// After 2, 3 would end at 4.5 s, so the link waits for 1 at 4 s; after that 3 would end at 7 s, so
/// it waits for 0 at 5 s.
TEST(ProphetPolicy, WhatDoesNotFitWaitsForTheHigherPriority)
{
    auto test = ProphetCase(250);
    test.Run();
    ExpectArrivals(test, {8, 2, 4.5, 5.5});
}

TEST(ProphetPolicy, WhatJustFitsGoes)
{
    auto test = ProphetCase(200);
    test.Run();
    ExpectArrivals(test, {4, 2, 4.5, 5.5});
}

/// 3 waits for 1 until 4 s and then goes: 4 to 6.5 s. 1 is ready at 6 s; it would end at 7 s, when
/// 0 is expected.
TEST(ProphetPolicy, ALatePredictionIsNotWaitedFor)
{
    auto test = ProphetCase(250, 6);
    test.Run();
    ExpectArrivals(test, {6.5, 2, 7, 7.5});
}

/// 1 comes at 2.5 s, when 3 is being sent in the block of 2; the block is not interrupted. 0 comes
/// at 3.5 s: after 3, at 4 s, both are ready, and 0 goes first.
TEST(ProphetPolicy, AnEarlyGradientWaitsForTheBlock)
{
    auto test = ProphetCase(200, 2.5);
    test.Run();
    ExpectArrivals(test, {4, 2, 5, 4.5});
}

/// The profile has 0 at 3 s, before 1 at 4 s; they come at 5 and 4 s. After 2, the link waits for 0
/// at 3 s, then 3 goes, and finds both ready when it has ended.
TEST(ProphetPolicy, AProfileInTheWrongOrderStopsNothing)
{
    auto test = ProphetCase(250);
    test.facts.generated["push/g0"] = 3;
    test.Run();
    ExpectArrivals(test, {5.5, 2, 6.5, 6});
}

/// As before with 1 before 0 and little to send: 3 leaves at 3 s; 1 comes at 4 s and says that 0
/// was due at 3 s, so nothing is waited for.
TEST(ProphetPolicy, WhatWasDueBeforeIsNotWaitedFor)
{
    auto test = ProphetCase(250);
    test.facts.generated["push/g0"] = 2.5;
    test.builder = ProphetCase(100).builder;
    test.Run();
    // 2 fits before 2.5 s; 3 would end at 3 s and waits till 2.5 s
    ExpectArrivals(test, {3.5, 2, 4.5, 5.5});
}

/// 0 is computed after 3 has been sent, although the profile expects it at 5 s: 3 waits for it till
/// then, goes from 5 to 7.5 s, and 0 is ready a second later.
TEST(ProphetPolicy, AGradientThatWaitsForTheWaitingOneIsNoDeadlock)
{
    auto test = ProphetCase(250);
    test.builder = ProfileBuilder()
                       .Compute("b3", {1})
                       .Push("g3", 250, {"b3"})
                       .Push("g2", 100, {"b3"})
                       .Compute("b1", {3}, {"b3"})
                       .Push("g1", 50, {"b1"})
                       .Compute("b0", {1}, {"b1", "push/g3"})
                       .Push("g0", 50, {"b0"});
    test.Run();
    ExpectArrivals(test, {7.5, 2, 4.5, 9});
}

/// 0.25 s before each block: 2 and 3 leave from 1.25 s on.
TEST(ProphetPolicy, EachBlockCostsTheOverhead)
{
    auto test = ProphetCase(100, 4, 0.25);
    test.Run();
    ExpectArrivals(test, {3.25, 2.25, 4.75, 5.75});
}

/// With the overhead 3 would end at 4.125 s, after 1 is expected. So it goes last, directly behind
/// 0, for which it costs nothing more.
TEST(ProphetPolicy, TheOverheadCountsInTheBlock)
{
    auto test = ProphetCase(200, 4, 0.125);
    test.Run();
    ExpectArrivals(test, {7.625, 2.125, 4.625, 5.625});
}

/// The first estimate is ten times the rate: all of 2 and 3 is thought to end at 1.35 s. The look
/// at 5 s finds 400 bytes sent in 4 s of work, and the second step, from 5.5 s on, is as with the
/// right estimate.
TEST(ProphetPolicy, TheEstimateOfTheRateFollowsTheLink)
{
    auto test = ProphetCase(250);
    test.run.policy.Set("Rate", DataRateValue(DataRate("8kbps")));
    test.run.policy.Set("Interval", TimeValue(Seconds(5)));
    test.Run({0}, 2);
    ExpectArrivals(test, {4.5, 2, 5, 5.5});
    ExpectArrivals(test, {13.5, 7.5, 10, 11}, 1);
}

/// Without times of generation the ranks decide, also among what is ready in the same instant.
TEST(ProphetPolicy, PullsGoByPriorityOneAfterAnother)
{
    auto test = ProphetCase(100);
    test.builder = ProfileBuilder().Pull("a", 100).Pull("b", 100).Pull("c", 100);
    test.facts.ranks = {{"pull/a", 2}, {"pull/b", 1}, {"pull/c", 0}};
    test.Run();
    test.ExpectArrivals({{"pull/c", 1}, {"pull/b", 2}, {"pull/a", 3}});
}

TEST(ProphetPolicy, RefusesARateOfZero)
{
    auto test = ProphetCase(100);
    test.run.policy.Set("Rate", DataRateValue(DataRate(0)));
    EXPECT_THROW(test.Run(), InputError);
}

TEST(GradientForecast, ExpectsTheProfilesDistancesFromTheLastGradient)
{
    GradientForecast forecast;
    forecast.Prepare({{7, 1, 2, 1.0}, {5, 1, 1, 4.0}, {3, 1, 0, 5.0}, {1, 1, 9, -1}});
    EXPECT_EQ(forecast.GetNextBefore(9).transfer, NO_INDEX); // no step has begun
    forecast.Generated(7, 11);
    EXPECT_EQ(forecast.GetNextBefore(2).transfer, 5u);
    EXPECT_EQ(forecast.GetNextBefore(2).time, 14);
    EXPECT_EQ(forecast.GetNextBefore(1).transfer, 3u); // 5 is not before itself
    EXPECT_EQ(forecast.GetNextBefore(1).time, 15);
    EXPECT_EQ(forecast.GetNextBefore(0).transfer, NO_INDEX);
    forecast.Generated(1, 12); // no gradient
    EXPECT_EQ(forecast.GetNextBefore(2).time, 14);
    forecast.Generated(5, 16); // 2 s late, so the next will be
    EXPECT_EQ(forecast.GetNextBefore(9).transfer, 3u);
    EXPECT_EQ(forecast.GetNextBefore(9).time, 17);
    forecast.Generated(3, 17);
    EXPECT_EQ(forecast.GetNextBefore(9).transfer, NO_INDEX); // the step's last
    forecast.Generated(7, 20);
    EXPECT_EQ(forecast.GetNextBefore(9).time, 23);
    forecast.Generated(7, 30); // again, without the others
    EXPECT_EQ(forecast.GetNextBefore(9).time, 33);
    forecast.Generated(5, 34);
    EXPECT_EQ(forecast.GetNextBefore(9).time, 35);
}

TEST(RateMonitor, LooksOnceAnInterval)
{
    RateMonitor monitor(10, 5);
    monitor.Sent(100, 0, 2);
    EXPECT_EQ(monitor.GetRate(4.9), 10);
    monitor.Sent(50, 4, 5);
    EXPECT_EQ(monitor.GetRate(5), 50);  // 150 bytes in 3 busy seconds
    monitor.Sent(60, 6, 12);            // ends in the next interval but one
    EXPECT_EQ(monitor.GetRate(14), 50); // the look at 10 s found nothing
    EXPECT_EQ(monitor.GetRate(15), 10);
    EXPECT_EQ(monitor.GetRate(1000), 10);
    monitor.Sent(7, 1001, 1002);
    EXPECT_EQ(monitor.GetRate(1004), 10);
    EXPECT_EQ(monitor.GetRate(1005), 7);
}

TEST(RateMonitor, LooksAlways)
{
    RateMonitor monitor(10, 0);
    EXPECT_EQ(monitor.GetRate(0), 10);
    monitor.Sent(100, 0, 1);
    monitor.Sent(0, 1, 1);
    EXPECT_EQ(monitor.GetRate(1), 100);
    monitor.Sent(50, 1, 2);
    EXPECT_EQ(monitor.GetRate(2), 50);
}
