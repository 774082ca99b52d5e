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

/// What a worker sends to a server, or gets from it.
SkippableStream
MakeStream(uint32_t worker, uint32_t kind, double rate)
{
    SkippableStream stream;
    const Endpoint self{Role::WORKER, worker};
    const Endpoint server{Role::SERVER, 0};
    stream.endpoint = kind == PULL ? server : self;
    stream.path.peer = kind == PULL ? self : server;
    stream.kind = kind;
    stream.rate = rate;
    return stream;
}

/// Streams that send at a time.
struct Senders
{
    explicit Senders(std::vector<SkippableStream> all)
        : streams(std::move(all))
    {
        for (auto& stream : streams)
        {
            list.push_back(&stream);
        }
    }

    std::vector<SkippableStream> streams;
    std::vector<SkippableStream*> list;
};

TEST(SteadyStates, WorkersOfAKindAreInterchangeable)
{
    SteadyStates states;
    Senders before({MakeStream(0, PULL, 100), MakeStream(1, PUSH, 30), MakeStream(2, PUSH, 50)});
    states.Enter(before.list);
    EXPECT_FALSE(states.IsKnown());
    states.Learn(before.list);
    EXPECT_TRUE(states.IsKnown());
    Senders now({MakeStream(2, PULL, 0), MakeStream(0, PUSH, 0), MakeStream(1, PUSH, 0)});
    states.Enter(now.list);
    ASSERT_TRUE(states.IsKnown());
    EXPECT_EQ(states.GetRate(now.streams[0]), 100);
    EXPECT_EQ(states.GetRate(now.streams[1]), 40) << "the mean of those that are alike";
    EXPECT_EQ(states.GetRate(now.streams[2]), 40);
    EXPECT_EQ(states.GetSize(), 1U);
}

TEST(SteadyStates, WhoDoesBothIsNotTwoWhoDoOne)
{
    SteadyStates states;
    Senders two({MakeStream(0, PULL, 1), MakeStream(1, PUSH, 1)});
    states.Enter(two.list);
    states.Learn(two.list);
    Senders one({MakeStream(1, PUSH, 1), MakeStream(1, PULL, 1)});
    states.Enter(one.list);
    EXPECT_FALSE(states.IsKnown());
    Senders far({MakeStream(0, PULL, 1), MakeStream(1, FAR_PUSH, 1)});
    states.Enter(far.list);
    EXPECT_FALSE(states.IsKnown());
    Senders more({MakeStream(0, PULL, 1), MakeStream(1, PUSH, 1), MakeStream(2, PUSH, 1)});
    states.Enter(more.list);
    EXPECT_FALSE(states.IsKnown());
}

TEST(SteadyStates, RatesAreMeansUntilTheNetworkChanges)
{
    SteadyStates states;
    for (const double rate : {10.0, 20.0, 60.0})
    {
        Senders alone({MakeStream(3, PUSH, rate)});
        states.Enter(alone.list);
        states.Learn(alone.list);
    }
    Senders alone({MakeStream(1, PUSH, 0)});
    states.Enter(alone.list);
    EXPECT_EQ(states.GetRate(alone.streams[0]), 30);
    states.Forget();
    EXPECT_FALSE(states.IsKnown());
    EXPECT_EQ(states.GetSize(), 0U);
}

} // namespace
