/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What one session says to another, read from the bytes.

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include "ns3/dml-error.h"
#include "ns3/dml-grpc-messages.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

using TypeAndStream = std::pair<int, int32_t>;

std::vector<TypeAndStream>
TypesAndStreams(std::string_view wire)
{
    std::vector<TypeAndStream> list;
    for (const WireFrame& frame : WalkFrames(wire))
    {
        list.emplace_back(frame.type, frame.streamId);
    }
    return list;
}

std::map<uint64_t, uint64_t>
Settings(const WireFrame& frame)
{
    std::map<uint64_t, uint64_t> values;
    for (size_t i = 0; i < frame.payload.size(); i += 6)
    {
        values[frame.GetNumber(i, 2)] = frame.GetNumber(i + 2, 4);
    }
    return values;
}

/// RFC 9113: 2 ENABLE_PUSH, 3 MAX_CONCURRENT_STREAMS, 4 INITIAL_WINDOW_SIZE, 5 MAX_FRAME_SIZE;
/// RFC 9218: 9 NO_RFC7540_PRIORITIES. The connection window starts at 65535 (RFC 9113, 6.9.2).
TEST(Http2Session, StartOfConnection)
{
    Http2Loopback link(1234567, "message", 20000);
    link.client.Pump(link.up);
    link.server.Pump(link.down);

    EXPECT_EQ(link.up.wire.substr(0, 24), HTTP2_PREFACE);
    const auto up = WalkFrames(link.up.wire);
    ASSERT_EQ(TypesAndStreams(link.up.wire),
              (std::vector<TypeAndStream>{{FRAME_SETTINGS, 0}, {FRAME_WINDOW_UPDATE, 0}}));
    EXPECT_EQ(Settings(up[0]),
              (std::map<uint64_t, uint64_t>{{2, 0}, {3, 0x7fffffff}, {4, 1234567}, {5, 20000}}));
    EXPECT_EQ(up[1].GetNumber(0, 4), 0x7fffffffu - 65535u);

    const auto down = WalkFrames(link.down.wire);
    ASSERT_EQ(TypesAndStreams(link.down.wire),
              (std::vector<TypeAndStream>{{FRAME_SETTINGS, 0}, {FRAME_WINDOW_UPDATE, 0}}));
    EXPECT_EQ(Settings(down[0]),
              (std::map<uint64_t, uint64_t>{{3, 0x7fffffff}, {4, 1234567}, {5, 20000}, {9, 1}}));
    EXPECT_EQ(down[1].GetNumber(0, 4), 0x7fffffffu - 65535u);
}

TEST(Http2Session, OneCall)
{
    Http2Loopback link;
    const std::string head = RecvTensorResponseHead(40000);
    link.atServer.onRequest = [&](int32_t streamId) {
        EXPECT_TRUE(link.server.SubmitResponse(streamId, head, 40000, SendMode::AT_ONCE));
        EXPECT_FALSE(link.server.SubmitResponse(streamId, head, 1)) << "answered already";
    };
    const std::string message = RecvTensorRequest{7, "key"}.Encode();
    EXPECT_EQ(link.client.SendRequest(RECV_TENSOR_PATH, "ps0:50051", message), 1);
    link.Run();

    ASSERT_EQ(link.atServer.requests.size(), 1u);
    EXPECT_EQ(link.atServer.requests[0].streamId, 1);
    EXPECT_EQ(link.atServer.requests[0].path, RECV_TENSOR_PATH);
    EXPECT_EQ(link.atServer.requests[0].message, message);
    ASSERT_EQ(link.atClient.responses.size(), 1u);
    const auto& response = link.atClient.responses[1];
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(response.announced, head.size() + 40000);
    EXPECT_EQ(response.length, head.size() + 40000);
    EXPECT_EQ(response.head, head + std::string(Http2Session::RESPONSE_HEAD - head.size(), '\0'))
        << "the first bytes";
    EXPECT_EQ(response.grpcStatus, 0);
    EXPECT_EQ(response.endings, 1u);
    EXPECT_TRUE(link.atServer.turns.empty()) << "it was not granted in turns";
    EXPECT_TRUE(link.atClient.errors.empty());
    EXPECT_TRUE(link.atServer.errors.empty());
    EXPECT_EQ(link.client.GetOpenStreams(), 0u);
    EXPECT_EQ(link.server.GetOpenStreams(), 0u);

    // HEADERS, DATA of 5 + 17 + 40000 bytes in frames of 16384, trailers with the end of stream.
    ASSERT_EQ(head.size(), 17u); // lengths of 10000, 40000 and 40013 take 2, 3 and 3 bytes
    std::vector<WireFrame> frames;
    for (const auto& frame : WalkFrames(link.down.wire))
    {
        if (frame.streamId == 1)
        {
            frames.push_back(frame);
        }
    }
    ASSERT_EQ(frames.size(), 5u);
    EXPECT_EQ(frames[0].type, FRAME_HEADERS);
    EXPECT_EQ(frames[1].payload,
              std::string("\0\0\0\x9c\x51", 5) + head + std::string(16384 - 22, '\0'));
    EXPECT_EQ(frames[2].payload, std::string(16384, '\0'));
    EXPECT_EQ(frames[3].payload, std::string(40022 - 2 * 16384, '\0'));
    EXPECT_EQ(frames[4].type, FRAME_HEADERS);
    for (const auto& frame : frames)
    {
        EXPECT_EQ(frame.flags & FRAME_END_STREAM, &frame == &frames.back() ? 1 : 0);
    }
}

