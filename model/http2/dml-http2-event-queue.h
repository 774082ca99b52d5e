/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_EVENT_QUEUE_H
#define DML_HTTP2_EVENT_QUEUE_H

#include "dml-http2-listener.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief Calls to a listener that wait until the HTTP/2 library has returned.
 *
 * The library must not be entered from its own callbacks, and its windows are up to date only
 * after it has returned.
 */
class Http2EventQueue
{
  public:
    /// Which method of the listener to call.
    enum class Kind : uint8_t
    {
        REQUEST,
        TURN_ENDED,
        WINDOW_OPENED,
        RESPONSE_STARTED,
        RESPONSE,
        TRAILERS,
        PING_ACKNOWLEDGED,
        ERROR,
    };

    /// One call. What the numbers and texts mean follows from the kind.
    struct Event
    {
        Kind kind;           //!< method to call
        int32_t streamId{0}; //!< the stream, 0 if none
        uint64_t number{0};  //!< bytes, message length, gRPC status, or PING
        bool done{false};    //!< message done
        std::string first{}; //!< path, or text of an error
        std::string bytes{}; //!< message, or head of a message
    };

    /// @param event to deliver after those already waiting
    void Add(Event event);

    /**
     * @brief Deliver all waiting events, those included that the listener causes meanwhile.
     * @param listener to call
     * @return true if there was one; a call from within a delivery does nothing and returns false
     */
    bool Deliver(Http2Listener& listener);

    /// @return whether no event waits
    bool IsEmpty() const
    {
        return m_events.empty();
    }

  private:
    std::vector<Event> m_events; //!< delivered ones included, until the queue runs empty
    size_t m_next{0};            //!< first event not yet delivered
    bool m_delivering{false};    //!< inside Deliver
};

} // namespace ns3::dml

#endif /* DML_HTTP2_EVENT_QUEUE_H */
