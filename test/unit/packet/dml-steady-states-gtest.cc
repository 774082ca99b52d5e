/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-steady-states.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr uint32_t PULL = 0;
constexpr uint32_t PUSH = 1;
constexpr uint32_t FAR_PUSH = 2;

/// A flow of which only what a state knows counts.
class TestFlow : public SkippableFlow
{
  public:
    /// @param of number of the worker @param what kind of its way @param fast its rate
    TestFlow(uint32_t of, uint32_t what, double fast)
    {
        worker = {0, of};
        kind = what;
        rate = fast;
    }

    void Update() override
    {
    }

    uint64_t Skip(const ns3::Time&, const ns3::Time&, uint64_t) override
    {
        return 0;
    }
};

/// Flows that send at a time.
struct Senders
{
    explicit Senders(std::vector<TestFlow> all)
        : flows(std::move(all))
    {
        for (auto& flow : flows)
        {
            list.push_back(&flow);
        }
    }

    std::vector<TestFlow> flows;
    std::vector<SkippableFlow*> list;
};

TEST(SteadyStates, WorkersOfAKindAreInterchangeable)
{
    SteadyStates states;
    Senders before({TestFlow(0, PULL, 100), TestFlow(1, PUSH, 30), TestFlow(2, PUSH, 50)});
    states.Enter(before.list);
    EXPECT_FALSE(states.IsKnown());
    states.Learn(before.list);
    EXPECT_TRUE(states.IsKnown());
    Senders now({TestFlow(2, PULL, 0), TestFlow(0, PUSH, 0), TestFlow(1, PUSH, 0)});
    states.Enter(now.list);
    ASSERT_TRUE(states.IsKnown());
    EXPECT_EQ(states.GetRate(now.flows[0]), 100);
    EXPECT_EQ(states.GetRate(now.flows[1]), 40) << "the mean of those that are alike";
    EXPECT_EQ(states.GetRate(now.flows[2]), 40);
    EXPECT_EQ(states.GetSize(), 1U);
}

TEST(SteadyStates, WhoDoesBothIsNotTwoWhoDoOne)
{
    SteadyStates states;
    Senders two({TestFlow(0, PULL, 1), TestFlow(1, PUSH, 1)});
    states.Enter(two.list);
    states.Learn(two.list);
    Senders one({TestFlow(1, PUSH, 1), TestFlow(1, PULL, 1)});
    states.Enter(one.list);
    EXPECT_FALSE(states.IsKnown());
    Senders far({TestFlow(0, PULL, 1), TestFlow(1, FAR_PUSH, 1)});
    states.Enter(far.list);
    EXPECT_FALSE(states.IsKnown());
    Senders more({TestFlow(0, PULL, 1), TestFlow(1, PUSH, 1), TestFlow(2, PUSH, 1)});
    states.Enter(more.list);
    EXPECT_FALSE(states.IsKnown());
}

TEST(SteadyStates, RatesAreMeansUntilTheNetworkChanges)
{
    SteadyStates states;
    for (const double rate : {10.0, 20.0, 60.0})
    {
        Senders alone({TestFlow(3, PUSH, rate)});
        states.Enter(alone.list);
        states.Learn(alone.list);
    }
    Senders alone({TestFlow(1, PUSH, 0)});
    states.Enter(alone.list);
    EXPECT_EQ(states.GetRate(alone.flows[0]), 30);
    states.Forget();
    EXPECT_FALSE(states.IsKnown());
    EXPECT_EQ(states.GetSize(), 0U);
}

} // namespace
