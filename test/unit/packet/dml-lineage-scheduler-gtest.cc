/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-lineage-scheduler.h"
#include "ns3/map-scheduler.h"
#include "ns3/object.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A lineage made of gaps, the earliest first.
EventLineage
Chain(const std::vector<int64_t>& gaps, uint32_t root = 0)
{
    EventLineage lineage(root);
    for (const int64_t gap : gaps)
    {
        lineage = lineage.MakeChild(gap);
    }
    return lineage;
}

/// First before the other, from both sides.
void
ExpectOrder(const EventLineage& first, const EventLineage& second)
{
    EXPECT_LT(first.Compare(second), 0);
    EXPECT_GT(second.Compare(first), 0);
}

/// What an event of the random process below schedules.
struct Child
{
    uint32_t id;   //!< its number
    uint32_t rank; //!< where it runs
    int64_t gap;   //!< after its parent
};

constexpr uint32_t RANKS = 3;
constexpr int64_t LOOKAHEAD = 3; //!< shortest gap to an event of another rank
constexpr uint32_t EVENTS = 4000;

/// The children of an event: the same in every order of events. Gaps are so few that many events
/// have the same time. Those of siblings differ, as those of a packet's end and its arrival do:
/// nothing else tells siblings on different ranks apart.
std::vector<Child>
ChildrenOf(uint32_t id, uint32_t rank, uint32_t seed)
{
    uint32_t state = id * 2654435761u + seed * 40503u + 1;
    const auto draw = [&state](uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 16) % below;
    };
    std::vector<Child> children;
    const uint32_t count = 1 + draw(2);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t child = 2 * id + i + RANKS;
        const uint32_t where = draw(3) == 0 ? draw(RANKS) : rank;
        const int64_t gap = 6 * i + (where == rank ? draw(4) : LOOKAHEAD + draw(3));
        if (child < EVENTS)
        {
            children.push_back({child, where, gap});
        }
    }
    return children;
}

/// The event as ns-3 would schedule it; its context is its number.
Scheduler::Event
MakeScheduled(int64_t time, uint32_t uid, uint32_t id)
{
    Scheduler::Event event;
    event.impl = nullptr;
    event.key.m_ts = static_cast<uint64_t>(time);
    event.key.m_uid = uid;
    event.key.m_context = id;
    return event;
}

/// @return numbers of the events in the order of one process, by rank
std::vector<std::vector<uint32_t>>
RunTogether(uint32_t seed)
{
    std::vector<std::vector<uint32_t>> order(RANKS);
    std::map<uint32_t, uint32_t> rankOf;
    const auto scheduler = CreateObject<MapScheduler>();
    uint32_t uid = 4;
    for (uint32_t id = 0; id < RANKS; ++id)
    {
        rankOf[id] = id;
        scheduler->Insert(MakeScheduled(0, uid++, id));
    }
    while (!scheduler->IsEmpty())
    {
        const auto event = scheduler->RemoveNext();
        const uint32_t id = event.key.m_context;
        order[rankOf[id]].push_back(id);
        for (const Child& child : ChildrenOf(id, rankOf[id], seed))
        {
            rankOf[child.id] = child.rank;
            scheduler->Insert(
                MakeScheduled(static_cast<int64_t>(event.key.m_ts) + child.gap, uid++, child.id));
        }
    }
    return order;
}

/// An event that one rank schedules on another.
struct Message
{
    int64_t time;         //!< when it is due
    uint32_t id;          //!< its number
    uint32_t from;        //!< rank
    uint32_t to;          //!< rank
    EventLineage lineage; //!< of the event
    uint64_t number;      //!< of its rank's
};

/// @return numbers of the events in the order in which ranks run them that meet once per lookahead
std::vector<std::vector<uint32_t>>
RunApart(uint32_t seed)
{
    std::vector<std::vector<uint32_t>> order(RANKS);
    std::vector<Ptr<LineageScheduler>> schedulers;
    std::vector<uint32_t> uids(RANKS, 4);
    uint64_t number = 0;
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        schedulers.push_back(CreateObject<LineageScheduler>());
        schedulers[rank]->SetRank(rank, {});
        schedulers[rank]->SetRoot(rank);
        schedulers[rank]->Insert(MakeScheduled(0, uids[rank]++, rank));
    }
    while (true)
    {
        int64_t granted = INT64_MAX;
        for (const auto& scheduler : schedulers)
        {
            if (!scheduler->IsEmpty())
            {
                granted =
                    std::min(granted,
                             static_cast<int64_t>(scheduler->PeekNext().key.m_ts) + LOOKAHEAD);
            }
        }
        if (granted == INT64_MAX)
        {
            return order;
        }
        std::vector<Message> messages;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            LineageScheduler& scheduler = *schedulers[rank];
            while (!scheduler.IsEmpty() &&
                   static_cast<int64_t>(scheduler.PeekNext().key.m_ts) < granted)
            {
                const auto event = scheduler.RemoveNext();
                const auto now = static_cast<int64_t>(event.key.m_ts);
                order[rank].push_back(event.key.m_context);
                for (const Child& child : ChildrenOf(event.key.m_context, rank, seed))
                {
                    if (child.rank == rank)
                    {
                        scheduler.Insert(MakeScheduled(now + child.gap, uids[rank]++, child.id));
                        continue;
                    }
                    messages.push_back({now + child.gap,
                                        child.id,
                                        rank,
                                        child.rank,
                                        scheduler.GetStamp().lineage.MakeChild(child.gap),
                                        ++number});
                }
            }
        }
        std::reverse(messages.begin(), messages.end()); // they come in any order
        for (const Message& message : messages)
        {
            LineageScheduler& scheduler = *schedulers[message.to];
            scheduler.PlaceNext(message.lineage, message.from, message.number);
            scheduler.Insert(MakeScheduled(message.time, uids[message.to]++, message.id));
        }
    }
}

} // namespace

