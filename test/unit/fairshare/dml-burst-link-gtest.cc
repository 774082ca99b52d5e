/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the events of bursts are kept in: arrivals of a link, queues without memory of their own,
// and times as integers.

#include "ns3/dml-burst-link.h"
#include "ns3/dml-linked-queue.h"
#include "ns3/dml-time-rank.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace ns3::dml;

namespace
{

TEST(BurstLink, ArrivalsComeByTimeThenByOrder)
{
    BurstLink link;
    EXPECT_TRUE(link.Add({2.0, 0, 10}));
    EXPECT_FALSE(link.Add({3.0, 1, 11}));
    EXPECT_FALSE(link.Add({2.0, 2, 12})); // fills a gap; as late as the first one, but behind it
    EXPECT_TRUE(link.Add({1.0, 3, 13}));
    for (uint64_t order = 4; order < 40; ++order)
    {
        EXPECT_FALSE(link.Add({4.0, order, 14}));
    }
    for (const BurstId burst : {13, 10, 12, 11})
    {
        EXPECT_EQ(link.GetFirst().burst, burst);
        link.RemoveFirst();
    }
    for (uint64_t order = 4; order < 40; ++order)
    {
        EXPECT_EQ(link.GetFirst().order, order);
        link.RemoveFirst();
    }
    EXPECT_TRUE(link.IsEmpty());
}

TEST(LinkedQueue, TwoQueuesShareAnArray)
{
    struct Item
    {
        uint32_t next;
    };

    std::vector<Item> items(6);
    LinkedQueue even;
    LinkedQueue odd;
    for (uint32_t round = 0; round < 2; ++round) // the second time they have been emptied
    {
        for (uint32_t item = 0; item < items.size(); ++item)
        {
            (item % 2 == 0 ? even : odd).Append(items, item);
        }
        EXPECT_EQ(even.GetFirst(), 0u);
        for (uint32_t item = 0; item < items.size(); ++item)
        {
            EXPECT_EQ((item % 2 == 0 ? even : odd).TakeFirst(items), item);
        }
        EXPECT_TRUE(even.IsEmpty() && odd.IsEmpty());
    }
}

TEST(TimeRank, ComparesAsTheTimeDoes)
{
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double>
        times{-infinity, -2, -1, -1e-11, 0, 1e-300, 1e-11, 1, 1 + 1e-15, 512, infinity};
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        EXPECT_EQ(TimeOf(RankOf(times[i])), times[i]);
        for (std::size_t j = 0; j < times.size(); ++j)
        {
            EXPECT_EQ(RankOf(times[i]) < RankOf(times[j]), i < j) << times[i] << " " << times[j];
        }
    }
}

} // namespace
