/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What comes next: events, and flows that end.

#include "ns3/dml-end-list.h"
#include "ns3/dml-event-heap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <utility>

using namespace ns3::dml;

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

/// Half an instant: times that differ by it may be simultaneous.
constexpr double HALF_INSTANT = 0.5 / INSTANTS_PER_SECOND;

} // namespace

TEST(EventHeap, GivesEventsByInstantThenByRank)
{
    EventHeap<int> heap;
    heap.Push(2, 7, 1);
    heap.Push(1, 9, 2);
    heap.Push(1 + HALF_INSTANT / 2, 3, 3); // in the instant of 1
    EXPECT_EQ(heap.GetFirst().order, 3u);
    const auto first = heap.Pop();
    EXPECT_EQ(first.payload, 3);
    EXPECT_EQ(first.time, 1 + HALF_INSTANT / 2);
    heap.Push(0.5, 10, 4); // where the first one was
    EXPECT_EQ(heap.Pop().payload, 4);
    EXPECT_EQ(heap.Pop().payload, 2);
    EXPECT_FALSE(heap.IsEmpty());
    EXPECT_EQ(heap.Pop().payload, 1);
    EXPECT_TRUE(heap.IsEmpty());
}

TEST(EventHeap, IsAsASortedMapWhateverTheOrderOfCalls)
{
    std::mt19937 random(3);
    EventHeap<uint64_t> heap;
    std::map<std::pair<int64_t, uint64_t>, uint64_t> expected;
    for (uint64_t order = 0; order < 20000; ++order)
    {
        if (!expected.empty() && random() % 9 < 4 + order / 10000)
        {
            EXPECT_EQ(heap.Pop().payload, expected.begin()->second);
            expected.erase(expected.begin());
        }
        if (!expected.empty() && random() % 5 == 0)
        {
            EXPECT_EQ(heap.GetFirst().order, expected.begin()->first.second);
        }
        const double time = random() % 50;
        heap.Push(time, order, order * 3);
        expected[{InstantOf(time), order}] = order * 3;
        EXPECT_EQ(heap.IsEmpty(), expected.empty());
    }
}

TEST(TurnoverHeap, LosesWhatIsRemoved)
{
    struct Number
    {
        int value;

        bool GoesBefore(const Number& other) const
        {
            return value < other.value;
        }
    };

    TurnoverHeap<Number> heap;
    for (int i = 0; i < 100; ++i)
    {
        heap.Push({(37 * i) % 100}); // every number once
    }
    EXPECT_EQ(heap.Peek()->value, 0);
    EXPECT_EQ(heap.Pop().value, 0);
    EXPECT_EQ(heap.Peek()->value, 1) << "while the first place is free";
    heap.Remove([](const Number& number) { return number.value % 3 != 0; });
    EXPECT_EQ(heap.GetSize(), 33u);
    for (int value = 3; value < 100; value += 3)
    {
        EXPECT_EQ(heap.Peek()->value, value);
        EXPECT_EQ(heap.Pop().value, value);
    }
    EXPECT_TRUE(heap.IsEmpty());
    EXPECT_EQ(heap.Peek(), nullptr);
}

// Flows of BYTES, at time 0, have the rates with which they end when they shall: BYTES over the
// rate.
constexpr double BYTES = 4096;

TEST(EndList, FindsTheFirstByInstantThenByOrder)
{
    EndList list;
    list.Add(5, 2, BYTES, BYTES, 0);                          // ends at 1
    list.Add(6, 1, BYTES, BYTES / (1 + HALF_INSTANT / 2), 0); // in the same instant, started before
    list.Add(7, 0, BYTES, 0, 0);                              // never
    EXPECT_EQ(list.FindFirst().flow, 6u);
    list.Remove(1);
    EXPECT_EQ(list.GetFlows(), (std::vector<FlowId>{5, 7}));
    EXPECT_EQ(list.FindFirst().flow, 5u);
    EXPECT_EQ(list.FindFirst().time, 1);
    list.SetRate(0, 0, 0);
    EXPECT_EQ(list.FindFirst().instant, FlowEnd::NEVER);
    // half of it was served until 0.5, when it goes on at half the rate: 1 s more
    EndList slower;
    slower.Add(5, 0, BYTES, BYTES, 0);
    slower.SetRate(0, BYTES / 2, 0.5);
    EXPECT_EQ(slower.FindFirst().time, 1.5);
}

TEST(EndList, AgreesWithASearchThroughAll)
{
    std::mt19937 random(8);
    // many ends in one instant, and few
    for (const uint32_t range : {60, 100000})
    {
        EndList list;
        std::vector<std::pair<uint64_t, double>> ends; // order and end, by place
        std::size_t first = 0;                         // place of the one that ends first
        for (uint64_t order = 0; order < 3000; ++order)
        {
            const uint32_t what = random() % 8;
            const std::size_t place =
                ends.empty() || random() % 2 == 0 ? first : random() % ends.size();
            const double rate =
                random() % 7 == 0 ? 0 : BYTES / (1 + random() % range * HALF_INSTANT);
            const double end = BYTES / rate;
            if (what < 2 && !ends.empty())
            {
                list.SetRate(place, rate, 0);
                ends[place].second = end;
            }
            else if (what < 4 && !ends.empty())
            {
                list.Remove(place);
                ends[place] = ends.back();
                ends.pop_back();
            }
            else
            {
                list.Add(order, order, BYTES, rate, 0); // its flow is its order
                ends.emplace_back(order, end);
            }
            std::pair<int64_t, uint64_t> expected{FlowEnd::NEVER, 0};
            first = 0;
            for (std::size_t i = 0; i < ends.size(); ++i)
            {
                const std::pair<int64_t, uint64_t> key{InstantOf(ends[i].second), ends[i].first};
                if (ends[i].second < NEVER && key < expected)
                {
                    expected = key;
                    first = i;
                }
            }
            const FlowEnd found = list.FindFirst();
            ASSERT_EQ(found.instant, expected.first);
            ASSERT_EQ(found.flow, expected.second);
            ASSERT_EQ(list.GetSize(), ends.size());
        }
    }
}
