/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rule `bdp` on a connection: PINGs, their answers, and the SETTINGS that follow.

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

const std::string PING("\0\0\x8\6\0\0\0\0\0abcdefgh", 17);

/// DATA bytes before the first answer to a PING, or -1 if there is no answer with its bytes.
int64_t
BytesBeforeAnswer(const std::string& wire)
{
    int64_t bytes = 0;
    for (const WireFrame& frame : WalkFrames(wire))
    {
        bytes += frame.type == FRAME_DATA ? static_cast<int64_t>(frame.payload.size()) : 0;
        if (frame.type == FRAME_PING && frame.flags == FRAME_ACK && frame.payload == "abcdefgh")
        {
            return bytes;
        }
    }
    return -1;
}

/// The values of one SETTINGS parameter, in order.
std::vector<uint32_t>
Settings(const std::string& wire, uint64_t identifier)
{
    std::vector<uint32_t> values;
    for (const WireFrame& frame : WalkFrames(wire))
    {
        for (size_t i = 0; frame.type == FRAME_SETTINGS && i < frame.payload.size(); i += 6)
        {
            if (frame.GetNumber(i, 2) == identifier)
            {
                values.push_back(static_cast<uint32_t>(frame.GetNumber(i + 2, 4)));
            }
        }
    }
    return values;
}

/// A write is not interrupted: a PING in the middle of a turn is answered when the turn ends.
TEST(Http2GrowingWindow, PingIsAnsweredAfterTheTurn)
{
    Http2Loopback link(1000000);
    link.SendRequests(2);
    for (const int32_t streamId : {1, 3})
    {
        ASSERT_TRUE(link.server.SubmitResponse(streamId, "", 200000));
    }
    link.server.Grant(1, 100000);
    link.atServer.onTurnEnded = [&](int32_t streamId, bool) {
        if (streamId == 1)
        {
            link.server.Grant(3, 50000);
        }
    };
    link.server.Pump(link.down);
    ReceiveText(link.server, PING);
    link.down.SetCapacity(1000000);
    link.server.Pump(link.down);
    EXPECT_EQ(BytesBeforeAnswer(link.down.wire), 100000);
}

/// A turn that waits for window keeps nobody waiting, and neither does an idle connection.
TEST(Http2GrowingWindow, PingIsAnsweredWhenNothingIsWritten)
{
    Http2Loopback link(10000, "none");
    link.SendRequests(1);
    ASSERT_TRUE(link.server.SubmitResponse(1, "", 200000));
    link.server.Grant(1, 100000);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::WINDOW_CLOSED);
    ReceiveText(link.server, PING);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::WINDOW_CLOSED);
    EXPECT_EQ(BytesBeforeAnswer(link.down.wire), 10000);

    Http2Loopback idle;
    idle.SendRequests(1);
    ReceiveText(idle.server, PING);
    EXPECT_TRUE(idle.server.HasOutput());
    EXPECT_EQ(idle.server.Pump(idle.down), Http2PumpResult::IDLE);
    EXPECT_EQ(BytesBeforeAnswer(idle.down.wire), 0);
}

/// A peer that sends PINGs and reads no answers does not fill the memory.
TEST(Http2GrowingWindow, TooManyPingsAreRefused)
{
    Http2Loopback link;
    link.SendRequests(1);
    for (int i = 0; i < 1000; ++i)
    {
        ReceiveText(link.server, PING);
    }
    EXPECT_FALSE(link.server.HasFailed());
    ReceiveText(link.server, PING);
    EXPECT_TRUE(link.server.HasFailed());
    ASSERT_EQ(link.atServer.errors.size(), 1u);
    EXPECT_EQ(link.atServer.errors[0], "HTTP/2 server: connection: 1000 PINGs at once");
}

/// Responses of 3 MB, each one turn, at 131 MB/s: the first PING leaves after 0.1 s, its answer
/// comes with the end of a turn. While 2/3 of the estimate fit into a turn, WIN doubles; then it is
/// stuck. Frames grow with it.
TEST(Http2GrowingWindow, GrowsUntilTurnsAreTooShort)
{
    Http2Loopback link(4 * MEBI, "bdp");
    link.SendRequests(40);
    link.secondsPerRound = 0.0005; // for the 65536 bytes that the pipe holds
    std::deque<int32_t> queue;
    link.atServer.onTurnEnded = [&](int32_t, bool) {
        if (!queue.empty())
        {
            link.server.Grant(queue.front(), Http2Session::UNLIMITED);
            queue.pop_front();
        }
    };
    for (int32_t streamId = 1; streamId < 80; streamId += 2)
    {
        ASSERT_TRUE(link.server.SubmitResponse(streamId, "", 3000000));
        queue.push_back(streamId);
    }
    link.atServer.onTurnEnded(0, true);
    link.Run();
    EXPECT_EQ(link.atClient.responses.size(), 40u);
    EXPECT_TRUE(link.atClient.errors.empty());
    EXPECT_EQ(Settings(link.up.wire, 4), (std::vector<uint32_t>{8 * MEBI, 16 * MEBI}));
    EXPECT_EQ(Settings(link.up.wire, 5), (std::vector<uint32_t>{8 * MEBI, 16 * MEBI - 1}));
    EXPECT_EQ(link.client.GetLocalWindow(), 16 * MEBI);
    size_t largest = 0;
    for (const WireFrame& frame : WalkFrames(link.down.wire))
    {
        largest = std::max(largest, frame.type == FRAME_DATA ? frame.payload.size() : 0);
    }
    EXPECT_EQ(largest, 3000005u) << "one frame for a message";
}

/// SETTINGS raise the window of a stream that is open and waits (RFC 9113, section 6.9.2), and the
/// receiver counts that: it announces no more than the message needs.
TEST(Http2GrowingWindow, OpensWindowsOfWaitingStreams)
{
    Http2Loopback link(4 * MEBI, "bdp");
    link.SendRequests(2);
    link.secondsPerRound = 0.001;
    constexpr uint32_t message = 30000000;
    ASSERT_TRUE(link.server.SubmitResponse(1, "", message));
    ASSERT_TRUE(link.server.SubmitResponse(3, "", message));
    ASSERT_EQ(link.server.GetRemoteWindow(3), 4 * MEBI);
    link.atServer.onTurnEnded = [&](int32_t, bool done) {
        link.server.Grant(done ? 3 : 1, Http2Session::UNLIMITED);
    };
    link.server.Grant(1, 15000000);
    uint32_t window = 4 * MEBI; // when stream 3 starts
    for (int round = 0; round < 2000 && link.server.GetRemaining(1) > 0; ++round)
    {
        link.server.Pump(link.down);
        link.down.Deliver(link.client);
        link.client.Pump(link.up);
        link.up.Deliver(link.server);
        link.now += 0.001;
        window = link.client.GetLocalWindow();
        EXPECT_EQ(link.server.GetRemoteWindow(3), window);
    }
    EXPECT_GT(window, 4 * MEBI);
    link.Run();
    ASSERT_EQ(link.atClient.responses.size(), 2u);
    EXPECT_TRUE(link.atClient.responses[3].complete);
    uint64_t announced = 0;
    for (const WireFrame& frame : WalkFrames(link.up.wire))
    {
        if (frame.type == FRAME_WINDOW_UPDATE && frame.streamId == 3)
        {
            announced += frame.GetNumber(0, 4);
        }
    }
    EXPECT_LE(announced, message + 5 - window);
}

} // namespace
