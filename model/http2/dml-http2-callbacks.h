/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_CALLBACKS_H
#define DML_HTTP2_CALLBACKS_H

#include "dml-http2-session.h"

#include <nghttp2/nghttp2.h>
#include <string_view>

namespace ns3::dml
{

// What Http2Session hands to nghttp2, which calls it while it parses or builds frames.

/// @param callbacks of a session, to be filled
void RegisterHttp2Callbacks(nghttp2_session_callbacks* callbacks);

/// @return a header field for the library; both texts must stay until it was submitted
nghttp2_nv MakeHttp2Header(std::string_view name, std::string_view value);

/// @return what makes DATA frames of the outgoing message of @p stream
nghttp2_data_provider MakeHttp2Data(Http2Stream& stream);

} // namespace ns3::dml

#endif /* DML_HTTP2_CALLBACKS_H */
