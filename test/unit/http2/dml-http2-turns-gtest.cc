/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The order of response bytes: turns given by an application, small answers.

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-stream-window-model.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Serves responses first come, first served; a turn is what the stream's window allows at its
/// start; an unfinished stream goes to the tail.
class FifoServer
{
  public:
    explicit FifoServer(Http2Loopback& link)
        : m_link(link)
    {
        link.atServer.onTurnEnded = [this](int32_t streamId, bool done) {
            m_busy = false;
            if (!done)
            {
                m_queue.push_back(streamId);
            }
            Next();
        };
        link.atServer.onWindowOpened = [this](int32_t) { Next(); };
    }

    /// Submit a response of @p bytes, prefix included.
    void Submit(int32_t streamId, uint64_t bytes)
    {
        ASSERT_TRUE(m_link.server.SubmitResponse(streamId, "head", bytes - 9));
        m_queue.push_back(streamId);
    }

    /// Start the next turn if none is running and the first stream in the queue has window.
    void Next()
    {
        if (m_busy || m_queue.empty())
        {
            return;
        }
        const uint32_t window = m_link.server.GetRemoteWindow(m_queue.front());
        if (window > 0)
        {
            EXPECT_TRUE(m_link.server.Grant(m_queue.front(), window));
            m_queue.pop_front();
            m_busy = true;
        }
    }

  private:
    Http2Loopback& m_link;       //!< the connection
    std::deque<int32_t> m_queue; //!< streams that wait for a turn
    bool m_busy{false};          //!< a turn is running
};

/// In units of @p window.
StreamRuns
RunsInWindows(const std::string& wire, uint64_t window)
{
    StreamRuns runs = DataRuns(wire);
    for (auto& run : runs)
    {
        EXPECT_EQ(run.second % window, 0u);
        run.second /= window;
    }
    return runs;
}

/**
 * Streams of 2, 5, 1, 4, 7 windows. Each gets one window; the grant of its rest is there when its
 * second turn comes, so that this one runs to its end: the two-turn rule. It must not depend on
 * how early the grants arrive, that is on the ratio of window and pipe.
 */
TEST(Http2Turns, TwoTurnRule)
{
    const StreamRuns
        expected{{1, 1}, {3, 1}, {5, 1}, {7, 1}, {9, 1}, {1, 1}, {3, 4}, {7, 3}, {9, 6}};
    for (const auto& [window, capacity] :
         std::vector<std::pair<uint32_t, size_t>>{{65536, 262144},
                                                  {65536, 10000},
                                                  {1048576, 65536},
                                                  {16384, 16384 + 9}})
    {
        Http2Loopback link(window);
        link.SendRequests(5);
        link.down.SetCapacity(capacity);
        FifoServer fifo(link);
        int32_t streamId = 1;
        for (const uint64_t windows : {2, 5, 1, 4, 7})
        {
            fifo.Submit(streamId, windows * window);
            streamId += 2;
        }
        fifo.Next();
        link.Run();
        EXPECT_EQ(RunsInWindows(link.down.wire, window), expected)
            << "window " << window << ", pipe " << capacity;
        for (const auto& [id, response] : link.atClient.responses)
        {
            EXPECT_TRUE(response.complete) << id;
            EXPECT_EQ(response.grpcStatus, 0) << id;
        }
        EXPECT_EQ(link.atClient.responses.size(), 5u);
        EXPECT_EQ(link.server.GetOpenStreams(), 0u);
        EXPECT_EQ(link.client.GetOpenStreams(), 0u);
        EXPECT_TRUE(link.atServer.errors.empty());
    }
}

/// The receiver says exactly one WINDOW_UPDATE per message that does not fit: its rest.
TEST(Http2Turns, OneGrantPerMessage)
{
    constexpr uint32_t window = 65536;
    Http2Loopback link(window);
    link.SendRequests(3);
    FifoServer fifo(link);
    fifo.Submit(1, 3 * window);
    fifo.Submit(3, window);
    fifo.Submit(5, window + 1);
    fifo.Next();
    link.Run();
    StreamRuns updates;
    for (const auto& frame : WalkFrames(link.up.wire))
    {
        if (frame.type == FRAME_WINDOW_UPDATE)
        {
            updates.emplace_back(frame.streamId, frame.GetNumber(0, 4));
        }
    }
    EXPECT_EQ(updates, (StreamRuns{{1, 2 * window}, {5, 1}}));
}

