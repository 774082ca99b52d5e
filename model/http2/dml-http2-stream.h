/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_STREAM_H
#define DML_HTTP2_STREAM_H

#include "dml-grpc-message-stream.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How a response leaves.
enum class SendMode : uint8_t
{
    IN_TURNS, //!< as the application grants it (Http2Session::Grant)
    AT_ONCE,  //!< at once and before all others: small answers
};

/**
 * @ingroup dml-http2
 * @brief What a session remembers of one open stream.
 */
struct Http2Stream
{
    GrpcMessageWriter outgoing;        //!< the message to send
    GrpcMessageReader incoming;        //!< the message that arrives
    std::string path;                  //!< server: of the request
    uint64_t announced{0};             //!< window announced to the peer since the start, bytes
    int32_t httpStatus{0};             //!< client: of the response, 0 if not seen
    int32_t grpcStatus{-1};            //!< client: of the trailers, -1 if not seen
    SendMode mode{SendMode::IN_TURNS}; //!< how the outgoing message leaves
    bool submitted{false};             //!< server: the response was handed to the library
    bool over{false};                  //!< the peer ended the stream properly
};

/**
 * @ingroup dml-http2
 * @brief Owns stream records and uses them again, so that memory follows the open streams only.
 */
class Http2StreamPool
{
  public:
    /**
     * @param keep bytes of the incoming message to keep
     * @param window initial window of the stream, bytes
     * @return a fresh record, valid until it is released or the pool dies
     */
    Http2Stream* Acquire(size_t keep, uint32_t window)
    {
        if (m_free.empty())
        {
            m_free.push_back(&m_all.emplace_back());
        }
        Http2Stream* stream = m_free.back();
        m_free.pop_back();
        *stream = Http2Stream();
        stream->incoming.Reset(keep);
        stream->announced = window;
        return stream;
    }

    /// @param bytes by which the window of every stream in use changed
    void ChangeWindows(int64_t bytes)
    {
        for (Http2Stream& stream : m_all)
        {
            stream.announced += bytes;
        }
    }

    /// @param stream a record in use; it must not be used any more
    void Release(Http2Stream* stream)
    {
        m_free.push_back(stream);
    }

    /// @return records in use
    size_t GetUsed() const
    {
        return m_all.size() - m_free.size();
    }

    /// @return records ever made: the largest number that was in use at the same time
    size_t GetSize() const
    {
        return m_all.size();
    }

  private:
    std::deque<Http2Stream> m_all;    //!< addresses stay
    std::vector<Http2Stream*> m_free; //!< not in use
};

} // namespace ns3::dml

#endif /* DML_HTTP2_STREAM_H */
