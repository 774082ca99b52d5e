/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-tournament.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A time, and a number that makes each one different from the others.
struct Entry
{
    int time{std::numeric_limits<int>::max()};
    int number{0};

    bool operator<(const Entry& other) const
    {
        return std::pair(time, number) < std::pair(other.time, other.number);
    }
};

} // namespace

TEST(Tournament, KnowsTheFirstAfterEachChange)
{
    for (const std::size_t size : {1, 2, 3, 7, 8, 9, 100})
    {
        std::mt19937 random(size);
        std::vector<Entry> entries(size);
        Tournament<Entry> tournament;
        tournament.Resize(size);
        for (int change = 0; change < 2000; ++change)
        {
            const auto place = static_cast<uint32_t>(random() % size);
            entries[place] = {static_cast<int>(random() % 50), change};
            tournament.Set(place, entries[place]);
            const Entry first = *std::min_element(entries.begin(), entries.end());
            ASSERT_EQ(tournament.GetFirst().time, first.time) << size << ", " << change;
            ASSERT_EQ(tournament.GetFirst().number, first.number) << size << ", " << change;
        }
    }
}
