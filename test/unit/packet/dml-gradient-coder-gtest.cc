/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-gradient-coder.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A plan with forty gradients, t0 to t39, which a step generates in that order.
StepPlan
MakePlan(bool cached)
{
    ProfileBuilder builder;
    builder.Compute("compute", {1});
    for (int i = 0; i < 40; ++i)
    {
        const std::string name = "t" + std::to_string(i);
        builder.Push(name, 4, {"compute"}).Update(name, 0);
    }
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Cycle", TimeValue(MilliSeconds(1)));
    protocol->SetAttribute("Cached", BooleanValue(cached));
    return protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}});
}

using Gradients = std::vector<uint32_t>;

} // namespace

// The first time a gradient is named by its op, then by a bit of a word of 32.
TEST(GradientCoder, NamesGradientsByBitsWhenAllKnowThem)
{
    const StepPlan plan = MakePlan(true);
    GradientCoder coder(plan);
    const NamedValues names{{"push/t3", 1}, {"push/t33", 1}};
    EXPECT_EQ(coder.EncodeSet({3, 33}), names);
    EXPECT_EQ(coder.DecodeSet(names), Gradients({3, 33}));
    coder.Learn({0, 3, 31, 33});
    const NamedValues bits{{"#0", 1 + 8 + 2147483648.0}, {"#1", 2}, {"push/t5", 1}};
    EXPECT_EQ(coder.EncodeSet({0, 3, 31, 33, 5}), bits);
    EXPECT_EQ(coder.DecodeSet(bits), Gradients({0, 3, 31, 33, 5}));
    EXPECT_EQ(coder.EncodeSet({}), NamedValues());
    EXPECT_EQ(coder.DecodeSet({}), Gradients());
}

TEST(GradientCoder, KeepsTheOrder)
{
    const StepPlan plan = MakePlan(true);
    GradientCoder coder(plan);
    coder.Learn({7});
    const NamedValues values{{"#7", 1}, {"push/t2", 2}, {"push/t39", 0}};
    EXPECT_EQ(coder.EncodeOrder({39, 7, 2}), values);
    EXPECT_EQ(coder.DecodeOrder(values), Gradients({39, 7, 2}));
}

// Names that look like numbers or marked names are not taken for these.
TEST(GradientCoder, MarksNamesThatBeginWithAMark)
{
    ProfileBuilder builder;
    builder.Compute("compute", {1}).Push("a", 4, {"compute"}).Update("a", 0);
    const auto protocol = CreateObject<AllReduceProtocol>();
    protocol->SetAttribute("Cycle", TimeValue(MilliSeconds(1)));
    for (const char* name : {"#0", "#1", "=#0", "="})
    {
        StepPlan plan = protocol->MakePlan(builder.Build(), {{}, 0, {}, false, {0, 0}});
        plan.names[plan.collectives.front().op] = name;
        GradientCoder coder(plan);
        EXPECT_EQ(coder.EncodeSet({0}), (NamedValues{{"=" + std::string(name), 1}}));
        EXPECT_EQ(coder.DecodeSet(coder.EncodeSet({0})), Gradients({0}));
        EXPECT_EQ(coder.DecodeOrder(coder.EncodeOrder({0})), Gradients({0}));
        coder.Learn({0});
        EXPECT_EQ(coder.EncodeSet({0}), (NamedValues{{"#0", 1}}));
        EXPECT_EQ(coder.DecodeSet(coder.EncodeSet({0})), Gradients({0}));
    }
}

TEST(GradientCoder, KeepsNamesWithoutACache)
{
    const StepPlan plan = MakePlan(false);
    GradientCoder coder(plan);
    coder.Learn({3});
    EXPECT_EQ(coder.EncodeSet({3}), (NamedValues{{"push/t3", 1}}));
}

// What does not fit the plan, or is no number, is nothing, and does no harm.
TEST(GradientCoder, RefusesWhatItDoesNotKnow)
{
    const StepPlan plan = MakePlan(true);
    const GradientCoder coder(plan);
    for (const NamedValues& values : {NamedValues{{"push/other", 1}},
                                      NamedValues{{"#", 1}},
                                      NamedValues{{"#x", 1}},
                                      NamedValues{{"#2", 1}},   // words 0 and 1 are enough
                                      NamedValues{{"#1", 256}}, // gradient 40
                                      NamedValues{{"#0", 0.5}},
                                      NamedValues{{"#0", -1}},
                                      NamedValues{{"#0", 4294967296.0}},
                                      NamedValues{{"#99999999999", 1}}})
    {
        EXPECT_FALSE(coder.DecodeSet(values)) << values.begin()->first;
    }
    for (const NamedValues& values : {NamedValues{{"push/other", 0}},
                                      NamedValues{{"#40", 0}},
                                      NamedValues{{"#1", 1}},            // a place beyond the last
                                      NamedValues{{"#1", 0}, {"#2", 0}}, // two in one place
                                      NamedValues{{"#1", 0.5}}})
    {
        EXPECT_FALSE(coder.DecodeOrder(values)) << values.begin()->first;
    }
}
