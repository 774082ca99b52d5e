/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Long connections, large messages, small sinks and broken peers.

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace ns3::dml;

namespace
{

/// @return bytes of allocated memory, or 0 where that is not known
size_t
AllocatedBytes()
{
#ifdef __GLIBC__
    return mallinfo2().uordblks + mallinfo2().hblkhd;
#else
    return 0;
#endif
}

/// Hands every byte to the other end at once; zeros from one small buffer.
class DirectSink : public ByteSink
{
  public:
    explicit DirectSink(Http2Session& peer)
        : m_peer(peer),
          m_zeros(65536, 0)
    {
    }

    size_t GetRoom() override
    {
        return 65536;
    }

    void Write(const uint8_t* data, size_t n) override
    {
        bytes += n;
        m_peer.Receive(data, n);
    }

    void WriteZeros(size_t n) override
    {
        bytes += n;
        m_peer.Receive(m_zeros.data(), n);
    }

    uint64_t bytes{0}; //!< that went through

  private:
    Http2Session& m_peer;         //!< the other end
    std::vector<uint8_t> m_zeros; //!< as large as the room
};

/// A broken frame behind a request that is cut, in one piece: found by fuzzing, it ended the
/// program in an assert of the library.
TEST(Http2Robustness, BrokenFramesAfterAnError)
{
    Http2Loopback link(1000000);
    link.client.SendRequest("/p", "a", "x");
    link.client.Pump(link.up);
    std::string bytes = link.up.wire;
    ASSERT_EQ(bytes.substr(bytes.size() - 6), std::string("\0\0\0\0\1x", 6));
    bytes[bytes.size() - 2] = 2; // a message of two bytes, of which one comes
    // SETTINGS have a multiple of six bytes
    bytes += std::string("\0\0\5\4\0\0\0\0\0", 9) + "abcde";
    ReceiveText(link.server, bytes);
    EXPECT_TRUE(link.server.HasFailed());
    // and the client hears of it
    link.server.Pump(link.down);
    link.down.Deliver(link.client);
    EXPECT_TRUE(link.client.HasFailed());
}

/// The same calls give the same bytes, wherever a sink of little room cuts them.
TEST(Http2Robustness, TinySinksGiveTheSameBytes)
{
    const auto run = [](bool tiny) {
        std::mt19937 random(5);
        std::string wire;
        Http2Loopback link(1000000);
        for (int i = 0; i < 4; ++i)
        {
            link.client.SendRequest("/p", "a", std::string(20, 'x'));
        }
        link.client.Pump(link.up);
        link.up.Deliver(link.server);
        int32_t order = 7;
        for (const int32_t streamId : {1, 3, 5})
        {
            link.server.SubmitResponse(streamId, "head", 40000);
        }
        link.server.SubmitResponse(7, "at once", 30, SendMode::AT_ONCE);
        link.server.Grant(5, 20000);
        link.atServer.onTurnEnded = [&](int32_t, bool) {
            order = order == 7 ? 1 : order + 2;
            link.server.Grant(order, 50000);
        };
        bool full = true;
        while (full)
        {
            link.down.SetCapacity(tiny ? 1 + random() % 100 : 1000000);
            full = link.server.Pump(link.down) == Http2PumpResult::SINK_FULL;
            link.down.Deliver(link.client, tiny ? 1 + random() % 100 : SIZE_MAX);
        }
        while (link.down.HasBytes())
        {
            link.down.Deliver(link.client);
        }
        for (const int32_t streamId : {1, 3, 5, 7})
        {
            EXPECT_TRUE(link.atClient.responses[streamId].complete) << streamId;
        }
        return link.down.wire;
    };
    const std::string large = run(false);
    EXPECT_GT(large.size(), 120000u);
    EXPECT_EQ(run(true), large);
}

/// Thousands of steps on one connection: memory after 5000 calls is that after 1000.
TEST(Http2Robustness, LongConnectionsDoNotGrow)
{
    Http2Loopback link;
    size_t after1000 = 0;
    uint32_t complete = 0;
    for (int i = 0; i < 5000; ++i)
    {
        link.AnswerWithZeros(200 + i % 7, i % 2 == 0 ? SendMode::AT_ONCE : SendMode::IN_TURNS);
        const int32_t streamId = link.client.SendRequest("/p", "a", std::to_string(i));
        link.Run();
        if (i % 2 == 1)
        {
            link.server.Grant(streamId, 1000);
            link.Run();
        }
        complete += link.atClient.responses[streamId].complete;
        ASSERT_EQ(link.client.GetOpenStreams(), 0u);
        ASSERT_EQ(link.server.GetOpenStreams(), 0u);
        // Forget what the test itself remembers.
        link.atClient.responses.clear();
        link.atServer.requests = {};
        link.atServer.turns = {};
        link.up = BytePipe();
        link.down = BytePipe();
        if (i == 999)
        {
            after1000 = AllocatedBytes();
        }
    }
    EXPECT_EQ(complete, 5000u);
    EXPECT_EQ(link.client.GetStreamRecords(), 1u);
    EXPECT_EQ(link.server.GetStreamRecords(), 1u);
    EXPECT_LE(AllocatedBytes(), after1000 + 20000);
}

/// 3 GB, more than the largest window and than 2^31: no memory, all bytes, the window topped up.
TEST(Http2Robustness, HugeVirtualPayload)
{
    constexpr uint64_t size = 3000000000u;
    RecordingListener atClient;
    RecordingListener atServer;
    Http2Session client({Http2Role::CLIENT, 28000000, 16384}, MakeGrantRule("message"), atClient);
    Http2Session server({Http2Role::SERVER, 28000000, 16384}, MakeGrantRule("message"), atServer);
    DirectSink up(server);
    DirectSink down(client);
    atServer.onRequest = [&](int32_t streamId) {
        server.SubmitResponse(streamId, "head", size - 4);
        server.Grant(streamId, Http2Session::UNLIMITED);
    };
    client.SendRequest("/p", "a", "");
    const size_t before = AllocatedBytes();
    for (int i = 0; i < 10 && !atClient.responses[1].complete; ++i)
    {
        client.Pump(up);
        server.Pump(down);
    }
    EXPECT_TRUE(atClient.responses[1].complete);
    EXPECT_EQ(atClient.responses[1].length, size);
    EXPECT_EQ(atClient.responses[1].head,
              "head" + std::string(Http2Session::RESPONSE_HEAD - 4, '\0'));
    EXPECT_EQ(atClient.responses[1].grpcStatus, 0);
    EXPECT_LE(AllocatedBytes(), before + 100000);
    EXPECT_TRUE(atClient.errors.empty());
    // 9 bytes per frame of 16384; the few bytes around them.
    EXPECT_NEAR(static_cast<double>(down.bytes - size), 9.0 * (size / 16384.0), 200);
    EXPECT_LT(up.bytes, 500u) << "no window update per frame";
}

TEST(Http2Robustness, WrongPreface)
{
    Http2Loopback link;
    ReceiveText(link.server, "GET / HTTP/1.1\r\nHost: ps0\r\n\r\n");
    ASSERT_EQ(link.atServer.errors.size(), 1u);
    EXPECT_NE(link.atServer.errors[0].find("HTTP/2 server: "), std::string::npos);
    EXPECT_TRUE(link.server.HasFailed());
    ReceiveText(link.server, "more");
    link.server.Pump(link.down);
    EXPECT_EQ(link.atServer.errors.size(), 1u) << "told once";
    EXPECT_EQ(link.server.SendRequest("/p", "a", ""), 0);
}

/// DATA on stream 1, which is not open: the server gives up and tells its peer.
TEST(Http2Robustness, PeerIsToldOfAnError)
{
    Http2Loopback link;
    link.Run();
    link.client.SendRequest("/p", "a", "");
    ReceiveText(link.server, std::string("\0\0\1\0\0\0\0\0\1x", 10));
    link.Run();
    EXPECT_EQ(link.atServer.errors.size(), 1u);
    ASSERT_EQ(link.atClient.errors.size(), 1u);
    EXPECT_NE(link.atClient.errors[0].find("PROTOCOL_ERROR"), std::string::npos)
        << link.atClient.errors[0];
    EXPECT_EQ(link.client.SendRequest("/p", "a", ""), 0);
}

/// A frame of 16385 bytes is larger than announced.
TEST(Http2Robustness, FrameTooLarge)
{
    Http2Loopback link;
    link.Run();
    ReceiveText(link.server, std::string("\0\x40\1\0\0\0\0\0\1", 9));
    link.server.Pump(link.down);
    ASSERT_EQ(link.atServer.errors.size(), 1u);
    EXPECT_NE(link.atServer.errors[0].find("FRAME_SIZE_ERROR"), std::string::npos)
        << link.atServer.errors[0];
}

/// RST_STREAM (type 3, code 8 CANCEL) while a response waits.
TEST(Http2Robustness, ResetStream)
{
    Http2Loopback link;
    link.client.SendRequest("/p", "a", "");
    link.Run();
    link.server.SubmitResponse(1, "", 100000);
    link.server.Grant(1, 1000);
    ReceiveText(link.server, std::string("\0\0\4\3\0\0\0\0\1\0\0\0\x8", 13));
    ASSERT_EQ(link.atServer.errors.size(), 1u);
    EXPECT_EQ(link.atServer.errors[0], "HTTP/2 server: stream 1: closed before its end: CANCEL");
    EXPECT_EQ(link.server.GetOpenStreams(), 0u);
    EXPECT_FALSE(link.server.Grant(1, 1));
    EXPECT_EQ(link.server.Pump(link.down), Http2PumpResult::IDLE);
}

/// A request whose prefix announces more than a server takes.
TEST(Http2Robustness, RequestTooLarge)
{
    Http2Loopback link(0x7fffffff);
    link.client.SendRequest("/p", "a", std::string(Http2Session::MAX_REQUEST + 1, 'x'));
    link.Run();
    ASSERT_EQ(link.atServer.errors.size(), 1u);
    EXPECT_EQ(link.atServer.errors[0],
              "HTTP/2 server: stream 1: a request message of 4194305 bytes; accepted: at most "
              "4194304");
}

/// A prefix that announces one byte more or less than the stream carries.
TEST(Http2Robustness, MessageAndStreamDiffer)
{
    for (const int change : {-1, 1})
    {
        Http2Loopback link;
        link.client.SendRequest("/p", "a", "message");
        link.client.Pump(link.up);
        std::string bytes = link.up.wire;
        bytes[bytes.size() - 8] = static_cast<char>(7 + change); // before the 7 bytes of message
        ReceiveText(link.server, bytes);
        ASSERT_EQ(link.atServer.errors.size(), 1u);
        EXPECT_EQ(link.atServer.errors[0],
                  change < 0 ? "HTTP/2 server: stream 1: more bytes than the one gRPC message of 6 "
                               "bytes that was announced"
                             : "HTTP/2 server: stream 1: ended after 12 bytes of an incomplete "
                               "gRPC message");
        EXPECT_TRUE(link.atServer.requests.empty());
        link.server.Pump(link.down);
        link.down.Deliver(link.client);
        EXPECT_EQ(link.atClient.errors.size(), 1u) << "the peer is told";
    }
}

/// A server may refuse a request that is not completely there, and reset its stream (RST_STREAM,
/// type 3) without an error (RFC 9113, 8.1). The bytes come from a server that had all of it.
TEST(Http2Robustness, EarlyFailure)
{
    Http2Loopback other;
    other.atServer.onRequest = [&](int32_t streamId) { other.server.SubmitFailure(streamId, 12); };
    other.client.SendRequest("/p", "a", "");
    other.Run();
    Http2Loopback link;
    link.client.SendRequest("/p", "a", std::string(200000, 'x'));
    link.up.SetCapacity(1000000);
    EXPECT_EQ(link.client.Pump(link.up), Http2PumpResult::WINDOW_CLOSED);
    ReceiveText(link.client, other.down.wire + std::string("\0\0\4\3\0\0\0\0\1\0\0\0\0", 13));
    EXPECT_EQ(link.atClient.responses[1].grpcStatus, 12);
    EXPECT_TRUE(link.atClient.errors.empty());
    EXPECT_EQ(link.client.GetOpenStreams(), 0u);
    EXPECT_EQ(link.client.Pump(link.up), Http2PumpResult::IDLE);
}

/// The other way round it is an error, even if the client names none.
TEST(Http2Robustness, ResetWithoutError)
{
    Http2Loopback link;
    link.client.SendRequest("/p", "a", "");
    link.Run();
    ReceiveText(link.server, std::string("\0\0\4\3\0\0\0\0\1\0\0\0\0", 13));
    EXPECT_EQ(link.atServer.errors.size(), 1u);
}

/// Good traffic with a few bytes changed, cut anywhere: an error or not, but never a crash; and a
/// session that saw an error stays quiet.
TEST(Http2Robustness, DamagedTraffic)
{
    Http2Loopback good;
    good.AnswerWithZeros(300);
    for (int i = 0; i < 5; ++i)
    {
        good.client.SendRequest("/p", "a", "message");
    }
    good.Run();
    std::mt19937 random(7);
    uint32_t failures = 0;
    constexpr uint32_t trials = 2000;
    for (uint32_t i = 0; i < trials; ++i)
    {
        Http2Loopback link;
        const bool toServer = i % 2 == 0;
        Http2Session& victim = toServer ? link.server : link.client;
        RecordingListener& listener = toServer ? link.atServer : link.atClient;
        link.AnswerWithZeros(300);
        if (!toServer)
        {
            for (int j = 0; j < 5; ++j)
            {
                link.client.SendRequest("/p", "a", "message");
            }
            link.client.Pump(link.up);
        }
        std::string bytes = toServer ? good.up.wire : good.down.wire;
        for (uint32_t j = 0; j <= i % 4; ++j)
        {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        for (size_t at = 0; at < bytes.size();)
        {
            const size_t n = 1 + random() % 200;
            ReceiveText(victim, bytes.substr(at, n));
            at += n;
            victim.Pump(toServer ? link.down : link.up);
        }
        EXPECT_LE(listener.errors.size(), 1u);
        EXPECT_EQ(victim.HasFailed(), !listener.errors.empty());
        failures += victim.HasFailed();
    }
    EXPECT_GT(failures, trials / 4);
}

TEST(Http2Robustness, RandomBytes)
{
    std::mt19937 random(11);
    for (int i = 0; i < 500; ++i)
    {
        Http2Loopback link;
        link.client.SendRequest("/p", "a", "message");
        std::string bytes(400, '\0');
        for (char& byte : bytes)
        {
            byte = static_cast<char>(random());
        }
        ReceiveText(link.server, std::string(HTTP2_PREFACE) + bytes);
        link.server.Pump(link.down);
        EXPECT_EQ(link.atServer.errors.size(), 1u);
        ReceiveText(link.client, bytes);
        link.client.Pump(link.up);
        EXPECT_EQ(link.atClient.errors.size(), 1u);
    }
}

/// A listener that throws leaves the session usable.
TEST(Http2Robustness, ThrowingListener)
{
    Http2Loopback link;
    link.atServer.onRequest = [](int32_t) { throw std::runtime_error("listener"); };
    link.client.SendRequest("/p", "a", "1");
    link.client.SendRequest("/p", "a", "2");
    link.client.Pump(link.up);
    EXPECT_THROW(link.up.Deliver(link.server), std::runtime_error);
    EXPECT_EQ(link.atServer.requests.size(), 1u);
    link.AnswerWithZeros(10);
    link.Run();
    EXPECT_EQ(link.atServer.requests.size(), 2u);
    EXPECT_TRUE(link.atClient.responses[3].complete);
}

} // namespace