/// More than the 100 streams that HTTP/2 libraries assume before SETTINGS arrive; nothing came from
/// the server yet.
TEST(Http2Session, BurstOfRequestsKeepsOrder)
{
    Http2Loopback link;
    constexpr int32_t n = 300;
    for (int32_t i = 0; i < n; ++i)
    {
        EXPECT_EQ(link.client.SendRequest("/p", "a", std::to_string(i)), 2 * i + 1);
    }
    link.client.Pump(link.up);
    std::map<int, std::vector<int32_t>> order;
    for (const auto& frame : WalkFrames(link.up.wire))
    {
        order[frame.type].push_back(frame.streamId);
        if (frame.type == FRAME_DATA)
        {
            EXPECT_EQ(frame.flags & FRAME_END_STREAM, 1);
        }
    }
    std::vector<int32_t> expected;
    for (int32_t i = 0; i < n; ++i)
    {
        expected.push_back(2 * i + 1);
    }
    EXPECT_EQ(order[FRAME_HEADERS], expected);
    EXPECT_EQ(order[FRAME_DATA], expected);
    // 9-byte headers of two frames, few HPACK indices, 5 + 3 bytes of message, two Huffman texts.
    EXPECT_LT(link.up.wire.size(), n * 50u);

    link.up.Deliver(link.server);
    ASSERT_EQ(link.atServer.requests.size(), static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i)
    {
        EXPECT_EQ(link.atServer.requests[i].message, std::to_string(i));
    }
    EXPECT_EQ(link.server.GetOpenStreams(), static_cast<size_t>(n));
}

/// A second burst, sent after the server's SETTINGS, keeps its order, too.
TEST(Http2Session, LaterBurstKeepsOrder)
{
    Http2Loopback link;
    link.Run();
    std::string expected;
    for (int i = 0; i < 50; ++i)
    {
        link.client.SendRequest("/p", "a", std::string(1, static_cast<char>('0' + i)));
        expected += static_cast<char>('0' + i);
    }
    link.Run();
    std::string found;
    for (const auto& request : link.atServer.requests)
    {
        found += request.message;
    }
    EXPECT_EQ(found, expected);
}

TEST(Http2Session, EmptyMessages)
{
    Http2Loopback link;
    link.AnswerWithZeros(0);
    link.client.SendRequest(RUN_GRAPH_PATH, "a", "");
    link.Run();
    ASSERT_EQ(link.atServer.requests.size(), 1u);
    EXPECT_EQ(link.atServer.requests[0].message, "");
    EXPECT_TRUE(link.atClient.responses[1].complete);
    EXPECT_EQ(link.atClient.responses[1].length, 0u);
    EXPECT_EQ(link.atClient.responses[1].grpcStatus, 0);
}

TEST(Http2Session, TensorOfNoBytes)
{
    Http2Loopback link;
    link.atServer.onRequest = [&](int32_t streamId) {
        link.server.SubmitResponse(streamId, RecvTensorResponseHead(0), 0);
        link.server.Grant(streamId, Http2Session::UNLIMITED);
    };
    link.client.SendRequest(RECV_TENSOR_PATH, "a", "");
    link.Run();
    EXPECT_EQ(link.atClient.responses[1].head, RecvTensorResponseHead(0));
    ASSERT_EQ(link.atServer.turns.size(), 1u);
    EXPECT_EQ(link.atServer.turns[0].bytes, 5u + 10u);
    EXPECT_TRUE(link.atServer.turns[0].done);
}