TEST(EventLineage, PutsFirstWhatWasScheduledEarlier)
{
    // both at 100: one scheduled at 60, the other at 90
    ExpectOrder(Chain({60, 40}), Chain({90, 10}));
}

TEST(EventLineage, AsksTheAncestorsWhereParentsRanAtTheSameTime)
{
    // both scheduled at 90; the first one's parent at 10, the other's at 50
    ExpectOrder(Chain({10, 80, 10}), Chain({50, 40, 10}));
}

TEST(EventLineage, FollowsTwoSendersOnTheSameGrid)
{
    // One device sends from 5 on, a packet each 10 ns: it is done at 15, 25, 35, ... The other one
    // starts at 25, by an event that was scheduled at 0. In one process that event comes before the
    // end of the packet at 25, which was scheduled at 15; and so the second device stays first, for
    // any number of packets.
    for (int packets = 1; packets < 1000; packets += 100)
    {
        std::vector<int64_t> early{5, 10, 10};
        std::vector<int64_t> late{25};
        early.insert(early.end(), packets, 10);
        late.insert(late.end(), packets, 10);
        ExpectOrder(Chain(late), Chain(early));
    }
}

TEST(EventLineage, PutsFirstWhatWasThereBeforeTheSimulation)
{
    // both at 20 by 10 and 10; one of the parents was scheduled before the start, for 10
    ExpectOrder(Chain({10, 10}), Chain({0, 10, 10}));
    ExpectOrder(Chain({10}, 1), Chain({10}, 2)); // equal but for the order of construction
    EXPECT_EQ(Chain({10}, 1).Compare(Chain({10}, 1)), 0);
}

TEST(LineageScheduler, KeepsTheOrderOfOneProcess)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        EXPECT_EQ(RunApart(seed), RunTogether(seed)) << "seed " << seed;
    }
}

TEST(LineageScheduler, GivesAForeignEventTheNumberOfTheOneBefore)
{
    // ns-3 takes what has a smaller number at the same time as done: the event with number 8 must
    // not be taken so while the foreign one runs, which comes before it and has number 9
    const auto scheduler = CreateObject<LineageScheduler>();
    scheduler->SetRank(1, {});
    scheduler->Insert(MakeScheduled(10, 7, 0));
    scheduler->RemoveNext();
    scheduler->Insert(MakeScheduled(10, 8, 1));
    scheduler->PlaceNext(Chain({10}), 0, 1);
    scheduler->Insert(MakeScheduled(10, 9, 2));
    const auto foreign = scheduler->RemoveNext();
    EXPECT_EQ(foreign.key.m_context, 2u);
    EXPECT_EQ(foreign.key.m_uid, 7u);
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 8u);
}

TEST(LineageScheduler, CountsEventsOfItsNodesUntilTheEnd)
{
    // node 0 is of another rank; without a node (context 99) events count on rank 0 only
    const auto scheduler = CreateObject<LineageScheduler>();
    scheduler->SetRank(1, {false, true});
    const std::vector<uint32_t> contexts{1, 0, 99, 1, 1, 1};
    for (uint32_t i = 0; i < contexts.size(); ++i)
    {
        scheduler->Insert(MakeScheduled(10 * i, 4 + i, contexts[i]));
    }
    EventStamp end;
    for (uint32_t i = 0; i < contexts.size(); ++i)
    {
        scheduler->RemoveNext();
        if (i == 3)
        {
            scheduler->DoNotCount();
        }
        if (i == 4)
        {
            end = scheduler->GetStamp();
            scheduler->Settle(20);
        }
    }
    EXPECT_EQ(scheduler->CountEvents(end), 2u); // of 0 ns and 40 ns; not 30 ns, not 50 ns
}
