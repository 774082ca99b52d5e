/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/dml-fair-share-fixture.h"
#include "../support/dml-policy-clock.h"

#include "ns3/boolean.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-ordered-policy.h"
#include "ns3/dml-stream-window-model.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Order = std::vector<OpIndex>;

const StreamWindowModel NO_WINDOWS(StreamWindowModel::Rule::UNLIMITED, 1);

/// Serve everything that a policy lets go.
Order
Serve(TransferPolicy& policy)
{
    Order served;
    while (const Turn turn = policy.Next(NO_WINDOWS))
    {
        served.push_back(turn.transfer);
        policy.TurnEnded();
    }
    return served;
}

/// Add some transfers, one by one, then serve what may go.
Order
AddAndServe(TransferPolicy& policy, const Order& transfers)
{
    for (const OpIndex transfer : transfers)
    {
        policy.Add(transfer, 10);
    }
    return Serve(policy);
}

/// A shuffling policy of eight transfers, number 8 without a rank.
Ptr<OrderedPolicy>
MakeShuffled(PolicyClock& clock, uint32_t seed, uint32_t replication, uint32_t connection)
{
    const auto policy = CreateObject<OrderedPolicy>();
    policy->SetAttribute("Shuffle", BooleanValue(true));
    policy->SetAttribute("Seed", UintegerValue(seed));
    policy->SetAttribute("Replication", UintegerValue(replication));
    std::vector<TransferInfo> transfers;
    for (OpIndex op = 0; op < 9; ++op)
    {
        transfers.push_back({op, 10, op < 8 ? op : NO_INDEX, -1});
    }
    policy->Prepare(transfers, connection, clock);
    return policy;
}

/// The orders of @p steps steps in which all transfers are ready at once.
std::vector<Order>
ShuffledSteps(uint32_t steps, uint32_t seed, uint32_t replication, uint32_t connection)
{
    ManualClock clock;
    const auto policy = MakeShuffled(clock, seed, replication, connection);
    std::vector<Order> orders;
    for (uint32_t step = 0; step < steps; ++step)
    {
        orders.push_back(AddAndServe(*policy, {0, 1, 2, 3, 4, 5, 6, 7}));
    }
    return orders;
}

} // namespace

/// Ranks have holes and a tie: 30 goes first, then 10 and 20 in listing order; 40 has no rank.
TEST(OrderedPolicy, HoldsBackUntilTheCounterHasCome)
{
    const auto policy = CreateObject<OrderedPolicy>();
    ManualClock clock;
    policy->Prepare({{10, 10, 7, -1}, {20, 10, 7, -1}, {30, 10, 2, -1}, {40, 10, NO_INDEX, -1}},
                    0,
                    clock);
    EXPECT_EQ(AddAndServe(*policy, {20}), Order{}); // 30 and 10 come before
    EXPECT_EQ(policy->GetSize(), 1u);
    EXPECT_EQ(AddAndServe(*policy, {40}), Order{40}); // not in the order
    EXPECT_EQ(AddAndServe(*policy, {30}), Order{30});
    EXPECT_EQ(policy->GetSize(), 1u);
    EXPECT_EQ(AddAndServe(*policy, {10}), (Order{10, 20}));
    EXPECT_EQ(policy->GetSize(), 0u);
}

/// The counter starts again; what comes early of the next step waits for the rest of this one.
TEST(OrderedPolicy, StartsAgainInTheNextStep)
{
    const auto policy = CreateObject<OrderedPolicy>();
    ManualClock clock;
    policy->Prepare({{0, 10, 0, -1}, {1, 10, 1, -1}, {2, 10, 2, -1}}, 0, clock);
    EXPECT_EQ(AddAndServe(*policy, {2, 0, 1}), (Order{0, 1, 2}));
    EXPECT_EQ(AddAndServe(*policy, {0, 1}), (Order{0, 1}));
    EXPECT_EQ(AddAndServe(*policy, {0}), Order{}); // of the third step
    EXPECT_EQ(AddAndServe(*policy, {2}), (Order{2, 0}));
    EXPECT_EQ(AddAndServe(*policy, {2, 1}), (Order{1, 2}));
}

