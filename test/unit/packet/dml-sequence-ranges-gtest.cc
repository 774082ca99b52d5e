/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-sequence-ranges.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::dml;

namespace
{

TEST(SequenceRangesTest, RangesGrowTogether)
{
    SequenceRanges ranges;
    ranges.Add(SequenceNumber32(10), SequenceNumber32(20));
    ranges.Add(SequenceNumber32(30), SequenceNumber32(40));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(9)), SequenceNumber32(9));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(10)), SequenceNumber32(20));
    ranges.Add(SequenceNumber32(20), SequenceNumber32(30));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(10)), SequenceNumber32(40));
    ranges.RemoveBefore(SequenceNumber32(15));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(14)), SequenceNumber32(14));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(15)), SequenceNumber32(40));
    ranges.Add(SequenceNumber32(50), SequenceNumber32(50));
    EXPECT_EQ(ranges.FindAbsent(SequenceNumber32(50)), SequenceNumber32(50));
}

/// Against a set of all bytes, across the end of sequence numbers.
TEST(SequenceRangesTest, IsASetOfBytes)
{
    constexpr uint32_t ORIGIN = 0xFFFFFF80;
    std::mt19937 random(1);
    std::uniform_int_distribution<uint32_t> any(0, 300);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        SequenceRanges ranges;
        std::set<uint32_t> bytes;
        for (uint32_t i = 0; i < 30; ++i)
        {
            const uint32_t begin = any(random);
            const uint32_t end = begin + any(random) / 10;
            if (i % 10 == 9)
            {
                ranges.RemoveBefore(SequenceNumber32(ORIGIN + begin / 4));
                bytes.erase(bytes.begin(), bytes.lower_bound(begin / 4));
            }
            ranges.Add(SequenceNumber32(ORIGIN + begin), SequenceNumber32(ORIGIN + end));
            for (uint32_t byte = begin; byte < end; ++byte)
            {
                bytes.insert(byte);
            }
        }
        for (uint32_t byte = 0; byte < 340; ++byte)
        {
            uint32_t absent = byte;
            while (bytes.count(absent) > 0)
            {
                ++absent;
            }
            ASSERT_EQ(ranges.FindAbsent(SequenceNumber32(ORIGIN + byte)),
                      SequenceNumber32(ORIGIN + absent));
        }
    }
}

} // namespace
