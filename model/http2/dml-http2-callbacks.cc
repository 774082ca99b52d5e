/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-callbacks.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

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

/**
 * @brief The functions that the library calls.
 *
 * nghttp2 is C: nothing may be thrown from here, and neither its send nor its receive function may
 * be called; whatever concerns the application waits in the session until the library has returned.
 */
struct Http2Callbacks
{
    static Http2Session& Self(void* userData)
    {
        return *static_cast<Http2Session*>(userData);
    }

    /// @return what a person calls @p streamId
    static std::string Name(int32_t streamId)
    {
        return streamId == 0 ? "connection" : "stream " + std::to_string(streamId);
    }

    static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* userData)
    {
        Http2Session& self = Self(userData);
        if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        {
            Http2Stream* stream = self.m_streams.Acquire(Http2Session::MAX_REQUEST, self.m_window);
            nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
        }
        return 0;
    }

    static int OnHeader(nghttp2_session*,
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
        if (self.IsServer())
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

    static int OnDataChunk(nghttp2_session* session,
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
        if (prefixCompleted && self.IsServer() && incoming.GetLength() > Http2Session::MAX_REQUEST)
        {
            self.Fail(Name(streamId) + ": a request message of " +
                      std::to_string(incoming.GetLength()) + " bytes; accepted: at most " +
                      std::to_string(Http2Session::MAX_REQUEST));
            return 0;
        }
        if (prefixCompleted && !self.IsServer())
        {
            self.Tell(&Http2Listener::OnResponseStarted, streamId, incoming.GetLength());
        }
        if (!incoming.IsComplete())
        {
            GrantWindow(self, streamId, *stream, prefixCompleted);
        }
        else if (!self.IsServer())
        {
            self.Tell(&Http2Listener::OnResponse,
                      streamId,
                      std::move(incoming.GetKept()),
                      incoming.GetLength());
        }
        return 0;
    }

    static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* userData)
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
                self.Tell(&Http2Listener::OnWindowOpened, 0);
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

    static int OnInvalidFrame(nghttp2_session*,
                              const nghttp2_frame* frame,
                              int error,
                              void* userData)
    {
        Self(userData).Fail(error,
                            Name(frame->hd.stream_id) + ": invalid frame of type " +
                                std::to_string(frame->hd.type) + ": ");
        return 0;
    }

    static int OnStreamClose(nghttp2_session* session,
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
        if (errorCode != NGHTTP2_NO_ERROR || !stream->over || (self.IsServer() && !answered))
        {
            self.Fail(Name(streamId) +
                      ": closed before its end: " + nghttp2_http2_strerror(errorCode));
        }
        if (stream->outgoing.GetReadable() > 0)
        {
            --self.m_sending;
        }
        nghttp2_session_set_stream_user_data(session, streamId, nullptr);
        self.m_streams.Release(stream);
        return 0;
    }

    static int OnErrorText(nghttp2_session*, int, const char* text, size_t length, void* userData)
    {
        Self(userData).m_libraryError.assign(text, length);
        return 0;
    }

    static ssize_t ReadLength(nghttp2_session*,
                              uint8_t,
                              int32_t,
                              int32_t,
                              int32_t,
                              uint32_t peerMaxFrameSize,
                              void*)
    {
        return peerMaxFrameSize; // the library lowers it to the windows
    }

    static ssize_t ReadData(nghttp2_session* session,
                            int32_t streamId,
                            uint8_t*,
                            size_t length,
                            uint32_t* dataFlags,
                            nghttp2_data_source* source,
                            void* userData)
    {
        Http2Session& self = Self(userData);
        const GrpcMessageWriter& outgoing = static_cast<Http2Stream*>(source->ptr)->outgoing;
        const uint64_t readable = outgoing.GetReadable();
        if (self.m_failed || readable == 0)
        {
            return NGHTTP2_ERR_DEFERRED;
        }
        const uint64_t n = std::min<uint64_t>(length, readable);
        *dataFlags |= NGHTTP2_DATA_FLAG_NO_COPY;
        if (n == outgoing.GetRemaining())
        {
            *dataFlags |= NGHTTP2_DATA_FLAG_EOF;
            if (self.IsServer())
            {
                *dataFlags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
                const nghttp2_nv trailer = MakeHttp2Header("grpc-status", "0");
                self.Check(nghttp2_submit_trailer(session, streamId, &trailer, 1), "trailers");
            }
        }
        return static_cast<ssize_t>(n);
    }

    static int SendData(nghttp2_session*,
                        nghttp2_frame* frame,
                        const uint8_t* header,
                        size_t length,
                        nghttp2_data_source* source,
                        void* userData)
    {
        constexpr size_t headerSize = 9;
        Http2Session& self = Self(userData);
        auto* stream = static_cast<Http2Stream*>(source->ptr);
        GrpcMessageWriter& outgoing = stream->outgoing;
        std::vector<uint8_t>& buffer = self.m_frame.GetBuffer();
        buffer.assign(header, header + headerSize);
        const uint64_t zeros = outgoing.Take(length, buffer);
        Http2FrameOutput::TurnEnd turnEnd;
        if (outgoing.GetReadable() == 0)
        {
            --self.m_sending;
            if (self.IsServer() && stream->mode == SendMode::IN_TURNS)
            {
                turnEnd = {frame->hd.stream_id,
                           outgoing.GetTurnBytes(),
                           outgoing.GetRemaining() == 0};
            }
        }
        if (self.IsServer() && outgoing.GetRemaining() == 0)
        {
            --self.m_unsent;
        }
        self.m_frame.SetBuffered(zeros, turnEnd);
        self.m_dataFrame = true;
        return NGHTTP2_ERR_PAUSE; // so that the library returns after this frame
    }

    static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* userData)
    {
        Http2Session& self = Self(userData);
        if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
        {
            self.Fail(std::string("the peer broke the protocol: ") +
                      nghttp2_http2_strerror(frame->goaway.error_code));
        }
        return 0;
    }

    static int OnFrameNotSent(nghttp2_session*,
                              const nghttp2_frame* frame,
                              int error,
                              void* userData)
    {
        // A window update for a stream that is closed meanwhile is of no interest.
        if (frame->hd.type != NGHTTP2_WINDOW_UPDATE)
        {
            Self(userData).Fail(error,
                                Name(frame->hd.stream_id) + ": frame of type " +
                                    std::to_string(frame->hd.type) + " cannot be sent: ");
        }
        return 0;
    }

    // Steps of the above.

    static void GrantWindow(Http2Session& self,
                            int32_t streamId,
                            Http2Stream& stream,
                            bool prefixCompleted)
    {
        if (self.m_grantRule == nullptr)
        {
            return;
        }
        const GrpcMessageReader& incoming = stream.incoming;
        const GrantState state{self.m_window,
                               incoming.GetReceived(),
                               stream.announced,
                               incoming.GetSize(),
                               prefixCompleted};
        const uint64_t wanted = self.m_grantRule->GetIncrement(state);
        const int64_t room = HTTP2_MAX_WINDOW - std::max<int64_t>(0, state.GetOutstanding());
        const auto increment =
            static_cast<int32_t>(std::min<uint64_t>(wanted, std::max<int64_t>(0, room)));
        if (increment > 0)
        {
            stream.announced += increment;
            self.Check(nghttp2_submit_window_update(self.m_session,
                                                    NGHTTP2_FLAG_NONE,
                                                    streamId,
                                                    increment),
                       "window update");
        }
    }

    static void Measure(Http2Session& self, uint64_t bytes)
    {
        if (self.m_grantRule != nullptr && self.m_config.clock && self.m_grantRule->Measures() &&
            self.m_grantRule->DataArrived(bytes, self.m_config.clock()))
        {
            self.Check(nghttp2_submit_ping(self.m_session, NGHTTP2_FLAG_NONE, nullptr), "ping");
        }
    }

    static void PingArrived(Http2Session& self, const nghttp2_ping& ping)
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

    static void EndOfStream(Http2Session& self, int32_t streamId, Http2Stream& stream)
    {
        const GrpcMessageReader& incoming = stream.incoming;
        const std::string where = Name(streamId);
        if (!self.IsServer() && stream.httpStatus != HTTP_OK)
        {
            self.Fail(where + ": HTTP status " + std::to_string(stream.httpStatus));
        }
        else if (!self.IsServer() && stream.grpcStatus < 0)
        {
            self.Fail(where + ": ended without a grpc-status");
        }
        else if (!incoming.IsComplete() && (self.IsServer() || stream.grpcStatus == 0))
        {
            self.Fail(where + ": ended after " + std::to_string(incoming.GetReceived()) +
                      " bytes of an incomplete gRPC message");
        }
        stream.over = true;
        if (self.IsServer())
        {
            self.Tell(&Http2Listener::OnRequest,
                      streamId,
                      std::move(stream.path),
                      std::move(stream.incoming.GetKept()));
        }
        else
        {
            self.Tell(&Http2Listener::OnTrailers, streamId, stream.grpcStatus);
        }
    }

    static void WindowOpened(Http2Session& self, int32_t streamId, int64_t increment)
    {
        const Http2Stream* stream = streamId == 0 ? nullptr : self.Find(streamId);
        if (self.m_unsent == 0 ||
            (streamId != 0 && (stream == nullptr || stream->outgoing.GetRemaining() == 0)))
        {
            return;
        }
        const int64_t window =
            streamId == 0 ? nghttp2_session_get_remote_window_size(self.m_session)
                          : nghttp2_session_get_stream_remote_window_size(self.m_session, streamId);
        // The increment is already in: the window was used up if nothing more is there.
        if (window > 0 && window <= increment)
        {
            self.Tell(&Http2Listener::OnWindowOpened, streamId);
        }
    }
};

void
RegisterHttp2Callbacks(nghttp2_session_callbacks* callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            Http2Callbacks::OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Http2Callbacks::OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              Http2Callbacks::OnDataChunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Http2Callbacks::OnFrame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks,
                                                                 Http2Callbacks::OnInvalidFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                           Http2Callbacks::OnStreamClose);
    nghttp2_session_callbacks_set_error_callback2(callbacks, Http2Callbacks::OnErrorText);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks,
                                                                   Http2Callbacks::ReadLength);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, Http2Callbacks::SendData);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Http2Callbacks::OnFrameSent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks,
                                                             Http2Callbacks::OnFrameNotSent);
}

nghttp2_nv
MakeHttp2Header(std::string_view name, std::string_view value)
{
    // The library copies both and changes neither.
    return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
            reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
            name.size(),
            value.size(),
            NGHTTP2_NV_FLAG_NONE};
}

nghttp2_data_provider
MakeHttp2Data(Http2Stream& stream)
{
    nghttp2_data_provider provider{};
    provider.source.ptr = &stream;
    provider.read_callback = Http2Callbacks::ReadData;
    return provider;
}

} // namespace ns3::dml
