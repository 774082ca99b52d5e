/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_SESSION_H
#define DML_HTTP2_SESSION_H

#include "dml-byte-sink.h"
#include "dml-grant-rule.h"
#include "dml-http2-frame.h"
#include "dml-http2-listener.h"
#include "dml-http2-stream.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The library's types stay opaque: only source files of this folder include it.
struct nghttp2_session;

namespace ns3::dml
{

/// Which end of the connection a session is.
enum class Http2Role : uint8_t
{
    CLIENT, //!< sends requests
    SERVER, //!< sends responses
};

/// What a session announces to its peer.
struct Http2Config
{
    Http2Role role{Http2Role::CLIENT}; //!< end of the connection
    uint32_t window{28000000};         //!< WIN: initial stream window in bytes, 1 to 2^31-1
    uint32_t maxFrameSize{16384};      //!< largest frame payload in bytes, 16384 to 2^24-1
    std::function<double()> clock{};   //!< seconds, for rules that measure; none: they do not
};

/// Why Http2Session::Pump returned.
enum class Http2PumpResult : uint8_t
{
    IDLE,          //!< nothing to send: no message, or none with a quota
    SINK_FULL,     //!< more to send when the sink has room
    WINDOW_CLOSED, //!< messages with a quota wait for the peer to open a window
};

/**
 * @ingroup dml-http2
 * @brief One end of a gRPC connection: HTTP/2 frames and unary gRPC calls. Does no input or output.
 *
 * Bytes from the peer go into Receive(), bytes for the peer come out of Pump(), and a listener is
 * told what happened. After every other call Pump() should be called, and Receive() may have made
 * output, too. The library is nghttp2.
 *
 * A response is a real head and zero bytes that take no memory. Its order among the other
 * responses is the application's: it sends nothing until Grant() gives it a quota of bytes, and at
 * most the quota in a turn. Granting everything at once leaves the order to nghttp2: frame by
 * frame, round robin. Requests and SendMode::AT_ONCE responses wait for one frame of other streams
 * at most. The next frame is chosen when the previous one is completely in the sink and the sink
 * has room, so a decision of the application takes effect with the next frame.
 *
 * Both ends announce the same kind of SETTINGS: initial stream window, 2^31-1 concurrent streams,
 * largest frame; and raise the connection window to 2^31-1. The server also announces that it does
 * not use RFC 7540 priorities. A grant rule that measures the connection may raise the initial
 * window later, and the largest frame with it.
 *
 * A PING of the peer is answered when the running turn ends or waits for the peer's window, as gRPC
 * does, which does not interrupt a write: the peer measures how long the queue is.
 *
 * Errors in what the peer sends are reported to the listener, at the latest by the next Pump().
 */
class Http2Session
{
  public:
    /// Bytes of a response message that a client keeps and hands to the listener, unless it asks
    /// for more.
    static constexpr size_t RESPONSE_HEAD = 256;
    /// Largest request message that a server takes, in bytes (gRPC's default).
    static constexpr uint32_t MAX_REQUEST = 4194304;
    /// Quota for Grant() that no message can use up.
    static constexpr uint64_t UNLIMITED = GrpcMessageWriter::UNLIMITED;

    /**
     * @param config role and what to announce
     * @param grantRule decides on window for the peer; none: a stream gets WIN bytes and no more
     * @param listener is told what happens; must outlive the session
     * @throws InputError if a value of @p config is out of its range
     */
    Http2Session(const Http2Config& config,
                 std::unique_ptr<GrantRule> grantRule,
                 Http2Listener& listener);
    ~Http2Session();
    Http2Session(const Http2Session&) = delete;
    Http2Session& operator=(const Http2Session&) = delete;

    /**
     * @brief Client: call an RPC. Requests leave in the order of these calls.
     * @param path the RPC, such as "/tensorflow.WorkerService/RecvTensor"
     * @param authority name of the server, such as "ps0:50051"
     * @param message the request message
     * @param keep most bytes of the response that the listener gets
     * @return the stream, or 0 if this is a server or the session failed
     * @throws InputError if the message exceeds 2^32-1 bytes
     */
    int32_t SendRequest(const std::string& path,
                        const std::string& authority,
                        std::string message,
                        size_t keep = RESPONSE_HEAD);

    /**
     * @brief Server: answer a request with one message of head.size() + zeros bytes and status 0.
     * @param streamId of the request
     * @param head first bytes of the message
     * @param zeros zero bytes that follow; never materialised
     * @param mode IN_TURNS: nothing is sent before Grant()
     * @return false if there is no such request or it was already answered
     * @throws InputError if the message exceeds 2^32-1 bytes
     */
    bool SubmitResponse(int32_t streamId,
                        std::string head,
                        uint64_t zeros,
                        SendMode mode = SendMode::IN_TURNS);

    /**
     * @brief Server: answer a request with a failure and no message, at once.
     * @param streamId of the request
     * @param grpcStatus gRPC status code, 1 to 16 (12: unimplemented)
     * @return false if there is no such request or it was already answered
     */
    bool SubmitFailure(int32_t streamId, int32_t grpcStatus);

    /**
     * @brief Server: give a response a turn, or prolong the running one.
     *
     * The end of the turn is reported by OnTurnEnded. Where the peer's window is smaller than the
     * quota, the turn goes on when the window opens.
     *
     * @param streamId of a response IN_TURNS
     * @param bytes of message and 5-byte prefix, at least 1, or UNLIMITED
     * @return false if there is nothing left to send on such a stream, or @p bytes is 0
     */
    bool Grant(int32_t streamId, uint64_t bytes);

