/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-bucket-negotiation.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <tuple>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Gradients of 10 bytes, t0, t1 and so on, in this order, agreed on every 0.1 s.
StepPlan
MakePlan(uint64_t threshold, bool waits = false, uint32_t gradients = 4)
{
    ProfileBuilder builder;
    builder.Compute("compute", {1});
    for (uint32_t i = 0; i < gradients; ++i)
    {
        const std::string name = "t" + std::to_string(i);
        builder.Push(name, 10, {"compute"}).Update(name, 0);
    }
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Cycle", TimeValue(Seconds(0.1)));
    protocol->SetAttribute("Threshold", UintegerValue(threshold));
    protocol->SetAttribute("Waits", BooleanValue(waits));
    return protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}});
}

using Buckets = std::vector<Bucket>;
using Worker = BucketNegotiation::Worker;

/// A negotiation whose clock a test sets.
struct TimedNegotiation
{
    explicit TimedNegotiation(const StepPlan& workersPlan,
                              const std::vector<Worker>& workers = {{0, 0}, {0, 0}},
                              const std::string& policy = "ns3::dml::FifoPolicy")
        : plan(workersPlan),
          negotiation(plan, ObjectFactory(policy), workers, [this] { return now; })
    {
    }

    /// A worker has a gradient at a time.
    void Offer(double time, uint32_t worker, uint32_t gradient)
    {
        now = time;
        negotiation.Offer(worker, gradient);
    }

    /// The cycle that comes next ends.
    Buckets Agree()
    {
        now = negotiation.GetNext().value();
        return negotiation.Agree();
    }

    StepPlan plan;
    double now{0};
    BucketNegotiation negotiation;
};

} // namespace

// All that both workers have at the end of a cycle, in the order of the plan, not of time.
TEST(BucketNegotiation, AgreesOnWhatAllHave)
{
    TimedNegotiation timed(MakePlan(1000));
    timed.Offer(0.01, 0, 2);
    timed.Offer(0.02, 1, 1);
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.Offer(0.03, 1, 2);
    EXPECT_DOUBLE_EQ(timed.negotiation.GetNext().value(), 0.1);
    timed.Offer(0.09, 0, 1);
    EXPECT_EQ(timed.Agree(), Buckets({{1, 2}}));
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.Offer(0.25, 0, 0);
    timed.Offer(0.31, 1, 0);
    EXPECT_EQ(timed.Agree(), Buckets({{0}}));
    EXPECT_DOUBLE_EQ(timed.now, 0.4);
}

// 20 bytes fit, 30 do not: two buckets of two.
TEST(BucketNegotiation, FillsBucketsUpToTheThreshold)
{
    TimedNegotiation timed(MakePlan(20));
    for (uint32_t gradient = 0; gradient < 4; ++gradient)
    {
        timed.Offer(0.05, 0, gradient);
        timed.Offer(0.05, 1, gradient);
    }
    EXPECT_EQ(timed.Agree(), Buckets({{0, 1}, {2, 3}}));
}

// The second worker begins at 0.06, and is 0.02 away: cycles end with it at 0.08, 0.18, ... The
// first one begins its cycles at its own phase, as 0.08 - 0.1 is before its start: at 0, 0.1, ...
TEST(BucketNegotiation, EndsACycleWithTheLastWorker)
{
    TimedNegotiation timed(MakePlan(1000), {{0, 0, 0}, {0.06, 0.02, 0.02}});
    EXPECT_DOUBLE_EQ(timed.negotiation.GetAnswerDelay(0), 0);
    EXPECT_DOUBLE_EQ(timed.negotiation.GetAnswerDelay(1), 0.02);
    timed.Offer(0.09, 0, 0);
    timed.Offer(0.12, 1, 0);
    EXPECT_EQ(timed.Agree(), Buckets({{0}}));
    EXPECT_DOUBLE_EQ(timed.now, 0.18);
    timed.Offer(0.21, 0, 1); // in its cycle at 0.3
    timed.Offer(0.22, 1, 1); // in that of 0.26
    EXPECT_EQ(timed.Agree(), Buckets({{1}}));
    EXPECT_DOUBLE_EQ(timed.now, 0.38);
}

// Delays make cycles longer: there and back takes 0.3, to a worker that begins first or last. Cycle
// 0 ends at 0.25 or, with the second worker at 0, at 0.15; the answer comes there 0.15 later.
TEST(BucketNegotiation, TakesTheRoundTripAtLeast)
{
    for (const auto& [first, second, end] :
         {std::tuple{0.0, 0.1, 0.25}, std::tuple{0.1, 0.0, 0.15}})
    {
        TimedNegotiation timed(MakePlan(1000), {{first, 0, 0}, {second, 0.15, 0.15}});
        timed.Offer(0.14, 0, 0);
        timed.Offer(0.14, 1, 0);
        timed.Agree();
        EXPECT_DOUBLE_EQ(timed.now, end + 0.3);
        // the second worker begins its next cycle at end + 0.45, the first at end + 0.3
        timed.Offer(end + 0.31, 0, 1);
        timed.Offer(end + 0.31, 1, 1);
        timed.Agree();
        EXPECT_DOUBLE_EQ(timed.now, end + 0.9);
    }
}

