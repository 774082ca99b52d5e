/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_LOOPBACK_H
#define DML_HTTP2_LOOPBACK_H

#include "ns3/dml-byte-sink.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-http2-session.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::dml
{

constexpr uint32_t MEBI = 1 << 20; //!< bytes of a MiB

/// @param session that gets @param bytes
inline void
ReceiveText(Http2Session& session, const std::string& bytes)
{
    session.Receive(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

/// A byte pipe of limited capacity that remembers all that went through it.
class BytePipe : public ByteSink
{
  public:
    /// @param capacity bytes that it holds before they are delivered
    explicit BytePipe(size_t capacity = 65536)
        : m_capacity(capacity)
    {
    }

    size_t GetRoom() override
    {
        return m_capacity - std::min(m_capacity, wire.size() - m_delivered);
    }

    void Write(const uint8_t* data, size_t n) override
    {
        CheckRoom(n);
        wire.append(reinterpret_cast<const char*>(data), n);
    }

    void WriteZeros(size_t n) override
    {
        CheckRoom(n);
        wire.append(n, '\0');
    }

    /// @param capacity bytes that it holds from now on
    void SetCapacity(size_t capacity)
    {
        m_capacity = capacity;
    }

    /// @return true if bytes wait
    bool HasBytes() const
    {
        return m_delivered < wire.size();
    }

    /**
     * @param session gets the next bytes
     * @param most at most so many of them
     */
    void Deliver(Http2Session& session, size_t most = SIZE_MAX)
    {
        // A copy, because the session may write to another end of the test meanwhile.
        const std::string bytes = wire.substr(m_delivered, most);
        m_delivered += bytes.size();
        ReceiveText(session, bytes);
    }

    std::string wire; //!< all bytes ever written

  private:
    void CheckRoom(size_t n)
    {
        if (n == 0 || n > GetRoom())
        {
            throw std::length_error("a write that does not fit");
        }
    }

    size_t m_capacity;     //!< bytes
    size_t m_delivered{0}; //!< bytes of wire that the reader has
};

/// Remembers what a session told, and lets a test react.
class RecordingListener : public Http2Listener
{
  public:
    /// A request as it arrived.
    struct Request
    {
        int32_t streamId;    //!< its stream
        std::string path;    //!< its RPC
        std::string message; //!< its message
    };

    /// A response as it arrived.
    struct Response
    {
        std::string head;       //!< first bytes of its message
        uint32_t announced{0};  //!< length in its prefix
        uint32_t length{0};     //!< length of the complete message
        bool complete{false};   //!< all of it arrived
        int32_t grpcStatus{-1}; //!< of the trailers
        uint32_t endings{0};    //!< how often trailers were reported
    };

    /// A turn that ended.
    struct Turn
    {
        int32_t streamId; //!< whose
        uint64_t bytes;   //!< how long
        bool done;        //!< the message's last
    };

    void OnRequest(int32_t streamId, const std::string& path, const std::string& message) override
    {
        requests.push_back({streamId, path, message});
        if (onRequest)
        {
            onRequest(streamId);
        }
    }

    void OnTurnEnded(int32_t streamId, uint64_t bytes, bool messageDone) override
    {
        turns.push_back({streamId, bytes, messageDone});
        if (onTurnEnded)
        {
            onTurnEnded(streamId, messageDone);
        }
    }

    void OnWindowOpened(int32_t streamId) override
    {
        opened.push_back(streamId);
        if (onWindowOpened)
        {
            onWindowOpened(streamId);
        }
    }

    void OnResponseStarted(int32_t streamId, uint32_t messageLength) override
    {
        responses[streamId].announced = messageLength;
    }

    void OnResponse(int32_t streamId, const std::string& head, uint32_t messageLength) override
    {
        Response& response = responses[streamId];
        response.head = head;
        response.length = messageLength;
        response.complete = true;
    }

    void OnTrailers(int32_t streamId, int32_t grpcStatus) override
    {
        responses[streamId].grpcStatus = grpcStatus;
        ++responses[streamId].endings;
    }

    void OnPingAcknowledged(uint64_t number) override
    {
        pings.push_back(number);
    }

    void OnError(const std::string& text) override
    {
        errors.push_back(text);
    }

    std::vector<Request> requests;                  //!< in order of arrival
    std::map<int32_t, Response> responses;          //!< by stream
    std::vector<Turn> turns;                        //!< in order
    std::vector<int32_t> opened;                    //!< streams whose window opened
    std::vector<uint64_t> pings;                    //!< numbers that the peer returned
    std::vector<std::string> errors;                //!< texts
    std::function<void(int32_t)> onRequest;         //!< optional: stream
    std::function<void(int32_t, bool)> onTurnEnded; //!< optional: stream, message done
    std::function<void(int32_t)> onWindowOpened;    //!< optional: stream
};

/// A client and a server joined by two pipes.
class Http2Loopback
{
  public:
    /**
     * @param window initial stream window of both, bytes
     * @param rule grant rule of both, or "none"
     * @param maxFrameSize of both, bytes
     */
    explicit Http2Loopback(uint32_t window = 65536,
                           const std::string& rule = "message",
                           uint32_t maxFrameSize = 16384)
        : client({Http2Role::CLIENT, window, maxFrameSize, [this] { return now; }},
                 MakeRule(rule),
                 atClient),
          server({Http2Role::SERVER, window, maxFrameSize, [this] { return now; }},
                 MakeRule(rule),
                 atServer)
    {
    }

    /// Move bytes until neither end has more to say. @return rounds that it took
    uint32_t Run()
    {
        uint32_t rounds = 0;
        bool moved = true;
        while (moved)
        {
            moved = false;
            client.Pump(up);
            moved = moved || up.HasBytes();
            up.Deliver(server);
            server.Pump(down);
            moved = moved || down.HasBytes();
            down.Deliver(client);
            now += secondsPerRound;
            ++rounds;
        }
        return rounds;
    }

    /// Let @p n requests arrive, and forget what was sent meanwhile.
    void SendRequests(size_t n)
    {
        for (size_t i = 0; i < n; ++i)
        {
            client.SendRequest("/p", "a", "");
        }
        Run();
        if (atServer.requests.size() != n)
        {
            throw std::logic_error("a request is lost");
        }
        up = BytePipe();
        down = BytePipe();
    }

    /// Let the server answer every request with @p bytes zeros as soon as it arrives.
    void AnswerWithZeros(uint64_t bytes, SendMode mode = SendMode::AT_ONCE)
    {
        atServer.onRequest = [this, bytes, mode](int32_t streamId) {
            server.SubmitResponse(streamId, "", bytes, mode);
        };
    }

    RecordingListener atClient; //!< what the client told
    RecordingListener atServer; //!< what the server told
    double now{0};              //!< clock of both, seconds
    double secondsPerRound{0};  //!< by which Run() advances it
    Http2Session client;        //!< one end
    Http2Session server;        //!< the other
    BytePipe up;                //!< client to server
    BytePipe down;              //!< server to client

  private:
    static std::unique_ptr<GrantRule> MakeRule(const std::string& name)
    {
        return name == "none" ? nullptr : MakeGrantRule(name);
    }
};

} // namespace ns3::dml

#endif /* DML_HTTP2_LOOPBACK_H */
