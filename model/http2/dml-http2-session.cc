/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-session.h"

#include "dml-http2-callbacks.h"

#include "ns3/dml-error.h"
#include "ns3/dml-flag-guard.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <iterator>
#include <new>
#include <nghttp2/nghttp2.h>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint32_t MIN_FRAME_SIZE = 16384;
constexpr uint32_t MAX_FRAME_SIZE = 16777215;
constexpr uint32_t MAX_STREAMS = 0x7fffffff;

void
CheckRange(const char* what, uint32_t value, uint32_t min, uint32_t max)
{
    if (value < min || value > max)
    {
        throw InputError(std::string("HTTP/2 ") + what + " of " + std::to_string(value) +
                         " bytes; accepted: " + std::to_string(min) + " to " + std::to_string(max));
    }
}

/// Frees the library's objects that are needed during construction only.
struct LibraryDeleter
{
    void operator()(nghttp2_session_callbacks* callbacks) const
    {
        nghttp2_session_callbacks_del(callbacks);
    }

    void operator()(nghttp2_option* option) const
    {
        nghttp2_option_del(option);
    }
};

/// @throws std::bad_alloc if @p result, of a call that cannot fail otherwise, is an error
void
MustWork(int result)
{
    if (result < 0)
    {
        throw std::bad_alloc();
    }
}

} // namespace

Http2Session::Http2Session(const Http2Config& config,
                           std::unique_ptr<GrantRule> grantRule,
                           Http2Listener& listener)
    : m_config(config),
      m_grantRule(std::move(grantRule)),
      m_listener(listener),
      m_window(config.window)
{
    CheckRange("window", config.window, 1, HTTP2_MAX_WINDOW);
    CheckRange("frame size", config.maxFrameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE);

    nghttp2_session_callbacks* rawCallbacks = nullptr;
    MustWork(nghttp2_session_callbacks_new(&rawCallbacks));
    const std::unique_ptr<nghttp2_session_callbacks, LibraryDeleter> callbacks(rawCallbacks);
    RegisterHttp2Callbacks(rawCallbacks);

    nghttp2_option* rawOption = nullptr;
    MustWork(nghttp2_option_new(&rawOption));
    const std::unique_ptr<nghttp2_option, LibraryDeleter> option(rawOption);
    nghttp2_option_set_no_auto_window_update(rawOption, 1);
    // A burst of requests may leave before the peer's SETTINGS arrive.
    nghttp2_option_set_peer_max_concurrent_streams(rawOption, MAX_STREAMS);
    // Otherwise a server remembers as many closed streams as it accepts open ones.
    nghttp2_option_set_no_closed_streams(rawOption, 1);
    nghttp2_option_set_no_auto_ping_ack(rawOption, 1);

    std::vector<nghttp2_settings_entry> settings{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MAX_STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, config.window},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, config.maxFrameSize}};
    if (!IsServer())
    {
        settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
        MustWork(nghttp2_session_client_new2(&m_session, rawCallbacks, this, rawOption));
    }
    else
    {
        // Lets a server give its own streams an urgency (RFC 9218).
        settings.push_back({NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1});
        MustWork(nghttp2_session_server_new2(&m_session, rawCallbacks, this, rawOption));
    }
    Check(nghttp2_submit_settings(m_session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()),
          "settings");
    Check(nghttp2_session_set_local_window_size(m_session, NGHTTP2_FLAG_NONE, 0, HTTP2_MAX_WINDOW),
          "connection window");
}

Http2Session::~Http2Session()
{
    nghttp2_session_del(m_session);
}

int32_t
Http2Session::SendRequest(const std::string& path,
                          const std::string& authority,
                          std::string message,
                          size_t keep)
{
    if (IsServer() || m_failed)
    {
        return 0;
    }
    GrpcMessageWriter outgoing;
    outgoing.Start(std::move(message), 0);
    outgoing.AddQuota(UNLIMITED);
    Http2Stream* stream = m_streams.Acquire(keep, m_window);
    stream->outgoing = std::move(outgoing);

    const nghttp2_nv headers[] = {MakeHttp2Header(":method", "POST"),
                                  MakeHttp2Header(":scheme", "http"),
                                  MakeHttp2Header(":path", path),
                                  MakeHttp2Header(":authority", authority),
                                  MakeHttp2Header("te", "trailers"),
                                  MakeHttp2Header("content-type", "application/grpc"),
                                  MakeHttp2Header("user-agent", "grpc-dml")};
    const nghttp2_data_provider provider = MakeHttp2Data(*stream);
    const int32_t streamId =
        nghttp2_submit_request(m_session, nullptr, headers, std::size(headers), &provider, stream);
    if (streamId < 0)
    {
        m_streams.Release(stream);
        Check(streamId, "request");
        return 0;
    }
    ++m_sending;
    return streamId;
}