// What was agreed on at 0.1 is reduced until 0.25: then the next cycle begins and ends.
TEST(BucketNegotiation, MayWaitForWhatWasAgreedOn)
{
    TimedNegotiation timed(MakePlan(1000, true));
    for (const uint32_t worker : {0, 1})
    {
        timed.Offer(0.05, worker, 0);
    }
    timed.Agree();
    for (const uint32_t worker : {0, 1})
    {
        timed.Offer(0.15, worker, 1);
    }
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.now = 0.24;
    timed.negotiation.Reduced(0, {0});
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.now = 0.25;
    timed.negotiation.Reduced(1, {0});
    EXPECT_DOUBLE_EQ(timed.negotiation.GetNext().value(), 0.25);
    EXPECT_EQ(timed.Agree(), Buckets({{1}}));
}

// P3 has one gradient under way: the next one is agreed on in the cycle after that has been
// reduced.
TEST(BucketNegotiation, AsksAPolicyThatKeepsBack)
{
    TimedNegotiation timed(MakePlan(1000), {{0, 0}, {0, 0}}, "ns3::dml::CreditPolicy");
    for (const uint32_t worker : {0, 1})
    {
        timed.Offer(0.05, worker, 3);
        timed.Offer(0.05, worker, 0);
    }
    EXPECT_EQ(timed.Agree(), Buckets({{0}}));
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.now = 0.33;
    timed.negotiation.Reduced(1, {0});
    EXPECT_FALSE(timed.negotiation.GetNext());
    timed.negotiation.Reduced(0, {0});
    EXPECT_EQ(timed.Agree(), Buckets({{3}}));
    EXPECT_DOUBLE_EQ(timed.now, 0.4);
}

// A worker alone has reduced its slice at once, and yet the next one is agreed on a cycle later.
TEST(BucketNegotiation, AgreesOnceInACycle)
{
    TimedNegotiation timed(MakePlan(1000), {{0, 0}}, "ns3::dml::CreditPolicy");
    timed.Offer(0.05, 0, 0);
    timed.Offer(0.05, 0, 1);
    EXPECT_EQ(timed.Agree(), Buckets({{0}}));
    timed.negotiation.Reduced(0, {0});
    EXPECT_EQ(timed.Agree(), Buckets({{1}}));
    EXPECT_DOUBLE_EQ(timed.now, 0.2);
}

// A policy that serves in portions gives each gradient out once: when it has come to its end.
TEST(BucketNegotiation, TakesAGradientWithItsLastTurn)
{
    ProfileBuilder builder;
    builder.Compute("compute", {1});
    builder.Push("large", 100000, {"compute"}).Update("large", 0);
    builder.Push("small", 10, {"compute"}).Update("small", 0);
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Cycle", TimeValue(Seconds(0.1)));
    protocol->SetAttribute("Threshold", UintegerValue(0));
    TimedNegotiation timed(protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}}),
                           {{0, 0}},
                           "ns3::dml::RoundRobinPolicy");
    timed.Offer(0.05, 0, 0);
    timed.Offer(0.05, 0, 1);
    EXPECT_EQ(timed.Agree(), Buckets({{1}, {0}}));
}

// The next cycle is asked for after each offer, but a gradient's own is found once: when all have
// it, and again where cycles begin anew after what was agreed on before has been reduced.
TEST(BucketNegotiation, TakesTheSameWorkForEachOfManyGradients)
{
    constexpr uint32_t MANY = 1000;
    for (const bool waits : {false, true})
    {
        TimedNegotiation timed(MakePlan(1000, waits, MANY));
        timed.Offer(0.01, 0, 0);
        timed.Offer(0.01, 1, 0);
        const Buckets first = timed.Agree();
        for (uint32_t gradient = 1; gradient < MANY; ++gradient)
        {
            for (const uint32_t worker : {0, 1})
            {
                timed.Offer(0.15 + 1e-5 * gradient, worker, gradient);
                timed.negotiation.GetNext();
            }
        }
        EXPECT_EQ(timed.negotiation.GetLookups(), 2 * MANY);
        timed.negotiation.Reduced(0, first.front());
        timed.negotiation.Reduced(1, first.front());
        EXPECT_EQ(timed.Agree().size(), 10u); // buckets of 100 gradients
        EXPECT_EQ(timed.negotiation.GetLookups(), (waits ? 4 : 2) * MANY - (waits ? 2 : 0));
    }
}
