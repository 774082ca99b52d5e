/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_CALLBACKS_H
#define DML_HTTP2_CALLBACKS_H

#include "dml-http2-session.h"

#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief What nghttp2 calls while it parses or builds frames. Private to Http2Session.
 *
 * nghttp2 is C: nothing may be thrown from here, and neither its send nor its receive function may
 * be called; whatever concerns the application goes into the session's event queue.
 */
struct Http2Callbacks
{
    /// @param callbacks to be filled with the functions below
    static void Register(nghttp2_session_callbacks* callbacks);

    static Http2Session& Self(void* userData);
    static bool IsServer(const Http2Session& self);

    /// @return what a person calls @p streamId
    static std::string Name(int32_t streamId);

    /// @return a header field for the library; both texts must stay until it was submitted
    static nghttp2_nv MakeHeader(std::string_view name, std::string_view value);

    // Input.
    static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* userData);
    static int OnHeader(nghttp2_session* session,
                        const nghttp2_frame* frame,
                        const uint8_t* name,
                        size_t nameLength,
                        const uint8_t* value,
                        size_t valueLength,
                        uint8_t flags,
                        void* userData);
    static int OnDataChunk(nghttp2_session* session,
                           uint8_t flags,
                           int32_t streamId,
                           const uint8_t* data,
                           size_t length,
                           void* userData);
    static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* userData);
    static int OnInvalidFrame(nghttp2_session* session,
                              const nghttp2_frame* frame,
                              int error,
                              void* userData);
    static int OnStreamClose(nghttp2_session* session,
                             int32_t streamId,
                             uint32_t errorCode,
                             void* userData);
    static int OnErrorText(nghttp2_session* session,
                           int error,
                           const char* text,
                           size_t length,
                           void* userData);

    // Output.
    static ssize_t ReadLength(nghttp2_session* session,
                              uint8_t frameType,
                              int32_t streamId,
                              int32_t connectionWindow,
                              int32_t streamWindow,
                              uint32_t peerMaxFrameSize,
                              void* userData);
    static ssize_t ReadData(nghttp2_session* session,
                            int32_t streamId,
                            uint8_t* buffer,
                            size_t length,
                            uint32_t* dataFlags,
                            nghttp2_data_source* source,
                            void* userData);
    static int SendData(nghttp2_session* session,
                        nghttp2_frame* frame,
                        const uint8_t* header,
                        size_t length,
                        nghttp2_data_source* source,
                        void* userData);
    static int OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* userData);
    static int OnFrameNotSent(nghttp2_session* session,
                              const nghttp2_frame* frame,
                              int error,
                              void* userData);

    // Steps of the above.
    static void GrantWindow(Http2Session& self,
                            int32_t streamId,
                            Http2Stream& stream,
                            bool prefixCompleted);
    static void Measure(Http2Session& self, uint64_t bytes);
    static void PingArrived(Http2Session& self, const nghttp2_ping& ping);
    static void EndOfStream(Http2Session& self, int32_t streamId, Http2Stream& stream);
    static void WindowOpened(Http2Session& self, int32_t streamId, int64_t increment);
};

} // namespace ns3::dml

#endif /* DML_HTTP2_CALLBACKS_H */
