/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-callbacks.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <charconv>
#include <string_view>
#include <utility>

namespace ns3::dml
{

namespace
{

using Kind = Http2EventQueue::Kind;

constexpr int32_t HTTP_OK = 200;
/// More PINGs than that, of 17 bytes each, are an attack.
constexpr size_t MAX_PINGS = 1000;

/// @return the number that @p text is, or -1 if it is none
int32_t
ParseStatus(std::string_view text)
{
    int32_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

} // namespace

void
Http2Callbacks::Register(nghttp2_session_callbacks* callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnDataChunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, OnInvalidFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_error_callback2(callbacks, OnErrorText);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, ReadLength);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, SendData);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, OnFrameNotSent);
}

Http2Session&
Http2Callbacks::Self(void* userData)
{
    return *static_cast<Http2Session*>(userData);
}

std::string
Http2Callbacks::Name(int32_t streamId)
{
    return streamId == 0 ? "connection" : "stream " + std::to_string(streamId);
}

bool
Http2Callbacks::IsServer(const Http2Session& self)
{
    return self.m_config.role == Http2Role::SERVER;
}

int
Http2Callbacks::OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* userData)
{
    Http2Session& self = Self(userData);
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
    {
        Http2Stream* stream = self.m_streams.Acquire(Http2Session::MAX_REQUEST, self.m_window);
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
    }
    return 0;
}

int
Http2Callbacks::OnHeader(nghttp2_session*,
                         const nghttp2_frame* frame,
                         const uint8_t* name,
                         size_t nameLength,
                         const uint8_t* value,
                         size_t valueLength,
                         uint8_t,
                         void* userData)
{
    Http2Session& self = Self(userData);
    Http2Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr)
    {
        return 0;
    }
    const std::string_view key(reinterpret_cast<const char*>(name), nameLength);
    const std::string_view text(reinterpret_cast<const char*>(value), valueLength);
    if (IsServer(self))
    {
        if (key == ":path")
        {
            stream->path = text;
        }
    }
    else if (key == ":status")
    {
        stream->httpStatus = ParseStatus(text);
    }
    else if (key == "grpc-status")
    {
        stream->grpcStatus = ParseStatus(text);
    }
    return 0;
}

int
Http2Callbacks::OnDataChunk(nghttp2_session* session,
                            uint8_t,
                            int32_t streamId,
                            const uint8_t* data,
                            size_t length,
                            void* userData)
{
    Http2Session& self = Self(userData);
    nghttp2_session_consume_connection(session, length);
    Measure(self, length);
    Http2Stream* stream = self.Find(streamId);
    if (stream == nullptr || self.m_failed || length == 0)
    {
        return 0;
    }
    GrpcMessageReader& incoming = stream->incoming;
    const bool knewLength = incoming.HasLength();
    if (!incoming.Add(data, length))
    {
        self.Fail(Name(streamId) + ": " + incoming.GetError());
        return 0;
    }
    const bool prefixCompleted = !knewLength && incoming.HasLength();
    if (prefixCompleted && IsServer(self) && incoming.GetLength() > Http2Session::MAX_REQUEST)
    {
        self.Fail(Name(streamId) + ": a request message of " +
                  std::to_string(incoming.GetLength()) + " bytes; accepted: at most " +
                  std::to_string(Http2Session::MAX_REQUEST));
        return 0;
    }
    if (prefixCompleted && !IsServer(self))
    {
        self.AddEvent({Kind::RESPONSE_STARTED, streamId, incoming.GetLength()});
    }
    if (!incoming.IsComplete())
    {
        GrantWindow(self, streamId, *stream, prefixCompleted);
    }
    else if (!IsServer(self))
    {
        self.AddEvent({Kind::RESPONSE,
                       streamId,
                       incoming.GetLength(),
                       true,
                       {},
                       std::move(incoming.GetKept())});
    }
    return 0;
}

int
Http2Callbacks::OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* userData)
{
    Http2Session& self = Self(userData);
    const int32_t streamId = frame->hd.stream_id;
    switch (frame->hd.type)
    {
    case NGHTTP2_DATA:
    case NGHTTP2_HEADERS: {
        Http2Stream* stream = self.Find(streamId);
        if (stream != nullptr && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
        {
            EndOfStream(self, streamId, *stream);
        }
        break;
    }
    case NGHTTP2_SETTINGS: {
        const uint32_t window =
            nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE);
        if (window > self.m_peerWindow && self.m_unsent > 0)
        {
            self.AddEvent({Kind::WINDOW_OPENED});
        }
        self.m_peerWindow = window;
        break;
    }
    case NGHTTP2_WINDOW_UPDATE:
        WindowOpened(self, streamId, frame->window_update.window_size_increment);
        break;
    case NGHTTP2_PING:
        PingArrived(self, frame->ping);
        break;
    case NGHTTP2_GOAWAY:
        if (frame->goaway.error_code != NGHTTP2_NO_ERROR)
        {
            self.Fail(std::string("the peer gave up: ") +
                      nghttp2_http2_strerror(frame->goaway.error_code));
        }
        break;
    default:
        break;
    }
    return 0;
}

int
Http2Callbacks::OnInvalidFrame(nghttp2_session*,
                               const nghttp2_frame* frame,
                               int error,
                               void* userData)
{
    Self(userData).Fail(Name(frame->hd.stream_id) + ": invalid frame of type " +
                        std::to_string(frame->hd.type) + ": " + nghttp2_strerror(error));
    return 0;
}

