/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-stream-window-model.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Served = std::vector<std::pair<OpIndex, uint64_t>>;

/// Serve everything in a policy, turn by turn.
Served
ServeAll(TransferPolicy& policy, const WindowView& windows)
{
    Served served;
    while (const Turn turn = policy.Next(windows))
    {
        served.emplace_back(turn.transfer, turn.bytes);
        policy.TurnEnded();
    }
    return served;
}

/// Windows set by hand, as an HTTP/2 session has them.
class TableWindows : public WindowView
{
  public:
    uint64_t GetWindow(OpIndex transfer, uint32_t) const override
    {
        return windows.at(transfer);
    }

    std::map<OpIndex, uint64_t> windows;
};

} // namespace

TEST(Http2WindowPolicy, TwoTurnsForStreamsOf25147Windows)
{
    // what the notes measured on a prototype: 1 1 1 1 1, then 1 4 3 6
    Http2WindowPolicy policy;
    const uint64_t sizes[] = {2, 5, 1, 4, 7};
    for (OpIndex op = 0; op < 5; ++op)
    {
        policy.Add(op, 100 * sizes[op]);
    }
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    EXPECT_EQ(ServeAll(policy, windows),
              (Served{{0, 100},
                      {1, 100},
                      {2, 100},
                      {3, 100},
                      {4, 100},
                      {0, 100},
                      {1, 400},
                      {3, 300},
                      {4, 600}}));
    EXPECT_EQ(policy.GetSize(), 0u);
}

TEST(Http2WindowPolicy, EveryWindowGoesRoundAndRound)
{
    Http2WindowPolicy policy;
    policy.Add(0, 250);
    policy.Add(1, 150);
    const StreamWindowModel windows(StreamWindowModel::Rule::EVERY_WINDOW, 100);
    EXPECT_EQ(ServeAll(policy, windows), (Served{{0, 100}, {1, 100}, {0, 100}, {1, 50}, {0, 50}}));
}

TEST(Http2WindowPolicy, AStreamOfExactlyOneWindowHasOneTurn)
{
    Http2WindowPolicy policy;
    policy.Add(0, 100);
    policy.Add(1, 101);
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    EXPECT_EQ(ServeAll(policy, windows), (Served{{0, 100}, {1, 100}, {1, 1}}));
}

TEST(Http2WindowPolicy, ANewStreamQueuesBehindTheOneInItsTurnWhichThenQueuesBehindIt)
{
    Http2WindowPolicy policy;
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    policy.Add(0, 300);
    ASSERT_EQ(policy.Next(windows).transfer, 0u);
    policy.Add(1, 10); // during 0's turn: 0 rejoins the tail when its turn ENDS
    EXPECT_FALSE(policy.TurnEnded());
    EXPECT_EQ(ServeAll(policy, windows), (Served{{1, 10}, {0, 200}}));
}

TEST(Http2WindowPolicy, ABlockedStreamIsPassedOverAndKeepsItsPlace)
{
    Http2WindowPolicy policy;
    TableWindows table;
    table.windows = {{0, 0}, {1, 40}, {2, 1000}};
    policy.Add(0, 100);
    policy.Add(1, 100);
    policy.Add(2, 100);
    EXPECT_EQ(policy.Next(table).transfer, 1u); // 0 has no window
    EXPECT_FALSE(policy.TurnEnded());
    table.windows[0] = 100;
    EXPECT_EQ(policy.Next(table).transfer, 0u); // it is still the head
    EXPECT_TRUE(policy.TurnEnded());
    table.windows[1] = 0;
    EXPECT_EQ(policy.Next(table).transfer, 2u);
    EXPECT_TRUE(policy.TurnEnded());
    EXPECT_FALSE(policy.Next(table)); // only 1 is left, without window
    EXPECT_EQ(policy.GetSize(), 1u);
}

TEST(Http2WindowPolicy, AnEmptyTransferNeedsNoWindow)
{
    Http2WindowPolicy policy;
    TableWindows table;
    table.windows = {{0, 0}};
    policy.Add(0, 0);
    const Turn turn = policy.Next(table);
    EXPECT_EQ(turn.transfer, 0u);
    EXPECT_EQ(turn.bytes, 0u);
    EXPECT_TRUE(policy.TurnEnded());
}

TEST(Http2WindowPolicy, HoldsMoreThanItsFirstCapacity)
{
    Http2WindowPolicy policy;
    for (OpIndex op = 0; op < 1000; ++op)
    {
        policy.Add(op, 10);
    }
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    const auto served = ServeAll(policy, windows);
    ASSERT_EQ(served.size(), 1000u);
    EXPECT_EQ(served[999].first, 999u);
}