bool
Http2Session::SubmitResponse(int32_t streamId, std::string head, uint64_t zeros, SendMode mode)
{
    Http2Stream* stream = FindUnanswered(streamId);
    if (stream == nullptr)
    {
        return false;
    }
    stream->outgoing.Start(std::move(head), zeros);
    stream->mode = mode;
    ++m_unsent;
    // Bulk streams share the default urgency, frame by frame; small answers go before them.
    nghttp2_extpri priority{NGHTTP2_EXTPRI_DEFAULT_URGENCY, 1};
    if (mode == SendMode::AT_ONCE)
    {
        priority = {NGHTTP2_EXTPRI_URGENCY_HIGH, 0};
    }
    Check(nghttp2_session_change_extpri_stream_priority(m_session, streamId, &priority, 1),
          "priority");
    if (mode == SendMode::AT_ONCE)
    {
        Resume(streamId, *stream, UNLIMITED);
    }
    return true;
}

bool
Http2Session::SubmitFailure(int32_t streamId, int32_t grpcStatus)
{
    Http2Stream* stream = FindUnanswered(streamId);
    if (stream == nullptr)
    {
        return false;
    }
    const std::string status = std::to_string(grpcStatus);
    const nghttp2_nv headers[] = {MakeHttp2Header(":status", "200"),
                                  MakeHttp2Header("content-type", "application/grpc"),
                                  MakeHttp2Header("grpc-status", status)};
    stream->submitted = true;
    Check(nghttp2_submit_response(m_session, streamId, headers, std::size(headers), nullptr),
          "response");
    return true;
}

bool
Http2Session::Grant(int32_t streamId, uint64_t bytes)
{
    Http2Stream* stream = Find(streamId);
    if (!IsServer() || m_failed || stream == nullptr || bytes == 0 ||
        stream->mode != SendMode::IN_TURNS || stream->outgoing.GetRemaining() == 0)
    {
        return false;
    }
    Resume(streamId, *stream, bytes);
    return true;
}

void
Http2Session::SendPing(uint64_t number)
{
    if (number == 0)
    {
        throw InputError("HTTP/2 PING number 0; accepted: 1 to 2^64-1");
    }
    m_sentPings.push_back(number);
    std::array<uint8_t, 8> opaque;
    boost::endian::store_big_u64(opaque.data(), number);
    Check(nghttp2_submit_ping(m_session, NGHTTP2_FLAG_NONE, opaque.data()), "ping");
}

void
Http2Session::PingAnswered(uint64_t number)
{
    const auto sent = std::find(m_sentPings.begin(), m_sentPings.end(), number);
    if (sent != m_sentPings.end()) // the peer may answer what nobody has asked
    {
        m_sentPings.erase(sent);
        Tell(&Http2Listener::OnPingAcknowledged, number);
    }
}

uint32_t
Http2Session::GetRemoteWindow(int32_t streamId) const
{
    const int32_t stream = nghttp2_session_get_stream_remote_window_size(m_session, streamId);
    const int32_t connection = nghttp2_session_get_remote_window_size(m_session);
    return static_cast<uint32_t>(std::max(0, std::min(stream, connection)));
}

uint64_t
Http2Session::GetRemaining(int32_t streamId) const
{
    const Http2Stream* stream = Find(streamId);
    return stream == nullptr ? 0 : stream->outgoing.GetRemaining();
}

uint64_t
Http2Session::GetSkippable(int32_t streamId) const
{
    const Http2Stream* stream = Find(streamId);
    const bool inTurns = stream != nullptr && stream->mode == SendMode::IN_TURNS;
    return inTurns ? stream->outgoing.GetSkippable() : 0;
}

void
Http2Session::SkipOutgoing(int32_t streamId, uint64_t bytes)
{
    Find(streamId)->outgoing.Skip(bytes);
}

uint64_t
Http2Session::GetMissing(int32_t streamId) const
{
    const Http2Stream* stream = Find(streamId);
    const bool known = stream != nullptr && stream->incoming.HasLength();
    return known ? stream->incoming.GetSize() - stream->incoming.GetReceived() : 0;
}

void
Http2Session::SkipIncoming(int32_t streamId, uint64_t bytes)
{
    Http2Stream* stream = Find(streamId);
    stream->incoming.Skip(bytes);
    stream->announced += bytes; // what the peer may still send stays the same
}

Http2PumpResult
Http2Session::Pump(ByteSink& sink)
{
    if (m_pumping)
    {
        return Http2PumpResult::IDLE;
    }
    const FlagGuard guard(m_pumping);
    for (;;)
    {
        if (!m_frame.Drain(sink))
        {
            return Http2PumpResult::SINK_FULL;
        }
        const Http2FrameOutput::TurnEnd turnEnd = m_frame.TakeTurnEnd();
        if (turnEnd.streamId != 0)
        {
            Tell(&Http2Listener::OnTurnEnded, turnEnd.streamId, turnEnd.bytes, turnEnd.done);
        }
        if (turnEnd.streamId != 0 || !IsWritingTurns())
        {
            AnswerPings();
        }
        Deliver();
        if (HasOutput() && sink.GetRoom() == 0)
        {
            return Http2PumpResult::SINK_FULL;
        }
        if (!NextFrame() && !Deliver() && !AnswerPings())
        {
            const bool stalled = m_sending > 0 && !m_failed;
            return stalled ? Http2PumpResult::WINDOW_CLOSED : Http2PumpResult::IDLE;
        }
    }
}

