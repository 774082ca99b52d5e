/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What stream windows and the connection's hold back, and what opens them.

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// WINDOW_UPDATE: 4 bytes, type 8, no flags, stream 1, increment 1000.
const std::string UPDATE_OF_1000("\0\0\4\x8\0\0\0\0\1\0\0\3\xe8", 13);

/// Without grants a stream of 2 windows stops after one; a WINDOW_UPDATE opens it.
TEST(Http2Windows, WindowLimits)
{
    constexpr uint32_t window = 50000;
    Http2Loopback link(window, "none");
    link.SendRequests(1);
    link.server.SubmitResponse(1, "head", 2 * window - 9);
    EXPECT_EQ(link.server.GetRemoteWindow(1), window);
    link.server.Grant(1, 2 * window);
    link.Run();
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, window}}));
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::WINDOW_CLOSED);
    EXPECT_EQ(link.server.GetRemoteWindow(1), 0u);
    EXPECT_EQ(link.server.GetRemaining(1), window);
    EXPECT_TRUE(link.atServer.turns.empty()) << "the turn is not over";
    EXPECT_TRUE(link.atServer.opened.empty());
    EXPECT_FALSE(link.atClient.responses[1].complete);

    ReceiveText(link.server, UPDATE_OF_1000);
    EXPECT_EQ(link.atServer.opened, (std::vector<int32_t>{1}));
    EXPECT_EQ(link.server.GetRemoteWindow(1), 1000u);
    ReceiveText(link.server, UPDATE_OF_1000);
    EXPECT_EQ(link.atServer.opened.size(), 1u) << "it was open";
    link.server.Pump(link.down);
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, window + 2000}}));
}

/// A larger initial window (SETTINGS 4) opens the window of open streams, too (RFC 9113, 6.9.2).
TEST(Http2Windows, SettingsOpenWindows)
{
    Http2Loopback link(1000, "none");
    link.SendRequests(1);
    link.server.SubmitResponse(1, "", 5000);
    link.server.Grant(1, 4000);
    link.Run();
    ASSERT_EQ(link.server.GetRemoteWindow(1), 0u);
    const std::string settings("\0\0\6\4\0\0\0\0\0\0\4\0\0\x7\xd0", 15); // 2000
    ReceiveText(link.server, settings);
    EXPECT_EQ(link.atServer.opened, (std::vector<int32_t>{0}));
    EXPECT_EQ(link.server.GetRemoteWindow(1), 1000u);
    link.server.Pump(link.down);
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, 2000}}));
}

/// The connection window is 65535 until the client raises it; its WINDOW_UPDATE is held back here.
TEST(Http2Windows, ConnectionWindowLimits)
{
    Http2Loopback link(1000000);
    link.client.SendRequest("/p", "a", "");
    link.client.Pump(link.up);
    // 24 bytes of preface, SETTINGS of 9 + 4 * 6 bytes, then 9 + 4 bytes.
    const std::string update = link.up.wire.substr(57, 13);
    ASSERT_EQ(update.substr(0, 9), std::string("\0\0\4\x8\0\0\0\0\0", 9));
    const std::string bytes = link.up.wire.substr(0, 57) + link.up.wire.substr(70);
    ReceiveText(link.server, bytes);
    link.server.SubmitResponse(1, "", 100000);
    EXPECT_EQ(link.server.GetRemoteWindow(1), 65535u);
    link.server.Grant(1, 90000);
    link.down.SetCapacity(200000);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::WINDOW_CLOSED);
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, 65535}}));
    EXPECT_EQ(link.server.GetRemoteWindow(1), 0u);
    ReceiveText(link.server, update);
    EXPECT_EQ(link.atServer.opened, (std::vector<int32_t>{0}));
    EXPECT_EQ(link.server.GetRemoteWindow(1), 1000000u - 65535u);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::IDLE);
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, 90000}}));
}

/// A stream that waits without a quota is told of, too: its next turn can be chosen.
TEST(Http2Windows, WindowOpensWithoutQuota)
{
    Http2Loopback link(1000, "none");
    link.SendRequests(1);
    link.server.SubmitResponse(1, "", 5000);
    link.server.Grant(1, 1000);
    link.Run();
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::IDLE);
    ASSERT_EQ(link.atServer.turns.size(), 1u);
    ReceiveText(link.server, UPDATE_OF_1000);
    EXPECT_EQ(link.atServer.opened, (std::vector<int32_t>{1}));
}

/// The smallest window: the prefix comes byte by byte, then the rest is granted.
TEST(Http2Windows, TinyWindows)
{
    for (const std::string rule : {"message", "consume"})
    {
        for (const uint32_t window : {1, 2, 4, 5, 6, 13})
        {
            Http2Loopback link(window, rule);
            link.AnswerWithZeros(1000);
            for (int i = 0; i < 3; ++i)
            {
                link.client.SendRequest("/p", "a", std::string(100, 'x'));
            }
            link.Run();
            ASSERT_EQ(link.atServer.requests.size(), 3u) << rule << " " << window;
            EXPECT_EQ(link.atServer.requests[2].message, std::string(100, 'x'));
            EXPECT_EQ(link.atClient.responses.size(), 3u);
            for (const auto& [id, response] : link.atClient.responses)
            {
                EXPECT_TRUE(response.complete) << rule << " " << window << " stream " << id;
            }
            // Once more with the windows of both ends known from the start.
            link.client.SendRequest("/p", "a", std::string(100, 'y'));
            link.Run();
            ASSERT_EQ(link.atServer.requests.size(), 4u) << rule << " " << window;
            EXPECT_TRUE(link.atClient.responses[7].complete);
        }
    }
}

} // namespace
