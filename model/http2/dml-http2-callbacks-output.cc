/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-callbacks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::dml
{

nghttp2_nv
Http2Callbacks::MakeHeader(std::string_view name, std::string_view value)
{
    // The library copies both and changes neither.
    return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
            reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
            name.size(),
            value.size(),
            NGHTTP2_NV_FLAG_NONE};
}

ssize_t
Http2Callbacks::ReadLength(nghttp2_session*,
                           uint8_t,
                           int32_t,
                           int32_t,
                           int32_t,
                           uint32_t peerMaxFrameSize,
                           void*)
{
    return peerMaxFrameSize; // the library lowers it to the windows
}

ssize_t
Http2Callbacks::ReadData(nghttp2_session* session,
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
        if (IsServer(self))
        {
            *dataFlags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            const nghttp2_nv trailer = MakeHeader("grpc-status", "0");
            self.Check(nghttp2_submit_trailer(session, streamId, &trailer, 1), "trailers");
        }
    }
    return static_cast<ssize_t>(n);
}

int
Http2Callbacks::SendData(nghttp2_session*,
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
        if (IsServer(self) && stream->mode == SendMode::IN_TURNS)
        {
            turnEnd = {frame->hd.stream_id, outgoing.GetTurnBytes(), outgoing.GetRemaining() == 0};
        }
    }
    if (IsServer(self) && outgoing.GetRemaining() == 0)
    {
        --self.m_unsent;
    }
    self.m_frame.SetBuffered(zeros, turnEnd);
    self.m_dataFrame = true;
    return NGHTTP2_ERR_PAUSE; // so that the library returns after this frame
}

int
Http2Callbacks::OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* userData)
{
    Http2Session& self = Self(userData);
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
    {
        self.Fail(std::string("the peer broke the protocol: ") +
                  nghttp2_http2_strerror(frame->goaway.error_code));
    }
    return 0;
}

int
Http2Callbacks::OnFrameNotSent(nghttp2_session*,
                               const nghttp2_frame* frame,
                               int error,
                               void* userData)
{
    // A window update for a stream that is closed meanwhile is of no interest.
    if (frame->hd.type != NGHTTP2_WINDOW_UPDATE)
    {
        Self(userData).Fail(Name(frame->hd.stream_id) + ": frame of type " +
                            std::to_string(frame->hd.type) +
                            " cannot be sent: " + nghttp2_strerror(error));
    }
    return 0;
}

} // namespace ns3::dml