bool
Http2Session::HasOutput() const
{
    return !m_frame.IsEmpty() || !m_pings.empty() || m_delivering || !m_events.empty() ||
           nghttp2_session_want_write(m_session) != 0;
}

void
Http2Session::Receive(const uint8_t* data, size_t n)
{
    if (m_failed)
    {
        return;
    }
    m_receiving = true;
    const ssize_t result = nghttp2_session_mem_recv(m_session, data, n);
    m_receiving = false;
    if (m_failed)
    {
        TellPeer();
    }
    if (result < 0)
    {
        Fail(static_cast<int>(result));
    }
    Deliver();
}

Http2Stream*
Http2Session::Find(int32_t streamId) const
{
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(m_session, streamId));
}

Http2Stream*
Http2Session::FindUnanswered(int32_t streamId) const
{
    Http2Stream* stream = Find(streamId);
    if (!IsServer() || m_failed || stream == nullptr || !stream->over || stream->submitted ||
        stream->outgoing.GetRemaining() > 0)
    {
        return nullptr;
    }
    return stream;
}

void
Http2Session::Resume(int32_t streamId, Http2Stream& stream, uint64_t bytes)
{
    if (stream.outgoing.GetReadable() == 0)
    {
        ++m_sending;
    }
    stream.outgoing.AddQuota(bytes);
    if (stream.submitted)
    {
        // Fails if the data is not deferred, for lack of a quota: then it will be asked for it.
        nghttp2_session_resume_data(m_session, streamId);
        return;
    }
    const nghttp2_nv headers[] = {MakeHttp2Header(":status", "200"),
                                  MakeHttp2Header("content-type", "application/grpc")};
    const nghttp2_data_provider provider = MakeHttp2Data(stream);
    stream.submitted = true;
    Check(nghttp2_submit_response(m_session, streamId, headers, std::size(headers), &provider),
          "response");
}

bool
Http2Session::AnswerPings()
{
    const bool some = !m_pings.empty();
    for (const auto& opaque : m_pings)
    {
        Check(nghttp2_submit_ping(m_session, NGHTTP2_FLAG_ACK, opaque.data()), "ping");
    }
    m_pings.clear();
    return some;
}

void
Http2Session::AnnounceWindow(uint32_t window)
{
    CheckRange("window", window, 1, HTTP2_MAX_WINDOW);
    if (window != m_window)
    {
        SubmitSettings(window, m_config.maxFrameSize);
    }
}

void
Http2Session::SetLocalWindow(uint32_t window)
{
    SubmitSettings(window, std::clamp(window, MIN_FRAME_SIZE, MAX_FRAME_SIZE));
}

void
Http2Session::SubmitSettings(uint32_t window, uint32_t maxFrameSize)
{
    // RFC 9113, section 6.9.2: the windows of open streams change, too.
    m_streams.ChangeWindows(int64_t{window} - int64_t{m_window});
    m_window = window;
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window},
                                               {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, maxFrameSize}};
    Check(nghttp2_submit_settings(m_session, NGHTTP2_FLAG_NONE, settings, std::size(settings)),
          "settings");
}

bool
Http2Session::NextFrame()
{
    m_dataFrame = false;
    const uint8_t* data = nullptr;
    const ssize_t n = nghttp2_session_mem_send(m_session, &data);
    if (n < 0)
    {
        Fail(static_cast<int>(n));
        return false;
    }
    if (n > 0)
    {
        m_frame.SetBytes(data, static_cast<size_t>(n));
        return true;
    }
    return m_dataFrame;
}

void
Http2Session::Fail(const std::string& text)
{
    const char* role = IsServer() ? "HTTP/2 server: " : "HTTP/2 client: ";
    const std::string detail = m_libraryError.empty() ? "" : " (" + m_libraryError + ")";
    Tell(&Http2Listener::OnError, role + text + detail);
    m_failed = true;
    if (!m_receiving)
    {
        TellPeer();
    }
}

void
Http2Session::TellPeer()
{
    // Never from its callbacks while the library reads: it goes on reading, and at the next broken
    // frame asserts that nobody but itself has ended the session (1.52). An error here adds nothing
    // to the first one.
    nghttp2_session_terminate_session(m_session, NGHTTP2_PROTOCOL_ERROR);
}

void
Http2Session::Check(int result, const char* what)
{
    if (result < 0)
    {
        Fail(result, std::string(what) + ": ");
    }
}

void
Http2Session::Fail(int error, const std::string& what)
{
    if (error == NGHTTP2_ERR_NOMEM)
    {
        throw std::bad_alloc(); // nobody's mistake, and the same may pass again
    }
    Fail(what + nghttp2_strerror(error));
}

bool
Http2Session::Deliver()
{
    if (m_delivering || m_events.empty())
    {
        return false;
    }
    const FlagGuard guard(m_delivering);
    while (!m_events.empty())
    {
        const auto event = std::move(m_events.front()); // the listener may cause events
        m_events.pop_front();
        event(m_listener);
    }
    return true;
}

} // namespace ns3::dml