/// Grants of arbitrary sizes become runs of exactly these sizes, and are reported so.
TEST(Http2Turns, TurnsAreAsGranted)
{
    Http2Loopback link(1000000);
    link.SendRequests(2);
    link.server.SubmitResponse(1, "head", 100000 - 9);
    link.server.SubmitResponse(3, "head", 50000 - 9);
    const StreamRuns grants{{1, 1}, {3, 16384}, {1, 16385}, {3, 40000}, {1, 90000}};
    size_t next = 0;
    const auto grant = [&]() {
        if (next < grants.size())
        {
            EXPECT_TRUE(link.server.Grant(grants[next].first, grants[next].second));
            ++next;
        }
    };
    link.atServer.onTurnEnded = [&](int32_t, bool) { grant(); };
    EXPECT_EQ(link.server.GetRemaining(1), 100000u);
    grant();
    link.Run();
    // The last two turns end with their messages: 50000 - 16384, 100000 - 16386.
    const StreamRuns expected{{1, 1}, {3, 16384}, {1, 16385}, {3, 33616}, {1, 83614}};
    EXPECT_EQ(DataRuns(link.down.wire), expected);
    ASSERT_EQ(link.atServer.turns.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(link.atServer.turns[i].streamId, expected[i].first);
        EXPECT_EQ(link.atServer.turns[i].bytes, expected[i].second);
        EXPECT_EQ(link.atServer.turns[i].done, i >= 3);
    }
    EXPECT_EQ(link.server.GetRemaining(1), 0u);
}

/// Nothing of a response leaves before its first turn, its HEADERS included; then they lead.
TEST(Http2Turns, NothingBeforeTheFirstGrant)
{
    Http2Loopback link;
    link.SendRequests(1);
    link.server.SubmitResponse(1, "head", 100);
    link.server.Pump(link.down);
    EXPECT_EQ(link.down.wire, "");
    link.server.Grant(1, 20);
    link.server.Pump(link.down);
    const auto frames = WalkFrames(link.down.wire);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].type, FRAME_HEADERS);
    EXPECT_EQ(frames[1].type, FRAME_DATA);
    EXPECT_EQ(frames[1].payload.size(), 20u);
    EXPECT_EQ(link.server.GetRemaining(1), 89u);
}

/// The turn is over when its last byte is in the sink, not when the frame was made.
TEST(Http2Turns, TurnEndsWithItsLastByteInTheSink)
{
    Http2Loopback link;
    link.SendRequests(1);
    link.server.SubmitResponse(1, "", 1000);
    link.server.Grant(1, 500);
    link.down.SetCapacity(400);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::SINK_FULL);
    EXPECT_TRUE(link.atServer.turns.empty());
    EXPECT_EQ(link.server.GetRemaining(1), 505u) << "they are in a frame";
    link.down.SetCapacity(100000);
    link.server.Pump(link.down);
    ASSERT_EQ(link.atServer.turns.size(), 1u);
    EXPECT_EQ(link.atServer.turns[0].bytes, 500u);
}

/// Late binding: which stream is next is decided after the previous frame is in the sink. Stream 3
/// gets its quota while the only frame of stream 1's turn is being written, and has the next one.
TEST(Http2Turns, NextFrameIsChosenLate)
{
    Http2Loopback link(1000000);
    link.SendRequests(2);
    link.server.SubmitResponse(1, "", 100000);
    link.server.SubmitResponse(3, "", 100000);
    link.server.Grant(1, 16384);
    link.down.SetCapacity(5000);
    link.server.Pump(link.down);
    EXPECT_EQ(link.server.GetRemaining(1), 100005u - 16384u) << "one frame of lookahead";
    link.server.Grant(3, 10);
    link.down.SetCapacity(1000000);
    link.server.Pump(link.down);
    EXPECT_EQ(DataRuns(link.down.wire), (StreamRuns{{1, 16384}, {3, 10}}));
    ASSERT_EQ(link.atServer.turns.size(), 2u);
    EXPECT_EQ(link.atServer.turns[0].streamId, 1);
    EXPECT_EQ(link.atServer.turns[1].streamId, 3);
}

/// A sink that is full at the end of a frame: the next frame is not even chosen.
TEST(Http2Turns, NoFrameIsChosenForAFullSink)
{
    Http2Loopback link(1000000);
    link.SendRequests(1);
    link.server.SubmitResponse(1, "", 100000 - 5);
    link.server.Grant(1, 1);
    link.server.Pump(link.down); // HEADERS and one byte
    link.down = BytePipe(9 + 16384);
    link.server.Grant(1, 50000);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::SINK_FULL);
    EXPECT_EQ(link.down.GetRoom(), 0u);
    EXPECT_EQ(link.server.GetRemaining(1), 100000u - 1 - 16384);
}

/// Answers at once wait for the frame that is being written and for nothing else, however many
/// streams have quotas and wherever in their rotation the answers come.
TEST(Http2Turns, SmallAnswersOvertake)
{
    for (size_t whole = 0; whole < 12; ++whole)
    {
        Http2Loopback link(10000000);
        link.SendRequests(7);
        for (const int32_t streamId : {1, 3, 5, 7, 9})
        {
            link.server.SubmitResponse(streamId, "", 300000);
            link.server.Grant(streamId, Http2Session::UNLIMITED);
        }
        // So many frames and a piece of the next one; the HEADERS take less than the piece.
        link.down.SetCapacity(whole * 16393 + 200);
        link.server.Pump(link.down);
        link.server.SubmitResponse(11, "answer", 0, SendMode::AT_ONCE);
        link.server.SubmitResponse(13, "answer", 0, SendMode::AT_ONCE);
        link.down.SetCapacity(10000000);
        link.server.Pump(link.down);
        std::vector<int32_t> order;
        for (const auto& frame : WalkFrames(link.down.wire))
        {
            if (frame.type == FRAME_DATA)
            {
                order.push_back(frame.streamId);
            }
        }
        ASSERT_GT(order.size(), whole + 3);
        EXPECT_EQ(order[whole + 1], 11) << whole;
        EXPECT_EQ(order[whole + 2], 13) << whole;
    }
}

