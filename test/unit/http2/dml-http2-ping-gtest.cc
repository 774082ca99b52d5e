/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PINGs by which a sender learns that the receiver has got what was sent before.

#include "../support/dml-http2-loopback.h"
#include "../support/dml-wire-frames.h"

#include "ns3/dml-error.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Two responses of 20000 bytes each, one turn each; a PING with the stream's number after each.
void
AnswerTwoWithPings(Http2Loopback& link)
{
    link.AnswerWithZeros(20000, SendMode::IN_TURNS);
    link.client.SendRequest("/p", "a", "");
    link.client.SendRequest("/p", "a", "");
    link.client.Pump(link.up);
    link.up.Deliver(link.server);
    link.atServer.onTurnEnded = [&link](int32_t streamId, bool) {
        if (streamId == 1)
        {
            link.server.Grant(3, Http2Session::UNLIMITED);
        }
        link.server.SendPing(static_cast<uint64_t>(streamId) << 32);
    };
    ASSERT_TRUE(link.server.Grant(1, Http2Session::UNLIMITED));
}

/// PINGs in what one end sent: DATA bytes before each, and its number.
std::vector<std::pair<uint64_t, uint64_t>>
Pings(const std::string& wire, uint8_t flags)
{
    std::vector<std::pair<uint64_t, uint64_t>> pings;
    uint64_t bytes = 0;
    for (const WireFrame& frame : WalkFrames(wire))
    {
        bytes += frame.type == FRAME_DATA ? frame.payload.size() : 0;
        if (frame.type == FRAME_PING && frame.flags == flags)
        {
            pings.emplace_back(bytes, frame.GetNumber(0, 8));
        }
    }
    return pings;
}

} // namespace

/// The first PING is between the DATA of the two: what it asks for is the first response, no more.
TEST(Http2Ping, GoesBetweenTheTurns)
{
    Http2Loopback link(MEBI);
    AnswerTwoWithPings(link);
    link.server.Pump(link.down);
    link.Run();
    const uint64_t one = uint64_t{1} << 32;
    EXPECT_EQ(Pings(link.down.wire, 0),
              (std::vector<std::pair<uint64_t, uint64_t>>{{20005, one}, {40010, 3 * one}}));
    EXPECT_EQ(Pings(link.up.wire, FRAME_ACK).size(), 2u);
    EXPECT_EQ(link.atServer.pings, (std::vector<uint64_t>{one, 3 * one}));
    EXPECT_TRUE(link.atServer.errors.empty());
}

/// A client answers at once, also while much of a response is still to come.
TEST(Http2Ping, IsAnsweredInTheMiddleOfAResponse)
{
    Http2Loopback link(MEBI);
    AnswerTwoWithPings(link);
    link.down.SetCapacity(21000);
    link.server.Pump(link.down);
    link.down.Deliver(link.client);
    EXPECT_FALSE(link.atClient.responses[3].complete);
    link.client.Pump(link.up);
    link.up.Deliver(link.server);
    EXPECT_EQ(link.atServer.pings, std::vector<uint64_t>{uint64_t{1} << 32});
}

/// The session's own PINGs (rule `bdp`, number 0) and the application's do not disturb each other:
/// WIN grows from 4 MiB as often as without the application's.
TEST(Http2Ping, IsNotOneOfTheGrantRules)
{
    uint32_t windows[2] = {0, 0};
    for (const bool asks : {false, true})
    {
        Http2Loopback link(4 * MEBI, "bdp");
        link.secondsPerRound = 0.0005; // for the 65536 bytes that the pipe holds
        link.AnswerWithZeros(3000000, SendMode::IN_TURNS);
        for (int i = 0; i < 40; ++i)
        {
            link.client.SendRequest("/p", "a", "");
        }
        link.client.Pump(link.up);
        link.up.Deliver(link.server);
        link.atServer.onTurnEnded = [&link, asks](int32_t streamId, bool) {
            link.server.Grant(streamId + 2, Http2Session::UNLIMITED);
            if (asks)
            {
                link.server.SendPing(streamId);
            }
        };
        link.server.Grant(1, Http2Session::UNLIMITED);
        link.Run();
        EXPECT_EQ(link.atServer.pings.size(), asks ? 40u : 0u);
        EXPECT_TRUE(link.atClient.pings.empty());
        windows[asks ? 1 : 0] = link.client.GetLocalWindow();
    }
    EXPECT_GT(windows[0], 4 * MEBI);
    EXPECT_EQ(windows[1], windows[0]);
}

TEST(Http2Ping, TheSameNumberMayBeOnItsWayTwice)
{
    Http2Loopback link;
    link.server.SendPing(5);
    link.server.SendPing(5);
    link.Run();
    EXPECT_EQ(link.atServer.pings, (std::vector<uint64_t>{5, 5}));
}

/// A peer cannot invent acknowledgements.
TEST(Http2Ping, AnAnswerThatNobodyAskedForIsIgnored)
{
    Http2Loopback link;
    link.Run();
    const std::string answer("\0\0\x8\6\1\0\0\0\0\0\0\0\0\0\0\0\5", 17);
    link.server.SendPing(4);
    ReceiveText(link.server, answer);
    EXPECT_TRUE(link.atServer.pings.empty());
    EXPECT_FALSE(link.server.HasFailed());
    link.Run();
    EXPECT_EQ(link.atServer.pings, std::vector<uint64_t>{4});
}

TEST(Http2Ping, NumberZeroIsRefused)
{
    Http2Loopback link;
    EXPECT_THROW(link.server.SendPing(0), InputError);
}
