/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-host-network.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

// Of iproute2 6.1: a device without a queue, one with tbf, one with htb and two classes.
TEST(HostLinkCountTest, OutputOfTc)
{
    const auto counts = ParseLinkCounts(
        R"([{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"refcnt":2,"options":{},)"
        R"("bytes":0,"packets":0,"drops":0,"overlimits":0,"requeues":0,"backlog":0,"qlen":0},)"
        R"({"kind":"tbf","handle":"1:","dev":"eth0","root":true,"refcnt":3,"options":{"rate":)"
        R"(125000000,"burst":32750,"lat":7999738},"bytes":6866996,"packets":4958,"drops":3,)"
        R"("overlimits":900,"requeues":0,"backlog":1514,"qlen":1},)"
        R"({"kind":"htb","handle":"1:","dev":"eth1","root":true,"refcnt":3,"options":{"r2q":10,)"
        R"("default":"0x2","direct_packets_stat":0,"direct_qlen":1000},"bytes":99,"packets":9,)"
        R"("drops":0,"overlimits":17,"requeues":0,"backlog":0,"qlen":0},)"
        R"({"kind":"bfifo","handle":"2:","dev":"eth1","parent":"1:2","options":{"limit":1000000},)"
        R"("bytes":90,"packets":1,"drops":2,"overlimits":0,"requeues":0,"backlog":10,"qlen":1},)"
        R"({"kind":"bfifo","handle":"10:","dev":"eth1","parent":"1:10","options":{"limit":1000},)"
        R"("bytes":3000,"packets":2,"drops":5,"overlimits":0,"requeues":0,"backlog":20,"qlen":1}])");
    ASSERT_EQ(counts.size(), 2U);
    const HostLinkCount bucket = counts.at("eth0");
    EXPECT_EQ(bucket.bytes, 6866996U);
    EXPECT_EQ(bucket.packets, 4958U);
    EXPECT_EQ(bucket.drops, 3U);
    EXPECT_EQ(bucket.overlimits, 900U);
    EXPECT_EQ(bucket.backlog, 1514U);
    const HostLinkCount fair = counts.at("eth1"); // the sums of its classes
    EXPECT_EQ(fair.bytes, 3090U);
    EXPECT_EQ(fair.packets, 3U);
    EXPECT_EQ(fair.drops, 7U);
    EXPECT_EQ(fair.overlimits, 17U);
    EXPECT_EQ(fair.backlog, 30U);
}

TEST(HostLinkCountTest, OtherOutput)
{
    for (const auto* text : {"", "Cannot open netlink socket", "[{}]", "[1]", R"([{"handle":1}])"})
    {
        EXPECT_THROW(ParseLinkCounts(text), RunError) << text;
    }
    EXPECT_TRUE(ParseLinkCounts("[]").empty());
}