/// RoundRobinPolicy's turns are nghttp2's own order of responses that are all granted at once.
TEST(Http2Turns, RoundRobinIsTheLibrarysOrder)
{
    const std::vector<uint64_t> sizes{100000, 5, 16384, 16385, 300000, 50000};
    std::vector<StreamRuns> orders;
    for (const bool ours : {true, false})
    {
        Http2Loopback link(10000000);
        link.SendRequests(sizes.size());
        RoundRobinPolicy policy;
        const StreamWindowModel windows(StreamWindowModel::Rule::UNLIMITED, 1);
        const auto grant = [&]() {
            if (const Turn turn = policy.Next(windows))
            {
                link.server.Grant(static_cast<int32_t>(turn.transfer), turn.bytes);
            }
        };
        link.atServer.onTurnEnded = [&](int32_t, bool) {
            if (ours)
            {
                policy.TurnEnded();
                grant();
            }
        };
        int32_t streamId = 1;
        for (const uint64_t bytes : sizes)
        {
            ASSERT_TRUE(link.server.SubmitResponse(streamId, "", bytes - 5));
            if (ours)
            {
                policy.Add(streamId, bytes);
            }
            else
            {
                link.server.Grant(streamId, Http2Session::UNLIMITED);
            }
            streamId += 2;
        }
        if (ours)
        {
            grant();
        }
        link.Run();
        EXPECT_EQ(link.atClient.responses.size(), sizes.size());
        orders.push_back(DataRuns(link.down.wire));
    }
    EXPECT_EQ(orders[0], orders[1]);
    EXPECT_GT(orders[0].size(), 2 * sizes.size());
}

/// All responses granted at once: nghttp2's own order, one frame each in turn.
TEST(Http2Turns, UnlimitedGrantsInterleaveFrames)
{
    Http2Loopback link(10000000);
    link.SendRequests(3);
    for (const int32_t streamId : {1, 3, 5})
    {
        link.server.SubmitResponse(streamId, "", 3 * 16384 - 5);
        link.server.Grant(streamId, Http2Session::UNLIMITED);
    }
    link.Run();
    StreamRuns expected;
    for (const int32_t streamId : {1, 3, 5, 1, 3, 5, 1, 3, 5})
    {
        expected.emplace_back(streamId, 16384);
    }
    EXPECT_EQ(DataRuns(link.down.wire), expected);
    EXPECT_EQ(link.atServer.turns.size(), 3u);
}

/// A response of 400000 bytes in turns of 300000 and 100000; of the first one 200000 are left out.
/// All of it is there at the end, and what is left out is neither on the wire nor in windows.
TEST(Http2Turns, SomeBytesAreLeftOut)
{
    for (const uint32_t window : {65536U, MEBI})
    {
        Http2Loopback link(window);
        link.SendRequests(1);
        EXPECT_EQ(link.server.GetSkippable(1), 0u) << "not answered";
        EXPECT_EQ(link.client.GetMissing(1), 0u) << "not heard of";
        ASSERT_TRUE(link.server.SubmitResponse(1, "head", 400000 - 9));
        EXPECT_EQ(link.server.GetSkippable(1), 0u) << "no turn";
        ASSERT_TRUE(link.server.Grant(1, 300000));
        EXPECT_EQ(link.server.GetSkippable(1), 0u) << "its first bytes are real";
        link.down.SetCapacity(50000);
        link.server.Pump(link.down);
        link.down.Deliver(link.client);
        const uint64_t sent = link.server.GetSkippable(1);
        EXPECT_GT(sent, 230000u);
        EXPECT_LT(sent, 260000u);
        EXPECT_GT(link.client.GetMissing(1), 345000u);
        EXPECT_LT(link.client.GetMissing(1), 360000u);
        link.server.SkipOutgoing(1, 200000);
        link.client.SkipIncoming(1, 200000);
        EXPECT_EQ(link.server.GetSkippable(1), sent - 200000);
        link.Run();
        ASSERT_EQ(link.atServer.turns.size(), 1u);
        EXPECT_EQ(link.atServer.turns.front().bytes, 300000u);
        ASSERT_TRUE(link.server.Grant(1, 100000));
        link.Run();
        EXPECT_EQ(link.atServer.turns.size(), 2u);
        const auto& response = link.atClient.responses[1];
        EXPECT_TRUE(response.complete);
        EXPECT_EQ(response.length, 400000u - 5);
        EXPECT_EQ(response.grpcStatus, 0);
        EXPECT_EQ(response.head.substr(0, 4), "head");
        EXPECT_EQ(DataRuns(link.down.wire).front().second, 200000u);
        EXPECT_FALSE(link.client.HasFailed());
        EXPECT_FALSE(link.server.HasFailed());
    }
}

} // namespace
