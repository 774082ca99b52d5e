/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a receiver announces, from its view of one stream alone.

#include "ns3/dml-error.h"
#include "ns3/dml-grant-rule.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

GrantState
State(uint32_t window, uint64_t received, uint64_t announced, uint64_t expected, bool prefix)
{
    return {window, received, announced, expected, prefix};
}

/// WIN 100: of a message of 1000 bytes 100 are announced, so 900 are missing. Nothing is missing of
/// a message that the window holds, and a grant is given once.
TEST(Http2GrantRule, MessageGrantsTheRest)
{
    MessageGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(100, 4, 100, 0, false)), 0u) << "length unknown";
    EXPECT_EQ(rule.GetIncrement(State(100, 20, 100, 1000, true)), 900u);
    EXPECT_EQ(rule.GetIncrement(State(100, 40, 1000, 1000, false)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(100, 20, 100, 100, true)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(100, 20, 100, 101, true)), 1u);
}

/// A window of 2 is used up before the length is known: announce the 3 missing prefix bytes.
TEST(Http2GrantRule, MessageGrantsThePrefix)
{
    MessageGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(2, 1, 2, 0, false)), 0u) << "one byte may still come";
    EXPECT_EQ(rule.GetIncrement(State(2, 2, 2, 0, false)), 3u);
}

/// A client that had not yet seen WIN = 10 sent 60 of 100 bytes: its window is -50, and 40 bytes
/// are missing, so 90 bring it to 40.
TEST(Http2GrantRule, MessageRepaysNegativeWindow)
{
    MessageGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(10, 60, 10, 100, true)), 90u);
}

/// 3 GB with WIN = 1000: first fill the window to 2^31-1, then only when half of it is used.
TEST(Http2GrantRule, MessageTopsUpHugeMessages)
{
    MessageGrantRule rule;
    const uint64_t total = 3000000000u;
    EXPECT_EQ(rule.GetIncrement(State(1000, 400, 1000, total, true)), 0x7fffffffu - 600u);
    const uint64_t announced = 0x7fffffffu + uint64_t{400};
    EXPECT_EQ(rule.GetIncrement(State(1000, 16384, announced, total, false)), 0u);
    // 2^30 received of 3 GB: 1926258176 bytes are missing, which the window can hold, and
    // 2^31 - 1 + 400 - 2^30 = 1073742223 are outstanding, just more than half of 2^31 - 1.
    const uint64_t half = uint64_t{1} << 30;
    EXPECT_EQ(rule.GetIncrement(State(1000, half, announced, total, false)), 0u);
    // 400 bytes later they are not: 1926257776 missing, 1073741823 outstanding.
    EXPECT_EQ(rule.GetIncrement(State(1000, half + 400, announced, total, false)),
              1926257776u - 1073741823u);
}

/// WIN 100: refilled when no more than 50 are left; never beyond the end of the message.
TEST(Http2GrantRule, ConsumeRefillsAtHalf)
{
    ConsumeGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(100, 49, 100, 1000, true)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(100, 50, 100, 1000, true)), 50u);
    EXPECT_EQ(rule.GetIncrement(State(100, 60, 100, 100, true)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(1, 1, 1, 0, false)), 1u);
}

/// A large window is refilled in steps of 8 KiB, so a sender finds it full when its turn comes.
TEST(Http2GrantRule, ConsumeRefillsInSteps)
{
    ConsumeGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(1000000, 8191, 1000000, 5000000, true)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(1000000, 8192, 1000000, 5000000, false)), 8192u);
    // The last grant is of any size: 1000 bytes of 1001000 are not announced yet.
    EXPECT_EQ(rule.GetIncrement(State(1000000, 1000, 1000000, 1001000, false)), 1000u);
}

/// WIN 100000: 2^20 + 100000 bytes may be outstanding once the length is known.
TEST(Http2GrantRule, CappedAnnouncesWindowAndLookahead)
{
    CappedGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(100000, 4, 100000, 0, false)), 0u) << "length unknown";
    EXPECT_EQ(rule.GetIncrement(State(100000, 5, 100000, 5000000, true)), 1048576u + 5);
    const uint64_t announced = 100000 + 1048576 + 5;
    EXPECT_EQ(rule.GetIncrement(State(100000, 5 + 8191, announced, 5000000, false)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(100000, 5 + 8192, announced, 5000000, false)), 8192u);
    // 1 MB is left of the message, and announced.
    EXPECT_EQ(rule.GetIncrement(State(100000, 4000000, 5000000, 5000000, false)), 0u);
    // 3000 bytes more than announced, and they end the message.
    EXPECT_EQ(rule.GetIncrement(State(100000, 4000000, 4997000, 5000000, false)), 3000u);
}

TEST(Http2GrantRule, CappedGrantsThePrefix)
{
    CappedGrantRule rule;
    EXPECT_EQ(rule.GetIncrement(State(2, 1, 2, 0, false)), 0u);
    EXPECT_EQ(rule.GetIncrement(State(2, 2, 2, 0, false)), 3u);
}

/// Only `bdp` asks for PINGs; an acknowledgement nobody asked for changes nothing.
TEST(Http2GrantRule, OnlyBdpMeasures)
{
    for (const std::string name : {"message", "consume", "capped", "bdp"})
    {
        const auto rule = MakeGrantRule(name);
        EXPECT_FALSE(rule->DataArrived(1000, 1)) << name;
        EXPECT_EQ(rule->DataArrived(1000, 2), name == "bdp") << name;
        rule->DataArrived(6000000, 2.05);
        const uint32_t window = rule->PingAcknowledged(4 << 20, 2.05);
        EXPECT_EQ(window, name == "bdp" ? 8u << 20 : 4u << 20) << name;
        EXPECT_EQ(rule->PingAcknowledged(window, 3), window) << name;
    }
}

/// 8 MiB would be next; the limit need not be a power of two.
TEST(Http2GrantRule, BdpGrowsNoFurtherThanItsLimit)
{
    const auto rule = MakeGrantRule("bdp", 5000000);
    rule->DataArrived(1, 0);
    ASSERT_TRUE(rule->DataArrived(1, 1));
    rule->DataArrived(6000000, 1.05);
    EXPECT_EQ(rule->PingAcknowledged(4 << 20, 1.05), 5000000u);
    EXPECT_EQ(rule->PingAcknowledged(9000000, 2), 9000000u) << "it is larger already";
}

/// WIN never falls: the scenario's may be above what the estimate asks for.
TEST(Http2GrantRule, BdpKeepsALargerWindow)
{
    BdpGrantRule rule;
    rule.DataArrived(1, 0);
    ASSERT_TRUE(rule.DataArrived(1, 1));
    rule.DataArrived(100000, 1.1);
    EXPECT_EQ(rule.PingAcknowledged(30000000, 1.1), 30000000u);
}

TEST(Http2GrantRule, MadeByName)
{
    EXPECT_NE(dynamic_cast<MessageGrantRule*>(MakeGrantRule("message").get()), nullptr);
    EXPECT_NE(dynamic_cast<ConsumeGrantRule*>(MakeGrantRule("consume").get()), nullptr);
    EXPECT_NE(dynamic_cast<CappedGrantRule*>(MakeGrantRule("capped").get()), nullptr);
    EXPECT_NE(dynamic_cast<BdpGrantRule*>(MakeGrantRule("bdp").get()), nullptr);
    try
    {
        MakeGrantRule("mesage");
        FAIL() << "accepted";
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(error.what(), "grant rule 'mesage'; accepted: message, consume, capped, bdp");
    }
}

} // namespace