    /**
     * @brief Ask the peer to say that it has got all that was sent so far.
     *
     * The PING follows the frame that is being written, and goes before all others. Its answer is
     * reported by OnPingAcknowledged. A client, which has no turns, answers at once.
     *
     * @param number that the peer returns, at least 1
     * @throws InputError if it is 0, the number of a grant rule's PINGs
     */
    void SendPing(uint64_t number);

    /// @return bytes that the peer would accept now on @p streamId, 0 if it is not open
    uint32_t GetRemoteWindow(int32_t streamId) const;

    /// @return bytes of the outgoing message and its prefix that are not yet put into frames
    uint64_t GetRemaining(int32_t streamId) const;

    /// @return bytes of the running turn that SkipOutgoing() may leave out, all of them zeros
    uint64_t GetSkippable(int32_t streamId) const;

    /**
     * @brief Server: leave out the next zeros of the running turn.
     * @param streamId of a response IN_TURNS
     * @param bytes of message, less than GetSkippable(): the end of a turn is never left out
     */
    void SkipOutgoing(int32_t streamId, uint64_t bytes);

    /// @return bytes of a response that are not here yet; 0: nothing is known of it
    uint64_t GetMissing(int32_t streamId) const;

    /**
     * @brief Client: count bytes that the peer leaves out, as if they had come.
     * @param streamId of a response
     * @param bytes of message, less than GetMissing()
     */
    void SkipIncoming(int32_t streamId, uint64_t bytes);

    /**
     * @brief Produce output as long as there is some and the sink has room.
     *
     * To be called by the owner of the connection rather than by the listener: called from the
     * listener it does nothing during Pump(), and tells of no events during Receive().
     *
     * @param sink takes it
     * @return why it stopped
     */
    Http2PumpResult Pump(ByteSink& sink);

    /// @return false if Pump() would certainly write nothing and report nothing
    bool HasOutput() const;

    /**
     * @brief Take bytes from the peer.
     * @param data next bytes, cut anywhere
     * @param n how many
     */
    void Receive(const uint8_t* data, size_t n);

    /**
     * @brief Announce another initial stream window, which also changes those of open streams.
     * @param window WIN in bytes
     * @throws InputError if it is not 1 to HTTP2_MAX_WINDOW
     */
    void AnnounceWindow(uint32_t window);

    /// @return WIN that this end announces to the peer, in bytes
    uint32_t GetLocalWindow() const
    {
        return m_window;
    }

    /// @return WIN that the peer has announced last, in bytes
    uint32_t GetPeerWindow() const
    {
        return m_peerWindow;
    }

    /// @return true after OnError
    bool HasFailed() const
    {
        return m_failed;
    }

    /// @return streams that are not closed
    size_t GetOpenStreams() const
    {
        return m_streams.GetUsed();
    }

    /// @return records kept for streams: the largest number open at the same time
    size_t GetStreamRecords() const
    {
        return m_streams.GetSize();
    }

  private:
    friend struct Http2Callbacks;

    Http2Stream* Find(int32_t streamId) const;
    Http2Stream* FindUnanswered(int32_t streamId) const;
    void Resume(int32_t streamId, Http2Stream& stream, uint64_t bytes);

    bool IsServer() const
    {
        return m_config.role == Http2Role::SERVER;
    }

    bool IsWritingTurns() const
    {
        return IsServer() && m_sending > 0;
    }

    bool AnswerPings();
    void PingAnswered(uint64_t number);
    void SetLocalWindow(uint32_t window);
    void SubmitSettings(uint32_t window, uint32_t maxFrameSize);
    bool NextFrame();
    void Fail(const std::string& text);
    /// Fail() by an error of the library. @param error its number @param what comes before its text
    /// @throws std::bad_alloc if the library had no memory
    void Fail(int error, const std::string& what = "");
    void TellPeer();
    void Check(int result, const char* what);

    /// Call a method of the listener, after those already waiting.
    template <typename Method, typename... Args>
    void Tell(Method what, Args&&... args)
    {
        if (!m_failed)
        {
            m_events.push_back(std::bind(what, std::placeholders::_1, std::forward<Args>(args)...));
        }
    }

    /**
     * @brief Make all waiting calls, those included that the listener causes meanwhile.
     * @return true if there was one; a call from within a delivery does nothing and returns false
     */
    bool Deliver();

    Http2Config m_config;                   //!< as given
    std::unique_ptr<GrantRule> m_grantRule; //!< may be null
    Http2Listener& m_listener;              //!< as given
    nghttp2_session* m_session{nullptr};    //!< the library's state
    Http2StreamPool m_streams;              //!< records, found by the library's stream user data
    /// Calls to the listener that wait until the library has returned: it must not be entered from
    /// its own callbacks, and its windows are up to date only then.
    std::deque<std::function<void(Http2Listener&)>> m_events;
    bool m_delivering{false};                    //!< inside Deliver
    Http2FrameOutput m_frame;                    //!< being written out
    bool m_dataFrame{false};                     //!< the library just put a DATA frame into m_frame
    uint64_t m_sending{0};                       //!< messages with a quota and bytes left
    uint64_t m_unsent{0};                        //!< responses with bytes left, quota or not
    uint32_t m_peerWindow{65535};                //!< initial stream window of the peer, bytes
    uint32_t m_window;                           //!< WIN as last announced, bytes
    std::vector<std::array<uint8_t, 8>> m_pings; //!< of the peer, to be answered: opaque data
    std::vector<uint64_t> m_sentPings;           //!< numbers that the peer has not returned
    bool m_pumping{false};                       //!< inside Pump
    bool m_receiving{false};                     //!< the library is at work on bytes of the peer
    bool m_failed{false};                        //!< OnError was or will be called
    std::string m_libraryError;                  //!< last explanation by the library
};

} // namespace ns3::dml

#endif /* DML_HTTP2_SESSION_H */