/// The counter goes on when a transfer is handed on, not when it has been sent: with a window of
/// 100 the second transfer sends its first turn before the first one's rest.
TEST(OrderedPolicy, AWindowLetsLaterTransfersIn)
{
    ObjectFactory inner;
    inner.SetTypeId(Http2WindowPolicy::GetTypeId());
    const auto windowed =
        CreateObjectWithAttributes<OrderedPolicy>("Inner", ObjectFactoryValue(inner));
    ManualClock clock;
    windowed->Prepare({{0, 250, 1, -1}, {1, 150, 0, -1}}, 0, clock);
    windowed->Add(0, 250);
    windowed->Add(1, 150);
    const StreamWindowModel windows(StreamWindowModel::Rule::TWO_TURNS, 100);
    std::vector<std::pair<OpIndex, uint64_t>> served;
    while (const Turn turn = windowed->Next(windows))
    {
        served.emplace_back(turn.transfer, turn.bytes);
        windowed->TurnEnded();
    }
    EXPECT_EQ(served,
              (std::vector<std::pair<OpIndex, uint64_t>>{{1, 100}, {0, 100}, {1, 50}, {0, 150}}));
}

TEST(OrderedPolicy, ShufflesEveryStepAnew)
{
    const auto orders = ShuffledSteps(200, 1, 0, 0);
    std::set<OpIndex> first;
    for (const auto& order : orders)
    {
        Order sorted(order);
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(sorted, (Order{0, 1, 2, 3, 4, 5, 6, 7}));
        first.insert(order.front());
    }
    // that one of eight never comes first in 200 steps has probability 8 (7/8)^200 < 1e-10
    EXPECT_EQ(first.size(), 8u);
    EXPECT_GT(std::set<Order>(orders.begin(), orders.end()).size(), 190u);
}

TEST(OrderedPolicy, ShufflesBySeedReplicationAndConnection)
{
    const auto orders = ShuffledSteps(5, 1, 0, 0);
    EXPECT_EQ(ShuffledSteps(5, 1, 0, 0), orders);
    EXPECT_NE(ShuffledSteps(5, 2, 0, 0), orders);
    EXPECT_NE(ShuffledSteps(5, 1, 1, 0), orders);
    EXPECT_NE(ShuffledSteps(5, 1, 0, 1), orders);
}

/// The order does not depend on when the transfers become ready, and no rank means no wait.
TEST(OrderedPolicy, AShuffledOrderHoldsWhateverIsReadyFirst)
{
    const auto orders = ShuffledSteps(2, 1, 0, 0);
    ManualClock clock;
    const auto policy = MakeShuffled(clock, 1, 0, 0);
    EXPECT_EQ(AddAndServe(*policy, {8}), Order{8});
    EXPECT_EQ(AddAndServe(*policy, {7, 6, 5, 4, 3, 2, 1, 0}), orders[0]);
    EXPECT_EQ(AddAndServe(*policy, {3, 1, 4, 0, 5, 2, 7, 6}), orders[1]);
}

/// At 100 bytes/s. Without an order the first pull of the listing goes first: b ends at 3 s. Here c
/// (1 s) goes before b (2 s) before a (1 s).
TEST(OrderedPolicy, GivesTheOrderToAnEngine)
{
    FairShareCase test(ProfileBuilder().Pull("a", 100).Pull("b", 200).Pull("c", 100).Compute(
        "f",
        {0},
        {"pull/a", "pull/b", "pull/c"}));
    test.run.policy.SetTypeId("ns3::dml::OrderedPolicy");
    test.facts.ranks = {{"pull/a", 2}, {"pull/b", 1}, {"pull/c", 0}};
    test.Run({0}, 2);
    for (const uint32_t step : {0, 1})
    {
        EXPECT_NEAR(test.Arrival("pull/c", 0, step), 4 * step + 1, 1e-9);
        EXPECT_NEAR(test.Arrival("pull/b", 0, step), 4 * step + 3, 1e-9);
        EXPECT_NEAR(test.Arrival("pull/a", 0, step), 4 * step + 4, 1e-9);
    }
}
