/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_LISTENER_H
#define DML_HTTP2_LISTENER_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief Is told what happens on one HTTP/2 session. The methods do nothing by default.
 *
 * They are called from Http2Session::Receive and Http2Session::Pump, in the order of events, never
 * from inside the HTTP/2 library: every method of the session may be called from them. They must
 * not destroy the session. Sizes of messages do not include the 5-byte gRPC prefix.
 */
class Http2Listener
{
  public:
    virtual ~Http2Listener() = default;

    /**
     * @brief Server: a request arrived completely (its message and the end of its stream).
     * @param streamId the stream, to be given to Http2Session::SubmitResponse now or later
     * @param path the RPC, such as "/tensorflow.WorkerService/RecvTensor"
     * @param message the request message
     */
    virtual void OnRequest([[maybe_unused]] int32_t streamId,
                           [[maybe_unused]] const std::string& path,
                           [[maybe_unused]] const std::string& message)
    {
    }

    /**
     * @brief Server: a turn is over, its last byte was written to the sink.
     * @param streamId the stream that Http2Session::Grant was called for
     * @param bytes message bytes of the turn, 5-byte prefix included
     * @param messageDone true if the message is completely sent (only the trailers follow)
     */
    virtual void OnTurnEnded([[maybe_unused]] int32_t streamId,
                             [[maybe_unused]] uint64_t bytes,
                             [[maybe_unused]] bool messageDone)
    {
    }

    /**
     * @brief Server: a response that could not be sent for lack of window can be sent again.
     * @param streamId the stream whose window was used up, or 0 if more than one may have been
     *        waiting (connection window, new initial window)
     */
    virtual void OnWindowOpened([[maybe_unused]] int32_t streamId)
    {
    }

    /**
     * @brief Client: the length of a response message is known, its first bytes are here.
     * @param streamId as returned by Http2Session::SendRequest
     * @param messageLength bytes
     */
    virtual void OnResponseStarted([[maybe_unused]] int32_t streamId,
                                   [[maybe_unused]] uint32_t messageLength)
    {
    }

    /**
     * @brief Client: all bytes of a response message arrived.
     * @param streamId as returned by Http2Session::SendRequest
     * @param head the first bytes of the message, at most Http2Session::RESPONSE_HEAD of them
     * @param messageLength bytes
     */
    virtual void OnResponse([[maybe_unused]] int32_t streamId,
                            [[maybe_unused]] const std::string& head,
                            [[maybe_unused]] uint32_t messageLength)
    {
    }

    /**
     * @brief Client: the RPC is over.
     * @param streamId as returned by Http2Session::SendRequest
     * @param grpcStatus 0 for success, else a gRPC status code (no response came then)
     */
    virtual void OnTrailers([[maybe_unused]] int32_t streamId, [[maybe_unused]] int32_t grpcStatus)
    {
    }

    /// @brief The peer has answered a PING. @param number given to Http2Session::SendPing
    virtual void OnPingAcknowledged([[maybe_unused]] uint64_t number)
    {
    }

    /**
     * @brief The session failed: it takes no more input and sends no more messages. Called once.
     * @param text what was wrong, for a person
     */
    virtual void OnError([[maybe_unused]] const std::string& text)
    {
    }
};

} // namespace ns3::dml

#endif /* DML_HTTP2_LISTENER_H */