int
Http2Callbacks::OnStreamClose(nghttp2_session* session,
                              int32_t streamId,
                              uint32_t errorCode,
                              void* userData)
{
    Http2Session& self = Self(userData);
    Http2Stream* stream = self.Find(streamId);
    if (stream == nullptr)
    {
        return 0;
    }
    // A server may end a call before it has the whole request, but not the other way round.
    const bool answered = stream->submitted && stream->outgoing.GetRemaining() == 0;
    if (errorCode != NGHTTP2_NO_ERROR || !stream->over || (IsServer(self) && !answered))
    {
        self.Fail(Name(streamId) + ": closed before its end: " + nghttp2_http2_strerror(errorCode));
    }
    if (stream->outgoing.GetReadable() > 0)
    {
        --self.m_sending;
    }
    nghttp2_session_set_stream_user_data(session, streamId, nullptr);
    self.m_streams.Release(stream);
    return 0;
}

int
Http2Callbacks::OnErrorText(nghttp2_session*, int, const char* text, size_t length, void* userData)
{
    Self(userData).m_libraryError.assign(text, length);
    return 0;
}

void
Http2Callbacks::GrantWindow(Http2Session& self,
                            int32_t streamId,
                            Http2Stream& stream,
                            bool prefixCompleted)
{
    if (self.m_grantRule == nullptr)
    {
        return;
    }
    const GrpcMessageReader& incoming = stream.incoming;
    GrantState state;
    state.window = self.m_window;
    state.received = incoming.GetReceived();
    state.announced = stream.announced;
    state.expected =
        incoming.HasLength() ? GRPC_PREFIX + static_cast<uint64_t>(incoming.GetLength()) : 0;
    state.prefixCompleted = prefixCompleted;
    const uint64_t wanted = self.m_grantRule->GetIncrement(state);
    const int64_t room = HTTP2_MAX_WINDOW - std::max<int64_t>(0, state.GetOutstanding());
    const auto increment =
        static_cast<int32_t>(std::min<uint64_t>(wanted, std::max<int64_t>(0, room)));
    if (increment > 0)
    {
        stream.announced += increment;
        self.Check(
            nghttp2_submit_window_update(self.m_session, NGHTTP2_FLAG_NONE, streamId, increment),
            "window update");
    }
}

void
Http2Callbacks::Measure(Http2Session& self, uint64_t bytes)
{
    if (self.m_grantRule != nullptr && self.m_config.clock && self.m_grantRule->Measures() &&
        self.m_grantRule->DataArrived(bytes, self.m_config.clock()))
    {
        self.Check(nghttp2_submit_ping(self.m_session, NGHTTP2_FLAG_NONE, nullptr), "ping");
    }
}

void
Http2Callbacks::PingArrived(Http2Session& self, const nghttp2_ping& ping)
{
    if ((ping.hd.flags & NGHTTP2_FLAG_ACK) == 0)
    {
        if (self.m_pings.size() == MAX_PINGS)
        {
            self.Fail("connection: " + std::to_string(MAX_PINGS) + " PINGs at once");
            return;
        }
        std::copy_n(ping.opaque_data,
                    sizeof(ping.opaque_data),
                    self.m_pings.emplace_back().begin());
    }
    else if (const uint64_t number = boost::endian::load_big_u64(ping.opaque_data))
    {
        self.PingAnswered(number);
    }
    else if (self.m_grantRule != nullptr && self.m_config.clock)
    {
        const uint32_t window =
            self.m_grantRule->PingAcknowledged(self.m_window, self.m_config.clock());
        if (window != self.m_window)
        {
            self.SetLocalWindow(window);
        }
    }
}

void
Http2Callbacks::EndOfStream(Http2Session& self, int32_t streamId, Http2Stream& stream)
{
    const GrpcMessageReader& incoming = stream.incoming;
    const std::string where = Name(streamId);
    if (!IsServer(self) && stream.httpStatus != HTTP_OK)
    {
        self.Fail(where + ": HTTP status " + std::to_string(stream.httpStatus));
    }
    else if (!IsServer(self) && stream.grpcStatus < 0)
    {
        self.Fail(where + ": ended without a grpc-status");
    }
    else if (!incoming.IsComplete() && (IsServer(self) || stream.grpcStatus == 0))
    {
        self.Fail(where + ": ended after " + std::to_string(incoming.GetReceived()) +
                  " bytes of an incomplete gRPC message");
    }
    stream.over = true;
    if (IsServer(self))
    {
        self.AddEvent({Kind::REQUEST,
                       streamId,
                       0,
                       true,
                       std::move(stream.path),
                       std::move(stream.incoming.GetKept())});
    }
    else
    {
        self.AddEvent({Kind::TRAILERS, streamId, static_cast<uint64_t>(stream.grpcStatus), true});
    }
}

void
Http2Callbacks::WindowOpened(Http2Session& self, int32_t streamId, int64_t increment)
{
    if (self.m_unsent == 0)
    {
        return;
    }
    int64_t window;
    if (streamId == 0)
    {
        window = nghttp2_session_get_remote_window_size(self.m_session);
    }
    else
    {
        const Http2Stream* stream = self.Find(streamId);
        if (stream == nullptr || stream->outgoing.GetRemaining() == 0)
        {
            return;
        }
        window = nghttp2_session_get_stream_remote_window_size(self.m_session, streamId);
    }
    // The increment is already in: the window was used up if nothing more is there.
    if (window > 0 && window <= increment)
    {
        self.AddEvent({Kind::WINDOW_OPENED, streamId});
    }
}

} // namespace ns3::dml