TEST(Http2Session, Failure)
{
    Http2Loopback link;
    link.atServer.onRequest = [&](int32_t streamId) {
        EXPECT_TRUE(link.server.SubmitFailure(streamId, 12));
        EXPECT_FALSE(link.server.SubmitFailure(streamId, 12));
    };
    link.client.SendRequest("/unknown", "a", "");
    link.Run();
    EXPECT_FALSE(link.atClient.responses[1].complete);
    EXPECT_EQ(link.atClient.responses[1].grpcStatus, 12);
    EXPECT_TRUE(link.atClient.errors.empty());
    EXPECT_EQ(link.server.GetOpenStreams(), 0u);
    EXPECT_EQ(link.client.GetOpenStreams(), 0u);
}

TEST(Http2Session, LargeFrames)
{
    Http2Loopback link(1000000, "message", 100000);
    link.AnswerWithZeros(250000 - 5);
    link.down.SetCapacity(30000); // less than a frame
    link.client.SendRequest("/p", "a", "");
    link.Run();
    std::vector<size_t> sizes;
    for (const auto& frame : WalkFrames(link.down.wire))
    {
        if (frame.type == FRAME_DATA)
        {
            sizes.push_back(frame.payload.size());
        }
    }
    EXPECT_EQ(sizes, (std::vector<size_t>{100000, 100000, 50000}));
    EXPECT_TRUE(link.atClient.responses[1].complete);
}

TEST(Http2Session, MessagesBeyond32BitsAreRefused)
{
    Http2Loopback link;
    link.client.SendRequest("/p", "a", "");
    link.Run();
    EXPECT_THROW(link.server.SubmitResponse(1, "x", 0xffffffffu), InputError);
    EXPECT_TRUE(link.server.SubmitResponse(1, "x", 10, SendMode::AT_ONCE)) << "still possible";
    link.Run();
    EXPECT_TRUE(link.atClient.responses[1].complete);
}

TEST(Http2Session, ConfigOutOfRangeIsRefused)
{
    RecordingListener listener;
    const auto make = [&listener](uint32_t window, uint32_t frame) {
        Http2Session({Http2Role::CLIENT, window, frame}, nullptr, listener);
    };
    EXPECT_THROW(make(0, 16384), InputError);
    EXPECT_THROW(make(0x80000000u, 16384), InputError);
    EXPECT_THROW(make(1, 16383), InputError);
    EXPECT_THROW(make(1, 16777216), InputError);
    EXPECT_NO_THROW(make(1, 16384));
    EXPECT_NO_THROW(make(0x7fffffffu, 16777215));
}

TEST(Http2Session, CallsThatDoNotFitAreRefused)
{
    Http2Loopback link;
    EXPECT_EQ(link.server.SendRequest("/p", "a", ""), 0);
    EXPECT_FALSE(link.client.SubmitResponse(1, "", 1));
    EXPECT_FALSE(link.server.SubmitResponse(1, "", 1)) << "no such stream";
    EXPECT_FALSE(link.server.Grant(1, 1));
    EXPECT_EQ(link.server.GetRemoteWindow(1), 0u);
    EXPECT_EQ(link.server.GetRemaining(1), 0u);
    link.client.SendRequest("/p", "a", "x");
    link.client.Pump(link.up);
    const size_t size = link.up.wire.size();
    link.up.Deliver(link.server, size - 1);
    EXPECT_FALSE(link.server.SubmitResponse(1, "", 1)) << "half a request";
    link.Run();
    EXPECT_FALSE(link.server.Grant(1, 1)) << "nothing submitted";
    EXPECT_TRUE(link.server.SubmitResponse(1, "", 1));
    EXPECT_FALSE(link.server.Grant(1, 0));
    EXPECT_TRUE(link.server.Grant(1, 100));
    link.Run();
    EXPECT_FALSE(link.server.Grant(1, 1)) << "over";
}

/// A pump with nothing to send, a full sink and a closed window are told apart.
TEST(Http2Session, PumpResults)
{
    Http2Loopback link(1000, "none");
    EXPECT_EQ(link.client.Pump(link.up), Http2PumpResult::IDLE);
    EXPECT_FALSE(link.client.HasOutput());
    link.client.SendRequest("/p", "a", "");
    EXPECT_TRUE(link.client.HasOutput());
    link.Run();
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::IDLE);
    link.server.SubmitResponse(1, "", 5000);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::IDLE) << "no quota";
    link.server.Grant(1, 5000);
    link.down.SetCapacity(500);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::SINK_FULL);
    EXPECT_TRUE(link.server.HasOutput());
    link.down.SetCapacity(100000);
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::WINDOW_CLOSED);
    EXPECT_FALSE(link.server.HasOutput());
}

} // namespace
