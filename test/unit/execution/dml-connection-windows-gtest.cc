/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-connection-windows.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr uint64_t MIN = 4 << 20;
constexpr uint64_t MAX = 32 << 20;

/// All windows of a draw for @p workers and 2 servers.
std::vector<uint64_t>
Draw(uint32_t workers, uint32_t seed, uint32_t replication)
{
    const ConnectionWindows windows(workers, 2, MIN, MAX, seed, replication);
    std::vector<uint64_t> all;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        for (uint32_t server = 0; server < 2; ++server)
        {
            all.push_back(windows.Get(worker, server, true));
            all.push_back(windows.Get(worker, server, false));
        }
    }
    return all;
}

TEST(ConnectionWindows, EveryConnectionAndDirectionHasItsOwn)
{
    EXPECT_TRUE(ConnectionWindows().IsEmpty());
    EXPECT_FALSE(ConnectionWindows(1, 1, 5, 5, 1, 0).IsEmpty());
    const auto windows = Draw(100, 1, 0);
    EXPECT_EQ(std::set<uint64_t>(windows.begin(), windows.end()).size(), windows.size());
    double mean = 0;
    for (const uint64_t window : windows)
    {
        EXPECT_GE(window, MIN);
        EXPECT_LE(window, MAX);
        mean += static_cast<double>(window) / static_cast<double>(windows.size());
    }
    // The mean of 400 uniform draws is within 4 of its standard deviations, range / sqrt(12 * 400).
    EXPECT_NEAR(mean, (MIN + MAX) / 2., 4 * (MAX - MIN) / 69.28);
}

TEST(ConnectionWindows, DependOnSeedAndReplicationOnly)
{
    const auto windows = Draw(4, 1, 0);
    EXPECT_EQ(Draw(4, 1, 0), windows);
    EXPECT_NE(Draw(4, 2, 0), windows);
    EXPECT_NE(Draw(4, 1, 1), windows);
    const auto more = Draw(9, 1, 0);
    EXPECT_EQ(std::vector<uint64_t>(more.begin(), more.begin() + 16), windows);
}

/// Both ends of the range are drawn.
TEST(ConnectionWindows, SmallRanges)
{
    const ConnectionWindows windows(100, 1, 7, 8, 1, 0);
    std::set<uint64_t> seen;
    for (uint32_t worker = 0; worker < 100; ++worker)
    {
        seen.insert(windows.Get(worker, 0, true));
    }
    EXPECT_EQ(seen, (std::set<uint64_t>{7, 8}));
    EXPECT_EQ(ConnectionWindows(1, 1, 2147483647, 2147483647, 1, 0).Get(0, 0, true), 2147483647u);
}

/// A first turn has as many bytes as the window of its worker, server and direction.
TEST(ConnectionWindows, FairShareEngineTakesThem)
{
    ProfileBuilder builder;
    builder.Pull("a", 500).Pull("b", 500);
    builder.Push("c", 500, {"pull/a", "pull/b"}).Push("d", 500, {"pull/a", "pull/b"});
    FairShareCase fair(builder);
    fair.servers = 2;
    fair.placement = {0, 1, 0, 1};
    fair.network.rule = SharingRule::MAX_MIN;
    fair.run.windows = ConnectionWindows(2, 2, 50, 400, 1, 0);
    fair.Run({0, 0});
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const auto& chunk : fair.recorder.chunks)
    {
        const bool downlink = GetLabel(chunk.resource) == ResourceLabel::DOWNLINK;
        if ((downlink || GetLabel(chunk.resource) == ResourceLabel::UPLINK) && !chunk.parse &&
            seen.emplace(chunk.worker, chunk.op).second)
        {
            EXPECT_EQ(chunk.bytes,
                      fair.run.windows.Get(chunk.worker, GetLabelIndex(chunk.resource), downlink))
                << chunk.worker << " " << chunk.op;
        }
    }
    EXPECT_EQ(seen.size(), 8u);
}

} // namespace