/// As gRPC does it: the stream is back in the queue before the others come.
TEST(Http2WindowPolicy, RejoinsAtTheStartOfItsTurn)
{
    const auto policy = CreateObject<Http2WindowPolicy>();
    policy->SetAttribute("RejoinAtStart", BooleanValue(true));
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    policy->Add(0, 300);
    const Turn first = policy->Next(windows);
    EXPECT_EQ(first.transfer, 0u);
    EXPECT_EQ(first.bytes, 100u);
    EXPECT_EQ(policy->GetSize(), 1u);
    policy->Add(1, 150); // during 0's turn
    policy->Add(2, 10);
    EXPECT_EQ(policy->GetSize(), 3u);
    EXPECT_FALSE(policy->TurnEnded());
    EXPECT_EQ(policy->GetSize(), 3u);
    EXPECT_EQ(ServeAll(*policy, windows), (Served{{0, 200}, {1, 100}, {2, 10}, {1, 50}}));
    EXPECT_EQ(policy->GetSize(), 0u);
}

TEST(RoundRobinPolicy, OneFrameEach)
{
    RoundRobinPolicy policy;
    policy.Add(0, 40000);
    policy.Add(1, 16384);
    policy.Add(2, 16385);
    const StreamWindowModel windows(StreamWindowModel::Rule::UNLIMITED, 1);
    EXPECT_EQ(ServeAll(policy, windows),
              (Served{{0, 16384}, {1, 16384}, {2, 16384}, {0, 16384}, {2, 1}, {0, 7232}}));
}

TEST(RoundRobinPolicy, SmallWindowsAndOtherQuanta)
{
    const auto policy = CreateObject<RoundRobinPolicy>();
    policy->SetAttribute("Quantum", UintegerValue(100));
    policy->Add(0, 250);
    policy->Add(1, 120);
    const StreamWindowModel windows(StreamWindowModel::Rule::EVERY_WINDOW, 60, 50);
    EXPECT_EQ(ServeAll(*policy, windows), (Served{{0, 60}, {1, 60}, {0, 100}, {1, 60}, {0, 90}}));
}

TEST(FifoPolicy, WholeTransfersInOrderWhateverTheWindow)
{
    FifoPolicy policy;
    policy.Add(3, 500);
    policy.Add(1, 7);
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    EXPECT_EQ(policy.GetSize(), 2u);
    EXPECT_EQ(ServeAll(policy, windows), (Served{{3, 500}, {1, 7}}));
    EXPECT_FALSE(policy.Next(windows));
}

TEST(TransferPolicy, IsMadeByTypeId)
{
    for (const char* name : {"ns3::dml::Http2WindowPolicy",
                             "ns3::dml::FifoPolicy",
                             "ns3::dml::RoundRobinPolicy",
                             "ns3::dml::OrderedPolicy",
                             "ns3::dml::CreditPolicy",
                             "ns3::dml::ProphetPolicy"})
    {
        ObjectFactory factory;
        factory.SetTypeId(name);
        EXPECT_TRUE(factory.Create<TransferPolicy>()) << name;
    }
}

/// Rule `capped`: the lookahead comes with the length, so after the first turn.
TEST(StreamWindowModel, LookaheadAfterTheFirstTurn)
{
    using Rule = StreamWindowModel::Rule;
    const StreamWindowModel windows(Rule::EVERY_WINDOW, 100, 30);
    EXPECT_EQ(windows.GetWindow(0, 0), 100u);
    EXPECT_EQ(windows.GetWindow(0, 1), 130u);
    EXPECT_EQ(windows.GetWindow(0, 7), 130u);
    EXPECT_GT(StreamWindowModel(Rule::TWO_TURNS, 100, 30).GetWindow(0, 1), 1u << 31);
}

TEST(StreamWindowModel, RulesByName)
{
    using Rule = StreamWindowModel::Rule;
    EXPECT_EQ(StreamWindowModel::RuleFromString("two-turns"), Rule::TWO_TURNS);
    EXPECT_EQ(StreamWindowModel::RuleFromString("every-window"), Rule::EVERY_WINDOW);
    EXPECT_EQ(StreamWindowModel::RuleFromString("unlimited"), Rule::UNLIMITED);
    EXPECT_THROW(StreamWindowModel::RuleFromString("twoturns"), InputError);
    EXPECT_GT(StreamWindowModel(Rule::UNLIMITED, 5).GetWindow(0, 0), 1u << 31);
}
